import {
  FIRST_NACK_AFTER_MS,
  GIVE_UP_NACK_AFTER_MS,
  MAX_GAP_PACKETS,
  MAX_MISSING_PACKETS,
  MAX_NACKS_PER_PACKET,
  NACK_RETRY_MS,
  RING_PACKETS,
} from '../../limits.ts';
import type { ReportBlock, SenderReport } from '../../wire/rtcp.ts';
import { shortNtp } from '../../wire/rtcp.ts';
import {
  hasMarker,
  payloadTypeOf,
  sequenceOf,
  ssrcOf,
  startsKeyframe,
  startsWithSlice,
  timestampOf,
  type VideoCodec,
} from '../../wire/rtp.ts';
import type { MediaKind } from '../../wire/sdp.ts';
import { PacketRing } from './packet-ring.ts';

/** Result of {@link IncomingTrack.accept} for a dropped packet. */
export const DROPPED = -1;
/** Another source may take over a track when the first was silent for this long. */
const SOURCE_SILENCE_MS = 2_000;

interface Missing {
  readonly noticedAtMs: number;
  askedAtMs: number;
  asks: number;
}

/** What arrived in one report period. */
export interface TrackPeriod {
  readonly bytes: number;
  readonly frames: number;
  /** Packets expected, and how many of them were missing at first. */
  readonly expected: number;
  readonly lost: number;
}

export interface IncomingTrackOptions {
  readonly kind: MediaKind;
  readonly payloadType: number;
  readonly codec: VideoCodec | 'opus';
  /** Packets retained for retransmission. */
  readonly keepPackets?: number;
}

/**
 * One RTP source of a publisher: order, loss, jitter and keyframes of its packets (RFC 3550 §6.4.1, A.1,
 * A.8), and the ring from which viewers' retransmissions are served. Times are milliseconds of a monotonic
 * clock.
 */
export class IncomingTrack {
  readonly kind: MediaKind;
  readonly payloadType: number;
  readonly codec: VideoCodec | 'opus';
  /** Ticks of the RTP clock per millisecond. */
  readonly ticksPerMs: number;
  readonly ring: PacketRing;
  ssrc = 0;
  /** Counts the sources of this track: timestamps of two sources have nothing in common. */
  epoch = 0;
  /** Highest extended sequence number; -1 before the first packet. */
  highest = -1;
  /** Extended sequence number at which the newest keyframe begins; -1 before the first. */
  keyframeStart = -1;
  keyframeIntervalMs: number | null = null;
  /** When the newest keyframe began. */
  keyframeAtMs = Number.NEGATIVE_INFINITY;
  /** Round-trip time, from the answers to first requests for a packet; null while nothing was lost. */
  roundTripMs: number | null = null;
  lastReport: SenderReport | null = null;
  lastPacketAtMs = Number.NEGATIVE_INFINITY;
  /** Bytes received, headers included. */
  totalBytes = 0;

  readonly #missing = new Map<number, Missing>();
  #first = 0;
  #received = 0;
  #expectedBefore = 0;
  #receivedBefore = 0;
  #jitter = 0;
  #transit: number | null = null;
  #jumpTo = -1;
  #newSource = false;
  #reportAtMs = 0;
  #keyframeTimestamp = -1;
  #isKeyframeLate = false;
  /** Where a keyframe may begin although its parameter sets may be missing; -1 without one. */
  #doubtful = -1;
  /** Packets below this extended sequence number are forgotten. */
  #floor = 0;
  #bytes = 0;
  #frames = 0;
  #lost = 0;
  #periodFrom = 0;

  constructor(options: IncomingTrackOptions) {
    this.kind = options.kind;
    this.payloadType = options.payloadType;
    this.codec = options.codec;
    this.ring = new PacketRing(options.keepPackets ?? RING_PACKETS);
    this.ticksPerMs = options.kind === 'video' ? 90 : 48;
  }

  /**
   * Takes an RTP packet; its extended sequence number, or {@link DROPPED} for junk, duplicates and strays.
   */
  accept(packet: Buffer, nowMs: number): number {
    if (payloadTypeOf(packet) !== this.payloadType || !this.#ownSource(ssrcOf(packet), nowMs)) return DROPPED;
    const sequence = this.#extend(sequenceOf(packet), nowMs);
    this.#newSource = false;
    this.#isKeyframeLate = false;
    if (sequence === DROPPED) return DROPPED;
    this.lastPacketAtMs = nowMs;
    this.#received += 1;
    this.#bytes += packet.length;
    this.totalBytes += packet.length;
    if (this.kind === 'video' && hasMarker(packet)) this.#frames += 1;
    this.#measureJitter(timestampOf(packet), nowMs);
    this.ring.put(sequence, packet);
    this.#noteKeyframe(packet, sequence, nowMs);
    return sequence;
  }

  /** True when the packet with this extended sequence number is where a decoder can begin. */
  beginsKeyframe(sequence: number): boolean {
    return sequence === this.keyframeStart;
  }

  /** True when the last accepted packet is the missing first one of a keyframe that has begun to arrive. */
  get isKeyframeLate(): boolean {
    return this.#isKeyframeLate;
  }

  /**
   * Forgets all packets so far: nobody can join with them, get them again, or be sent one of them that is
   * late.
   */
  forget(): void {
    this.ring.clear();
    this.#missing.clear();
    this.#floor = this.highest + 1;
    this.keyframeStart = this.#doubtful = -1;
  }

  /** Notes a sender report; false when it belongs to another source. */
  noteReport(report: SenderReport, nowMs: number): boolean {
    if (report.ssrc !== this.ssrc || this.highest < 0) return false;
    this.lastReport = report;
    this.#reportAtMs = nowMs;
    return true;
  }

  /** The 16-bit numbers of packets to request now, in order. Forgets packets it is too late for. */
  dueNacks(nowMs: number): number[] {
    const due: number[] = [];
    for (const [sequence, missing] of this.#missing) {
      const waitMs = missing.asks === 0 ? FIRST_NACK_AFTER_MS : NACK_RETRY_MS;
      if (nowMs - missing.noticedAtMs > GIVE_UP_NACK_AFTER_MS || missing.asks >= MAX_NACKS_PER_PACKET) {
        this.#missing.delete(sequence);
      } else if (nowMs - missing.askedAtMs >= waitMs) {
        missing.asks += 1;
        missing.askedAtMs = nowMs;
        due.push(sequence & 0xffff);
      }
    }
    return due;
  }

  get missingCount(): number {
    return this.#missing.size;
  }

  get hasMissing(): boolean {
    return this.#missing.size > 0;
  }

  /** The block for the next receiver report; null before the first packet. */
  reportBlock(nowMs: number): ReportBlock | null {
    if (this.highest < 0) return null;
    const expected = this.highest - this.#first + 1;
    const expectedNow = expected - this.#expectedBefore;
    const lostNow = Math.max(0, expectedNow - (this.#received - this.#receivedBefore));
    this.#expectedBefore = expected;
    this.#receivedBefore = this.#received;
    return {
      ssrc: this.ssrc,
      fractionLost: expectedNow > 0 ? Math.floor((lostNow * 256) / expectedNow) : 0,
      packetsLost: expected - this.#received,
      highestSequence: this.highest >>> 0,
      jitter: Math.round(this.#jitter),
      lastSenderReport: this.lastReport ? shortNtp(this.lastReport) : 0,
      sinceSenderReport: this.lastReport ? Math.round((nowMs - this.#reportAtMs) * 65.536) : 0,
    };
  }

  /** What arrived since the last call. */
  takePeriod(): TrackPeriod {
    const expected = Math.max(0, this.highest + 1 - this.#periodFrom);
    const lost = Math.min(expected, this.#lost);
    const period = { bytes: this.#bytes, frames: this.#frames, expected, lost };
    this.#bytes = this.#frames = this.#lost = 0;
    this.#periodFrom = this.highest + 1;
    return period;
  }

  #ownSource(ssrc: number, nowMs: number): boolean {
    if (ssrc === this.ssrc) return true;
    if (this.highest >= 0 && nowMs - this.lastPacketAtMs < SOURCE_SILENCE_MS) return false;
    this.ssrc = ssrc;
    this.epoch += 1;
    this.#newSource = true;
    this.lastReport = null;
    this.#transit = null;
    this.#missing.clear();
    this.#doubtful = -1;
    return true;
  }

  #extend(sequence: number, nowMs: number): number {
    if (this.highest < 0) {
      this.highest = this.#first = this.#periodFrom = sequence;
      return sequence;
    }
    const ahead = (sequence - this.highest) & 0xffff;
    if (this.#newSource) return this.#advance(this.highest + (ahead || 0x10000), nowMs);
    if (ahead === 0) return DROPPED;
    if (ahead < 0x8000) return this.#advance(this.highest + ahead, nowMs);
    const late = this.highest - (0x10000 - ahead);
    if (this.highest - late < this.ring.size) return this.#takeLate(late, nowMs);
    // Far behind: a restarted sender, believed at its second packet in a row (RFC 3550 A.1).
    const restarted = sequence === this.#jumpTo;
    this.#jumpTo = (sequence + 1) & 0xffff;
    return restarted ? this.#advance(this.highest + ahead, nowMs) : DROPPED;
  }

  #advance(sequence: number, nowMs: number): number {
    const gap = sequence - this.highest - 1;
    if (gap > MAX_GAP_PACKETS) {
      this.#missing.clear();
      this.#first += gap;
      this.#periodFrom += gap;
    } else if (gap > 0) {
      this.#lost += gap;
      if (this.kind === 'video') this.#noteGap(this.highest + 1, gap, nowMs);
    }
    this.highest = sequence;
    return sequence;
  }

  #noteGap(from: number, count: number, nowMs: number): void {
    if (this.#missing.size + count > MAX_MISSING_PACKETS) this.#missing.clear();
    for (let i = 0; i < count; i++) {
      this.#missing.set(from + i, { noticedAtMs: nowMs, askedAtMs: nowMs, asks: 0 });
    }
  }

  #takeLate(sequence: number, nowMs: number): number {
    if (sequence < this.#floor || this.ring.get(sequence)) return DROPPED;
    const missing = this.#missing.get(sequence);
    this.#missing.delete(sequence);
    if (missing?.asks === 1) this.roundTripMs = nowMs - missing.askedAtMs;
    return sequence;
  }

  /** Interarrival jitter in ticks (RFC 3550 §6.4.1); a jump of the sender's clock is not jitter. */
  #measureJitter(timestamp: number, nowMs: number): void {
    const transit = nowMs * this.ticksPerMs - timestamp;
    if (this.#transit !== null) {
      const difference = Math.abs(transit - this.#transit);
      if (difference < this.ticksPerMs * 5_000) this.#jitter += (difference - this.#jitter) / 16;
    }
    this.#transit = transit;
  }

  #noteKeyframe(packet: Buffer, sequence: number, nowMs: number): void {
    if (this.codec === 'opus') return;
    if (sequence < this.highest) return this.#noteLate(this.codec, packet, sequence, nowMs);
    const timestamp = timestampOf(packet);
    // Parameter sets and slice of one keyframe are packets that could each begin it: the first one does.
    if (timestamp === this.#keyframeTimestamp || this.#isOfFrame(this.#doubtful, timestamp)) return;
    if (startsKeyframe(this.codec, packet)) this.#consider(sequence, nowMs);
  }

  /** A packet that was missing may begin a keyframe whose other packets are here already. */
  #noteLate(codec: VideoCodec, packet: Buffer, sequence: number, nowMs: number): void {
    const isSame = timestampOf(packet) === this.#keyframeTimestamp;
    const isEarlier = isSame ? sequence < this.keyframeStart : sequence > this.keyframeStart;
    if (isEarlier && startsKeyframe(codec, packet)) this.#isKeyframeLate = this.#consider(sequence, nowMs);
    else if (sequence < this.#doubtful) this.#isKeyframeLate = this.#consider(this.#doubtful, nowMs);
  }

  /** Begins a keyframe with this packet, unless a packet is missing that its decoding needs. */
  #consider(sequence: number, nowMs: number): boolean {
    const isDoubtful = this.#lacksBeginning(sequence);
    if (isDoubtful) this.#doubtful = sequence;
    else this.#beginKeyframe(sequence, nowMs);
    return !isDoubtful;
  }

  #beginKeyframe(sequence: number, nowMs: number): void {
    const timestamp = timestampOf(this.ring.get(sequence)!);
    if (timestamp !== this.#keyframeTimestamp) {
      if (this.#keyframeTimestamp >= 0) this.keyframeIntervalMs = Math.round(nowMs - this.keyframeAtMs);
      this.keyframeAtMs = nowMs;
    }
    this.#keyframeTimestamp = timestamp;
    this.keyframeStart = sequence;
    this.#doubtful = -1;
  }

  /** True for a slice before which a packet is missing that may belong to the same frame. */
  #lacksBeginning(sequence: number): boolean {
    const packet = this.ring.get(sequence)!;
    if (!startsWithSlice(this.codec as VideoCodec, packet)) return false;
    let before = sequence - 1;
    while (this.#isOfFrame(before, timestampOf(packet))) before -= 1;
    return this.#missing.has(before);
  }

  #isOfFrame(sequence: number, timestamp: number): boolean {
    const packet = this.ring.get(sequence);
    return packet !== undefined && timestampOf(packet) === timestamp;
  }
}
