/**
 * RTP packets (RFC 3550 §5.1) in memory. Every reader checks its bounds: packets come from strangers. Call
 * the single-field readers below only after {@link isRtp} returned true.
 */

export const RTP_HEADER_BYTES = 12;
export type VideoCodec = 'H264' | 'VP8';

/** True for RTCP on a shared port: packet types 192 to 223 (RFC 5761 §4). */
export function isRtcp(packet: Uint8Array): boolean {
  return packet.length >= 8 && packet[0]! >> 6 === 2 && packet[1]! >= 192 && packet[1]! <= 223;
}

/** True when the packet has a fixed header of version 2 and is not RTCP. */
export function isRtp(packet: Uint8Array): boolean {
  if (packet.length < RTP_HEADER_BYTES || packet[0]! >> 6 !== 2) return false;
  return packet[1]! < 192 || packet[1]! > 223;
}

export const payloadTypeOf = (packet: Uint8Array): number => packet[1]! & 0x7f;
/** The marker: for video, the last packet of a frame. */
export const hasMarker = (packet: Uint8Array): boolean => (packet[1]! & 0x80) !== 0;
export const sequenceOf = (packet: Uint8Array): number => (packet[2]! << 8) | packet[3]!;
export const timestampOf = (packet: Uint8Array): number => readUint32(packet, 4);
export const ssrcOf = (packet: Uint8Array): number => readUint32(packet, 8);

export function readUint32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

export function writeUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

export interface RtpHeader {
  readonly payloadType: number;
  readonly marker: boolean;
  /** 16 bits. */
  readonly sequence: number;
  /** 32 bits, in the clock of the payload. */
  readonly timestamp: number;
  readonly ssrc: number;
}

/**
 * Overwrites the twelve bytes of a fixed header, keeping the first (version, padding, extension, sources).
 */
function rewriteHeader(packet: Uint8Array, header: RtpHeader): void {
  packet[1] = (header.marker ? 0x80 : 0) | header.payloadType;
  packet[2] = header.sequence >>> 8;
  packet[3] = header.sequence;
  writeUint32(packet, 4, header.timestamp);
  writeUint32(packet, 8, header.ssrc);
}

/** A new packet with a fixed header and this payload. */
export function rtpPacket(header: RtpHeader, payload: Uint8Array): Buffer {
  const packet = Buffer.allocUnsafe(RTP_HEADER_BYTES + payload.length);
  packet[0] = 0x80;
  rewriteHeader(packet, header);
  packet.set(payload, RTP_HEADER_BYTES);
  return packet;
}

/** Offset of the payload, after contributing sources and extension; -1 when the packet is cut short. */
export function payloadStart(packet: Uint8Array): number {
  let at = RTP_HEADER_BYTES + (packet[0]! & 0x0f) * 4;
  if ((packet[0]! & 0x10) !== 0) {
    if (at + 4 > packet.length) return -1;
    at += 4 + ((packet[at + 2]! << 8) | packet[at + 3]!) * 4;
  }
  return at < packet.length ? at : -1;
}

/** True for a packet at which a decoder can begin: the first one of a keyframe. */
export function startsKeyframe(codec: VideoCodec, packet: Uint8Array): boolean {
  const at = payloadStart(packet);
  if (at < 0) return false;
  return codec === 'H264' ? keyUnitOf(packet, at) !== null : startsVp8Keyframe(packet, at);
}

/** Whether a keyframe starts with a slice: its parameter sets came in packets before this one. */
export const startsWithSlice = (codec: VideoCodec, packet: Uint8Array): boolean =>
  codec === 'H264' && keyUnitOf(packet, payloadStart(packet)) === IDR_SLICE;

const IDR_SLICE = 5;
const SEQUENCE_PARAMETERS = 7;

function keyUnit(header: number): number | null {
  const type = header & 31;
  return type === SEQUENCE_PARAMETERS || type === IDR_SLICE ? type : null;
}

/**
 * RFC 6184: the type of a parameter set or an IDR slice, alone, the first one aggregated (STAP-A, 24) or as
 * the first fragment (FU-A, 28); null for others.
 */
function keyUnitOf(packet: Uint8Array, at: number): number | null {
  const type = packet[at]! & 31;
  if (type === 24) {
    for (let unit = at + 1; unit + 2 < packet.length;) {
      const found = keyUnit(packet[unit + 2]!);
      if (found !== null) return found;
      unit += 2 + ((packet[unit]! << 8) | packet[unit + 1]!);
    }
    return null;
  }
  if (type === 28) {
    const fragment = packet[at + 1];
    return fragment !== undefined && (fragment & 0x80) !== 0 ? keyUnit(fragment) : null;
  }
  return keyUnit(type);
}

/** RFC 7741 §4.2 and §4.3: the start of partition 0 whose first payload bit says "key frame". */
function startsVp8Keyframe(packet: Uint8Array, at: number): boolean {
  const descriptor = packet[at]!;
  if ((descriptor & 0x10) === 0 || (descriptor & 0x07) !== 0) return false;
  let next = at + 1;
  if ((descriptor & 0x80) !== 0) {
    const extension = packet[next++] ?? 0;
    if ((extension & 0x80) !== 0) next += ((packet[next] ?? 0) & 0x80) !== 0 ? 2 : 1;
    if ((extension & 0x40) !== 0) next += 1;
    if ((extension & 0x30) !== 0) next += 1;
  }
  const first = packet[next];
  return first !== undefined && (first & 1) === 0;
}
