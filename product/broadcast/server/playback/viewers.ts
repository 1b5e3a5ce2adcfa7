import type { Viewer } from '#product/compliance/server.ts';
import { HLS_VIEWER_MS, MAX_HLS_VIEWERS } from '../../rules.ts';

/** Somebody who may play a stream. */
interface Playing {
  readonly performerId: number;
  /** Digest of the viewer's session, or of the IP address without one. */
  readonly holder: string;
  readonly viewer: Viewer;
}

/**
 * Identifies a viewer for counting: a person counts once with all their players, a guest once per session.
 * Null for the performer, whose console plays their own stream.
 */
export function viewerKeyOf({ performerId, holder, viewer }: Playing): string | null {
  const { personId } = viewer.caller;
  return personId === performerId ? null : String(personId ?? holder);
}

/**
 * Viewers over HLS, which has no sessions: whoever was recently sent a playlist or a segment. In memory, like
 * the sessions over WHEP: all readers of a stream are in the process that has the media engine.
 */
export class HlsViewers {
  /** When each viewer was last sent something, by base stream; the longest ago first. */
  readonly #streams = new Map<string, Map<string, number>>();

  /** Records that a viewer was sent a playlist or a segment of a stream that is on air. */
  served(stream: string, playing: Playing, nowMs: number): void {
    const viewer = viewerKeyOf(playing);
    if (viewer === null) return;
    const viewers = this.#streams.get(stream) ?? new Map<string, number>();
    this.#streams.set(stream, viewers);
    // Deleting first moves the viewer to the end.
    if (!viewers.delete(viewer) && viewers.size >= MAX_HLS_VIEWERS) return;
    viewers.set(viewer, nowMs);
  }

  /** Who watches a stream over HLS now; see {@link viewerKeyOf}. */
  of(stream: string, nowMs: number): readonly string[] {
    const viewers = this.#streams.get(stream) ?? new Map<string, number>();
    for (const [viewer, servedAtMs] of viewers) {
      if (nowMs - servedAtMs < HLS_VIEWER_MS) break;
      viewers.delete(viewer);
    }
    return [...viewers.keys()];
  }

  /** Forgets a stream that has ended or moved. */
  forget(stream: string): void {
    this.#streams.delete(stream);
  }
}
