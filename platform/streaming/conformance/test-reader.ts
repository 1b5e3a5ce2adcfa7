import { Audio, PeerConnection, Video, type Track } from 'node-datachannel';
import { systemClock } from '../../data/clock.ts';
import { DROPPED, IncomingTrack } from '../embedded/incoming-track.ts';
import { readRtcp, writeKeyframeRequest, writeNack, writeReceiverReport } from '../wire/rtcp.ts';
import { isRtcp, isRtp, timestampOf, type VideoCodec } from '../wire/rtp.ts';
import { offerOf, peerConfig, sendOn } from '../peer-offer.ts';

export interface TestReaderOptions {
  readonly codec: VideoCodec;
  readonly bindAddress: string;
  /** Every so many video packets one is thrown away as if the network had lost it; 0 for none. */
  readonly loseEvery: number;
  /** Called with every fresh packet. */
  readonly onPacket?: (kind: 'audio' | 'video', packet: Buffer) => void;
}

export interface ReaderView {
  readonly state: string;
  readonly videoPackets: number;
  readonly audioPackets: number;
  readonly keyframes: number;
  /** True when the first video packet could be decoded. */
  readonly beganWithKeyframe: boolean;
  /** Missing until now, after retransmission. */
  readonly missing: number;
  /** Packets that came again because they were asked for. */
  readonly recovered: number;
  readonly senderReports: number;
  /** Times the video clock went back, which a viewer would see as a broken stream. */
  readonly timeWentBack: number;
  /** Sequence numbers skipped, beyond what was lost on purpose: a viewer would wait for them in vain. */
  readonly jumps: number;
  /** The relay said goodbye. */
  readonly ended: boolean;
}

/** Packets a reader keeps, only to know duplicates. */
const KEEP_PACKETS = 64;
const VIDEO_TYPE = 108;
const AUDIO_TYPE = 109;
const REPORT_PERIOD_MS = 1_000;
const NACK_PERIOD_MS = 20;
const H264_PARAMETERS = 'level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f';

/**
 * A synthetic viewer: counts what comes and answers with the RTCP a browser would send, but decodes nothing.
 */
export class TestReader {
  readonly #options: TestReaderOptions;
  readonly #peer: PeerConnection;
  readonly #cancelReports: () => void;
  #cancelNacks: (() => void) | null = null;
  #isSilent = false;
  readonly #tracks: readonly { readonly native: Track; readonly incoming: IncomingTrack }[];
  readonly #ssrc = 0x20000001;
  #state = 'new';
  #videoPackets = 0;
  #audioPackets = 0;
  #keyframes = 0;
  #beganWithKeyframe = false;
  #recovered = 0;
  #senderReports = 0;
  #timeWentBack = 0;
  #jumps = 0;
  #newestTimestamp = 0;
  #arrived = 0;
  #ended = false;

  constructor(options: TestReaderOptions) {
    this.#options = options;
    this.#peer = new PeerConnection('test-reader', peerConfig(options.bindAddress));
    const video = new Video('v', 'RecvOnly');
    if (options.codec === 'H264') video.addH264Codec(VIDEO_TYPE, H264_PARAMETERS);
    else video.addVP8Codec(VIDEO_TYPE);
    const audio = new Audio('a', 'RecvOnly');
    audio.addOpusCodec(AUDIO_TYPE, 'minptime=10;useinbandfec=1');
    const keepPackets = KEEP_PACKETS;
    this.#tracks = [
      {
        native: this.#peer.addTrack(video),
        incoming: new IncomingTrack({
          kind: 'video', payloadType: VIDEO_TYPE, codec: options.codec, keepPackets,
        }),
      },
      {
        native: this.#peer.addTrack(audio),
        incoming: new IncomingTrack({ kind: 'audio', payloadType: AUDIO_TYPE, codec: 'opus', keepPackets }),
      },
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

  /** Asks for a keyframe as a browser does that cannot decode. */
  requestKeyframe(): void {
    const { native, incoming } = this.#tracks[0]!;
    sendOn(native, writeKeyframeRequest(this.#ssrc, incoming.ssrc));
  }

  /** Stops answering, like a page that was closed abruptly. */
  fallSilent(): void {
    this.#isSilent = true;
    this.#cancelReports();
    this.#cancelNacks?.();
  }

  sendRaw(packets: readonly Buffer[]): void {
    for (const packet of packets) sendOn(this.#tracks[0]!.native, packet);
  }

  view(): ReaderView {
    return {
      state: this.#state, videoPackets: this.#videoPackets, audioPackets: this.#audioPackets,
      keyframes: this.#keyframes, beganWithKeyframe: this.#beganWithKeyframe,
      missing: this.#tracks[0]!.incoming.missingCount, recovered: this.#recovered,
      senderReports: this.#senderReports, timeWentBack: this.#timeWentBack, jumps: this.#jumps,
      ended: this.#ended,
    };
  }

  close(): void {
    this.fallSilent();
    this.#peer.close();
  }

  #receive(incoming: IncomingTrack, packet: Buffer): void {
    if (isRtcp(packet)) {
      for (const item of readRtcp(packet)) {
        if (item.kind === 'goodbye') this.#ended = true;
        if (item.kind !== 'sender_report') continue;
        if (incoming.noteReport(item, performance.now())) this.#senderReports += 1;
      }
      return;
    }
    if (!isRtp(packet)) return;
    const { loseEvery, onPacket } = this.#options;
    this.#arrived += 1;
    if (incoming.kind === 'video' && loseEvery > 0 && this.#arrived % loseEvery === 0) return;
    const before = incoming.highest;
    const sequence = incoming.accept(packet, performance.now());
    if (sequence === DROPPED) return;
    if (before >= 0 && sequence > before + 200) this.#jumps += 1;
    if (incoming.kind === 'video') this.#noteVideo(incoming, packet, sequence, before);
    else this.#audioPackets += 1;
    if (this.#tracks[0]!.incoming.hasMissing && !this.#cancelNacks) this.#scheduleNacks();
    onPacket?.(incoming.kind, packet);
  }

  #noteVideo(incoming: IncomingTrack, packet: Buffer, sequence: number, before: number): void {
    this.#videoPackets += 1;
    const keyframe = incoming.beginsKeyframe(sequence);
    if (keyframe) this.#keyframes += 1;
    if (before < 0) this.#beganWithKeyframe = keyframe;
    const timestamp = timestampOf(packet);
    if (sequence < before) this.#recovered += 1;
    else if (before >= 0 && isBefore(timestamp, this.#newestTimestamp)) this.#timeWentBack += 1;
    if (sequence > before) this.#newestTimestamp = timestamp;
  }

  #sendReports(): void {
    for (const { native, incoming } of this.#tracks) {
      const block = incoming.reportBlock(performance.now());
      if (block) sendOn(native, writeReceiverReport(this.#ssrc, [block]));
    }
  }

  #scheduleNacks(): void {
    if (this.#isSilent) return;
    const { native, incoming } = this.#tracks[0]!;
    this.#cancelNacks = systemClock.after('nacks', NACK_PERIOD_MS, () => {
      this.#cancelNacks = null;
      const due = incoming.dueNacks(performance.now());
      if (due.length > 0) sendOn(native, writeNack(this.#ssrc, incoming.ssrc, due));
      if (incoming.hasMissing) this.#scheduleNacks();
    });
  }
}

/** Whether one 32-bit time is before another, on a clock that wraps. */
const isBefore = (one: number, other: number): boolean => ((one - other) >>> 0) >= 0x80000000;
