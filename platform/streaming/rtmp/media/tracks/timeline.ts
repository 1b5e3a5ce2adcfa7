import { MAX_PAUSE_MS, MAX_STEP_BACK_MS } from '../../limits.ts';

export type TrackName = 'video' | 'audio';

interface Place {
  /** The last timestamp as the encoder wrote it, 32 bits. */
  last: number;
  /** The same time on our timeline, which does not wrap. */
  lastMs: number;
}

/**
 * One timeline for both tracks from the 32-bit timestamps of their tags, which wrap after 49 days and restart
 * when an encoder restarts its clock. After a jump both tracks continue at the timeline's position.
 */
export class Timeline {
  readonly #places = new Map<TrackName, Place>();

  /**
   * @param timestamp of a tag, milliseconds, 32 bits
   * @param elapsedMs real time since some fixed moment, at which the timeline continues after a jump
   * @returns milliseconds on the timeline, which begins near 0
   */
  place(track: TrackName, timestamp: number, elapsedMs: number): number {
    const own = this.#places.get(track);
    const ms = this.#after(own, timestamp) ?? this.#besideOthers(
      track,
      timestamp,
    ) ?? this.#restart(elapsedMs);
    this.#places.set(track, { last: timestamp, lastMs: ms });
    return ms;
  }

  /** The position close to the previous one; undefined after a jump, or without a previous one. */
  #after(place: Place | undefined, timestamp: number): number | undefined {
    if (!place) return undefined;
    const step = (timestamp - place.last) | 0;
    if (step > MAX_PAUSE_MS || step < -MAX_STEP_BACK_MS) return undefined;
    return place.lastMs + step;
  }

  /** For when the other track has jumped already, or began before this one. */
  #besideOthers(track: TrackName, timestamp: number): number | undefined {
    for (const [name, place] of this.#places) {
      const ms = name === track ? undefined : this.#after(place, timestamp);
      if (ms !== undefined) return ms;
    }
    return undefined;
  }

  /** A new start: as far as real time has advanced, and never back. */
  #restart(elapsedMs: number): number {
    const reached = [...this.#places.values()].map(({ lastMs }) => lastMs + 1);
    return Math.max(0, Math.round(elapsedMs), ...reached);
  }
}
