import type { Caller } from '../../platform/contract/context.ts';
import { optional, required } from '../../platform/contract/extension-point.ts';
import type { Tx } from '../../platform/data/data.ts';
import type { Viewer } from '../compliance/server.ts';
import type { PlaybackMode } from './rules.ts';

/**
 * Decides whether a viewer may watch a broadcast in a mode. `compliance.mayPerceive` is always checked first.
 * Decisions are cached for half a second; `BroadcastService.review` applies a change at once.
 */
export interface PlaybackAdmits {
  /** Decides by the viewer's caller, region and age gate. */
  readonly admits: (
    tx: Tx, viewer: Viewer, performerId: number, mode: PlaybackMode,
  ) => Promise<boolean>;
  /** Callers who get a decision of their own in a mode; all others share one. */
  readonly singlesOut: (
    tx: Tx, performerId: number, mode: PlaybackMode,
  ) => Promise<(caller: Caller) => boolean>;
}
export const playbackAdmits = required.single<PlaybackAdmits>({
  name: 'broadcast.playbackAdmits', description: 'Who a broadcast is played to.',
});

export const performerStudio = optional.single<(tx: Tx, performerId: number) => Promise<string | null>>({
  name: 'broadcast.performerStudio', description: 'Name of the studio of a performer; null without one.',
  byDefault: 'No performer has a studio.',
  safeBecause: 'A studio only opens standby to its performers; without one it stays closed to them.',
  milestone: 10,
  fallback: async () => null,
});
