import { MIN_TARGET_SECONDS, RETAINED_BEHIND, WINDOW_SEGMENTS } from '../limits.ts';
import type { HlsSegment, HlsWindow } from '../outputs.ts';
import type { WrittenSegment } from './segmenter.ts';

/** The last segment of a run may be a single frame, whose bit rate means nothing. */
const PEAK_OVER_MS = 1_000;

interface Listed extends WrittenSegment {
  readonly discontinuity: boolean;
}

const listed = ({ name, durationMs, startsAt, init, discontinuity }: Listed): HlsSegment => ({
  name,
  durationMs,
  startsAt,
  init,
  discontinuity,
});

/**
 * The playlist of a stream. Segment numbers start from the time, so that they still increase when the stream
 * is reopened: no two segments begin within half a second (`MIN_SEGMENT_MS`). Discontinuities are counted
 * from 0, because hls.js loops over an array as long as their number.
 */
export class SegmentList {
  #retained: Listed[] = [];
  readonly #firstSequence: number;
  #added = 0;
  #discontinuitiesLeft = 0;
  #targetSeconds = MIN_TARGET_SECONDS;

  /** @param nowMs milliseconds since 1970 */
  constructor(nowMs: number) {
    this.#firstSequence = Math.floor(nowMs / 500);
  }

  /** Adds the newest segment. Returns the names of files that are no longer needed. */
  add(segment: WrittenSegment): readonly string[] {
    const leaving = this.#retained.length >= WINDOW_SEGMENTS
      ? this.#retained.at(
        -WINDOW_SEGMENTS,
      )
      : undefined;
    if (leaving?.discontinuity) this.#discontinuitiesLeft += 1;
    this.#retained.push({ ...segment, discontinuity: segment.beginsRun && this.#added > 0 });
    this.#added += 1;
    this.#targetSeconds = Math.max(this.#targetSeconds, Math.round(segment.durationMs / 1_000));
    const before = this.#names();
    this.#retained = this.#retained.slice(-WINDOW_SEGMENTS - RETAINED_BEHIND);
    const still = this.#names();
    return [...before].filter((name) => !still.has(name));
  }

  /** Whether a file is in the window or left it recently. */
  has(name: string): boolean {
    return this.#names().has(name);
  }

  /** A segment that is in the window or left it recently. */
  segment(name: string): HlsSegment | null {
    const found = this.#retained.find((item) => item.name === name);
    return found ? listed(found) : null;
  }

  /** The window; null while there is no segment. */
  window(): HlsWindow | null {
    const shown = this.#retained.slice(-WINDOW_SEGMENTS);
    const newest = shown.at(-1);
    if (!newest) return null;
    return {
      mediaSequence: this.#firstSequence + this.#added - shown.length,
      discontinuitySequence: this.#discontinuitiesLeft,
      targetDurationSeconds: this.#targetSeconds,
      segments: shown.map(listed),
      codecs: newest.codecs,
      width: newest.width,
      height: newest.height,
      bitsPerSecond: Math.ceil(
        Math.max(
          ...shown.map(({ bytes, durationMs }) => (bytes * 8_000) / Math.max(PEAK_OVER_MS, durationMs)),
        ),
      ),
    };
  }

  clear(): void {
    this.#retained = [];
  }

  #names(): Set<string> {
    return new Set(this.#retained.flatMap(({ name, init }) => [name, init]));
  }
}
