import { readSequenceSet } from './avc-config.ts';
import { UNIT, unitType } from './depacketize-h264.ts';

/** The fields of a sequence parameter set that matter here (H.264 §7.3.2.1.1). */
export interface SequenceParameters {
  readonly profile: number;
  /** The constraint flags, as in the byte after the profile. */
  readonly constraints: number;
  readonly level: number;
  readonly width: number;
  readonly height: number;
  /** chroma_format_idc: 1 is 4:2:0. */
  readonly chroma: number;
  /** Bits of a luma and of a chroma sample. */
  readonly lumaBits: number;
  readonly chromaBits: number;
  /** How many pictures may be decoded before one that is shown earlier; 0 without B-frames. */
  readonly reorder: number;
}

/** Profiles whose parameter sets say more about chroma. */
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
/** Level 5.2 allows 36,864 macroblocks. Nobody streams more, and decoders allocate memory by these. */
const MAX_SIDE = 4_096;
const MAX_UNIT_BYTES = 1_024;
/** An Exp-Golomb number with more leading zeros would not fit 32 bits. */
const MAX_ZEROS = 31;

/** The bits of a unit, without emulation prevention bytes (H.264 §7.3.1). */
class UnitBits {
  readonly #bytes: Buffer;
  #at = 0;

  /** @param unit with its header byte, which is skipped */
  constructor(unit: Buffer) {
    const bytes: number[] = [];
    let zeros = 0;
    for (const byte of unit.subarray(1)) {
      const isEscape = zeros >= 2 && byte === 3;
      zeros = byte === 0 ? zeros + 1 : 0;
      if (!isEscape) bytes.push(byte);
    }
    this.#bytes = Buffer.from(bytes);
  }

  /** Throws a RangeError beyond the end. */
  bits(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++, this.#at++) {
      const byte = this.#bytes[this.#at >> 3];
      if (byte === undefined) throw new RangeError('a parameter set is cut short');
      value = value * 2 + ((byte >> (7 - (this.#at & 7))) & 1);
    }
    return value;
  }

  /** ue(v) of H.264 §9.1. */
  number(): number {
    let zeros = 0;
    while (this.bits(1) === 0) {
      zeros += 1;
      if (zeros > MAX_ZEROS) throw new RangeError('a number in a parameter set is too long');
    }
    return 2 ** zeros - 1 + this.bits(zeros);
  }

  /** se(v) of H.264 §9.1.1. */
  signed(): number {
    const value = this.number();
    return value % 2 === 0 ? -value / 2 : (value + 1) / 2;
  }
}

/** Reads a sequence parameter set; null when it is malformed or describes a picture nobody can show. */
export function readSequenceParameters(unit: Buffer): SequenceParameters | null {
  if (unit.length < 5 || unit.length > MAX_UNIT_BYTES || unitType(unit) !== UNIT.sequence) return null;
  try {
    const bits = new UnitBits(unit);
    const [profile, constraints, level] = [bits.bits(8), bits.bits(8), bits.bits(8)];
    bits.number();
    const colours = HIGH_PROFILES.has(profile) ? readColours(bits) : PLAIN;
    const size = readSize(bits, colours);
    const reorder = readSequenceSet(unit)?.reorder ?? 0;
    const fits = size.width > 0 && size.height > 0 && size.width <= MAX_SIDE && size.height <= MAX_SIDE;
    const { chroma, lumaBits, chromaBits } = colours;
    return fits ? { profile, constraints, level, ...size, chroma, lumaBits, chromaBits, reorder } : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

interface Colours {
  readonly chroma: number;
  readonly lumaBits: number;
  readonly chromaBits: number;
  /** The planes are coded as if each were a picture of its own (§7.4.2.1.1). */
  readonly separate: boolean;
}
const PLAIN: Colours = { chroma: 1, lumaBits: 8, chromaBits: 8, separate: false };

function readSize(
  bits: UnitBits,
  { chroma, separate }: Colours,
): { readonly width: number; readonly height: number } {
  bits.number();
  const order = bits.number();
  if (order === 0) bits.number();
  else if (order === 1) skipOrderCycle(bits);
  bits.number();
  bits.bits(1);
  const macroblocks = bits.number() + 1;
  const mapUnits = bits.number() + 1;
  const isProgressive = bits.bits(1) === 1;
  if (!isProgressive) bits.bits(1);
  bits.bits(1);
  const [left, right, top, bottom] = bits.bits(1) === 1
    ? [bits.number(), bits.number(), bits.number(), bits.number()]
    : [0, 0, 0, 0];
  const fields = isProgressive ? 1 : 2;
  // §7.4.2.1.1: cropping counts chroma samples, and pairs of lines where there are fields.
  const across = !separate && (chroma === 1 || chroma === 2) ? 2 : 1;
  const down = (!separate && chroma === 1 ? 2 : 1) * fields;
  return {
    width: macroblocks * 16 - across * (left + right),
    height: mapUnits * 16 * fields - down * (top + bottom),
  };
}

/** The chroma fields of a high profile; skips the scaling lists after them. */
function readColours(bits: UnitBits): Colours {
  const chroma = bits.number();
  const separate = chroma === 3 && bits.bits(1) === 1;
  const [lumaBits, chromaBits] = [8 + bits.number(), 8 + bits.number()];
  if (chroma > 3 || lumaBits > 14 || chromaBits > 14) throw new RangeError('colours that do not exist');
  bits.bits(1);
  if (bits.bits(1) === 1) {
    for (let list = 0; list < (chroma === 3 ? 12 : 8); list++) {
      if (bits.bits(1) === 1) skipScalingList(bits, list < 6 ? 16 : 64);
    }
  }
  return { chroma, lumaBits, chromaBits, separate };
}

function skipScalingList(bits: UnitBits, size: number): void {
  let [last, next] = [8, 8];
  for (let i = 0; i < size; i++) {
    if (next !== 0) next = (last + bits.signed() + 256) & 0xff;
    last = next === 0 ? last : next;
  }
}

function skipOrderCycle(bits: UnitBits): void {
  bits.bits(1);
  bits.signed();
  bits.signed();
  const cycle = bits.number();
  // §7.4.2.1.1: at most 255.
  if (cycle > 255) throw new RangeError('an order cycle that is too long');
  for (let i = 0; i < cycle; i++) bits.signed();
}

/** The parameter sets of a stream, as its keyframes bring them. */
export interface ParameterSets extends SequenceParameters {
  readonly sequences: readonly Buffer[];
  readonly pictures: readonly Buffer[];
}

/** ISO/IEC 14496-15 §5.3.3: five bits count sequence parameter sets, a byte counts the others. */
const MAX_SEQUENCES = 31;
const MAX_PICTURES = 255;

/**
 * The parameter sets among a keyframe's units; a kind it lacks is taken from `before`. Returns the same
 * object while nothing changes, and null while no readable sets are known.
 */
export function parametersOf(units: readonly Buffer[], before: ParameterSets | null): ParameterSets | null {
  const own = (type: number): Buffer[] =>
    units
      .filter((unit) => unitType(unit) === type)
      .filter((unit, at, all) => all.findIndex((other) => other.equals(unit)) === at);
  const sequences = orElse(own(UNIT.sequence), before?.sequences);
  const pictures = orElse(own(UNIT.picture), before?.pictures);
  if (before && isSame(sequences, before.sequences) && isSame(pictures, before.pictures)) return before;
  const first = sequences[0] && readSequenceParameters(sequences[0]);
  if (!first || pictures.length === 0) return null;
  if (sequences.length > MAX_SEQUENCES || pictures.length > MAX_PICTURES) return null;
  if ([...sequences, ...pictures].some((unit) => unit.length > MAX_UNIT_BYTES)) return null;
  return { ...first, sequences, pictures };
}

const orElse = (own: readonly Buffer[], before: readonly Buffer[] | undefined): readonly Buffer[] =>
  own.length > 0 ? own : before ?? [];

const isSame = (some: readonly Buffer[], others: readonly Buffer[]): boolean =>
  some.length === others.length && some.every((item, i) => item.equals(others[i]!));

/** `avc1.42e01f`: profile, constraints and level (RFC 6381 §3.3). */
export function codecName({ profile, constraints, level }: SequenceParameters): string {
  return `avc1.${Buffer.of(profile, constraints, level).toString('hex')}`;
}

const START_CODE = Buffer.of(0, 0, 0, 1);

/** Units as a byte stream for a decoder (H.264 Annex B). */
export function annexB(units: readonly Buffer[]): Buffer {
  return Buffer.concat(units.flatMap((unit) => [START_CODE, unit]));
}
