import {
  sampleParts,
  SOUND_TRACK,
  VIDEO_TRACK,
  writeFragment,
  type Sample,
  type TrackRun,
} from '../../wire/files/fmp4.ts';
import type { Picture } from './stream-reader.ts';
import { DecodeTimes } from './tracks/decode-times.ts';
import { SOUND_FRAME, type SoundFrame } from './tracks/sound-track.ts';

const VIDEO_TICKS_PER_MS = 90;
const SOUND_TICKS_PER_MS = 48;
/** Duration of a last picture when no other is known: a fifteenth of a second. */
const USUAL_DURATION = 6_000;

interface Placed<T> {
  readonly parts: readonly T[];
  /** When it is decoded, and how much later it is shown. */
  readonly at: number;
  readonly composition: number;
  readonly keyframe: boolean;
}

/**
 * Collects video and audio and cuts them into MP4 fragments. Pictures come in decoding order. Times count
 * from the first picture; audio before it is dropped.
 */
export class Fragments {
  readonly #baseMs: number;
  #pictures: Placed<Buffer>[] = [];
  #sounds: Placed<Buffer>[] = [];
  #duration = USUAL_DURATION;
  #sequence = 0;
  #bytes = 0;
  /** End of the previous fragment. */
  #floor = 0;
  readonly #decodeTimes = new DecodeTimes();
  /** Result for the last picture: its time is needed once before it is added. */
  #placed: { readonly picture: Picture; readonly at: number; readonly composition: number } | null = null;

  /** @param baseMs time of the first picture, milliseconds since 1970 */
  constructor(baseMs: number) {
    this.#baseMs = baseMs;
  }

  /** Bytes of the samples since the last cut. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Time of the first picture since the last cut, in milliseconds since the base; null without one. */
  get beginsAtMs(): number | null {
    const first = this.#pictures[0];
    return first ? first.at / VIDEO_TICKS_PER_MS : null;
  }

  /** Decoding time of a picture in milliseconds since the base; later than that of the picture before it. */
  placeMs(picture: Picture): number {
    return this.#place(picture).at / VIDEO_TICKS_PER_MS;
  }

  addPicture(picture: Picture): void {
    const { at, composition } = this.#place(picture);
    const last = this.#pictures.at(-1);
    if (last) this.#duration = at - last.at;
    const parts = sampleParts(picture.units);
    this.#pictures.push({ parts, at, composition, keyframe: picture.keyframe });
    for (const part of parts) this.#bytes += part.length;
  }

  addSound({ data, at }: SoundFrame): void {
    const since = at - Math.round(this.#baseMs * SOUND_TICKS_PER_MS);
    const last = this.#sounds.at(-1);
    if (since < 0 || (last && since <= last.at)) return;
    this.#sounds.push({ parts: [data], at: since, composition: 0, keyframe: true });
    this.#bytes += data.length;
  }

  /**
   * Cuts everything collected into one fragment.
   *
   * @param next the picture that follows, which ends the duration of the last one
   */
  cut(next: Picture | null): { readonly bytes: Buffer; readonly durationMs: number } {
    const [first, last] = [this.#pictures[0], this.#pictures.at(-1)];
    const end = next ? this.#place(next).at : (last?.at ?? 0) + this.#duration;
    const bytes = writeFragment(this.#sequence += 1, [
      run(VIDEO_TRACK, this.#pictures, end),
      run(SOUND_TRACK, this.#sounds, (this.#sounds.at(-1)?.at ?? 0) + SOUND_FRAME),
    ]);
    this.#pictures = [];
    this.#sounds = [];
    this.#bytes = 0;
    this.#floor = end;
    return { bytes, durationMs: first ? (end - first.at) / VIDEO_TICKS_PER_MS : 0 };
  }

  #place(picture: Picture): { readonly at: number; readonly composition: number } {
    if (this.#placed?.picture === picture) return this.#placed;
    const { reorder } = picture.parameters;
    const shown = Math.round((picture.timeMs - this.#baseMs) * VIDEO_TICKS_PER_MS);
    const last = this.#pictures.at(-1);
    const at = Math.max(last ? last.at + 1 : this.#floor, this.#decodeTimes.next(shown, reorder));
    // Without B-frames, a time that goes back is an error of the sender's clock.
    this.#placed = { picture, at, composition: reorder === 0 ? 0 : shown - at };
    return this.#placed;
  }
}

/** Each sample lasts until the next one, the last one until `end`. */
function run(track: number, placed: readonly Placed<Buffer>[], end: number): TrackRun {
  const samples = placed.map(({ parts, at, composition, keyframe }, i): Sample => ({
    parts,
    duration: (placed[i + 1]?.at ?? end) - at,
    composition,
    keyframe,
  }));
  return { track, decodeTime: placed[0]?.at ?? 0, samples };
}
