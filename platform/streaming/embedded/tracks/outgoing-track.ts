import { CATCH_UP_FRAMES, CATCH_UP_PACKETS, MAX_RETRANSMITS_PER_SECOND } from '../../limits.ts';
import { writeGoodbye, writeSenderReport, type SenderReport } from '../../wire/rtcp.ts';
import { RTP_HEADER_BYTES, timestampOf, writeUint32 } from '../../wire/rtp.ts';
import type { MediaKind } from '../../wire/sdp.ts';
import type { IncomingTrack } from './incoming-track.ts';

/** Takes the packets of one viewer's track. Must copy a packet before it returns. */
export interface PacketSink {
  readonly send: (packet: Buffer) => boolean;
}

export interface OutgoingTrackOptions {
  readonly kind: MediaKind;
  readonly payloadType: number;
  readonly ssrc: number;
  readonly sink: PacketSink;
  /** First sequence number and timestamp of the viewer, random (RFC 3550 §5.1). */
  readonly firstSequence: number;
  readonly firstTimestamp: number;
}

/** Frames sent at once to a joining viewer are one millisecond apart, so that the newest shows at once. */
const CATCH_UP_STEP_TICKS = 90;

/**
 * One track of one viewer. Its sequence and timestamp space continues across publishers, so that to the
 * viewer a replaced publisher is only a pause and a keyframe. Packets are rewritten in place: the caller
 * restores the header once after the last viewer.
 */
export class OutgoingTrack {
  readonly kind: MediaKind;
  readonly ssrc: number;
  /** Set when the viewer's transport is up. */
  open = false;
  /** Whether the viewer needs a keyframe: at the start, after a gap, or because it asked. */
  keyframeWanted = true;

  readonly #payloadType: number;
  readonly #sink: PacketSink;
  #source: IncomingTrack | null = null;
  #epoch = 0;
  #firstOfSource = 0;
  #sequenceOffset = 0;
  #timestampOffset = 0;
  #lastSequence: number;
  #lastTimestamp: number;
  #lastAtMs: number | null = null;
  /** The viewer's timestamps of catch-up frames, by the publisher's: a retransmission must repeat them. */
  #catchUpTimestamps: ReadonlyMap<number, number> | null = null;
  #packets = 0;
  #octets = 0;
  #packetsTaken = 0;
  #isPaused = false;
  #retransmits = 0;
  #retransmitsSinceMs = 0;

  constructor(options: OutgoingTrackOptions) {
    this.kind = options.kind;
    this.ssrc = options.ssrc;
    this.#payloadType = options.payloadType;
    this.#sink = options.sink;
    this.#lastSequence = options.firstSequence;
    this.#lastTimestamp = options.firstTimestamp;
  }

  /** RTP packets the sink took since the last call. */
  takePacketsSent(): number {
    const fresh = this.#packets - this.#packetsTaken;
    this.#packetsTaken = this.#packets;
    return fresh;
  }

  /** The viewer's sequence number of the newest packet. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** Sends nothing until `resume`, which continues with the next number and, for video, a keyframe. */
  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#source = null;
    this.keyframeWanted = true;
  }

  resume(): void {
    this.#isPaused = false;
  }

  /**
   * Forwards one packet of the publisher. A viewer new to this source gets no video before a keyframe; when
   * the first packet of the keyframe is not the newest, `beginLate` sends it.
   *
   * @param sequence extended sequence number the source gave it
   * @param timestamp the publisher's timestamp
   */
  forward(source: IncomingTrack, packet: Buffer, sequence: number, timestamp: number, nowMs: number): void {
    if (!this.open || this.#isPaused) return;
    const keyframe = source.beginsKeyframe(sequence);
    if (!this.#follows(source)) {
      if (this.kind === 'video' && (!keyframe || sequence < source.highest)) return;
      this.#follow(source, sequence, timestamp, nowMs);
    }
    if (keyframe) this.keyframeWanted = false;
    if (sequence < this.#firstOfSource) return;
    this.#send(packet, sequence, timestamp + this.#timestampOffset, nowMs);
  }

  /**
   * Sends the running group of pictures at once, its frames a millisecond apart, so that a joining viewer
   * sees the current frame without a new keyframe. False when there is no group, or it is incomplete or too
   * long.
   */
  catchUp(source: IncomingTrack, nowMs: number): boolean {
    const from = source.keyframeStart;
    if (!this.open || from < 0 || source.highest - from >= CATCH_UP_PACKETS) return false;
    const group: Buffer[] = [];
    const frames = new Set<number>();
    for (let sequence = from; sequence <= source.highest; sequence++) {
      const packet = source.ring.get(sequence);
      if (!packet) return false;
      group.push(packet);
      frames.add(timestampOf(packet));
    }
    if (frames.size > CATCH_UP_FRAMES) return false;
    const newest = timestampOf(group.at(-1)!);
    this.#follow(source, from, newest, nowMs);
    const last = newest + this.#timestampOffset;
    const own = [...frames].map((frame, i) =>
      [frame, last - (frames.size - 1 - i) * CATCH_UP_STEP_TICKS] as const
    );
    this.#catchUpTimestamps = new Map(own);
    for (const [i, packet] of group.entries()) this.#sendRestored(packet, from + i, nowMs);
    this.keyframeWanted = false;
    return true;
  }

  /** Begins with a keyframe whose first packet arrived after others of it, which have passed already. */
  beginLate(source: IncomingTrack, nowMs: number): void {
    const from = source.keyframeStart;
    const first = source.ring.get(from);
    if (!first || !this.open || this.#isPaused || this.#follows(source)) return;
    this.#follow(source, from, timestampOf(first), nowMs);
    for (let sequence = from; sequence <= source.highest; sequence++) {
      const packet = source.ring.get(sequence);
      if (packet) this.#sendRestored(packet, sequence, nowMs);
    }
    this.keyframeWanted = false;
  }

  /**
   * Sends again what the viewer misses, as far as the ring and its allowance reach. Numbers are the viewer's
   * own.
   */
  retransmit(sequences: readonly number[], nowMs: number): void {
    const source = this.#source;
    if (!source || !this.open) return;
    if (nowMs - this.#retransmitsSinceMs >= 1_000) {
      this.#retransmitsSinceMs = nowMs;
      this.#retransmits = 0;
    }
    for (const own of sequences) {
      if (this.#retransmits >= MAX_RETRANSMITS_PER_SECOND) return;
      const behind = (source.highest + this.#sequenceOffset - own) & 0xffff;
      const sequence = source.highest - behind;
      const packet = sequence >= this.#firstOfSource ? source.ring.get(sequence) : undefined;
      if (!packet) continue;
      this.#retransmits += 1;
      this.#sendRestored(packet, sequence, nowMs);
    }
  }

  /** Forwards a sender report in the viewer's numbers: it ties this track's time to the other's. */
  report(source: IncomingTrack, report: SenderReport): void {
    if (!this.open || !this.#follows(source)) return;
    this.#sink.send(writeSenderReport({
      ssrc: this.ssrc,
      ntpSeconds: report.ntpSeconds,
      ntpFraction: report.ntpFraction,
      timestamp: report.timestamp + this.#timestampOffset,
      packets: this.#packets,
      octets: this.#octets,
    }));
  }

  /** Stops sending, and sends the viewer an RTCP BYE with the reason, if there is one. */
  sayGoodbye(reason = ''): void {
    if (!this.open) return;
    this.open = false;
    const time = { ntpSeconds: 0, ntpFraction: 0, timestamp: this.#lastTimestamp };
    const report = { ssrc: this.ssrc, packets: this.#packets, octets: this.#octets, ...time };
    this.#sink.send(Buffer.concat([writeSenderReport(report), writeGoodbye(this.ssrc, reason)]));
  }

  /** Drops video until the next keyframe, because packets were skipped. */
  skipToKeyframe(): void {
    if (this.kind !== 'video') return;
    this.#source = null;
    this.keyframeWanted = true;
  }

  #follows(source: IncomingTrack): boolean {
    return this.#source === source && this.#epoch === source.epoch;
  }

  /** Continues the viewer's numbers with this source: the next sequence number, and the time that passed. */
  #follow(source: IncomingTrack, sequence: number, timestamp: number, nowMs: number): void {
    const passedMs = this.#lastAtMs === null ? 0 : nowMs - this.#lastAtMs;
    const ticks = Math.max(1, Math.round(passedMs * source.ticksPerMs));
    this.#source = source;
    this.#epoch = source.epoch;
    this.#firstOfSource = sequence;
    this.#sequenceOffset = this.#lastSequence + 1 - sequence;
    this.#timestampOffset = this.#lastTimestamp + ticks - timestamp;
    this.#catchUpTimestamps = null;
    if (source.lastReport) this.report(source, source.lastReport);
  }

  #send(packet: Buffer, sequence: number, timestamp: number, nowMs: number): void {
    const own = (sequence + this.#sequenceOffset) & 0xffff;
    packet[1] = (packet[1]! & 0x80) | this.#payloadType;
    packet[2] = own >>> 8;
    packet[3] = own;
    writeUint32(packet, 4, timestamp);
    writeUint32(packet, 8, this.ssrc);
    if (this.#sink.send(packet)) {
      this.#packets += 1;
      this.#octets += packet.length - RTP_HEADER_BYTES;
    }
    if (((own - this.#lastSequence) & 0xffff) >= 0x8000) return;
    this.#lastSequence = own;
    this.#lastTimestamp = timestamp;
    this.#lastAtMs = nowMs;
  }

  #sendRestored(packet: Buffer, sequence: number, nowMs: number): void {
    const restore = keepHeader(packet);
    const timestamp = timestampOf(packet);
    const own = this.#catchUpTimestamps?.get(timestamp) ?? timestamp + this.#timestampOffset;
    this.#send(packet, sequence, own, nowMs);
    restore();
  }
}

/** Remembers the header fields a viewer's track overwrites; the result puts them back. */
export function keepHeader(packet: Buffer): () => void {
  const [second, sequence] = [packet[1]!, packet.readUInt16BE(2)];
  const [timestamp, ssrc] = [packet.readUInt32BE(4), packet.readUInt32BE(8)];
  return () => {
    packet[1] = second;
    packet.writeUInt16BE(sequence, 2);
    writeUint32(packet, 4, timestamp);
    writeUint32(packet, 8, ssrc);
  };
}
