import type { Caller } from '../../platform/contract/context.ts';
import { required } from '../../platform/contract/extension-point.ts';
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
