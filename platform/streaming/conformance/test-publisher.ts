import { Audio, PeerConnection, Video, type Track } from 'node-datachannel';
import { offerOf, peerConfig, sendOn } from '../peer-offer.ts';
import { readRtcp } from '../wire/rtcp.ts';
import { PacketSource, SOURCE, type PacketSourceOptions } from './network/packet-source.ts';

export interface TestPublisherOptions extends Omit<PacketSourceOptions, 'sendVideo' | 'sendAudio'> {
  readonly bindAddress: string;
}

export interface PublisherView {
  readonly state: string;
  readonly keyframes: number;
  readonly keyframeRequests: number;
  /** Packets sent again on request. */
  readonly nacked: number;
  /** The relay sent an RTCP BYE. */
  readonly ended: boolean;
  /** What the relay lets it send, in bits per second; null before it says so. */
  readonly allowedBitsPerSecond: number | null;
}

const H264_PARAMETERS = 'level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f';

/** A synthetic publisher that obeys keyframe and retransmission requests and loses packets on purpose. */
export class TestPublisher {
  readonly #options: TestPublisherOptions;
  readonly #peer: PeerConnection;
  readonly #video: Track;
  readonly #audio: Track;
  #source: PacketSource | null = null;
  #state = 'new';
  #keyframeRequests = 0;
  #nacked = 0;
  #ended = false;
  #allowed: number | null = null;

  constructor(options: TestPublisherOptions) {
    this.#options = options;
    this.#peer = new PeerConnection('test-publisher', peerConfig(options.bindAddress));
    this.#video = this.#peer.addTrack(describeVideo(options.codec));
    const audio = new Audio('a', 'SendOnly');
    audio.addOpusCodec(SOURCE.audioType, 'minptime=10;useinbandfec=1');
    audio.addSSRC(SOURCE.audioSsrc, 'test', 'test', 'audio');
    this.#audio = this.#peer.addTrack(audio);
    this.#video.onMessage((packet) => this.#obey(packet));
    this.#audio.onMessage(() => undefined);
    this.#video.onOpen(() => this.#begin());
    this.#peer.onStateChange((state) => {
      this.#state = state;
    });
  }

  offer(): Promise<string> {
    return offerOf(this.#peer);
  }

  accept(answer: string): void {
    this.#peer.setRemoteDescription(answer, 'answer');
  }

  /** Stops sending media; the transport stays up. */
  fallSilent(): void {
    this.#source?.stop();
  }

  /** Marks what it sends from now on with this generation. */
  mark(generation: number): void {
    if (this.#source) this.#source.generation = generation;
  }

  /** Sends these bytes unchanged. */
  sendRaw(packets: readonly Buffer[]): void {
    for (const packet of packets) sendOn(this.#video, packet);
  }

  view(): PublisherView {
    return {
      state: this.#state,
      keyframes: this.#source?.keyframes ?? 0,
      keyframeRequests: this.#keyframeRequests,
      nacked: this.#nacked,
      ended: this.#ended,
      allowedBitsPerSecond: this.#allowed,
    };
  }

  close(): void {
    this.fallSilent();
    this.#peer.close();
  }

  #begin(): void {
    this.#source = new PacketSource({
      ...this.#options,
      sendVideo: (packet) => void sendOn(this.#video, packet),
      sendAudio: (packet) => void sendOn(this.#audio, packet),
    });
  }

  #obey(packet: Buffer): void {
    this.#allowed = allowedIn(packet) ?? this.#allowed;
    for (const item of readRtcp(packet)) {
      if (item.kind === 'goodbye') this.#ended = true;
      if (item.kind === 'keyframe_request') {
        this.#keyframeRequests += 1;
        this.#source?.requestKeyframe();
      }
      if (item.kind !== 'nack' || item.ssrc !== SOURCE.videoSsrc) continue;
      for (const sequence of item.sequences) if (this.#source?.resend(sequence)) this.#nacked += 1;
    }
  }
}

/**
 * What a compound packet allows this publisher's video, in bits per second, or null. Read here as the draft
 * has it (draft-alvestrand-rmcat-remb-03 §2.2), so that what is written is not its own measure.
 */
function allowedIn(compound: Buffer): number | null {
  for (let at = 0; at + 24 <= compound.length; at += 4 * (compound.readUInt16BE(at + 2) + 1)) {
    const isBandwidth = (compound[at]! & 31) === 15 && compound[at + 1] === 206
      && compound.toString('latin1', at + 12, at + 16) === 'REMB';
    if (!isBandwidth || compound.readUInt32BE(at + 20) !== SOURCE.videoSsrc) continue;
    const [exponent, mantissa] = [compound[at + 17]! >> 2, compound.readUIntBE(at + 17, 3) & 0x3ffff];
    return mantissa * 2 ** exponent;
  }
  return null;
}

function describeVideo(codec: TestPublisherOptions['codec']): Video {
  const video = new Video('v', 'SendOnly');
  if (codec === 'H264') video.addH264Codec(SOURCE.videoType, H264_PARAMETERS);
  else if (codec === 'VP8') video.addVP8Codec(SOURCE.videoType);
  else video.addH265Codec(SOURCE.videoType);
  video.addSSRC(SOURCE.videoSsrc, 'test', 'test', 'video');
  return video;
}
