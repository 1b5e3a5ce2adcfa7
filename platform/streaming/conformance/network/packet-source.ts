import { systemClock } from '#platform/data/clock.ts';
import { PacketRing } from '../../embedded/tracks/packet-ring.ts';
import { writeSenderReport } from '../../wire/rtcp.ts';
import { rtpPacket, type VideoCodec } from '../../wire/rtp.ts';

export interface PacketSourceOptions {
  readonly codec: VideoCodec | 'H265';
  readonly framesPerSecond: number;
  readonly videoBitsPerSecond: number;
  /** How often a keyframe is sent without being requested; 0 for only at the start and on request. */
  readonly keyframeEveryMs: number;
  /** One in this many video packets is withheld until it is requested; 0 for none. */
  readonly loseEvery: number;
  readonly sendVideo: (packet: Buffer) => void;
  readonly sendAudio: (packet: Buffer) => void;
}

export const SOURCE = {
  videoType: 96,
  audioType: 111,
  videoSsrc: 0x10000001,
  audioSsrc: 0x10000002,
} as const;
/** Offset in a payload of its sending time, a double of milliseconds since 1970. */
export const SENT_AT_OFFSET = 8;
/** Offset of the publisher's generation, 32 bits. */
export const GENERATION_OFFSET = 16;

const PERIOD_MS = 5;
const PAYLOAD_BYTES = 1_180;
const MIN_PAYLOAD_BYTES = GENERATION_OFFSET + 4;
/** Size of a keyframe in frames. */
const KEYFRAME_SIZE = 4;
const AUDIO_BYTES = 100;
const AUDIO_PERIOD_MS = 20;
const KEEP_PACKETS = 1_024;

export const wallClockMs = (): number => performance.timeOrigin + performance.now();

/**
 * Packets of the form and rate of a camera and a microphone, without pictures or sound, stamped with their
 * time.
 */
export class PacketSource {
  readonly #options: PacketSourceOptions;
  readonly #sent = new PacketRing(KEEP_PACKETS);
  readonly #startedAtMs = performance.now();
  readonly #cancel: () => void;
  #frame = 0;
  #audioPackets = 0;
  /** Near the end of the space, so that every test sees the numbers wrap. */
  #videoSequence = 65_000;
  #keyframeDue = true;
  #keyframeAtMs = 0;
  keyframes = 0;
  /** Every packet made from now on carries it. */
  generation = 0;

  constructor(options: PacketSourceOptions) {
    this.#options = options;
    this.#cancel = systemClock.every('packets', PERIOD_MS, () => this.#sendDue());
  }

  requestKeyframe(): void {
    this.#keyframeDue = true;
  }

  /** Sends a video packet again, by its 16-bit sequence number; false when it is no longer retained. */
  resend(sequence: number): boolean {
    const newest = this.#videoSequence - 1;
    const packet = this.#sent.get(newest - ((newest - sequence) & 0xffff));
    if (packet) this.#options.sendVideo(packet);
    return packet !== undefined;
  }

  stop(): void {
    this.#cancel();
  }

  #sendDue(): void {
    const passedMs = performance.now() - this.#startedAtMs;
    const { framesPerSecond, keyframeEveryMs, sendAudio } = this.#options;
    for (; this.#frame < (passedMs * framesPerSecond) / 1_000; this.#frame++) {
      if (keyframeEveryMs > 0 && passedMs - this.#keyframeAtMs >= keyframeEveryMs) this.#keyframeDue = true;
      this.#sendFrame(passedMs);
      if (this.#frame % framesPerSecond === 0) this.#sendReports();
    }
    for (; this.#audioPackets < passedMs / AUDIO_PERIOD_MS; this.#audioPackets++) {
      sendAudio(rtpPacket({
        payloadType: SOURCE.audioType,
        marker: false,
        sequence: this.#audioPackets & 0xffff,
        timestamp: this.#audioTimestamp,
        ssrc: SOURCE.audioSsrc,
      }, this.#stamped(AUDIO_BYTES)));
    }
  }

  #sendFrame(passedMs: number): void {
    const key = this.#keyframeDue;
    if (key) {
      this.keyframes += 1;
      this.#keyframeAtMs = passedMs;
      this.#keyframeDue = false;
    }
    const { videoBitsPerSecond, framesPerSecond } = this.#options;
    let left = (videoBitsPerSecond / 8 / framesPerSecond) * (key ? KEYFRAME_SIZE : 1);
    for (let first = true; left > 0; first = false) {
      const payload = this.#stamped(Math.max(MIN_PAYLOAD_BYTES, Math.min(PAYLOAD_BYTES, Math.floor(left))));
      left -= PAYLOAD_BYTES;
      markPayload(payload, this.#options.codec, first, key);
      this.#sendVideo(payload, left <= 0);
    }
  }

  #sendVideo(payload: Buffer, marker: boolean): void {
    const sequence = this.#videoSequence++;
    const timestamp = this.#videoTimestamp;
    const packet = rtpPacket({
      payloadType: SOURCE.videoType,
      marker,
      sequence: sequence & 0xffff,
      timestamp,
      ssrc: SOURCE.videoSsrc,
    }, payload);
    this.#sent.put(sequence, packet);
    const { loseEvery, sendVideo } = this.#options;
    if (loseEvery === 0 || sequence % loseEvery !== 0) sendVideo(packet);
  }

  get #videoTimestamp(): number {
    return Math.round((this.#frame * 90_000) / this.#options.framesPerSecond);
  }

  get #audioTimestamp(): number {
    return this.#audioPackets * AUDIO_PERIOD_MS * 48;
  }

  #stamped(bytes: number): Buffer {
    const payload = Buffer.alloc(bytes);
    payload.writeDoubleBE(wallClockMs(), SENT_AT_OFFSET);
    payload.writeUInt32BE(this.generation, GENERATION_OFFSET);
    return payload;
  }

  #sendReports(): void {
    const now = wallClockMs();
    const ntpFraction = Math.floor(((now % 1_000) / 1_000) * 2 ** 32);
    const time = { ntpSeconds: Math.floor(now / 1_000), ntpFraction, packets: 0, octets: 0 };
    const { sendVideo, sendAudio } = this.#options;
    sendVideo(writeSenderReport({ ssrc: SOURCE.videoSsrc, timestamp: this.#videoTimestamp, ...time }));
    sendAudio(writeSenderReport({ ssrc: SOURCE.audioSsrc, timestamp: this.#audioTimestamp, ...time }));
  }
}

/** The first bytes, by which a relay recognises a keyframe. */
function markPayload(
  payload: Buffer,
  codec: PacketSourceOptions['codec'],
  first: boolean,
  key: boolean,
): void {
  if (codec === 'VP8') {
    payload[0] = first ? 0x10 : 0;
    payload[1] = key ? 0 : 1;
  } else {
    payload[0] = first && key ? 0x67 : 0x61;
  }
}
