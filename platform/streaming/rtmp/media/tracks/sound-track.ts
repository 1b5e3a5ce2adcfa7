import { readAacConfig } from '../../../wire/codecs/aac.ts';
import { readSoundTag } from '../../../wire/rtmp/flv.ts';
import { MAX_SOUND_BYTES, SOUND_SILENCE_MS, SOUND_STRETCH_MS, SOUND_TOLERANCE_MS } from '../../limits.ts';
import type { TimedPayload } from './rtp-track.ts';
import { OPUS_TICKS, SOUND_RATE, type OpusPacket } from './sound-codec.ts';

/** What decodes the sound of one stream; see `AacDecoder`. */
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
  /** Null when this sound cannot be decoded. */
  readonly decoder: (record: Buffer) => SoundDecoder | null;
  readonly encoder: SoundEncoder;
  readonly send: (payload: TimedPayload) => void;
}

const TICKS_PER_MS = SOUND_RATE / 1_000;
const CHANNELS = 2;
const TOLERANCE = SOUND_TOLERANCE_MS * TICKS_PER_MS;
const STRETCH = SOUND_STRETCH_MS * TICKS_PER_MS;
const SILENCE = SOUND_SILENCE_MS * TICKS_PER_MS;
/** Frames over which a distance is averaged before sound is stretched for it: below a second. */
const AVERAGED_FRAMES = 32;

/**
 * AAC tags to Opus packets whose time is that of their tags. Samples are counted, and the count is held to
 * the tags: small distances are stretched away within a second, larger ones are filled with silence or left
 * out, and after a long gap the packets' time jumps.
 */
export class SoundTrack {
  readonly #options: SoundTrackOptions;
  readonly #frame = new Float32Array(OPUS_TICKS * CHANNELS);
  #filled = 0;
  #decoder: SoundDecoder | null = null;
  #isForeign = false;
  /** Where the next sample belongs by count; null before the first. */
  #next: number | null = null;
  #averageOff = 0;
  #framesSinceStretch = 0;

  constructor(options: SoundTrackOptions) {
    this.#options = options;
  }

  /** Sound comes, in a codec or form that cannot be decoded. */
  get isForeign(): boolean {
    return this.#isForeign;
  }

  /** Takes a tag that belongs at `ms` of the line. */
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

  /** Ends the frame that is begun with silence, and begins the next one elsewhere. */
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
