import { readUint32, writeUint32 } from './rtp.ts';

/**
 * RTCP: reports (RFC 3550 §6.4), feedback (RFC 4585), and the bandwidth message REMB
 * (draft-alvestrand-rmcat-remb-03). Readers check every length before they use it.
 */

const SENDER_REPORT = 200;
const RECEIVER_REPORT = 201;
const GOODBYE = 203;
const TRANSPORT_FEEDBACK = 205;
const PAYLOAD_FEEDBACK = 206;
const REPORT_BLOCK_BYTES = 24;
/** The count of report blocks has five bits. */
const MAX_REPORT_BLOCKS = 31;

export interface SenderReport {
  readonly kind: 'sender_report';
  readonly ssrc: number;
  /** NTP time, 32 bits of seconds and 32 of fraction. */
  readonly ntpSeconds: number;
  readonly ntpFraction: number;
  readonly timestamp: number;
  readonly packets: number;
  readonly octets: number;
}

export interface ReportBlock {
  /** The source this block is about. */
  readonly ssrc: number;
  /** Packets lost since the last report, 0 to 255, in 256ths. */
  readonly fractionLost: number;
  readonly packetsLost: number;
  readonly highestSequence: number;
  readonly jitter: number;
  /** Middle 32 bits of the last sender report's NTP time, and how long ago it came, in 1/65536 s. */
  readonly lastSenderReport: number;
  readonly sinceSenderReport: number;
}

export type RtcpItem =
  | SenderReport
  | { readonly kind: 'report_blocks'; readonly blocks: readonly ReportBlock[] }
  /** `reason` is empty when none was given. */
  | { readonly kind: 'goodbye'; readonly reason: string }
  | { readonly kind: 'keyframe_request'; readonly ssrc: number }
  | { readonly kind: 'nack'; readonly ssrc: number; readonly sequences: readonly number[] };

/** The parts of a compound packet that matter here; unknown, cut and malformed parts are skipped. */
export function readRtcp(compound: Uint8Array): RtcpItem[] {
  const items: RtcpItem[] = [];
  for (let at = 0; at + 8 <= compound.length;) {
    const bytes = (((compound[at + 2]! << 8) | compound[at + 3]!) + 1) * 4;
    if (compound[at]! >> 6 !== 2 || at + bytes > compound.length) break;
    readPacket(compound.subarray(at, at + bytes), items);
    at += bytes;
  }
  return items;
}

function readPacket(packet: Uint8Array, items: RtcpItem[]): void {
  const count = packet[0]! & 31;
  const type = packet[1]!;
  if (type === SENDER_REPORT && packet.length >= 28) {
    items.push({
      kind: 'sender_report',
      ssrc: readUint32(packet, 4),
      ntpSeconds: readUint32(packet, 8),
      ntpFraction: readUint32(packet, 12),
      timestamp: readUint32(packet, 16),
      packets: readUint32(packet, 20),
      octets: readUint32(packet, 24),
    });
    items.push({ kind: 'report_blocks', blocks: readBlocks(packet, 28, count) });
  } else if (type === RECEIVER_REPORT) {
    items.push({ kind: 'report_blocks', blocks: readBlocks(packet, 8, count) });
  } else if (type === GOODBYE) {
    items.push({ kind: 'goodbye', reason: readReason(packet, 4 + 4 * count) });
  } else if (type === PAYLOAD_FEEDBACK && packet.length >= 12) {
    const ssrc = readUint32(packet, 8);
    // 1 is PLI; 4 is FIR (RFC 5104 §4.3.1), which names its target in its entry instead of the header.
    if (count === 1) items.push({ kind: 'keyframe_request', ssrc });
    else if (count === 4 && packet.length >= 20) {
      items.push({ kind: 'keyframe_request', ssrc: readUint32(packet, 12) });
    }
  } else if (type === TRANSPORT_FEEDBACK && count === 1 && packet.length >= 16) {
    items.push({ kind: 'nack', ssrc: readUint32(packet, 8), sequences: readNacked(packet) });
  }
}

/** The reason of a BYE follows its sources, after one byte of length (RFC 3550 §6.6). */
function readReason(packet: Uint8Array, from: number): string {
  const length = packet[from] ?? 0;
  return String.fromCharCode(...packet.subarray(from + 1, from + 1 + length));
}

function readBlocks(packet: Uint8Array, from: number, count: number): ReportBlock[] {
  const blocks: ReportBlock[] = [];
  for (let i = 0; i < count; i++) {
    const at = from + i * REPORT_BLOCK_BYTES;
    if (at + REPORT_BLOCK_BYTES > packet.length) break;
    // The cumulative loss is a signed number of 24 bits: duplicates make it negative.
    const lost = (readUint32(packet, at + 4) << 8) >> 8;
    blocks.push({
      ssrc: readUint32(packet, at),
      fractionLost: packet[at + 4]!,
      packetsLost: lost,
      highestSequence: readUint32(packet, at + 8),
      jitter: readUint32(packet, at + 12),
      lastSenderReport: readUint32(packet, at + 16),
      sinceSenderReport: readUint32(packet, at + 20),
    });
  }
  return blocks;
}

/** RFC 4585 §6.2.1: a packet id and a bit mask of the sixteen packets after it. */
function readNacked(packet: Uint8Array): number[] {
  const sequences: number[] = [];
  for (let at = 12; at + 4 <= packet.length; at += 4) {
    const first = (packet[at]! << 8) | packet[at + 1]!;
    const mask = (packet[at + 2]! << 8) | packet[at + 3]!;
    sequences.push(first);
    for (let bit = 0; bit < 16; bit++) {
      if ((mask >> bit) & 1) sequences.push((first + bit + 1) & 0xffff);
    }
  }
  return sequences;
}

function rtcpHeader(bytes: number, count: number, type: number, sender: number): Buffer {
  const packet = Buffer.alloc(bytes);
  packet[0] = 0x80 | count;
  packet[1] = type;
  packet.writeUInt16BE(bytes / 4 - 1, 2);
  writeUint32(packet, 4, sender);
  return packet;
}

/** Asks for a keyframe (PLI, RFC 4585 §6.3.1). */
export function writeKeyframeRequest(sender: number, media: number): Buffer {
  const packet = rtcpHeader(12, 1, PAYLOAD_FEEDBACK, sender);
  writeUint32(packet, 8, media);
  return packet;
}

/** Requests packets again. `sequences` are 16 bits, in sending order, at most a few hundred. */
export function writeNack(sender: number, media: number, sequences: readonly number[]): Buffer {
  const entries: { first: number; mask: number }[] = [];
  for (const sequence of sequences) {
    const last = entries.at(-1);
    const ahead = last ? (sequence - last.first) & 0xffff : 0;
    if (last && ahead === 0) continue;
    if (last && ahead <= 16) last.mask |= 1 << (ahead - 1);
    else entries.push({ first: sequence, mask: 0 });
  }
  const packet = rtcpHeader(12 + 4 * entries.length, 1, TRANSPORT_FEEDBACK, sender);
  writeUint32(packet, 8, media);
  for (const [i, entry] of entries.entries()) {
    packet.writeUInt16BE(entry.first, 12 + 4 * i);
    packet.writeUInt16BE(entry.mask, 14 + 4 * i);
  }
  return packet;
}

export function writeReceiverReport(sender: number, blocks: readonly ReportBlock[]): Buffer {
  const received = blocks.slice(0, MAX_REPORT_BLOCKS);
  const packet = rtcpHeader(
    8 + REPORT_BLOCK_BYTES * received.length,
    received.length,
    RECEIVER_REPORT,
    sender,
  );
  for (const [i, block] of received.entries()) {
    const at = 8 + REPORT_BLOCK_BYTES * i;
    const lost = Math.max(-0x800000, Math.min(0x7fffff, block.packetsLost));
    writeUint32(packet, at, block.ssrc);
    writeUint32(packet, at + 4, (Math.min(255, block.fractionLost) << 24) | (lost & 0xffffff));
    writeUint32(packet, at + 8, block.highestSequence);
    writeUint32(packet, at + 12, block.jitter);
    writeUint32(packet, at + 16, block.lastSenderReport);
    writeUint32(packet, at + 20, block.sinceSenderReport);
  }
  return packet;
}

export function writeSenderReport(report: Omit<SenderReport, 'kind'>): Buffer {
  const packet = rtcpHeader(28, 0, SENDER_REPORT, report.ssrc);
  writeUint32(packet, 8, report.ntpSeconds);
  writeUint32(packet, 12, report.ntpFraction);
  writeUint32(packet, 16, report.timestamp);
  writeUint32(packet, 20, report.packets);
  writeUint32(packet, 24, report.octets);
  return packet;
}

/**
 * Reports that a source is gone (BYE, RFC 3550 §6.6); goes last in a compound packet.
 * @param reason ASCII, at most 255 characters; none when empty
 */
export function writeGoodbye(ssrc: number, reason = ''): Buffer {
  if (reason === '') return rtcpHeader(8, 1, GOODBYE, ssrc);
  const packet = rtcpHeader(8 + 4 * Math.ceil((1 + reason.length) / 4), 1, GOODBYE, ssrc);
  packet[8] = reason.length;
  packet.write(reason, 9, 'latin1');
  return packet;
}

/** Limits what a sender may send: REMB, an 18-bit mantissa and a 6-bit exponent. */
export function writeBandwidth(sender: number, bitsPerSecond: number, media: readonly number[]): Buffer {
  const packet = rtcpHeader(20 + 4 * media.length, 15, PAYLOAD_FEEDBACK, sender);
  let exponent = 0;
  let mantissa = Math.floor(bitsPerSecond);
  while (mantissa > 0x3ffff) {
    mantissa = Math.floor(mantissa / 2);
    exponent += 1;
  }
  packet.write('REMB', 12, 'latin1');
  packet[16] = media.length;
  packet[17] = (exponent << 2) | (mantissa >> 16);
  packet.writeUInt16BE(mantissa & 0xffff, 18);
  for (const [i, ssrc] of media.entries()) writeUint32(packet, 20 + 4 * i, ssrc);
  return packet;
}

/** The middle 32 bits of an NTP time, which report blocks call the last sender report. */
export function shortNtp(report: Pick<SenderReport, 'ntpSeconds' | 'ntpFraction'>): number {
  return (((report.ntpSeconds & 0xffff) << 16) | (report.ntpFraction >>> 16)) >>> 0;
}

/** Seconds between the eras of NTP (1900) and Unix (1970). */
const NTP_OFFSET_SECONDS = 2_208_988_800;

/** A time of day in milliseconds since 1970, from the NTP time of sender reports. */
export function ntpOf(wallMs: number): Pick<SenderReport, 'ntpSeconds' | 'ntpFraction'> {
  const seconds = Math.floor(wallMs / 1_000);
  const ntpFraction = Math.floor((wallMs / 1_000 - seconds) * 2 ** 32);
  return { ntpSeconds: seconds + NTP_OFFSET_SECONDS, ntpFraction };
}
