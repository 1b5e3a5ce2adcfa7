import { baseOf } from '../../engine.ts';
import { CLOCK_JUMP_MS } from '../limits.ts';
import type { SentTime } from '../media/tracks/timeline.ts';

/**
 * Puts segments on a timeline that a stream shares with its renditions, which arrive later by the delay of
 * their encoder. If renditions were placed later, the segments a viewer fetches of one would overlap in time
 * with those they fetch of the stream next, and overlapping time is charged only once.
 */
export class StreamTimes {
  /** How much earlier the clock of a publisher is than ours, by base stream. */
  readonly #behindMs = new Map<string, number>();

  /**
   * When a segment of a stream or rendition begins, milliseconds since 1970: when it was sent, if known,
   * otherwise when it arrived.
   */
  place(stream: string, { startsAt, sent }: { startsAt: number; sent: SentTime | null }): number {
    if (!sent) return startsAt;
    const base = baseOf(stream);
    const before = this.#behindMs.get(base);
    // The least delayed segment gives the best estimate. A different clock starts a new timeline.
    const isOther = before === undefined || Math.abs(sent.behindMs - before) > CLOCK_JUMP_MS;
    const behindMs = isOther ? sent.behindMs : Math.min(before, sent.behindMs);
    this.#behindMs.set(base, behindMs);
    return Math.round(sent.atMs + behindMs);
  }

  /** Forgets all streams except these and their base streams. */
  retain(streams: Iterable<string>): void {
    const bases = new Set([...streams].map(baseOf));
    for (const base of this.#behindMs.keys()) if (!bases.has(base)) this.#behindMs.delete(base);
  }
}
