import type { CodecContext, Frame, Packet, SoftwareResampleContext } from 'node-av/lib';
import { allocated, opened } from '../transcode/codec-context.ts';
import type { Codecs } from '../transcode/codecs.ts';

/** The output rate and channels: Opus runs at 48 kHz, and browsers play two channels. */
export const SOUND_RATE = 48_000;
const CHANNELS = 2;
const SAMPLE_BYTES = 4;
/** 20 ms, the frame of WebRTC. */
export const OPUS_TICKS = 960;
const OPUS_BITS_PER_SECOND = 96_000n;
/** HE-AAC has 2,048 samples a frame, at 8 kHz six times as many after resampling, plus what was held back. */
const MAX_DECODED_TICKS = 16_384;

/** AAC to interleaved stereo samples at 48 kHz. */
export class AacDecoder {
  readonly #codecs: Codecs;
  readonly #context: CodecContext;
  readonly #packet: Packet;
  readonly #frame: Frame;
  readonly #out = Buffer.alloc(MAX_DECODED_TICKS * CHANNELS * SAMPLE_BYTES);
  #resampler: SoftwareResampleContext | null = null;
  /** The frame format that the resampler was made for. */
  #form = '';

  /** @param record AudioSpecificConfig. Throws `CodecUnusable`. */
  constructor(codecs: Codecs, record: Buffer) {
    this.#codecs = codecs;
    const { lib, constants } = codecs;
    this.#context = opened(codecs, lib.Codec.findDecoder(constants.AV_CODEC_ID_AAC), (context) => {
      context.extraData = record;
    });
    this.#packet = allocated(new lib.Packet());
    this.#frame = allocated(new lib.Frame());
  }

  /** The samples of a frame; none when it is broken. Valid until the next call. */
  decode(aac: Buffer): Float32Array {
    this.#packet.data = aac;
    const isTaken = this.#context.sendPacketSync(this.#packet) >= 0;
    this.#packet.unref();
    let ticks = 0;
    if (isTaken) {
      while (this.#context.receiveFrameSync(this.#frame) >= 0) {
        ticks += this.#resample(ticks);
        this.#frame.unref();
      }
    }
    return new Float32Array(this.#out.buffer, this.#out.byteOffset, ticks * CHANNELS);
  }

  /** Makes the next second longer, or shorter, by this many ticks. */
  stretch(ticks: number): void {
    this.#resampler?.setCompensation(ticks, SOUND_RATE);
  }

  free(): void {
    this.#resampler?.free();
    this.#packet.free();
    this.#frame.free();
    this.#context.freeContext();
  }

  /** Appends the frame to the collected samples; returns how many ticks it was. */
  #resample(from: number): number {
    const { data, nbSamples, sampleRate, format, channels } = this.#frame;
    const form = `${sampleRate} ${format} ${channels}`;
    if (this.#form !== form) this.#makeResampler(form);
    const room = this.#out.subarray(from * CHANNELS * SAMPLE_BYTES);
    const roomTicks = room.length / CHANNELS / SAMPLE_BYTES;
    if (!this.#resampler || !data || roomTicks === 0) return 0;
    return Math.max(0, this.#resampler.convertSync([room], roomTicks, data, nbSamples));
  }

  #makeResampler(form: string): void {
    const { lib, constants } = this.#codecs;
    this.#resampler?.free();
    this.#form = form;
    const { sampleRate, format, channelLayout } = this.#frame;
    const resampler = new lib.SoftwareResampleContext();
    const outcome = resampler.allocSetOpts2(
      constants.AV_CHANNEL_LAYOUT_STEREO,
      constants.AV_SAMPLE_FMT_FLT,
      SOUND_RATE,
      channelLayout,
      format as typeof constants.AV_SAMPLE_FMT_FLT,
      sampleRate,
    );
    this.#resampler = outcome >= 0 && resampler.init() >= 0 ? resampler : null;
    if (!this.#resampler) resampler.free();
  }
}

export interface OpusPacket {
  readonly payload: Buffer;
  /** When its audio begins, in ticks; earlier than its samples, because the encoder looks ahead. */
  readonly ticks: number;
}

/** Samples at 48 kHz to Opus. */
export class OpusEncoder {
  readonly #codecs: Codecs;
  readonly #context: CodecContext;
  readonly #packet: Packet;
  readonly #frame: Frame;

  /** Throws `CodecUnusable`. */
  constructor(codecs: Codecs) {
    this.#codecs = codecs;
    const { lib, constants } = codecs;
    this.#context = opened(codecs, lib.Codec.findEncoderByName(constants.FF_ENCODER_LIBOPUS), (context) => {
      context.sampleRate = SOUND_RATE;
      context.sampleFormat = constants.AV_SAMPLE_FMT_FLT;
      context.channelLayout = constants.AV_CHANNEL_LAYOUT_STEREO;
      context.bitRate = OPUS_BITS_PER_SECOND;
      context.timeBase = new lib.Rational(1, SOUND_RATE);
    }, { frame_duration: '20', application: 'audio' });
    this.#packet = allocated(new lib.Packet());
    this.#frame = allocated(new lib.Frame());
  }

  /** @param samples {@link OPUS_TICKS} interleaved stereo samples, first played at `ticks` */
  encode(samples: Float32Array, ticks: number): OpusPacket[] {
    const { constants } = this.#codecs;
    const frame = this.#frame;
    frame.nbSamples = OPUS_TICKS;
    frame.format = constants.AV_SAMPLE_FMT_FLT;
    frame.channelLayout = constants.AV_CHANNEL_LAYOUT_STEREO;
    frame.sampleRate = SOUND_RATE;
    frame.pts = BigInt(ticks);
    frame.getBuffer();
    frame.data?.[0]?.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
    this.#context.sendFrameSync(frame);
    frame.unref();
    const packets: OpusPacket[] = [];
    while (this.#context.receivePacketSync(this.#packet) >= 0) {
      const { data, pts } = this.#packet;
      if (data) packets.push({ payload: Buffer.from(data), ticks: Number(pts) });
      this.#packet.unref();
    }
    return packets;
  }

  free(): void {
    this.#packet.free();
    this.#frame.free();
    this.#context.freeContext();
  }
}
