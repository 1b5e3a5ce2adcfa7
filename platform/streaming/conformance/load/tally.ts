import { DROPPED, IncomingTrack } from '../../embedded/tracks/incoming-track.ts';
import { readRtcp } from '../../wire/rtcp.ts';
import { isRtcp, isRtp, RTP_HEADER_BYTES, timestampOf, type VideoCodec } from '../../wire/rtp.ts';
import { GENERATION_OFFSET } from '../network/packet-source.ts';

/** What arrived of a stream, by sequence numbers and times. */
export interface TallyView {
  readonly videoPackets: number;
  readonly audioPackets: number;
  readonly keyframes: number;
  /** True when the first video packet could be decoded. */
  readonly beganWithKeyframe: boolean;
  /** Packets still missing, after retransmission, and still being requested. */
  readonly missing: number;
  /** Video packets that never arrived, requested again or not. */
  readonly holes: number;
  /** Packets that arrived by retransmission. */
  readonly recovered: number;
  readonly senderReports: number;
  /** How often the video clock went back, which a viewer would see as a broken stream. */
  readonly timeWentBack: number;
  /** Sequence numbers skipped, deliberate loss excluded: a viewer would wait for them in vain. */
  readonly jumps: number;
  /** The relay sent an RTCP BYE. */
  readonly ended: boolean;
  /** The reason in that BYE; empty without one. */
  readonly endReason: string;
  /** Packets of odd generations, which nobody outside a private show may receive. */
  readonly oddPackets: number;
  /** Generation of the newest packet. */
  readonly generation: number;
}

export interface TallyOptions {
  readonly codec: VideoCodec;
  readonly videoType: number;
  readonly audioType: number;
}

/** Packets retained to recognise duplicates. */
const KEEP_PACKETS = 64;
/** A longer gap is a jump, not loss. */
const MAX_LOSS_PACKETS = 200;

/** Counts the packets a synthetic reader receives, without decoding them. */
export class Tally {
  readonly video: IncomingTrack;
  readonly audio: IncomingTrack;
  #videoPackets = 0;
  #audioPackets = 0;
  #keyframes = 0;
  #beganWithKeyframe = false;
  #recovered = 0;
  #senderReports = 0;
  #timeWentBack = 0;
  #jumps = 0;
  #newestTimestamp = 0;
  #first = 0;
  #ended = false;
  #endReason = '';
  #oddPackets = 0;
  #generation = 0;

  constructor({ codec, videoType, audioType }: TallyOptions) {
    const keepPackets = KEEP_PACKETS;
    this.video = new IncomingTrack({ kind: 'video', payloadType: videoType, codec, keepPackets });
    this.audio = new IncomingTrack({ kind: 'audio', payloadType: audioType, codec: 'opus', keepPackets });
  }

  /** Takes an RTP or RTCP packet of one of its two tracks; true when it was a new RTP packet. */
  take(incoming: IncomingTrack, packet: Buffer): boolean {
    if (isRtcp(packet)) this.#takeReports(incoming, packet);
    else if (isRtp(packet)) return this.#takeMedia(incoming, packet);
    return false;
  }

  view(): TallyView {
    return {
      videoPackets: this.#videoPackets,
      audioPackets: this.#audioPackets,
      keyframes: this.#keyframes,
      beganWithKeyframe: this.#beganWithKeyframe,
      missing: this.video.missingCount,
      holes: this.video.highest < 0 ? 0 : this.video.highest - this.#first + 1 - this.#videoPackets,
      recovered: this.#recovered,
      senderReports: this.#senderReports,
      timeWentBack: this.#timeWentBack,
      jumps: this.#jumps,
      ended: this.#ended,
      endReason: this.#endReason,
      oddPackets: this.#oddPackets,
      generation: this.#generation,
    };
  }

  #takeReports(incoming: IncomingTrack, packet: Buffer): void {
    for (const item of readRtcp(packet)) {
      if (item.kind === 'goodbye') {
        this.#ended = true;
        this.#endReason = item.reason;
      }
      if (item.kind !== 'sender_report') continue;
      if (incoming.noteReport(item, performance.now())) this.#senderReports += 1;
    }
  }

  #takeMedia(incoming: IncomingTrack, packet: Buffer): boolean {
    const before = incoming.highest;
    const sequence = incoming.accept(packet, performance.now());
    if (sequence === DROPPED) return false;
    this.#noteGeneration(packet);
    if (before >= 0 && sequence > before + MAX_LOSS_PACKETS) this.#jumps += 1;
    if (incoming.kind === 'video') this.#noteVideo(packet, sequence, before);
    else this.#audioPackets += 1;
    return true;
  }

  /** Packets from other senders may be too short to have one. */
  #noteGeneration(packet: Buffer): void {
    const at = RTP_HEADER_BYTES + GENERATION_OFFSET;
    if (packet.length < at + 4) return;
    this.#generation = packet.readUInt32BE(at);
    if (this.#generation % 2 === 1) this.#oddPackets += 1;
  }

  #noteVideo(packet: Buffer, sequence: number, before: number): void {
    this.#videoPackets += 1;
    const keyframe = this.video.beginsKeyframe(sequence);
    if (keyframe) this.#keyframes += 1;
    if (before < 0) {
      this.#first = sequence;
      this.#beganWithKeyframe = keyframe;
    }
    const timestamp = timestampOf(packet);
    if (sequence < before) this.#recovered += 1;
    else if (before >= 0 && isBefore(timestamp, this.#newestTimestamp)) this.#timeWentBack += 1;
    if (sequence > before) this.#newestTimestamp = timestamp;
  }
}

/** Whether one 32-bit time is before another, on a clock that wraps. */
const isBefore = (number: number, other: number): boolean => ((number - other) >>> 0) >= 0x80000000;
