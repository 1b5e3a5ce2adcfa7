/** The program in which tests make and analyse media, so that the library stays out of their own process. */
import {
  AV_CODEC_ID_OPUS,
  AV_PIX_FMT_YUV420P,
  AV_SAMPLE_FMT_FLT,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
  FF_ENCODER_LIBOPUS,
} from 'node-av/constants';
import {
  avChannelLayoutDefault,
  Codec,
  CodecContext,
  FormatContext,
  Frame,
  Packet,
  Rational,
  type Stream,
} from 'node-av/lib';
import { PictureEncoder, quietCodecs } from '../../media/codecs.ts';
import { onParentMessage, sendToParent } from '../../media/parent.ts';
import {
  FLASH_FRAMES_PER_SECOND,
  FLASH_MS,
  LOUDNESS_STEP_MS,
  type AnalyzerReply,
  type AnalyzerRequest,
  type DrawnMedia,
  type Inspection,
} from './messages.ts';

const SOUND_RATE = 48_000;
const TONE_HERTZ = 1_000;

function decoderOf(stream: Stream): CodecContext {
  const codec = Codec.findDecoder(stream.codecpar.codecId)!;
  const context = new CodecContext();
  context.allocContext3(codec);
  context.parametersToContext(stream.codecpar);
  context.pktTimebase = stream.timeBase;
  context.open2Sync(codec, null);
  return context;
}

/** Mean of the luma plane. */
function lightOf(frame: Frame): number {
  const bytes = frame.toBuffer();
  const size = frame.width * frame.height;
  let sum = 0;
  for (let i = 0; i < size; i++) sum += bytes[i]!;
  return sum / size;
}

/** Collects samples of the first channel by their time. */
class Loudness {
  fromMs: number | null = null;
  readonly #squares: number[] = [];
  readonly #counts: number[] = [];

  add(frame: Frame, atMs: number): void {
    this.fromMs ??= atMs;
    const bytes = frame.toBuffer();
    for (let i = 0; i < frame.nbSamples; i++) {
      const ms = atMs + (i * 1_000) / frame.sampleRate - this.fromMs;
      const step = Math.max(0, Math.floor(ms / LOUDNESS_STEP_MS));
      this.#squares[step] = (this.#squares[step] ?? 0) + bytes.readFloatLE(i * 4) ** 2;
      this.#counts[step] = (this.#counts[step] ?? 0) + 1;
    }
  }

  get steps(): number[] {
    return Array.from(
      { length: this.#counts.length },
      (_, i) => Math.sqrt((this.#squares[i] ?? 0) / Math.max(1, this.#counts[i] ?? 0)),
    );
  }
}

function inspect(file: string): Inspection | null {
  const input = new FormatContext();
  if (input.openInputSync(file, null, null) < 0 || input.findStreamInfoSync(null) < 0) return null;
  const decoders = input.streams.map(decoderOf);
  const pictures: { atMs: number; light: number; width: number }[] = [];
  const loudness = new Loudness();
  const [packet, frame] = [new Packet(), new Frame()];
  packet.alloc();
  frame.alloc();
  let broken = 0;
  const receive = (stream: Stream, decoder: CodecContext): void => {
    while (decoder.receiveFrameSync(frame) === 0) {
      const atMs = (Number(frame.bestEffortTimestamp) * stream.timeBase.num * 1_000) / stream.timeBase.den;
      if (stream.codecpar.codecType === AVMEDIA_TYPE_VIDEO) {
        if (frame.decodeErrorFlags !== 0) broken += 1;
        pictures.push({ atMs, light: lightOf(frame), width: frame.width });
      } else if (stream.codecpar.codecType === AVMEDIA_TYPE_AUDIO) loudness.add(frame, atMs);
      frame.unref();
    }
  };
  while (input.readFrameSync(packet) >= 0) {
    const [stream, decoder] = [input.streams[packet.streamIndex]!, decoders[packet.streamIndex]!];
    if (decoder.sendPacketSync(packet) < 0) broken += 1;
    receive(stream, decoder);
    packet.unref();
  }
  for (const [i, decoder] of decoders.entries()) {
    decoder.sendPacketSync(null);
    receive(input.streams[i]!, decoder);
    decoder.freeContext();
  }
  input.closeInputSync();
  const { fromMs, steps } = loudness;
  return { pictures, sound: fromMs === null ? null : { fromMs, loudness: steps }, broken };
}

const isOn = (ms: number): boolean => ms % 1_000 < FLASH_MS;

function pictures(seconds: number, width: number, plain: number | null): Buffer {
  const height = (width * 3) / 4;
  const encoder = new PictureEncoder({
    width,
    height,
    bitsPerSecond: 500_000,
    framesPerSecond: FLASH_FRAMES_PER_SECOND,
  });
  const stream: Buffer[] = [];
  for (let i = 0; i < seconds * FLASH_FRAMES_PER_SECOND; i++) {
    const light = plain ?? (isOn((i * 1_000) / FLASH_FRAMES_PER_SECOND) ? 235 : 16);
    const size = width * height;
    const planes = Buffer.concat([Buffer.alloc(size, light), Buffer.alloc(size / 2, 128)]);
    const at = (i * 90_000) / FLASH_FRAMES_PER_SECOND;
    const frame = Frame.fromVideoBuffer(planes, {
      width,
      height,
      format: AV_PIX_FMT_YUV420P,
      pts: BigInt(at),
      timeBase: { num: 1, den: 90_000 },
    });
    encoder.encode(frame, i % FLASH_FRAMES_PER_SECOND === 0, (bytes) => stream.push(bytes));
    frame.free();
  }
  encoder.close();
  return Buffer.concat(stream);
}

function beeps(seconds: number): Buffer[] {
  const codec = Codec.findEncoderByName(FF_ENCODER_LIBOPUS) ?? Codec.findEncoder(AV_CODEC_ID_OPUS)!;
  const context = new CodecContext();
  context.allocContext3(codec);
  context.sampleRate = SOUND_RATE;
  const layout = avChannelLayoutDefault(2);
  context.channelLayout = layout;
  context.sampleFormat = AV_SAMPLE_FMT_FLT;
  context.timeBase = new Rational(1, SOUND_RATE);
  context.open2Sync(codec, null);
  const packet = new Packet();
  packet.alloc();
  const packets: Buffer[] = [];
  const size = context.frameSize;
  for (let from = 0; from < seconds * SOUND_RATE; from += size) {
    const samples = Float32Array.from({ length: size * 2 }, (_, i) => {
      const sample = from + (i >> 1);
      return isOn((sample * 1_000) / SOUND_RATE)
        ? 0.5 * Math.sin((2 * Math.PI * TONE_HERTZ * sample) / SOUND_RATE)
        : 0;
    });
    const frame = Frame.fromAudioBuffer(Buffer.from(samples.buffer), {
      nbSamples: size,
      format: AV_SAMPLE_FMT_FLT,
      sampleRate: SOUND_RATE,
      channelLayout: layout,
      timeBase: { num: 1, den: SOUND_RATE },
      pts: BigInt(from),
    });
    context.sendFrameSync(frame);
    frame.free();
    while (context.receivePacketSync(packet) === 0) {
      packets.push(Buffer.from(packet.data ?? []));
      packet.unref();
    }
  }
  context.freeContext();
  return packets;
}

function obey(order: AnalyzerRequest): Inspection | DrawnMedia | null {
  if (order.kind === 'inspect') return inspect(order.file);
  const { seconds, width, light } = order;
  return { video: pictures(seconds, width, light), sound: beeps(seconds) };
}

quietCodecs();
onParentMessage<AnalyzerRequest>(
  (order) => sendToParent<AnalyzerReply>({ request: order.request, outcome: obey(order) }),
);
