import type { ParameterSets } from '../../wire/codecs/h264-parameters.ts';
import { writeInit, type SoundForm } from '../../wire/files/fmp4.ts';
import { MAX_SEGMENT_BYTES, RECORDED_FRAGMENT_MS } from '../limits.ts';
import { Fragments } from '../media/fragments.ts';
import type { Picture } from '../media/stream-reader.ts';
import type { SoundFrame } from '../media/tracks/sound-track.ts';

export interface RecorderOptions {
  readonly form: SoundForm;
  readonly maxBytes: number;
  readonly maxMs: number;
  /** Appends to the file; `recorded` is its content including these bytes. */
  readonly append: (bytes: Buffer, recorded: Recorded) => void;
  /** A limit is reached: no more media is recorded. */
  readonly full: () => void;
}

/** What has been recorded so far. */
export interface Recorded {
  readonly bytes: number;
  readonly durationMs: number;
  readonly width: number;
  readonly height: number;
}

const NOTHING: Recorded = { bytes: 0, durationMs: 0, width: 0, height: 0 };

/**
 * Writes video and audio, given in order of time, as MP4 fragments from the first keyframe on. Time goes on
 * while the publisher is away. A file has one initialisation segment: changed parameter sets stand before
 * their keyframe, where decoders look for them too.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  #fragments: Fragments | null = null;
  #parameters: ParameterSets | null = null;
  #recorded = NOTHING;
  #ended = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  get recorded(): Recorded {
    return this.#recorded;
  }

  /** The final initialisation segment, as long as the one at the start of the file; null before it began. */
  get finalInit(): Buffer | null {
    const { durationMs } = this.#recorded;
    return this.#parameters && writeInit(this.#parameters, this.#options.form, Math.round(durationMs));
  }

  picture(picture: Picture): void {
    if (this.#ended || (!this.#fragments && !picture.keyframe)) return;
    const fragments = this.#fragments ??= this.#begin(picture);
    const { beginsAtMs } = fragments;
    const atMs = fragments.placeMs(picture);
    const lengthMs = beginsAtMs === null ? 0 : atMs - beginsAtMs;
    const isLast = atMs >= this.#options.maxMs;
    const isLong = lengthMs >= RECORDED_FRAGMENT_MS || fragments.bytes > MAX_SEGMENT_BYTES;
    if (beginsAtMs !== null && (picture.keyframe || isLong || isLast)) this.#cut(picture);
    if (!this.#ended && isLast) this.#end();
    if (!this.#ended) fragments.addPicture(picture);
  }

  sound(frame: SoundFrame): void {
    if (!this.#ended) this.#fragments?.addSound(frame);
  }

  /** Writes everything collected so far. */
  flush(): void {
    if (!this.#ended && this.#fragments && this.#fragments.beginsAtMs !== null) this.#cut(null);
  }

  #begin({ parameters, timeMs }: Picture): Fragments {
    this.#parameters = parameters;
    const init = writeInit(parameters, this.#options.form);
    const { width, height } = parameters;
    if (init.length > this.#options.maxBytes) this.#end();
    else this.#append(init, { bytes: init.length, durationMs: 0, width, height });
    return new Fragments(timeMs);
  }

  #cut(next: Picture | null): void {
    const fragments = this.#fragments!;
    const beginsAtMs = fragments.beginsAtMs ?? 0;
    const { bytes, durationMs } = fragments.cut(next);
    const total = this.#recorded.bytes + bytes.length;
    if (total > this.#options.maxBytes) return this.#end();
    this.#append(bytes, { ...this.#recorded, bytes: total, durationMs: beginsAtMs + durationMs });
  }

  #append(bytes: Buffer, recorded: Recorded): void {
    this.#recorded = recorded;
    this.#options.append(bytes, recorded);
  }

  #end(): void {
    this.#ended = true;
    this.#options.full();
  }
}
