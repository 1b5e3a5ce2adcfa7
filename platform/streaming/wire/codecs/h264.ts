/** H.264 elementary streams (Annex B) and their RTP payloads (RFC 6184). */

/** Unit types left out: delimiters and supplemental information carry no picture. */
const LEFT_OUT: ReadonlySet<number> = new Set([6, 9, 12]);
const SLICE = 1;
const IDR_SLICE = 5;
const PARAMETER_SETS: ReadonlySet<number> = new Set([7, 8]);
const STAP_A = 24;
const FU_A = 28;
/** Leaves room for headers, SRTP's tag and a tunnel within 1,280 bytes. */
export const MAX_PAYLOAD_BYTES = 1_180;

export interface H264Frame {
  readonly keyframe: boolean;
  /** RTP payloads in order; the last one gets the marker. */
  readonly payloads: readonly Buffer[];
}

/** The units of an Annex B stream, without their start codes. */
export function splitUnits(stream: Buffer): Buffer[] {
  const units: Buffer[] = [];
  let begin = -1;
  for (let at = stream.indexOf('\0\0\x01'); at >= 0; at = stream.indexOf('\0\0\x01', at + 3)) {
    if (begin >= 0) units.push(trimZeros(stream.subarray(begin, at)));
    begin = at + 3;
  }
  if (begin >= 0) units.push(trimZeros(stream.subarray(begin)));
  return units.filter((unit) => unit.length > 0);
}

const START_CODE = Buffer.from([0, 0, 0, 1]);

/** Units as an Annex B stream. */
export function joinUnits(units: readonly Buffer[]): Buffer {
  return Buffer.concat(units.flatMap((unit) => [START_CODE, unit]));
}

/** Zero bytes before a start code belong to it; a unit itself never ends in zero (H.264 §7.4.1). */
function trimZeros(unit: Buffer): Buffer {
  let end = unit.length;
  while (end > 0 && unit[end - 1] === 0) end -= 1;
  return unit.subarray(0, end);
}

/** The frames of an Annex B stream with one slice per frame, as RTP payloads. */
export function readFrames(stream: Buffer): H264Frame[] {
  const frames: H264Frame[] = [];
  let parameters: Buffer[] = [];
  for (const unit of splitUnits(stream)) {
    const type = unit[0]! & 31;
    if (PARAMETER_SETS.has(type)) parameters.push(unit);
    if (LEFT_OUT.has(type) || (type !== SLICE && type !== IDR_SLICE)) continue;
    const head = parameters.length > 0 ? [aggregate(parameters)] : [];
    frames.push({ keyframe: type === IDR_SLICE, payloads: [...head, ...fragment(unit)] });
    parameters = [];
  }
  return frames;
}

/**
 * The RTP payloads of one picture: parameter sets, in one packet where they fit, then every unit that carries
 * picture data. Empty when none does.
 */
export function picturePayloads(parameters: readonly Buffer[], units: readonly Buffer[]): Buffer[] {
  const shown = units.filter((unit) => {
    const type = unit[0]! & 31;
    return !LEFT_OUT.has(type) && !PARAMETER_SETS.has(type);
  });
  if (shown.length === 0) return [];
  const bytes = parameters.reduce((sum, unit) => sum + 2 + unit.length, 1);
  const head = parameters.length > 1 && bytes <= MAX_PAYLOAD_BYTES
    ? [aggregate(parameters)]
    : parameters.flatMap((unit) => fragment(unit));
  return [...head, ...shown.flatMap((unit) => fragment(unit))];
}

/** Small units in one packet (STAP-A, RFC 6184 §5.7.1). */
function aggregate(units: readonly Buffer[]): Buffer {
  return Buffer.concat([
    Buffer.from([0x60 | STAP_A]),
    ...units.flatMap((unit) => {
      const size = Buffer.alloc(2);
      size.writeUInt16BE(unit.length);
      return [size, unit];
    }),
  ]);
}

/** A unit as it is, or in fragments (FU-A, RFC 6184 §5.8). */
function fragment(unit: Buffer): Buffer[] {
  if (unit.length <= MAX_PAYLOAD_BYTES) return [unit];
  const [importance, type] = [unit[0]! & 0x60, unit[0]! & 31];
  const payloads: Buffer[] = [];
  const step = MAX_PAYLOAD_BYTES - 2;
  for (let from = 1; from < unit.length; from += step) {
    const first = from === 1 ? 0x80 : 0;
    const last = from + step >= unit.length ? 0x40 : 0;
    const head = Buffer.from([importance | FU_A, first | last | type]);
    payloads.push(Buffer.concat([head, unit.subarray(from, from + step)]));
  }
  return payloads;
}
