import type { CallContext, Caller } from '#platform/contract/context.ts';
import { optional, required } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import type { Viewer } from '#product/compliance/server.ts';
import type { PlaybackMode } from './rules.ts';

/**
 * Decides whether a viewer may see a performer's stream, thumbnails, previews and offline video in a mode.
 * `compliance.mayPerceive` is always checked first. Decisions about a running player are cached for half a
 * second; `BroadcastService.review` applies a change at once.
 */
export interface PlaybackAdmits {
  /**
   * Decides by the viewer's caller, region and age gate, and by the address and device of a request.
   * @param request null for a running player, for which only the viewer is known
   */
  readonly admits: (
    tx: Tx,
    viewer: Viewer,
    performerId: number,
    mode: PlaybackMode,
    request: Pick<CallContext, 'address' | 'cookie'> | null,
  ) => Promise<boolean>;
  /** Callers who get a decision of their own in a mode; all others share one. */
  readonly singlesOut: (
    tx: Tx,
    performerId: number,
    mode: PlaybackMode,
  ) => Promise<(caller: Caller) => boolean>;
}
export const playbackAdmits = required.single<PlaybackAdmits>({
  name: 'broadcast.playbackAdmits',
  description: 'Who sees a performer: the stream and every picture made of it.',
});

/**
 * The mode in which a performer's next broadcast opens. When they leave standby for a private show, nobody
 * else may see even its first frame.
 */
export const openingMode = optional.single<(tx: Tx, performerId: number) => Promise<PlaybackMode>>({
  name: 'broadcast.openingMode',
  description: 'The mode in which a performer\'s next broadcast opens.',
  byDefault: 'It opens in public.',
  safeBecause: 'Without a slice for shows nobody has agreed to a private one.',
  fallback: async () => 'public',
});
