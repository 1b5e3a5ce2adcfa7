import { Audio, PeerConnection, Video, type Track } from 'node-datachannel';
import { PacketRing } from '../embedded/packet-ring.ts';
import { readRtcp, writeSenderReport } from '../wire/rtcp.ts';
import { rtpPacket, type VideoCodec } from '../wire/rtp.ts';
import { offerOf, peerConfig, sendOn } from './peer-offer.ts';

export interface TestPublisherOptions {
  readonly codec: VideoCodec | 'H265';
  readonly framesPerSecond: number;
  readonly videoBitsPerSecond: number;
  /** A keyframe is sent this often without being asked; 0 for only at the start and when asked. */
  readonly keyframeEveryMs: number;
  /** Every so many video packets one is not sent until it is asked for; 0 for none. */
  readonly loseEvery: number;
  readonly bindAddress: string;
}

const PAYLOAD_BYTES = 1_180;
const KEYFRAME_SIZE = 4;
const AUDIO_BYTES = 100;
const AUDIO_PERIOD_MS = 20;
const VIDEO_TYPE = 96;
const AUDIO_TYPE = 111;
/** Where in the payload the sending time stands, as a double of milliseconds since 1970. */
export const SENT_AT_OFFSET = 8;
const MIN_PAYLOAD_BYTES = SENT_AT_OFFSET + 8;
const H264_PARAMETERS = 'level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f';

export const wallClockMs = (): number => performance.timeOrigin + performance.now();

/** A synthetic publisher: packets of the right form and rate, without pictures. It obeys PLI and NACK. */
export class TestPublisher {
  readonly #options: TestPublisherOptions;
  readonly #peer: PeerConnection;
  readonly #video: Track;
  readonly #audio: Track;
  readonly #sent = new PacketRing(1_024);
  readonly #videoSsrc = 0x10000001;
  readonly #audioSsrc = 0x10000002;
  #timer: NodeJS.Timeout | null = null;
  #startedAtMs = 0;
  #frame = 0;
  #audioPackets = 0;
  #videoSequence = 65_000;
  #keyframeDue = true;
  #keyframeAtMs = 0;
  keyframes = 0;
  keyframeRequests = 0;
  nacked = 0;
  /** The relay said goodbye. */
  ended = false;
  state = 'new';

  constructor(options: TestPublisherOptions) {
    this.#options = options;
    this.#peer = new PeerConnection('test-publisher', peerConfig(options.bindAddress));
    const video = new Video('v', 'SendOnly');
    if (options.codec === 'H264') video.addH264Codec(VIDEO_TYPE, H264_PARAMETERS);
    else if (options.codec === 'VP8') video.addVP8Codec(VIDEO_TYPE);
    else video.addH265Codec(VIDEO_TYPE);
    video.addSSRC(this.#videoSsrc, 'test', 'test', 'video');
    const audio = new Audio('a', 'SendOnly');
    audio.addOpusCodec(AUDIO_TYPE, 'minptime=10;useinbandfec=1');
    audio.addSSRC(this.#audioSsrc, 'test', 'test', 'audio');
    this.#video = this.#peer.addTrack(video);
    this.#audio = this.#peer.addTrack(audio);
    this.#video.onMessage((packet) => this.#obey(packet));
    this.#audio.onMessage(() => undefined);
    this.#video.onOpen(() => this.#begin());
    this.#peer.onStateChange((state) => {
      this.state = state;
    });
  }

  offer(): Promise<string> {
    return offerOf(this.#peer);
  }

  accept(answer: string): void {
    this.#peer.setRemoteDescription(answer, 'answer');
  }

  /** Stops sending media; the transport stays up. */
  silence(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  /** Sends bytes as they are on the video track. */
  sendRaw(bytes: Buffer): void {
    sendOn(this.#video, bytes);
  }

  close(): void {
    this.silence();
    this.#peer.close();
  }

  #begin(): void {
    this.#startedAtMs = performance.now();
    this.#timer = setInterval(() => this.#sendDue(), 5);
  }

  #sendDue(): void {
    const passedMs = performance.now() - this.#startedAtMs;
    const { framesPerSecond, keyframeEveryMs } = this.#options;
    for (; this.#frame < (passedMs * framesPerSecond) / 1_000; this.#frame++) {
      if (keyframeEveryMs > 0 && passedMs - this.#keyframeAtMs >= keyframeEveryMs) this.#keyframeDue = true;
      this.#sendFrame(passedMs);
      if (this.#frame % framesPerSecond === 0) this.#sendReports();
    }
    for (; this.#audioPackets < passedMs / AUDIO_PERIOD_MS; this.#audioPackets++) {
      sendOn(this.#audio, rtpPacket({
        payloadType: AUDIO_TYPE, marker: false, sequence: this.#audioPackets & 0xffff,
        timestamp: this.#audioPackets * AUDIO_PERIOD_MS * 48, ssrc: this.#audioSsrc,
      }, stamped(AUDIO_BYTES)));
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
      const payload = stamped(Math.max(MIN_PAYLOAD_BYTES, Math.min(PAYLOAD_BYTES, Math.floor(left))));
      left -= PAYLOAD_BYTES;
      markPayload(payload, this.#options.codec, first, key);
      this.#sendVideo(payload, left <= 0);
    }
  }

  #sendVideo(payload: Buffer, marker: boolean): void {
    const sequence = this.#videoSequence++;
    const packet = rtpPacket({
      payloadType: VIDEO_TYPE, marker, sequence: sequence & 0xffff, timestamp: this.#timestamp, ssrc: this.#videoSsrc,
    }, payload);
    this.#sent.put(sequence, packet);
    const { loseEvery } = this.#options;
    if (loseEvery === 0 || sequence % loseEvery !== 0) sendOn(this.#video, packet);
  }

  get #timestamp(): number {
    return Math.round((this.#frame * 90_000) / this.#options.framesPerSecond);
  }

  #sendReports(): void {
    const now = wallClockMs();
    const time = { ntpSeconds: Math.floor(now / 1_000), ntpFraction: Math.floor((now % 1_000) * 4_294_967) };
    const counts = { packets: 0, octets: 0 };
    sendOn(this.#video, writeSenderReport({ ssrc: this.#videoSsrc, timestamp: this.#timestamp, ...time, ...counts }));
    const timestamp = this.#audioPackets * AUDIO_PERIOD_MS * 48;
    sendOn(this.#audio, writeSenderReport({ ssrc: this.#audioSsrc, timestamp, ...time, ...counts }));
  }

  #obey(packet: Buffer): void {
    for (const item of readRtcp(packet)) {
      if (item.kind === 'keyframe_request') {
        this.keyframeRequests += 1;
        this.#keyframeDue = true;
      } else if (item.kind === 'nack' && item.ssrc === this.#videoSsrc) {
        for (const sequence of item.sequences) this.#sendAgain(sequence);
      } else if (item.kind === 'goodbye') {
        this.ended = true;
      }
    }
  }

  #sendAgain(sequence: number): void {
    const newest = this.#videoSequence - 1;
    const packet = this.#sent.get(newest - ((newest - sequence) & 0xffff));
    if (!packet) return;
    this.nacked += 1;
    sendOn(this.#video, packet);
  }
}

function stamped(bytes: number): Buffer {
  const payload = Buffer.alloc(bytes);
  payload.writeDoubleBE(wallClockMs(), SENT_AT_OFFSET);
  return payload;
}

/** The first bytes by which a relay tells keyframes from others. */
function markPayload(payload: Buffer, codec: TestPublisherOptions['codec'], first: boolean, key: boolean): void {
  if (codec === 'VP8') {
    payload[0] = first ? 0x10 : 0;
    payload[1] = key ? 0 : 1;
  } else {
    payload[0] = first && key ? 0x67 : 0x61;
  }
}
