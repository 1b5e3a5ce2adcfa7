import { PacketRing } from '../embedded/tracks/packet-ring.ts';
import { ntpOf, writeSenderReport } from '../wire/rtcp.ts';
import { RTP_HEADER_BYTES, rtpPacket } from '../wire/rtp.ts';
import type { LoopMedia } from './loop-media.ts';

const VIDEO_CLOCK = 90_000;
const TICKS_PER_MS = 48;
/** Packets retained for retransmission: some seconds of a loop. */
const KEEP_PACKETS = 256;
const REPORT_PERIOD_MS = 2_000;
/** After a longer sleep of the process, the missed media is skipped. */
const LONGEST_BACKLOG_MS = 1_000;

export const VIDEO_PAYLOAD_TYPE = 96;
export const AUDIO_PAYLOAD_TYPE = 111;

export interface LoopSenderOptions {
  readonly media: LoopMedia;
  readonly framesPerSecond: number;
  readonly videoSsrc: number;
  readonly audioSsrc: number;
  readonly sendVideo: (packet: Buffer) => void;
  readonly sendAudio: (packet: Buffer) => void;
}

interface Counter {
  next: number;
  timestamp: number;
  octets: number;
}

/**
 * Sends one loop for ever: at each call what is due, with sender reports that synchronise audio and video.
 */
export class LoopSender {
  readonly #options: LoopSenderOptions;
  readonly #sent = new PacketRing(KEEP_PACKETS);
  readonly #video: Counter = { next: 0, timestamp: 0, octets: 0 };
  readonly #audio: Counter = { next: 0, timestamp: 0, octets: 0 };
  #startMs: number;
  #frames = 0;
  #sequence = 0;
  #reportAtMs = Number.NEGATIVE_INFINITY;

  /** @param nowMs milliseconds of a monotonic clock, as in every other call */
  constructor(options: LoopSenderOptions, nowMs: number) {
    this.#options = options;
    this.#startMs = nowMs;
  }

  /** Sends every frame and audio packet that is due. `wallMs` is the time of day, milliseconds since 1970. */
  advance(nowMs: number, wallMs: number): void {
    const backlogMs = nowMs - this.#startMs - this.#playedMs;
    if (backlogMs > LONGEST_BACKLOG_MS) this.#startMs += backlogMs;
    const passedMs = nowMs - this.#startMs;
    while (this.#playedMs <= passedMs) this.#sendFrame();
    while (this.#audio.timestamp <= passedMs * TICKS_PER_MS) this.#sendSound();
    if (nowMs - this.#reportAtMs >= REPORT_PERIOD_MS) this.#sendReports(nowMs, wallMs);
  }

  /** Sends one video packet again, by its 16-bit sequence number, while it is retained. */
  resend(sequence: number): void {
    const newest = this.#sequence - 1;
    const packet = this.#sent.get(newest - ((newest - sequence) & 0xffff));
    if (packet) this.#options.sendVideo(packet);
  }

  get #playedMs(): number {
    return (this.#frames * 1_000) / this.#options.framesPerSecond;
  }

  #sendFrame(): void {
    const { media, videoSsrc, framesPerSecond, sendVideo } = this.#options;
    const { payloads } = media.frames[this.#frames % media.frames.length]!;
    const timestamp = Math.round((this.#frames * VIDEO_CLOCK) / framesPerSecond);
    for (const [i, payload] of payloads.entries()) {
      const sequence = this.#sequence++;
      const packet = rtpPacket({
        payloadType: VIDEO_PAYLOAD_TYPE,
        marker: i === payloads.length - 1,
        sequence,
        timestamp,
        ssrc: videoSsrc,
      }, payload);
      this.#sent.put(sequence, packet);
      this.#video.octets += packet.length - RTP_HEADER_BYTES;
      sendVideo(packet);
    }
    this.#video.next = this.#sequence;
    this.#video.timestamp = timestamp;
    this.#frames += 1;
  }

  #sendSound(): void {
    const { media, audioSsrc, sendAudio } = this.#options;
    const counter = this.#audio;
    const { payload, ticks } = media.sound[counter.next % media.sound.length]!;
    sendAudio(rtpPacket({
      payloadType: AUDIO_PAYLOAD_TYPE,
      marker: false,
      sequence: counter.next,
      timestamp: counter.timestamp,
      ssrc: audioSsrc,
    }, payload));
    counter.next += 1;
    counter.timestamp += ticks;
    counter.octets += payload.length;
  }

  /** Ties both clocks to one moment, so that the receiver can synchronise them. */
  #sendReports(nowMs: number, wallMs: number): void {
    this.#reportAtMs = nowMs;
    const { videoSsrc, audioSsrc, sendVideo, sendAudio } = this.#options;
    const passedMs = nowMs - this.#startMs;
    const moment = ntpOf(wallMs);
    sendVideo(writeSenderReport({
      ssrc: videoSsrc,
      ...moment,
      timestamp: Math.round((passedMs * VIDEO_CLOCK) / 1_000),
      packets: this.#video.next,
      octets: this.#video.octets,
    }));
    sendAudio(writeSenderReport({
      ssrc: audioSsrc,
      ...moment,
      timestamp: Math.round(passedMs * TICKS_PER_MS),
      packets: this.#audio.next,
      octets: this.#audio.octets,
    }));
  }
}
