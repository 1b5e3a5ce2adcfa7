import type { SoundForm } from '../../../wire/files/fmp4.ts';
import { MAX_SILENCE_MS, SOUND_TOLERANCE_MS } from '../../limits.ts';

/** Samples per AAC frame. */
export const SOUND_FRAME = 1_024;
export const CHANNELS = 2;
const TICKS_PER_MS = 48;

/** Decoded audio: one plane of samples per channel. */
export interface Samples {
  readonly planes: readonly [Float32Array, Float32Array];
  readonly length: number;
}

/** Decodes Opus packets into samples, and encodes frames of samples as AAC. */
export interface SoundCodec {
  readonly form: SoundForm;
  /** The samples of a packet; null when it cannot be decoded. */
  readonly decode: (payload: Buffer) => Samples | null;
  /**
   * Takes {@link SOUND_FRAME} samples of each channel, one plane after the other. Returns earlier frames that
   * are finished, in order; the very first one has no audio, but lets a decoder begin.
   */
  readonly encode: (frame: Float32Array) => readonly Buffer[];
}

/** One AAC frame: {@link SOUND_FRAME} samples. */
export interface SoundFrame {
  readonly data: Buffer;
  /** When its first sample should be played, in samples of 48 kHz since 1970. */
  readonly at: number;
}

/**
 * Audio on schedule: Opus packets become AAC frames without gaps. Silence fills gaps, and packets that come
 * twice or too late are dropped.
 */
export class SoundTrack {
  readonly #codec: SoundCodec;
  readonly #emit: (frame: SoundFrame) => void;
  readonly #frame = new Float32Array(SOUND_FRAME * CHANNELS);
  readonly #encoding: number[] = [];
  #filled = 0;
  /** Time of the frame being filled; null before any packet. */
  #at: number | null = null;
  #primed = false;

  constructor(codec: SoundCodec, emit: (frame: SoundFrame) => void) {
    this.#codec = codec;
    this.#emit = emit;
  }

  /** Takes one packet and when it should be played, in milliseconds since 1970. */
  push(payload: Buffer, timeMs: number): void {
    const samples = this.#codec.decode(payload);
    if (!samples) return;
    const target = Math.round(timeMs * TICKS_PER_MS);
    const ahead = target - this.#position(target);
    if (Math.abs(ahead) <= SOUND_TOLERANCE_MS * TICKS_PER_MS) return this.#append(samples, 0);
    if (ahead > 0) this.#silence(ahead);
    this.#append(samples, Math.min(samples.length, Math.max(0, -ahead)));
  }

  /** Fills up to this time with silence where no audio came. */
  fillTo(timeMs: number): void {
    const target = Math.round(timeMs * TICKS_PER_MS);
    const ahead = target - this.#position(target);
    if (ahead > 0) this.#silence(ahead);
  }

  /** Where the next sample goes. */
  #position(begin: number): number {
    this.#at ??= begin;
    return this.#at + this.#filled;
  }

  #silence(count: number): void {
    if (count > MAX_SILENCE_MS * TICKS_PER_MS) {
      this.#at = this.#position(0) + count;
      this.#filled = 0;
      return;
    }
    for (let left = count; left > 0;) {
      const room = Math.min(left, SOUND_FRAME - this.#filled);
      for (let channel = 0; channel < CHANNELS; channel++) {
        const from = channel * SOUND_FRAME + this.#filled;
        this.#frame.fill(0, from, from + room);
      }
      left -= room;
      this.#advance(room);
    }
  }

  #append({ planes, length }: Samples, from: number): void {
    for (let at = from; at < length;) {
      const room = Math.min(length - at, SOUND_FRAME - this.#filled);
      for (const [channel, plane] of planes.entries()) {
        this.#frame.set(plane.subarray(at, at + room), channel * SOUND_FRAME + this.#filled);
      }
      at += room;
      this.#advance(room);
    }
  }

  #advance(count: number): void {
    this.#filled += count;
    if (this.#filled < SOUND_FRAME || this.#at === null) return;
    this.#encoding.push(this.#at);
    this.#at += SOUND_FRAME;
    this.#filled = 0;
    for (const data of this.#codec.encode(this.#frame)) {
      const at = this.#primed ? this.#encoding.shift() : undefined;
      this.#primed = true;
      if (at !== undefined) this.#emit({ data, at });
    }
  }
}
