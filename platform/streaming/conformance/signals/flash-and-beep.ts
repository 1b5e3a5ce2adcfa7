import type { CodecContext, Frame } from 'node-av/lib';
import { allocated, opened } from '../../rtmp/media/transcode/codec-context.ts';
import { loadCodecs, type Codecs } from '../../rtmp/media/transcode/codecs.ts';
import { joinPicture, UNIT, unitType, writeAvcConfig } from '../../wire/codecs/avc-config.ts';
import { splitUnits } from '../../wire/codecs/h264.ts';
import { writeSoundTag, writeVideoTag } from '../../wire/rtmp/flv.ts';
import { MESSAGE } from '../../wire/rtmp/rtmp-chunks.ts';

/** One FLV tag as an encoder sends it over RTMP. */
export interface SourceTag {
  readonly type: typeof MESSAGE.video | typeof MESSAGE.audio;
  /** Milliseconds from 0. */
  readonly timestamp: number;
  readonly payload: Buffer;
}

export interface SourceOptions {
  readonly seconds: number;
  /** B-frames in a row, 0 for none. */
  readonly bFrames: number;
  readonly framesPerSecond: number;
  readonly sampleRate: 44_100 | 48_000;
  /** A continuous tone on the left channel, instead of beeps on both. */
  readonly toneOnLeft: boolean;
}

const DEFAULT_SOURCE: SourceOptions = {
  seconds: 4,
  bFrames: 0,
  framesPerSecond: 30,
  sampleRate: 44_100,
  toneOnLeft: false,
};

const WIDTH = 160;
const HEIGHT = 96;
/** The flash and the beep begin together each second and last this long. */
const SIGNAL_SECONDS = 0.1;
const BEEP_HERTZ = 1_000;
const LOUDNESS = 0.5;
const AAC_SAMPLES = 1_024;
const BLACK = 16;
const WHITE = 235;
const GREY = 128;

/** An open encoder with its parameters in `extraData`, and its input. */
export interface Source {
  readonly encoder: CodecContext;
  readonly frames: number;
  readonly draw: (frame: Frame, i: number) => void;
}

export interface Encoded {
  readonly data: Buffer;
  /** In ticks of its encoder. */
  readonly pts: number;
  readonly dts: number;
  readonly isKeyframe: boolean;
}

/**
 * Video that flashes and audio that beeps at the same moments, encoded as by OBS: H.264 with a keyframe each
 * second, and AAC. The tags are in sending order.
 */
export async function flashAndBeep(options: Partial<SourceOptions> = {}): Promise<SourceTag[]> {
  const settings = { ...DEFAULT_SOURCE, ...options };
  const codecs = await loadCodecs();
  const { tags, delayMs } = pictureTags(codecs, settings);
  return [...tags, ...soundTags(codecs, settings, delayMs)].sort((a, b) => a.timestamp - b.timestamp);
}

/** The video and audio of `flashAndBeep` before encoding. */
export function sourcesOf(
  codecs: Codecs,
  options: Partial<SourceOptions>,
): { readonly pictures: Source; readonly sounds: Source } {
  const settings = { ...DEFAULT_SOURCE, ...options };
  return { pictures: pictureSource(codecs, settings), sounds: soundSource(codecs, settings) };
}

/** Whether a signal is on `seconds` after the beginning. */
const isSignal = (seconds: number): boolean => seconds % 1 < SIGNAL_SECONDS;

function pictureSource(codecs: Codecs, { seconds, bFrames, framesPerSecond }: SourceOptions): Source {
  const { lib, constants } = codecs;
  const encoder = opened(codecs, lib.Codec.findEncoderByName(constants.FF_ENCODER_LIBX264), (context) => {
    context.width = WIDTH;
    context.height = HEIGHT;
    context.pixelFormat = constants.AV_PIX_FMT_YUV420P;
    context.timeBase = new lib.Rational(1, framesPerSecond);
    context.framerate = new lib.Rational(framesPerSecond, 1);
    context.maxBFrames = bFrames;
    context.gopSize = framesPerSecond;
    context.threadCount = 1;
    context.setFlags(constants.AV_CODEC_FLAG_GLOBAL_HEADER);
  }, { preset: 'veryfast', profile: bFrames > 0 ? 'main' : 'baseline', 'x264-params': 'scenecut=0' });
  return {
    encoder,
    frames: Math.round(seconds * framesPerSecond),
    draw: (frame, i) => {
      frame.width = WIDTH;
      frame.height = HEIGHT;
      frame.format = constants.AV_PIX_FMT_YUV420P;
      frame.pts = BigInt(i);
      frame.getBuffer();
      const [light, blue, red] = frame.data!;
      light!.fill(isSignal(i / framesPerSecond) ? WHITE : BLACK);
      // A moving mark, so that frames differ and B-frames save bytes.
      light!.fill(GREY, (i * 7) % (light!.length - 400), ((i * 7) % (light!.length - 400)) + 400);
      blue!.fill(GREY);
      red!.fill(GREY);
    },
  };
}

/** The tags, and how much later than in the source their content is shown. */
function pictureTags(codecs: Codecs, settings: SourceOptions): { tags: SourceTag[]; delayMs: number } {
  const source = pictureSource(codecs, settings);
  const sets = splitUnits(Buffer.from(source.encoder.extraData!));
  const set = (type: number): Buffer => sets.find((unit) => unitType(unit) === type)!;
  const config = writeAvcConfig(set(UNIT.sequenceSet), set(UNIT.pictureSet));
  const encoded = encode(codecs, source);
  const toMs = (ticks: number): number => Math.round((ticks * 1_000) / settings.framesPerSecond);
  // As muxers do: decoding times start at 0, and presentation is delayed by the same amount.
  const delay = -encoded[0]!.dts;
  const tags = encoded.map(({ data, pts, dts, isKeyframe }): SourceTag => {
    const timestamp = toMs(dts + delay);
    const picture = joinPicture(splitUnits(data));
    const payload = writeVideoTag(isKeyframe, 'picture', toMs(pts + delay) - timestamp, picture);
    return { type: MESSAGE.video, timestamp, payload };
  });
  const first: SourceTag = {
    type: MESSAGE.video,
    timestamp: 0,
    payload: writeVideoTag(true, 'config', 0, config),
  };
  return { tags: [first, ...tags], delayMs: toMs(delay) };
}

function soundSource(codecs: Codecs, { seconds, sampleRate, toneOnLeft }: SourceOptions): Source {
  const { lib, constants } = codecs;
  const encoder = opened(codecs, lib.Codec.findEncoder(constants.AV_CODEC_ID_AAC), (context) => {
    context.sampleRate = sampleRate;
    context.sampleFormat = constants.AV_SAMPLE_FMT_FLTP;
    context.channelLayout = constants.AV_CHANNEL_LAYOUT_STEREO;
    context.bitRate = 128_000n;
    context.timeBase = new lib.Rational(1, sampleRate);
    context.setFlags(constants.AV_CODEC_FLAG_GLOBAL_HEADER);
  });
  return {
    encoder,
    frames: Math.floor((seconds * sampleRate) / AAC_SAMPLES),
    draw: (frame, i) => {
      frame.nbSamples = AAC_SAMPLES;
      frame.format = constants.AV_SAMPLE_FMT_FLTP;
      frame.channelLayout = constants.AV_CHANNEL_LAYOUT_STEREO;
      frame.sampleRate = sampleRate;
      frame.pts = BigInt(i * AAC_SAMPLES);
      frame.getBuffer();
      const samples = Float32Array.from({ length: AAC_SAMPLES }, (_, k) => {
        const at = (i * AAC_SAMPLES + k) / sampleRate;
        return toneOnLeft || isSignal(at) ? LOUDNESS * Math.sin(2 * Math.PI * BEEP_HERTZ * at) : 0;
      });
      const silence = new Float32Array(AAC_SAMPLES);
      for (const [channel, plane] of frame.data!.entries()) {
        plane.set(new Uint8Array((toneOnLeft && channel > 0 ? silence : samples).buffer));
      }
    },
  };
}

function soundTags(codecs: Codecs, settings: SourceOptions, delayMs: number): SourceTag[] {
  const source = soundSource(codecs, settings);
  const config = Buffer.from(source.encoder.extraData!);
  const toMs = (ticks: number): number => Math.round((ticks * 1_000) / settings.sampleRate) + delayMs;
  const first: SourceTag = { type: MESSAGE.audio, timestamp: 0, payload: writeSoundTag('config', config) };
  // Without that delay the encoder's first frame lies before the beginning.
  const encoded = encode(codecs, source).filter(({ pts }) => toMs(pts) >= 0);
  return [
    first,
    ...encoded.map(({ data, pts }): SourceTag => ({
      type: MESSAGE.audio,
      timestamp: toMs(pts),
      payload: writeSoundTag('frame', data),
    })),
  ];
}

/** Draws and encodes all frames of a source, and ends its encoder. */
export function encode({ lib }: Codecs, { encoder, frames, draw }: Source): Encoded[] {
  const encoded: Encoded[] = [];
  const frame = allocated(new lib.Frame());
  const packet = allocated(new lib.Packet());
  for (let i = 0; i <= frames; i++) {
    if (i < frames) draw(frame, i);
    encoder.sendFrameSync(i < frames ? frame : null);
    frame.unref();
    while (encoder.receivePacketSync(packet) >= 0) {
      const { pts, dts, isKeyframe } = packet;
      encoded.push({ data: Buffer.from(packet.data!), pts: Number(pts), dts: Number(dts), isKeyframe });
      packet.unref();
    }
  }
  packet.free();
  frame.free();
  encoder.freeContext();
  return encoded;
}
