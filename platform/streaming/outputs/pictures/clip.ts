import { parametersOf, type ParameterSets } from '../../wire/codecs/h264-parameters.ts';
import { splitUnits } from '../../wire/codecs/h264.ts';
import { sampleParts, VIDEO_TRACK, writeFragment, writeInit, type Sample } from '../../wire/files/fmp4.ts';
import { PREVIEW_BITS_PER_SECOND, PREVIEW_FRAMES_PER_SECOND, PREVIEW_MS } from '../limits.ts';
import { PictureDecoder, PictureEncoder, PictureScaler } from '../media/codecs.ts';
import type { Picture } from '../media/stream-reader.ts';
import { smallSize } from './sizes.ts';

const TICKS_PER_MS = 90;
const STEP_TICKS = 90_000 / PREVIEW_FRAMES_PER_SECOND;
const LENGTH_TICKS = PREVIEW_MS * TICKS_PER_MS;

interface Drawn {
  readonly parts: readonly Buffer[];
  readonly at: number;
  readonly keyframe: boolean;
}

/** Makes a short, small, silent MP4 from pictures. */
export class Clip {
  readonly #decoder = new PictureDecoder();
  #scaler: PictureScaler | null = null;
  #encoder: PictureEncoder | null = null;
  #parameters: ParameterSets | null = null;
  #baseMs: number | null = null;
  #dueAt = 0;
  readonly #drawn: Drawn[] = [];

  /** Takes a picture; false once it needs no more. */
  take(picture: Picture): boolean {
    this.#baseMs ??= picture.timeMs;
    const at = Math.round((picture.timeMs - this.#baseMs) * TICKS_PER_MS);
    if (at >= LENGTH_TICKS) return false;
    // Every picture is decoded, since others refer to it; only those that are due go into the clip.
    this.#decoder.decode(picture.units, at, (frame) => {
      if (at < this.#dueAt) return;
      while (this.#dueAt <= at) this.#dueAt += STEP_TICKS;
      this.#draw(frame);
    });
    return true;
  }

  /** The clip; null when no picture could be shown. */
  finish(): Buffer | null {
    this.#decoder.close();
    this.#scaler?.close();
    this.#encoder?.close();
    if (!this.#parameters || this.#drawn.length === 0) return null;
    const end = Math.min(LENGTH_TICKS, this.#drawn.at(-1)!.at + STEP_TICKS);
    const samples = this.#drawn.map(({ parts, at, keyframe }, i): Sample => ({
      parts,
      keyframe,
      composition: 0,
      duration: Math.max(1, (this.#drawn[i + 1]?.at ?? end) - at),
    }));
    return Buffer.concat([
      writeInit(this.#parameters, null, Math.round(end / TICKS_PER_MS)),
      writeFragment(1, [{ track: VIDEO_TRACK, decodeTime: 0, samples }]),
    ]);
  }

  #draw(frame: Parameters<PictureScaler['scale']>[0]): void {
    const size = smallSize(frame);
    // When the source changes its size, the clip stays at its first size.
    this.#scaler ??= new PictureScaler(size, 'video');
    this.#encoder ??= new PictureEncoder({
      ...size,
      bitsPerSecond: PREVIEW_BITS_PER_SECOND,
      framesPerSecond: PREVIEW_FRAMES_PER_SECOND,
    });
    const scaled = this.#scaler.scale(frame);
    if (!scaled) return;
    this.#encoder.encode(scaled, this.#drawn.length === 0, (stream, drawnAt, keyframe) => {
      const units = splitUnits(stream);
      this.#parameters ??= parametersOf(units, null);
      this.#drawn.push({ parts: sampleParts(units), at: drawnAt, keyframe });
    });
    scaled.free();
  }
}
