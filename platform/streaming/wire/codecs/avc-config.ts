import { MAX_PARAMETER_SET_BYTES, MAX_PARAMETER_SETS, MAX_UNITS_PER_PICTURE } from '../../rtmp/limits.ts';
import { BitReader } from './bit-reader.ts';

/** H.264 as in files and RTMP: units after their lengths, parameter sets separate (ISO 14496-15). */

export const UNIT = { slice: 1, idr: 5, sequenceSet: 7, pictureSet: 8 } as const;
export const unitType = (unit: Uint8Array): number => unit[0]! & 31;

export interface AvcConfig {
  /** Bytes of the length before each unit: 1, 2 or 4. */
  readonly lengthBytes: number;
  readonly sequenceSets: readonly Buffer[];
  readonly pictureSets: readonly Buffer[];
}

/** AVCDecoderConfigurationRecord (ISO 14496-15 §5.3.3.1); null when it is invalid or too long. */
export function readAvcConfig(record: Buffer): AvcConfig | null {
  if (record.length < 7 || record[0] !== 1) return null;
  const lengthBytes = (record[4]! & 3) + 1;
  if (lengthBytes === 3) return null;
  const sequence = readSets(record, 5, 31);
  const picture = sequence && readSets(record, sequence.end, 255);
  if (!sequence || !picture || sequence.sets.length === 0 || picture.sets.length === 0) return null;
  return { lengthBytes, sequenceSets: sequence.sets, pictureSets: picture.sets };
}

/** A masked count, then sets, each after a length of two bytes. */
function readSets(record: Buffer, from: number, mask: number): { sets: Buffer[]; end: number } | null {
  const count = (record[from] ?? 0) & mask;
  if (from >= record.length || count > MAX_PARAMETER_SETS) return null;
  const sets: Buffer[] = [];
  let at = from + 1;
  for (let i = 0; i < count; i++) {
    if (at + 2 > record.length) return null;
    const length = record.readUInt16BE(at);
    at += 2;
    if (length < 4 || length > MAX_PARAMETER_SET_BYTES || at + length > record.length) return null;
    // A copy, so that the message around the record is not held in memory as long as the stream.
    sets.push(Buffer.from(record.subarray(at, at + length)));
    at += length;
  }
  return { sets, end: at };
}

/** The record of a stream with one sequence and one picture parameter set. */
export function writeAvcConfig(sequenceSet: Buffer, pictureSet: Buffer): Buffer {
  const sized = (set: Buffer): Buffer => Buffer.concat([Buffer.from([set.length >> 8, set.length]), set]);
  const head = Buffer.from([1, sequenceSet[1]!, sequenceSet[2]!, sequenceSet[3]!, 0xff, 0xe1]);
  return Buffer.concat([head, sized(sequenceSet), Buffer.from([1]), sized(pictureSet)]);
}

/** The units of a picture; null when the lengths do not fit, or there are more than any encoder makes. */
export function splitPicture(picture: Buffer, lengthBytes: number): Buffer[] | null {
  const units: Buffer[] = [];
  for (let at = 0; at < picture.length;) {
    if (at + lengthBytes > picture.length) return null;
    const length = picture.readUIntBE(at, lengthBytes);
    at += lengthBytes;
    if (at + length > picture.length || units.length >= MAX_UNITS_PER_PICTURE) return null;
    if (length > 0) units.push(picture.subarray(at, at + length));
    at += length;
  }
  return units;
}

/** Units, each after a length of four bytes. */
export function joinPicture(units: readonly Buffer[]): Buffer {
  return Buffer.concat(units.flatMap((unit) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(unit.length);
    return [length, unit];
  }));
}

const B_SLICES: ReadonlySet<number> = new Set([1, 6]);

/** True for a slice that may be predicted from later pictures (H.264 §7.4.3, slice_type). */
export function isBSlice(unit: Buffer): boolean {
  if (unitType(unit) !== UNIT.slice) return false;
  // The first number is a macroblock address and the second the type: both lie in the first bytes.
  const bits = new BitReader(withoutEscapes(unit.subarray(1, 16)));
  bits.unsigned();
  return B_SLICES.has(bits.unsigned()) && !bits.overrun;
}

export interface SequenceSet {
  readonly profile: number;
  readonly level: number;
  readonly width: number;
  readonly height: number;
  /** 4:2:0 with 8 bits a sample: what browsers decode. */
  readonly isCommonFormat: boolean;
  /** Whether pictures may be shown in another order than they are sent. */
  readonly mayReorder: boolean;
  /** Pictures decoded before one that is shown earlier (max_num_reorder_frames, §E.2.1). */
  readonly reorder: number;
}

/** Used when a stream does not specify it: a pyramid of B-frames, as x264 and graphics cards make it. */
const USUAL_REORDER = 2;
/** A decoder holds at most 16 pictures (§A.3.1). */
const MAX_REORDER = 16;
const BASELINE = 66;
/** Profiles whose sets describe the samples in more detail (§7.3.2.1.1). */
const HIGH_PROFILES: ReadonlySet<number> = new Set([
  100,
  110,
  122,
  244,
  44,
  83,
  86,
  118,
  128,
  138,
  139,
  134,
  135,
]);
/** Display orders in one cycle: the syntax allows 255 (§7.4.2.1.1). */
const MAX_ORDER_CYCLE = 255;
const MAX_SIDE = 8_192;

/** Reads a sequence parameter set (§7.3.2.1.1); null when it is invalid. */
export function readSequenceSet(unit: Buffer): SequenceSet | null {
  if (unit.length < 5 || unitType(unit) !== UNIT.sequenceSet) return null;
  const [profile, level] = [unit[1]!, unit[3]!];
  const bits = new BitReader(withoutEscapes(unit.subarray(4)));
  bits.unsigned();
  const isCommonFormat = HIGH_PROFILES.has(profile) ? readFormat(bits) : true;
  bits.unsigned();
  const orderType = readOrder(bits);
  bits.unsigned();
  bits.bit();
  const size = readSize(bits);
  const reordered = bits.bit() === 1 ? readReordered(bits) : null;
  if (bits.overrun || !size) return null;
  const mayReorder = profile !== BASELINE && orderType !== 2 && reordered !== 0;
  const reorder = mayReorder ? Math.min(reordered ?? USUAL_REORDER, MAX_REORDER) : 0;
  return { profile, level, ...size, isCommonFormat, mayReorder, reorder };
}

/** Chroma format, bit depths and scaling lists; true for 4:2:0 with 8 bits. */
function readFormat(bits: BitReader): boolean {
  const chroma = bits.unsigned();
  if (chroma === 3) bits.bit();
  const depth = bits.unsigned() + bits.unsigned();
  bits.bit();
  if (bits.bit() === 1) {
    const lists = chroma === 3 ? 12 : 8;
    for (let i = 0; i < lists && !bits.overrun; i++) if (bits.bit() === 1) skipList(bits, i < 6 ? 16 : 64);
  }
  return chroma === 1 && depth === 0;
}

function skipList(bits: BitReader, size: number): void {
  let next = 8;
  for (let i = 0, last = 8; i < size && next !== 0; i++) {
    next = (last + bits.signed() + 256) % 256;
    last = next === 0 ? last : next;
  }
}

/** How display order is coded; 2 means that it is decoding order. */
function readOrder(bits: BitReader): number {
  const type = bits.unsigned();
  if (type === 0) bits.unsigned();
  if (type !== 1) return type;
  bits.bit();
  bits.signed();
  bits.signed();
  const cycle = bits.unsigned();
  for (let i = 0; i < cycle && i < MAX_ORDER_CYCLE && !bits.overrun; i++) bits.signed();
  return type;
}

/** Width and height after cropping, in samples of 4:2:0. */
function readSize(bits: BitReader): { width: number; height: number } | null {
  const columns = bits.unsigned() + 1;
  const rows = bits.unsigned() + 1;
  const isProgressive = bits.bit() === 1;
  if (!isProgressive) bits.bit();
  bits.bit();
  let [width, height] = [columns * 16, rows * 16 * (isProgressive ? 1 : 2)];
  if (bits.bit() === 1) {
    width -= 2 * (bits.unsigned() + bits.unsigned());
    height -= 2 * (isProgressive ? 1 : 2) * (bits.unsigned() + bits.unsigned());
  }
  return width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE ? { width, height } : null;
}

/** The usability information up to `max_num_reorder_frames` (§E.1.1); null when that is absent. */
function readReordered(bits: BitReader): number | null {
  const EXTENDED_RATIO = 255;
  if (bits.bit() === 1 && bits.bits(8) === EXTENDED_RATIO) bits.bits(32);
  if (bits.bit() === 1) bits.bit();
  if (bits.bit() === 1) {
    bits.bits(4);
    if (bits.bit() === 1) bits.bits(24);
  }
  if (bits.bit() === 1) {
    bits.unsigned();
    bits.unsigned();
  }
  if (bits.bit() === 1) bits.bits(65);
  const buffers = [skipBuffer(bits), skipBuffer(bits)];
  if (buffers.includes(true)) bits.bit();
  bits.bit();
  if (bits.bit() === 0) return null;
  bits.bit();
  for (let i = 0; i < 4; i++) bits.unsigned();
  return bits.unsigned();
}

/** Skips the parameters of a hypothetical decoder (§E.1.2); true when they are present. */
function skipBuffer(bits: BitReader): boolean {
  if (bits.bit() === 0) return false;
  const count = bits.unsigned() + 1;
  bits.bits(8);
  for (let i = 0; i < count && !bits.overrun; i++) {
    bits.unsigned();
    bits.unsigned();
    bits.bit();
  }
  bits.bits(20);
  return true;
}

/** The bytes without emulation prevention, the 3 that keeps start codes out (§7.4.1.1). */
function withoutEscapes(bytes: Uint8Array): Uint8Array {
  const retained: number[] = [];
  let zeros = 0;
  for (const byte of bytes) {
    if (zeros >= 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    retained.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Uint8Array.from(retained);
}
