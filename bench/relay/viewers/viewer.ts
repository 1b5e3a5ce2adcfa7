import { Audio, PeerConnection, Video, type Track } from 'node-datachannel';
import { DROPPED, IncomingTrack } from '../../../platform/streaming/embedded/tracks/incoming-track.ts';
import { offerOf, peerConfig, sendOn } from '../../../platform/streaming/peer-offer.ts';
import { readRtcp, writeNack, writeReceiverReport } from '../../../platform/streaming/wire/rtcp.ts';
import { isRtcp, isRtp } from '../../../platform/streaming/wire/rtp.ts';
import { VIEWED, type Kind } from '../messages.ts';
import type { TrackMeter } from './meter.ts';

const H264_PARAMETERS = 'level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f';
const OWN_SSRC = 0x20000002;
const REPORT_PERIOD_MS = 1_000;
/** About a second of packets: an answer to a request for one may come that late. */
const KEEP_PACKETS = 256;

export interface ViewerOptions {
  /** Address of this machine it is reached on. */
  readonly address: string;
  /** One in so many video packets is asked for again though it came; 0 for none. */
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
 * A viewer that decodes nothing, and else behaves like a browser: it reports each second on what it got,
 * and asks again for the video it misses. It takes no header extensions, so that every server sends it the
 * same.
 */
export class Viewer {
  readonly #peer: PeerConnection;
  readonly #tracks: readonly ViewedTrack[];
  readonly #askEvery: number;
  /** Each viewer asks for others of the packets. */
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
      take('video', this.#peer.addTrack(video)), take('audio', this.#peer.addTrack(audio)),
    ];
    for (const track of this.#tracks) track.native.onMessage((packet) => this.#receive(track, packet));
  }

  /** Picture and sound have come. */
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

  /** Sends the reports and requests that are due; to be called every few milliseconds. */
  beat(nowMs: number): void {
    const { native, incoming, meter } = this.#tracks[0]!;
    const due = incoming.hasMissing ? [...incoming.dueNacks(nowMs), ...this.#toAsk] : this.#toAsk;
    if (due.length > 0) sendOn(native, writeNack(OWN_SSRC, incoming.ssrc, due));
    meter.asked += due.length;
    this.#toAsk = [];
    if (nowMs < this.#reportAtMs) return;
    // Counted from the last one, and not in step with those of other viewers.
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

  /** Asks for some that came as if they had not. To lose them here would not do: SRTP takes none twice. */
  #pretend(sequence: number): void {
    this.#untilAsked -= 1;
    if (this.#untilAsked > 0) return;
    this.#untilAsked = this.#askEvery;
    this.#toAsk.push(sequence & 0xffff);
  }
}
