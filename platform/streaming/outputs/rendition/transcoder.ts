import { RENDITION_DEBT_MS, RENDITION_KEYFRAME_MS } from '../limits.ts';
import { PictureDecoder, PictureEncoder, PictureScaler, type PictureSize } from '../media/codecs.ts';
import type { Picture } from '../media/stream-reader.ts';
import { encodingOf, sizeAt } from './encoding.ts';

const TICKS_PER_MS = 90;

export interface TranscoderOptions {
  readonly height: number;
  /** Receives a picture as an Annex B byte stream, with the RTP timestamp of its original. */
  readonly picture: (stream: Buffer, timestamp: number) => void;
  /** Pictures were dropped: nothing more is encoded before the source's next keyframe. */
  readonly keyframeWanted: () => void;
  /** Milliseconds of a monotonic clock. */
  readonly nowMs: () => number;
}

interface Encoding {
  readonly scaler: PictureScaler;
  readonly encoder: PictureEncoder;
  readonly size: PictureSize;
}

/** Scales pictures, with their times; keyframes where the source has them, and on request in between. */
export class Transcoder {
  readonly #options: TranscoderOptions;
  readonly #decoder = new PictureDecoder();
  #encoding: Encoding | null = null;
  #timestamp: number | null = null;
  /** Time in ticks that does not wrap, as the encoder needs it. */
  #at = 0;
  #keyframeAt = Number.NEGATIVE_INFINITY;
  #keyframeDue = false;
  /** By how much the work has taken longer than the media lasts. */
  #debtMs = 0;
  #skipping = false;

  constructor(options: TranscoderOptions) {
    this.#options = options;
  }

  /** Makes the next picture a keyframe. */
  requestKeyframe(): void {
    this.#keyframeDue = true;
  }

  take(picture: Picture): void {
    const passed = this.#timestamp === null ? 1 : (picture.timestamp - this.#timestamp) | 0;
    // B-frames and clocks that were set back: an encoder takes only increasing times.
    if (passed <= 0) return;
    if (this.#skips(picture, passed)) return;
    this.#timestamp = picture.timestamp;
    this.#at += passed;
    if (picture.keyframe) this.#keyframeDue = true;
    const begunMs = this.#options.nowMs();
    this.#decoder.decode(picture.units, this.#at, (frame) => this.#encode(frame, picture.timestamp));
    const costMs = this.#options.nowMs() - begunMs;
    this.#debtMs = Math.max(0, this.#debtMs + costMs - passed / TICKS_PER_MS);
  }

  /** Whether the machine is too slow: then everything up to the next keyframe is dropped. */
  #skips(picture: Picture, passed: number): boolean {
    if (this.#debtMs > RENDITION_DEBT_MS) {
      this.#skipping = true;
      this.#options.keyframeWanted();
    }
    this.#debtMs = this.#skipping ? Math.max(0, this.#debtMs - passed / TICKS_PER_MS) : this.#debtMs;
    if (picture.keyframe && this.#debtMs <= RENDITION_DEBT_MS) this.#skipping = false;
    if (this.#skipping) {
      this.#timestamp = picture.timestamp;
      this.#at += passed;
    }
    return this.#skipping;
  }

  #encode(frame: Parameters<PictureScaler['scale']>[0], timestamp: number): void {
    const { scaler, encoder } = this.#encodingFor(frame);
    const scaled = scaler.scale(frame);
    if (!scaled) return;
    const isDue = this.#at - this.#keyframeAt >= RENDITION_KEYFRAME_MS * TICKS_PER_MS;
    const keyframe = this.#keyframeDue || isDue;
    if (keyframe) this.#keyframeAt = this.#at;
    this.#keyframeDue = false;
    encoder.encode(scaled, keyframe, (stream) => this.#options.picture(stream, timestamp));
    scaled.free();
  }

  /** A new size of the source needs a new encoder, whose first picture is a keyframe anyway. */
  #encodingFor(source: PictureSize): Encoding {
    const size = sizeAt(source, this.#options.height);
    const present = this.#encoding;
    if (present && present.size.width === size.width && present.size.height === size.height) return present;
    present?.scaler.close();
    present?.encoder.close();
    const scaler = new PictureScaler(size, 'video');
    const made = { scaler, encoder: new PictureEncoder(encodingOf(size)), size };
    this.#encoding = made;
    return made;
  }
}
