/**
 * The codecs of node-av, whose binary is under the GPL: only child processes load it. Only its synchronous
 * calls are used, and every context is freed by hand: its finalizers may crash the process.
 */
import {
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_CODEC_FLAG_LOW_DELAY,
  AV_CODEC_FLAG_QSCALE,
  AV_CODEC_ID_H264,
  AV_LOG_QUIET,
  AV_OPT_SEARCH_CHILDREN,
  AV_PICTURE_TYPE_I,
  AV_PICTURE_TYPE_NONE,
  AV_PIX_FMT_YUV420P,
  AV_PIX_FMT_YUVJ420P,
  AV_SAMPLE_FMT_FLTP,
  AVCOL_RANGE_JPEG,
  FF_DECODER_OPUS,
  FF_ENCODER_AAC,
  FF_ENCODER_LIBX264,
  FF_ENCODER_MJPEG,
  SWS_BILINEAR,
  type AVPixelFormat,
} from 'node-av/constants';
import {
  avChannelLayoutDefault,
  Codec,
  CodecContext,
  Frame,
  Log,
  Option,
  Packet,
  Rational,
  SoftwareScaleContext,
} from 'node-av/lib';
import { annexB } from '../../wire/codecs/h264-parameters.ts';
import { CHANNELS, SOUND_FRAME, type Samples, type SoundCodec } from './tracks/sound-track.ts';

const SAMPLE_RATE = 48_000;
const FLOAT_BYTES = 4;
const SOUND_BITS_PER_SECOND = 128_000;
const VIDEO_CLOCK = 90_000;
/** Decoders allocate memory by parameter sets: streams above level 5.2 are not decoded. */
const MAX_PIXELS = 4_096 * 2_304;
/** JPEG quality: 2 is the best, 31 the worst (FFmpeg's scale, in units of lambda). */
const JPEG_QUALITY = 4;
const LAMBDA = 118;

/** Junk from strangers must not fill the log. */
export const quietCodecs = (): void => Log.setLevel(AV_LOG_QUIET);

function must(found: Codec | null, name: string): Codec {
  if (!found) throw new Error(`the media library has no ${name}`);
  return found;
}

/** Options are set one by one: a dictionary given to `open2` is freed twice. */
function opened(context: CodecContext, codec: Codec, options: Record<string, string> = {}): CodecContext {
  for (const [name, value] of Object.entries(options)) {
    const code = Option.set(context.getNative(), name, value, AV_OPT_SEARCH_CHILDREN);
    if (code < 0) throw new Error(`${codec.name ?? 'a codec'} does not know ${name}`);
  }
  const code = context.open2Sync(codec, null);
  if (code < 0) throw new Error(`${codec.name ?? 'a codec'} does not open (${code})`);
  return context;
}

function contextOf(codec: Codec): CodecContext {
  const context = new CodecContext();
  context.allocContext3(codec);
  context.threadCount = 1;
  return context;
}

function allocated<T extends { readonly alloc: () => void }>(thing: T): T {
  thing.alloc();
  return thing;
}

/** Everything the encoder has ready. */
function takePackets(context: CodecContext, packet: Packet, take: (packet: Packet) => void): void {
  while (context.receivePacketSync(packet) === 0) {
    take(packet);
    packet.unref();
  }
}

/** Opus in, AAC (low complexity) of 48 kHz and two channels out. Throws when the library lacks one. */
export function openSoundCodec(): SoundCodec {
  const opus = must(Codec.findDecoderByName(FF_DECODER_OPUS), 'Opus');
  const aac = must(Codec.findEncoderByName(FF_ENCODER_AAC), 'AAC');
  const layout = avChannelLayoutDefault(CHANNELS);
  const decoder = contextOf(opus);
  decoder.sampleRate = SAMPLE_RATE;
  decoder.channelLayout = layout;
  opened(decoder, opus);
  const encoder = contextOf(aac);
  encoder.sampleRate = SAMPLE_RATE;
  encoder.channelLayout = layout;
  encoder.sampleFormat = AV_SAMPLE_FMT_FLTP;
  encoder.bitRate = BigInt(SOUND_BITS_PER_SECOND);
  encoder.timeBase = new Rational(1, SAMPLE_RATE);
  encoder.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
  opened(encoder, aac);
  const config = encoder.extraData;
  if (!config) throw new Error('AAC has no configuration');
  const [packet, frame] = [allocated(new Packet()), allocated(new Frame())];
  let encoded = 0;
  return {
    form: { config, channels: CHANNELS, bitsPerSecond: SOUND_BITS_PER_SECOND },
    decode: (payload) => {
      packet.data = payload;
      if (decoder.sendPacketSync(packet) < 0 || decoder.receiveFrameSync(frame) < 0) return null;
      const samples = samplesOf(frame);
      frame.unref();
      return samples;
    },
    encode: (samples) => {
      const full = Frame.fromAudioBuffer(Buffer.from(samples.buffer), {
        nbSamples: SOUND_FRAME,
        format: AV_SAMPLE_FMT_FLTP,
        sampleRate: SAMPLE_RATE,
        channelLayout: layout,
        timeBase: { num: 1, den: SAMPLE_RATE },
        pts: BigInt(encoded),
      });
      encoded += SOUND_FRAME;
      encoder.sendFrameSync(full);
      full.free();
      const done: Buffer[] = [];
      takePackets(encoder, packet, ({ data }) => done.push(Buffer.from(data ?? [])));
      return done;
    },
  };
}

/** The planes of a decoded frame, copied out of the library's memory. */
function samplesOf(frame: Frame): Samples | null {
  const length = frame.nbSamples;
  const isPlanar = frame.format === AV_SAMPLE_FMT_FLTP && frame.channels === CHANNELS;
  if (!isPlanar || frame.sampleRate !== SAMPLE_RATE || length <= 0) return null;
  const bytes = new Uint8Array(frame.toBuffer());
  const plane = (at: number): Float32Array =>
    new Float32Array(bytes.buffer, at * length * FLOAT_BYTES, length);
  return { planes: [plane(0), plane(1)], length };
}

/** Decodes H.264, one picture at a time; damaged pictures are dropped. */
export class PictureDecoder {
  readonly #context: CodecContext;
  readonly #packet = allocated(new Packet());
  readonly #frame = allocated(new Frame());

  constructor() {
    const codec = must(Codec.findDecoder(AV_CODEC_ID_H264), 'H.264 decoder');
    this.#context = contextOf(codec);
    this.#context.setFlags(AV_CODEC_FLAG_LOW_DELAY);
    this.#context.pktTimebase = new Rational(1, VIDEO_CLOCK);
    opened(this.#context, codec, { max_pixels: String(MAX_PIXELS) });
  }

  /**
   * Decodes a picture.
   *
   * @param at time of the picture, which its frame gets too
   * @param take receives frames that are valid until it returns
   */
  decode(units: readonly Buffer[], at: number, take: (frame: Frame) => void): void {
    this.#packet.data = annexB(units);
    this.#packet.pts = BigInt(at);
    this.#packet.dts = BigInt(at);
    if (this.#context.sendPacketSync(this.#packet) >= 0) this.#receive(take);
  }

  /** Flushes the pictures held for reordering, and makes the decoder ready for another stream. */
  finish(take: (frame: Frame) => void): void {
    this.#context.sendPacketSync(null);
    this.#receive(take);
    this.#context.flushBuffers();
  }

  close(): void {
    this.#context.freeContext();
  }

  #receive(take: (frame: Frame) => void): void {
    while (this.#context.receiveFrameSync(this.#frame) === 0) {
      // Junk becomes pictures with concealed parts.
      if (this.#frame.decodeErrorFlags === 0) take(this.#frame);
      this.#frame.unref();
    }
  }
}

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** Scales frames of any size and format to one size. */
export class PictureScaler {
  readonly #size: PictureSize;
  readonly #format: AVPixelFormat;
  #context: SoftwareScaleContext | null = null;
  #source = '';

  /** @param range `full` for JPEG, `video` for all else */
  constructor(size: PictureSize, range: 'full' | 'video') {
    this.#size = size;
    this.#format = range === 'full' ? AV_PIX_FMT_YUVJ420P : AV_PIX_FMT_YUV420P;
  }

  /** The scaled frame, to be freed by the caller; null when the frame cannot be scaled. */
  scale(frame: Frame): Frame | null {
    const { width, height, format } = frame;
    const source = `${width}x${height}/${format}`;
    if (source !== this.#source) {
      this.close();
      this.#context = new SoftwareScaleContext();
      this.#context.getContext(
        width,
        height,
        format as AVPixelFormat,
        this.#size.width,
        this.#size.height,
        this.#format,
        SWS_BILINEAR,
      );
      this.#source = source;
    }
    const scaled = allocated(new Frame());
    scaled.format = this.#format;
    scaled.width = this.#size.width;
    scaled.height = this.#size.height;
    scaled.getBuffer(0);
    if ((this.#context?.scaleFrameSync(scaled, frame) ?? -1) >= 0) {
      scaled.pts = frame.pts;
      return scaled;
    }
    scaled.free();
    return null;
  }

  close(): void {
    this.#context?.freeContext();
    this.#context = null;
  }
}

export interface EncoderSettings extends PictureSize {
  readonly bitsPerSecond: number;
  readonly framesPerSecond: number;
}

/** Encodes H.264 for live use: constrained baseline, one slice a picture, keyframes only where asked. */
export class PictureEncoder {
  readonly #context: CodecContext;
  readonly #packet = allocated(new Packet());

  constructor({ width, height, bitsPerSecond, framesPerSecond }: EncoderSettings) {
    const codec = must(Codec.findEncoderByName(FF_ENCODER_LIBX264), 'x264');
    this.#context = contextOf(codec);
    this.#context.width = width;
    this.#context.height = height;
    this.#context.pixelFormat = AV_PIX_FMT_YUV420P;
    this.#context.timeBase = new Rational(1, VIDEO_CLOCK);
    this.#context.framerate = new Rational(framesPerSecond, 1);
    this.#context.bitRate = BigInt(bitsPerSecond);
    this.#context.rcMaxRate = BigInt(bitsPerSecond);
    this.#context.rcBufferSize = bitsPerSecond;
    this.#context.gopSize = 600 * framesPerSecond;
    this.#context.maxBFrames = 0;
    opened(this.#context, codec, {
      preset: 'veryfast',
      tune: 'zerolatency',
      profile: 'baseline',
      'forced-idr': '1',
      'x264-params': 'scenecut=0:sliced-threads=0:repeat-headers=1',
    });
  }

  /**
   * Encodes a frame, whose time must be later than that of the one before it.
   *
   * @param take receives the picture as an Annex B byte stream, its time and whether it is a keyframe
   */
  encode(
    frame: Frame,
    keyframe: boolean,
    take: (stream: Buffer, at: number, keyframe: boolean) => void,
  ): void {
    frame.pictType = keyframe ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
    if (this.#context.sendFrameSync(frame) < 0) return;
    takePackets(
      this.#context,
      this.#packet,
      ({ data, pts, isKeyframe }) => take(Buffer.from(data ?? []), Number(pts), isKeyframe),
    );
  }

  close(): void {
    this.#context.freeContext();
  }
}

/** A full-range frame as JPEG; null when it cannot be encoded. */
export function encodeJpeg(frame: Frame): Buffer | null {
  const codec = must(Codec.findEncoderByName(FF_ENCODER_MJPEG), 'JPEG');
  const context = contextOf(codec);
  context.width = frame.width;
  context.height = frame.height;
  context.pixelFormat = AV_PIX_FMT_YUVJ420P;
  context.colorRange = AVCOL_RANGE_JPEG;
  context.timeBase = new Rational(1, 1);
  context.setFlags(AV_CODEC_FLAG_QSCALE);
  context.globalQuality = JPEG_QUALITY * LAMBDA;
  opened(context, codec);
  const stilled = frame.clone();
  let picture: Buffer | null = null;
  if (stilled) {
    stilled.quality = JPEG_QUALITY * LAMBDA;
    stilled.pts = 0n;
    const packet = allocated(new Packet());
    if (context.sendFrameSync(stilled) >= 0) {
      takePackets(context, packet, ({ data }) => {
        picture = data && Buffer.from(data);
      });
    }
    packet.free();
    stilled.free();
  }
  context.freeContext();
  return picture;
}
