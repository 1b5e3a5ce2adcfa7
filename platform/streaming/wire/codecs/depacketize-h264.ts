import { payloadOf } from '../payload.ts';
import { hasMarker, timestampOf } from '../rtp.ts';

/** One coded picture (H.264 §7.4.1.2.3): its units without start codes, parameter sets included. */
export interface AccessUnit {
  /** RTP timestamp, 32 bits of 90 kHz. */
  readonly timestamp: number;
  readonly keyframe: boolean;
  readonly units: readonly Buffer[];
}

/** A larger picture is not valid: 4 MB is a second of 32 Mbit/s. */
const MAX_PICTURE_BYTES = 4 * 1024 * 1024;
/** Encoders cut a picture into some ten slices at most. */
const MAX_UNITS = 256;

export const UNIT = { slice: 1, idr: 5, information: 6, sequence: 7, picture: 8, delimiter: 9 } as const;
const STAP_A = 24;
const FU_A = 28;
/** Unit types besides a slice that may begin an access unit (H.264 §7.4.1.2.3); some only at its start. */
const OPENERS: ReadonlySet<number> = new Set([UNIT.information, UNIT.sequence, UNIT.picture, UNIT.delimiter]);
const FIRST_OPENERS: ReadonlySet<number> = new Set([UNIT.sequence, UNIT.delimiter]);
const RELEVANT_UNITS: ReadonlySet<number> = new Set([UNIT.slice, UNIT.idr, UNIT.sequence, UNIT.picture]);

export const unitType = (unit: Uint8Array): number => unit[0]! & 31;
/** The address of a slice's first macroblock is coded first; a single 1 bit means 0, the picture's first. */
const isFirstSlice = (unit: Uint8Array): boolean => unit.length > 1 && (unit[1]! & 0x80) !== 0;

/**
 * Access units from RTP payloads of H.264 (RFC 6184: single units, STAP-A, FU-A), with packets given in
 * order. After any loss nothing is emitted before a whole keyframe, since a picture that refers to a lost one
 * is damaged. Supplemental information and delimiters are dropped.
 */
export class H264Depacketizer {
  readonly #emit: (picture: AccessUnit) => void;
  readonly #damaged: () => void;
  #needsKeyframe = true;
  /** Whether keyframes bring their parameter sets: then a keyframe without any has lost them. */
  #bringsSets = false;
  /** Whether the sender marks the last packet of each picture: then a picture without a mark is cut short. */
  #marks = false;
  #timestamp = -1;
  #units: Buffer[] = [];
  #fragments: Buffer[] = [];
  #bytes = 0;
  #whole = false;
  #keyframe = false;

  /**
   * @param emit receives each whole picture
   * @param damaged called for each picture that is dropped
   */
  constructor(emit: (picture: AccessUnit) => void, damaged: () => void) {
    this.#emit = emit;
    this.#damaged = damaged;
  }

  get needsKeyframe(): boolean {
    return this.#needsKeyframe;
  }

  /** @param gap whether packets before this one are lost */
  push(packet: Buffer, gap: boolean): void {
    const payload = payloadOf(packet);
    if (gap) this.#lose();
    // Padding only: it has a number and no content.
    if (!payload) return;
    const timestamp = timestampOf(packet);
    if (timestamp !== this.#timestamp) {
      if (this.#marks && this.#hasPicture) this.#whole = false;
      this.#finish();
      this.#begin(timestamp, payload, gap);
    }
    if (this.#whole && !this.#take(payload)) this.#whole = false;
    if (!hasMarker(packet)) return;
    this.#marks = true;
    this.#finish();
  }

  get #hasPicture(): boolean {
    return this.#units.some((unit) => unitType(unit) === UNIT.slice || unitType(unit) === UNIT.idr);
  }

  /** Media after a gap refers to what was lost in it. */
  #lose(): void {
    this.#needsKeyframe = true;
    if (this.#timestamp >= 0) this.#whole = false;
  }

  #begin(timestamp: number, payload: Buffer, gap: boolean): void {
    this.#timestamp = timestamp;
    this.#whole = !gap || this.#opensPicture(payload);
  }

  #finish(): void {
    if (this.#timestamp < 0) return;
    const [units, timestamp, keyframe] = [this.#units, this.#timestamp, this.#keyframe];
    const whole = this.#whole && this.#fragments.length === 0;
    this.#timestamp = -1;
    // Parameter sets sent as if they were a picture belong to the next one.
    if (whole && !this.#hasPicture) return;
    this.#units = [];
    this.#fragments = [];
    this.#bytes = 0;
    this.#keyframe = false;
    if (!whole) this.#needsKeyframe = true;
    if (!whole || (this.#needsKeyframe && !keyframe)) return this.#damaged();
    this.#needsKeyframe = false;
    this.#emit({ timestamp, keyframe, units });
  }

  /** False when the payload is not what RFC 6184 allows in packetization mode 1. */
  #take(payload: Buffer): boolean {
    const type = unitType(payload);
    if (type === FU_A) return this.#takeFragment(payload);
    // A fragmented unit whose end never came.
    if (this.#fragments.length > 0) return false;
    return type === STAP_A ? this.#takeAggregate(payload) : this.#add(payload);
  }

  #takeAggregate(payload: Buffer): boolean {
    let at = 1;
    while (at + 2 < payload.length) {
      const end = at + 2 + payload.readUInt16BE(at);
      if (end === at + 2 || end > payload.length) return false;
      if (!this.#add(payload.subarray(at + 2, end))) return false;
      at = end;
    }
    return at === payload.length;
  }

  #takeFragment(payload: Buffer): boolean {
    if (payload.length < 3) return false;
    const [indicator, header] = [payload[0]!, payload[1]!];
    const isFirst = (header & 0x80) !== 0;
    if (isFirst !== (this.#fragments.length === 0)) return false;
    if (isFirst) this.#fragments.push(Buffer.of((indicator & 0xe0) | (header & 0x1f)));
    if (!this.#count(payload.length)) return false;
    this.#fragments.push(payload.subarray(2));
    if ((header & 0x40) === 0) return true;
    const unit = Buffer.concat(this.#fragments);
    this.#fragments = [];
    return this.#keep(unit);
  }

  #add(unit: Buffer): boolean {
    return this.#count(unit.length) && this.#keep(unit);
  }

  #count(bytes: number): boolean {
    this.#bytes += bytes;
    return this.#bytes <= MAX_PICTURE_BYTES;
  }

  #keep(unit: Buffer): boolean {
    const type = unitType(unit);
    if (type === 0 || type >= STAP_A) return false;
    if (!RELEVANT_UNITS.has(type)) return true;
    if (this.#units.length >= MAX_UNITS) return false;
    if (type === UNIT.idr) this.#keyframe = true;
    if (type === UNIT.sequence) this.#bringsSets = true;
    this.#units.push(unit);
    return true;
  }

  /** Whether a payload is the first of its picture, so that nothing before it is missing. */
  #opensPicture(payload: Buffer): boolean {
    const type = unitType(payload);
    if (type === STAP_A) return payload.length > 4 && this.#opensPicture(payload.subarray(3));
    if (type === FU_A && (payload.length < 3 || (payload[1]! & 0x80) === 0)) return false;
    const first = type === FU_A ? payload[1]! & 31 : type;
    if (this.#bringsSets) return FIRST_OPENERS.has(first);
    return OPENERS.has(first) || isFirstSlice(type === FU_A ? payload.subarray(1) : payload);
  }
}
