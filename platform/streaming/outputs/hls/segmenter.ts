import { codecName, type ParameterSets } from '../../wire/codecs/h264-parameters.ts';
import { writeInit, type SoundForm } from '../../wire/files/fmp4.ts';
import { BREAK_MS, MAX_SEGMENT_BYTES, MAX_SEGMENT_MS, MIN_RUN_MS, MIN_SEGMENT_MS } from '../limits.ts';
import { Fragments } from '../media/fragments.ts';
import type { Picture } from '../media/stream-reader.ts';
import type { SoundFrame } from '../media/tracks/sound-track.ts';
import type { SentTime } from '../media/tracks/timeline.ts';

/** A segment that is written, and its initialisation segment. */
export interface WrittenSegment {
  readonly name: string;
  readonly init: string;
  readonly durationMs: number;
  /** When its first frame arrived, milliseconds since 1970. */
  readonly startsAt: number;
  /** When its first frame was sent; null before a sender report. */
  readonly sent: SentTime | null;
  readonly bytes: number;
  /** Whether it is the first segment with its initialisation segment. */
  readonly beginsRun: boolean;
  /** RFC 6381. */
  readonly codecs: string;
  readonly width: number;
  readonly height: number;
}

export interface SegmenterOptions {
  readonly form: SoundForm;
  /** Makes a unique name that cannot be guessed. */
  readonly makeId: () => string;
  readonly write: (name: string, bytes: Buffer) => void;
  readonly written: (segment: WrittenSegment) => void;
}

/** Consecutive segments that share an initialisation segment. */
interface Run {
  readonly id: string;
  readonly parameters: ParameterSets;
  readonly baseMs: number;
  readonly fragments: Fragments;
  segments: number;
}

/** RFC 6381 §3.3: AAC of low complexity. */
const SOUND_CODEC = 'mp4a.40.2';

/**
 * Cuts video and audio, given in order of time, into segments of 1 to 2 s that begin with a keyframe. A
 * segment begins without one only where keyframes are further apart than the longest segment.
 */
export class Segmenter {
  readonly #options: SegmenterOptions;
  #run: Run | null = null;
  #lastMs = 0;
  /** When the first frame of the current segment was sent. */
  #sent: SentTime | null = null;
  #begunAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: SegmenterOptions) {
    this.#options = options;
  }

  picture(picture: Picture): void {
    if (picture.jumped || picture.timeMs - this.#lastMs > BREAK_MS) this.close();
    this.#lastMs = picture.timeMs;
    if (this.#run && picture.keyframe && picture.parameters !== this.#run.parameters) this.#finish(picture);
    if (!this.#run) this.#begin(picture);
    const run = this.#run;
    if (!run) return;
    if (this.#isFull(run, picture)) this.#cut(run, picture);
    if (run.fragments.beginsAtMs === null) this.#sent = picture.sent;
    run.fragments.addPicture(picture);
  }

  sound(frame: SoundFrame): void {
    this.#run?.fragments.addSound(frame);
  }

  /** The source is gone: what was collected becomes a segment, and the next media begins another run. */
  close(): void {
    this.#finish(null);
  }

  #begin(picture: Picture): void {
    if (!picture.keyframe || Math.abs(picture.timeMs - this.#begunAtMs) < MIN_RUN_MS) return;
    this.#begunAtMs = picture.timeMs;
    const id = this.#options.makeId();
    const { parameters, timeMs } = picture;
    this.#run = { id, parameters, baseMs: timeMs, fragments: new Fragments(timeMs), segments: 0 };
    this.#options.write(initOf(this.#run), writeInit(parameters, this.#options.form));
  }

  #isFull({ fragments }: Run, next: Picture): boolean {
    const beginsAtMs = fragments.beginsAtMs;
    if (beginsAtMs === null) return false;
    const lengthMs = fragments.placeMs(next) - beginsAtMs;
    const isLong = lengthMs >= (next.keyframe ? MIN_SEGMENT_MS : MAX_SEGMENT_MS);
    return isLong || fragments.bytes > MAX_SEGMENT_BYTES;
  }

  #finish(next: Picture | null): void {
    const run = this.#run;
    this.#run = null;
    if (run && run.fragments.beginsAtMs !== null) this.#cut(run, next);
  }

  #cut(run: Run, next: Picture | null): void {
    const startsAt = Math.round(run.baseMs + (run.fragments.beginsAtMs ?? 0));
    const { bytes, durationMs } = run.fragments.cut(next);
    const name = `${run.id}-${run.segments}.m4s`;
    const { width, height } = run.parameters;
    this.#options.write(name, bytes);
    this.#options.written({
      name,
      init: initOf(run),
      durationMs,
      startsAt,
      sent: this.#sent,
      bytes: bytes.length,
      beginsRun: run.segments === 0,
      codecs: `${codecName(run.parameters)},${SOUND_CODEC}`,
      width,
      height,
    });
    run.segments += 1;
  }
}

const initOf = ({ id }: Run): string => `${id}.mp4`;
