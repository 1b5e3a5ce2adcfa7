import { systemClock } from '#platform/data/clock.ts';
import { Audio, PeerConnection, Video, type Track } from 'node-datachannel';
import type { IncomingTrack } from '../embedded/tracks/incoming-track.ts';
import { offerOf, peerConfig, sendOn, type PortRange } from '../peer-offer.ts';
import { writeKeyframeRequest, writeNack, writeReceiverReport } from '../wire/rtcp.ts';
import { isRtp, type VideoCodec } from '../wire/rtp.ts';
import { Tally, type TallyView } from './load/tally.ts';

export interface TestReaderOptions {
  readonly codec: VideoCodec;
  readonly bindAddress: string;
  /** UDP ports to use; any when absent. */
  readonly ports?: PortRange;
  /** One in this many video packets is dropped as if the network had lost it; 0 for none. */
  readonly loseEvery: number;
  /** Whether it sends the RTCP of a browser: reports and retransmission requests. */
  readonly reports: boolean;
  /** Called with every new packet. */
  readonly onPacket?: (kind: 'audio' | 'video', packet: Buffer) => void;
}

export interface ReaderView extends TallyView {
  readonly state: string;
}

const VIDEO_TYPE = 108;
const AUDIO_TYPE = 109;
const REPORT_PERIOD_MS = 1_000;
const NACK_PERIOD_MS = 20;
const H264_PARAMETERS = 'level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f';

/**
 * A synthetic viewer: counts packets without decoding them, and sends the RTCP of a browser or none at all.
 */
export class TestReader {
  readonly #options: TestReaderOptions;
  readonly #peer: PeerConnection;
  readonly #tally: Tally;
  readonly #cancelReports: () => void;
  #cancelNacks: (() => void) | null = null;
  #isSilent = false;
  readonly #tracks: readonly { readonly native: Track; readonly incoming: IncomingTrack }[];
  readonly #ssrc = 0x20000001;
  #state = 'new';
  #arrived = 0;

  constructor(options: TestReaderOptions) {
    this.#options = options;
    this.#peer = new PeerConnection('test-reader', peerConfig(options.bindAddress, options.ports));
    const video = new Video('v', 'RecvOnly');
    if (options.codec === 'H264') video.addH264Codec(VIDEO_TYPE, H264_PARAMETERS);
    else video.addVP8Codec(VIDEO_TYPE);
    const audio = new Audio('a', 'RecvOnly');
    audio.addOpusCodec(AUDIO_TYPE, 'minptime=10;useinbandfec=1');
    this.#tally = new Tally({ codec: options.codec, videoType: VIDEO_TYPE, audioType: AUDIO_TYPE });
    this.#tracks = [
      { native: this.#peer.addTrack(video), incoming: this.#tally.video },
      { native: this.#peer.addTrack(audio), incoming: this.#tally.audio },
    ];
    for (const { native, incoming } of this.#tracks) {
      native.onMessage((packet) => this.#receive(incoming, packet));
    }
    this.#cancelReports = systemClock.every('reports', REPORT_PERIOD_MS, () => this.#sendReports());
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

  /** Asks for a keyframe, as a browser does that cannot decode. */
  requestKeyframe(): void {
    const { native, incoming } = this.#tracks[0]!;
    sendOn(native, writeKeyframeRequest(this.#ssrc, incoming.ssrc));
  }

  /** Stops sending, like a page that was closed abruptly. */
  fallSilent(): void {
    this.#isSilent = true;
    this.#cancelReports();
    this.#cancelNacks?.();
  }

  sendRaw(packets: readonly Buffer[]): void {
    for (const packet of packets) sendOn(this.#tracks[0]!.native, packet);
  }

  view(): ReaderView {
    return { ...this.#tally.view(), state: this.#state };
  }

  close(): void {
    this.fallSilent();
    this.#peer.close();
  }

  #receive(incoming: IncomingTrack, packet: Buffer): void {
    const { loseEvery, onPacket } = this.#options;
    if (isRtp(packet)) {
      this.#arrived += 1;
      if (incoming.kind === 'video' && loseEvery > 0 && this.#arrived % loseEvery === 0) return;
    }
    if (!this.#tally.take(incoming, packet)) return;
    if (this.#tally.video.hasMissing && !this.#cancelNacks) this.#scheduleNacks();
    onPacket?.(incoming.kind, packet);
  }

  #sendReports(): void {
    if (!this.#options.reports) return;
    for (const { native, incoming } of this.#tracks) {
      const block = incoming.reportBlock(performance.now());
      if (block) sendOn(native, writeReceiverReport(this.#ssrc, [block]));
    }
  }

  #scheduleNacks(): void {
    if (this.#isSilent || !this.#options.reports) return;
    const { native, incoming } = this.#tracks[0]!;
    this.#cancelNacks = systemClock.after('nacks', NACK_PERIOD_MS, () => {
      this.#cancelNacks = null;
      const due = incoming.dueNacks(performance.now());
      if (due.length > 0) sendOn(native, writeNack(this.#ssrc, incoming.ssrc, due));
      if (incoming.hasMissing) this.#scheduleNacks();
    });
  }
}
