import { baseOf } from '../../engine.ts';
import { CLOCK_JUMP_MS } from '../limits.ts';
import type { SentTime } from '../media/tracks/timeline.ts';

/**
 * Where segments stand in time. A stream and its renditions have one time: a rendition comes later by what
 * its encoder takes. If it stood later, what a person fetches of it would overlap with what they fetch of the
 * stream next, and what overlaps is paid once.
 */
export class StreamTimes {
  /** How much earlier the clock of a publisher is than ours, by base stream. */
  readonly #behindMs = new Map<string, number>();

  /**
   * When a segment of a stream or rendition begins, milliseconds since 1970: as it was sent, else when it
   * came.
   */
  place(stream: string, { startsAt, sent }: { startsAt: number; sent: SentTime | null }): number {
    if (!sent) return startsAt;
    const base = baseOf(stream);
    const before = this.#behindMs.get(base);
    // Whatever came with the least delay knows best. Another clock than before begins another time.
    const isOther = before === undefined || Math.abs(sent.behindMs - before) > CLOCK_JUMP_MS;
    const behindMs = isOther ? sent.behindMs : Math.min(before, sent.behindMs);
    this.#behindMs.set(base, behindMs);
    return Math.round(sent.atMs + behindMs);
  }

  /** Forgets all streams but these, and those these are renditions of. */
  retain(streams: Iterable<string>): void {
    const bases = new Set([...streams].map(baseOf));
    for (const base of this.#behindMs.keys()) if (!bases.has(base)) this.#behindMs.delete(base);
  }
}
