import type { CodecContext, Frame, Packet } from 'node-av/lib';
import { TRANSCODED_BITS_PER_SECOND } from '../../limits.ts';
import { allocated, opened } from './codec-context.ts';
import type { Codecs } from './codecs.ts';

/** Times are in milliseconds. */
const TICKS_PER_SECOND = 1_000;
/** Only for the encoder's first guesses; pictures carry their times. */
const ASSUMED_RATE = 30;
/** Two seconds at 60 frames a second: joining viewers get a keyframe without requesting one. */
const KEYFRAME_EVERY_PICTURES = 120;
const ENCODER = {
  preset: 'superfast',
  tune: 'zerolatency',
  profile: 'baseline',
  crf: '23',
  'x264-params': 'repeat-headers=1',
} as const;

export interface Reencoded {
  /** Annex B, parameter sets before a keyframe. */
  readonly stream: Uint8Array;
  readonly shownMs: number;
}

/** H.264 to H.264 without B-frames: decodes, and encodes in presentation order. */
export class Reencoder {
  readonly #codecs: Codecs;
  readonly #decoder: CodecContext;
  readonly #input: Packet;
  readonly #output: Packet;
  readonly #frame: Frame;
  #encoder: CodecContext | null = null;
  /** The frame format that the encoder was made for. */
  #form = '';
  #wantsKeyframe = false;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(codecs: Codecs) {
    this.#codecs = codecs;
    const { lib, constants } = codecs;
    this.#decoder = opened(codecs, lib.Codec.findDecoder(constants.AV_CODEC_ID_H264), (context) => {
      context.threadCount = 1;
    });
    this.#input = allocated(new lib.Packet());
    this.#output = allocated(new lib.Packet());
    this.#frame = allocated(new lib.Frame());
  }

  requestKeyframe(): void {
    this.#wantsKeyframe = true;
  }

  /** Takes the next picture in decoding order. Returns those that can be shown now; none of a broken one. */
  take(stream: Buffer, decodedMs: number, shownMs: number): Reencoded[] {
    this.#input.data = stream;
    this.#input.dts = BigInt(Math.round(decodedMs));
    this.#input.pts = BigInt(Math.round(shownMs));
    const isTaken = this.#decoder.sendPacketSync(this.#input) >= 0;
    this.#input.unref();
    const pictures: Reencoded[] = [];
    if (!isTaken) return pictures;
    while (this.#decoder.receiveFrameSync(this.#frame) >= 0) {
      pictures.push(...this.#encode());
      this.#frame.unref();
    }
    return pictures;
  }

  #encode(): Reencoded[] {
    const { constants } = this.#codecs;
    const frame = this.#frame;
    const shownMs = Number(frame.pts);
    if (shownMs <= this.#lastMs) return [];
    this.#lastMs = shownMs;
    const form = `${frame.width}x${frame.height} ${frame.format}`;
    if (form !== this.#form) this.#makeEncoder(form);
    frame.pictType = this.#wantsKeyframe ? constants.AV_PICTURE_TYPE_I : constants.AV_PICTURE_TYPE_NONE;
    this.#wantsKeyframe = false;
    const encoder = this.#encoder!;
    const pictures: Reencoded[] = [];
    if (encoder.sendFrameSync(frame) < 0) return pictures;
    while (encoder.receivePacketSync(this.#output) >= 0) {
      const { data, pts } = this.#output;
      if (data) pictures.push({ stream: Uint8Array.from(data), shownMs: Number(pts) });
      this.#output.unref();
    }
    return pictures;
  }

  /** Opens an encoder, again when the size changes. Throws when there is none, which ends the process. */
  #makeEncoder(form: string): void {
    const { lib, constants } = this.#codecs;
    this.#encoder?.freeContext();
    this.#form = form;
    const { width, height, format } = this.#frame;
    this.#encoder = opened(
      this.#codecs,
      lib.Codec.findEncoderByName(constants.FF_ENCODER_LIBX264),
      (context) => {
        context.width = width;
        context.height = height;
        context.pixelFormat = format as typeof constants.AV_PIX_FMT_YUV420P;
        context.timeBase = new lib.Rational(1, TICKS_PER_SECOND);
        context.framerate = new lib.Rational(ASSUMED_RATE, 1);
        context.maxBFrames = 0;
        context.gopSize = KEYFRAME_EVERY_PICTURES;
        context.threadCount = 1;
        context.rcMaxRate = BigInt(TRANSCODED_BITS_PER_SECOND);
        context.rcBufferSize = TRANSCODED_BITS_PER_SECOND;
      },
      { ...ENCODER, 'forced-idr': '1' },
    );
  }
}
