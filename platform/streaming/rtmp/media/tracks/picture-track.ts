import type { BFrameDelivery, IngestTrouble } from '../../../engine.ts';
import {
  isBSlice,
  readAvcConfig,
  readSequenceSet,
  splitPicture,
  UNIT,
  unitType,
  type AvcConfig,
} from '../../../wire/codecs/avc-config.ts';
import { picturePayloads } from '../../../wire/codecs/h264.ts';
import { readVideoTag } from '../../../wire/rtmp/flv.ts';
import type { BFramePolicy } from '../../ingest.ts';
import { MAX_PARAMETER_SET_BYTES, MAX_PARAMETER_SETS } from '../../limits.ts';
import { ReorderWatch } from './reorder-watch.ts';
import type { TimedPayload } from './rtp-track.ts';

/** One picture as the encoder sent it. */
export interface Picture {
  readonly keyframe: boolean;
  /** Sequence and picture parameter sets, for a keyframe. */
  readonly parameters: readonly Buffer[];
  readonly units: readonly Buffer[];
  /** Milliseconds on the timeline: when it is decoded, and when it is shown. */
  readonly decodedMs: number;
  readonly shownMs: number;
}

/** One picture, ready to be sent. */
export interface SentPicture {
  readonly keyframe: boolean;
  readonly payloads: readonly TimedPayload[];
}

/** Re-encodes pictures without B-frames; see `PictureTranscoder`. */
export interface Transcoder {
  readonly push: (picture: Picture) => void;
  readonly requestKeyframe: () => void;
  readonly close: () => void;
}

export interface TranscoderEvents {
  /** A picture in Annex B with its parameter sets, in presentation order. */
  readonly picture: (units: readonly Buffer[], shownMs: number) => void;
  /** The transcoder cannot go on. */
  readonly gone: () => void;
}

export interface PictureTrackOptions {
  readonly bFrames: BFramePolicy;
  /** Null when this machine runs too many already. */
  readonly transcoder: (events: TranscoderEvents) => Transcoder | null;
  readonly send: (picture: SentPicture) => void;
}

const TICKS_PER_MS = 90;
const isParameterSet = (unit: Buffer): boolean =>
  unitType(unit) === UNIT.sequenceSet || unitType(unit) === UNIT.pictureSet;

/** Turns H.264 tags into RTP payloads, where browsers can show them. */
export class PictureTrack {
  readonly #options: PictureTrackOptions;
  readonly #order = new ReorderWatch();
  #config: AvcConfig | null = null;
  #mayReorder = true;
  #isForeign = false;
  #isReordered = false;
  #needsKeyframe = true;
  /** The first pictures, held back until it is clear whether B-frames come. */
  #held: Picture[] = [];
  #transcoder: Transcoder | null = null;
  /** Whether B-frames are copied, starting at a keyframe. */
  #isCopied = false;
  #lastTicks = Number.NEGATIVE_INFINITY;

  constructor(options: PictureTrackOptions) {
    this.#options = options;
  }

  /** Whether a description of the video came, of a supported codec or not. */
  get hasBegun(): boolean {
    return this.#config !== null || this.#isForeign;
  }

  /** Why no picture is sent, or null. */
  get trouble(): IngestTrouble | null {
    if (this.#isForeign) return 'video_codec';
    return this.#isReordered && this.#options.bFrames === 'refuse' ? 'b_frames' : null;
  }

  /** How B-frames are sent; null without any. */
  get bFrames(): BFrameDelivery | null {
    if (!this.#isReordered || this.#options.bFrames === 'refuse') return null;
    return this.#transcoder ? 'transcoded' : 'copied';
  }

  /** Takes a tag whose decoding time is `decodedMs` on the timeline. */
  take(body: Buffer, decodedMs: number): void {
    const tag = readVideoTag(body);
    if (tag?.kind === 'foreign') this.#isForeign = true;
    else if (tag?.kind === 'config') this.#configure(readAvcConfig(tag.record));
    else if (tag?.kind === 'picture' && this.#config && !this.#isForeign) {
      const units = splitPicture(tag.units, this.#config.lengthBytes);
      if (units) this.#picture(units, decodedMs, tag.compositionMs);
      // Later pictures refer to the broken one.
      else this.#needsKeyframe = true;
    }
  }

  /** A keyframe is requested; only a transcoder can make one on request. */
  requestKeyframe(): void {
    this.#transcoder?.requestKeyframe();
  }

  close(): void {
    this.#held = [];
    this.#transcoder?.close();
    this.#transcoder = null;
  }

  #configure(config: AvcConfig | null): void {
    const sequence = config && readSequenceSet(config.sequenceSets[0]!);
    this.#isForeign = !sequence?.isCommonFormat;
    this.#config = config;
    this.#mayReorder = sequence?.mayReorder ?? true;
    this.#needsKeyframe = true;
  }

  #picture(all: readonly Buffer[], decodedMs: number, compositionMs: number): void {
    this.#takeParameters(all.filter(isParameterSet));
    const units = all.filter((unit) => !isParameterSet(unit));
    const keyframe = units.some((unit) => unitType(unit) === UNIT.idr);
    if (units.length === 0 || (this.#needsKeyframe && !keyframe)) return;
    this.#needsKeyframe = false;
    const { sequenceSets, pictureSets } = this.#config!;
    const parameters = keyframe ? [...sequenceSets, ...pictureSets] : [];
    const shownMs = decodedMs + compositionMs;
    const order = { keyframe, shownMs, compositionMs, bSlice: units.some(isBSlice) };
    const verdict = this.#order.take(order, this.#mayReorder);
    this.#held.push({ keyframe, parameters, units, decodedMs, shownMs });
    if (verdict === 'unclear') return;
    const pictures = this.#held;
    this.#held = [];
    if (verdict === 'plain') this.#pass(pictures);
    else this.#reorder(pictures);
  }

  /** Parameter sets among a picture's units replace the earlier ones. */
  #takeParameters(sets: readonly Buffer[]): void {
    if (sets.length === 0) return;
    const fitting = sets.slice(0, MAX_PARAMETER_SETS).filter((set) => set.length <= MAX_PARAMETER_SET_BYTES)
      .map((set) => Buffer.from(set));
    const of = (type: number): Buffer[] => fitting.filter((set) => unitType(set) === type);
    const [sequence, picture] = [of(UNIT.sequenceSet), of(UNIT.pictureSet)];
    const read = sequence[0] && readSequenceSet(sequence[0]);
    if (read) this.#mayReorder = read.mayReorder;
    this.#config = {
      ...this.#config!,
      ...(sequence.length > 0 ? { sequenceSets: sequence } : {}),
      ...(picture.length > 0 ? { pictureSets: picture } : {}),
    };
  }

  #pass(pictures: readonly Picture[]): void {
    if (this.#isReordered) {
      this.#isReordered = false;
      this.#isCopied = false;
      this.#transcoder?.close();
      this.#transcoder = null;
    }
    for (const { keyframe, parameters, units, shownMs } of pictures) {
      this.#send(keyframe, picturePayloads(parameters, units), shownMs);
    }
  }

  #reorder(pictures: readonly Picture[]): void {
    this.#isReordered = true;
    if (this.#options.bFrames === 'refuse') return;
    // Transcoded or copied, video begins with a keyframe: pictures refer to those sent before them.
    if (!this.#transcoder && pictures[0]!.keyframe) {
      this.#transcoder = this.#options.transcoder({
        picture: (units, shownMs) => this.#sendTranscoded(units, shownMs),
        gone: () => {
          this.#transcoder = null;
        },
      });
      this.#isCopied = this.#transcoder === null;
    }
    for (const picture of pictures) {
      if (this.#transcoder) this.#transcoder.push(picture);
      else if (this.#isCopied) this.#sendCopied(picture);
    }
  }

  /** In decoding order with presentation times (RFC 6184 §5.1), which therefore go back too. */
  #sendCopied({ keyframe, parameters, units, shownMs }: Picture): void {
    const ticks = Math.round(shownMs * TICKS_PER_MS);
    this.#lastTicks = Math.max(this.#lastTicks, ticks);
    this.#sendAt(keyframe, picturePayloads(parameters, units), ticks);
  }

  #sendTranscoded(units: readonly Buffer[], shownMs: number): void {
    const keyframe = units.some((unit) => unitType(unit) === UNIT.idr);
    const parameters = keyframe ? units.filter(isParameterSet) : [];
    this.#send(keyframe, picturePayloads(parameters, units), shownMs);
  }

  #send(keyframe: boolean, payloads: readonly Buffer[], shownMs: number): void {
    // Never goes back: two pictures may share a millisecond, or a clock may step back a little.
    const ticks = Math.max(this.#lastTicks + 1, Math.round(shownMs * TICKS_PER_MS));
    this.#lastTicks = ticks;
    this.#sendAt(keyframe, payloads, ticks);
  }

  #sendAt(keyframe: boolean, payloads: readonly Buffer[], ticks: number): void {
    if (payloads.length === 0) return;
    this.#options.send({
      keyframe,
      payloads: payloads.map((payload, i) => ({ payload, ticks, marker: i === payloads.length - 1 })),
    });
  }
}
