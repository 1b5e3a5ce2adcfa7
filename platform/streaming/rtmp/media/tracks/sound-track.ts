import { readAacConfig } from '../../../wire/codecs/aac.ts';
import { readSoundTag } from '../../../wire/rtmp/flv.ts';
import { MAX_SOUND_BYTES, SOUND_SILENCE_MS, SOUND_STRETCH_MS, SOUND_TOLERANCE_MS } from '../../limits.ts';
import type { TimedPayload } from './rtp-track.ts';
import { OPUS_TICKS, SOUND_RATE, type OpusPacket } from './sound-codec.ts';

/** Decodes the audio of one stream; see `AacDecoder`. */
export interface SoundDecoder {
  readonly decode: (aac: Buffer) => Float32Array;
  readonly stretch: (ticks: number) => void;
  readonly free: () => void;
}

/** See `OpusEncoder`. */
export interface SoundEncoder {
  readonly encode: (samples: Float32Array, ticks: number) => readonly OpusPacket[];
  readonly free: () => void;
}

export interface SoundTrackOptions {
  /** Null when this audio cannot be decoded. */
  readonly decoder: (record: Buffer) => SoundDecoder | null;
  readonly encoder: SoundEncoder;
  readonly send: (payload: TimedPayload) => void;
}

const TICKS_PER_MS = SOUND_RATE / 1_000;
const CHANNELS = 2;
const TOLERANCE = SOUND_TOLERANCE_MS * TICKS_PER_MS;
const STRETCH = SOUND_STRETCH_MS * TICKS_PER_MS;
const SILENCE = SOUND_SILENCE_MS * TICKS_PER_MS;
/** Frames over which an offset is averaged before audio is stretched to remove it: less than a second. */
const AVERAGED_FRAMES = 32;

/**
 * Turns AAC tags into Opus packets that have the time of their tags. Samples are counted, and the count
 * follows the tags: small offsets are stretched away within a second, larger ones filled with silence or
 * dropped, and after a long gap the packets' time jumps.
 */
export class SoundTrack {
  readonly #options: SoundTrackOptions;
  readonly #frame = new Float32Array(OPUS_TICKS * CHANNELS);
  #filled = 0;
  #decoder: SoundDecoder | null = null;
  #isForeign = false;
  /** Time of the next sample by count; null before the first. */
  #next: number | null = null;
  #averageOff = 0;
  #framesSinceStretch = 0;

  constructor(options: SoundTrackOptions) {
    this.#options = options;
  }

  /** Whether audio comes that cannot be decoded, because of its codec or format. */
  get isForeign(): boolean {
    return this.#isForeign;
  }

  /** Takes a tag that belongs at `ms` on the timeline. */
  take(body: Buffer, ms: number): void {
    const tag = readSoundTag(body);
    if (tag?.kind === 'config') this.#configure(tag.record);
    else if (tag?.kind === 'foreign') this.#isForeign = true;
    else if (tag?.kind === 'frame' && this.#decoder && tag.aac.length <= MAX_SOUND_BYTES) {
      const samples = this.#decoder.decode(tag.aac);
      if (samples.length > 0) this.#place(samples, Math.round(ms * TICKS_PER_MS));
    }
  }

  close(): void {
    this.#decoder?.free();
    this.#decoder = null;
    this.#options.encoder.free();
  }

  #configure(record: Buffer): void {
    this.#decoder?.free();
    this.#decoder = readAacConfig(record) ? this.#options.decoder(record) : null;
    this.#isForeign = this.#decoder === null;
  }

  #place(samples: Float32Array, at: number): void {
    this.#next ??= at;
    const off = at - this.#next;
    if (off > SILENCE) this.#jump(at);
    else if (off > STRETCH) this.#append(new Float32Array(off * CHANNELS));
    const surplus = off < -STRETCH ? Math.min(-off * CHANNELS, samples.length) : 0;
    if (Math.abs(off) <= STRETCH) this.#stretch(off);
    else this.#averageOff = 0;
    this.#append(samples.subarray(surplus));
  }

  /** Fills the current frame with silence, and begins the next one at another time. */
  #jump(at: number): void {
    if (this.#filled > 0) this.#append(new Float32Array(this.#frame.length - this.#filled));
    this.#next = at;
  }

  #stretch(off: number): void {
    this.#averageOff += (off - this.#averageOff) / AVERAGED_FRAMES;
    this.#framesSinceStretch += 1;
    if (this.#framesSinceStretch < 2 * AVERAGED_FRAMES || Math.abs(this.#averageOff) < TOLERANCE) return;
    this.#decoder?.stretch(Math.round(this.#averageOff));
    this.#framesSinceStretch = 0;
    this.#averageOff = 0;
  }

  /** Fills frames with samples, and sends each that is full. */
  #append(samples: Float32Array): void {
    const frame = this.#frame;
    for (let at = 0; at < samples.length;) {
      const step = Math.min(frame.length - this.#filled, samples.length - at);
      frame.set(samples.subarray(at, at + step), this.#filled);
      this.#filled += step;
      at += step;
      this.#next! += step / CHANNELS;
      if (this.#filled < frame.length) continue;
      this.#filled = 0;
      for (const { payload, ticks } of this.#options.encoder.encode(frame, this.#next! - OPUS_TICKS)) {
        this.#options.send({ payload, ticks, marker: false });
      }
    }
  }
}
