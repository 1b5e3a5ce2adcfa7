import { DROPPED, IncomingTrack } from '#platform/streaming/embedded/tracks/incoming-track.ts';
import { offerOf, peerConfig, sendOn } from '#platform/streaming/peer-offer.ts';
import { readRtcp, writeNack, writeReceiverReport } from '#platform/streaming/wire/rtcp.ts';
import { isRtcp, isRtp } from '#platform/streaming/wire/rtp.ts';
import { Audio, PeerConnection, Video, type Track } from 'node-datachannel';
import { VIEWED, type Kind } from '../messages.ts';
import type { TrackMeter } from './meter.ts';

const H264_PARAMETERS = 'level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f';
const OWN_SSRC = 0x20000002;
const REPORT_PERIOD_MS = 1_000;
/** About a second of packets: a retransmission may arrive that late. */
const KEEP_PACKETS = 256;

export interface ViewerOptions {
  /** Address of this machine at which it receives. */
  readonly address: string;
  /** Requests one in so many received video packets again; 0 for none. */
  readonly askEvery: number;
  readonly video: TrackMeter;
  readonly audio: TrackMeter;
}

interface ViewedTrack {
  readonly native: Track;
  readonly incoming: IncomingTrack;
  readonly meter: TrackMeter;
}

/**
 * A viewer that behaves like a browser but decodes nothing: it sends reports each second and requests missing
 * video packets. It accepts no header extensions, so that every server sends the same.
 */
export class Viewer {
  readonly #peer: PeerConnection;
  readonly #tracks: readonly ViewedTrack[];
  readonly #askEvery: number;
  /** Each viewer requests different packets. */
  #untilAsked: number;
  #toAsk: number[] = [];
  #reportAtMs = 0;

  constructor(options: ViewerOptions) {
    this.#askEvery = options.askEvery;
    this.#untilAsked = Math.ceil(Math.random() * options.askEvery);
    this.#peer = new PeerConnection('viewer', peerConfig(options.address));
    const video = new Video(VIEWED.video.mid, 'RecvOnly');
    video.addH264Codec(VIEWED.video.payloadType, H264_PARAMETERS);
    const audio = new Audio(VIEWED.audio.mid, 'RecvOnly');
    audio.addOpusCodec(VIEWED.audio.payloadType, 'minptime=10;useinbandfec=1');
    const take = (kind: Kind, native: Track): ViewedTrack => {
      const { payloadType } = VIEWED[kind];
      const codec = kind === 'video' ? 'H264' : 'opus';
      const incoming = new IncomingTrack({ kind, payloadType, codec, keepPackets: KEEP_PACKETS });
      return { native, incoming, meter: options[kind] };
    };
    this.#tracks = [
      take('video', this.#peer.addTrack(video)),
      take('audio', this.#peer.addTrack(audio)),
    ];
    for (const track of this.#tracks) track.native.onMessage((packet) => this.#receive(track, packet));
  }

  /** Video and audio have arrived. */
  get isWatching(): boolean {
    return this.#tracks.every(({ incoming }) => incoming.highest >= 0);
  }

  offer(): Promise<string> {
    return offerOf(this.#peer);
  }

  accept(answer: string): void {
    this.#peer.setRemoteDescription(answer, 'answer');
  }

  /** Answers a server that offers. */
  answer(offer: string): Promise<string> {
    this.#peer.setRemoteDescription(offer, 'offer');
    return new Promise((resolve) => {
      const check = (): void => {
        if (this.#peer.gatheringState() !== 'complete') return;
        resolve(this.#peer.localDescription()?.sdp ?? '');
      };
      this.#peer.onGatheringStateChange(check);
      this.#peer.setLocalDescription('answer');
      check();
    });
  }

  /** Sends the reports and requests that are due; call it every few milliseconds. */
  feedback(nowMs: number): void {
    const { native, incoming, meter } = this.#tracks[0]!;
    const due = incoming.hasMissing ? [...incoming.dueNacks(nowMs), ...this.#toAsk] : this.#toAsk;
    if (due.length > 0) sendOn(native, writeNack(OWN_SSRC, incoming.ssrc, due));
    meter.asked += due.length;
    this.#toAsk = [];
    if (nowMs < this.#reportAtMs) return;
    // Counted from the last one, so that viewers don't report in step.
    this.#reportAtMs = nowMs + REPORT_PERIOD_MS;
    for (const { native, incoming } of this.#tracks) {
      const block = incoming.reportBlock(nowMs);
      if (block) sendOn(native, writeReceiverReport(OWN_SSRC, [block]));
    }
  }

  #receive({ incoming, meter }: ViewedTrack, packet: Buffer): void {
    const nowMs = performance.now();
    if (isRtp(packet)) {
      const sequence = incoming.accept(packet, nowMs);
      if (sequence === DROPPED) return;
      meter.note(sequence, packet);
      if (incoming.kind === 'video' && this.#askEvery > 0) this.#pretend(sequence);
    } else if (isRtcp(packet)) {
      for (const item of readRtcp(packet)) {
        if (item.kind === 'sender_report') incoming.noteReport(item, nowMs);
      }
    }
  }

  /** Requests received packets again. Dropping them instead wouldn't work: SRTP accepts no packet twice. */
  #pretend(sequence: number): void {
    this.#untilAsked -= 1;
    if (this.#untilAsked > 0) return;
    this.#untilAsked = this.#askEvery;
    this.#toAsk.push(sequence & 0xffff);
  }
}
