import type { Clock } from '../../data/clock.ts';
import { EngineRefused, type StreamHealth } from '../engine.ts';
import {
  CONNECT_TIMEOUT_MS, FIRST_NACK_AFTER_MS, MAX_VIDEO_BITS_PER_SECOND, PUBLISHER_SILENCE_MS,
} from '../limits.ts';
import {
  readRtcp, writeBandwidth, writeGoodbye, writeKeyframeRequest, writeNack, writeReceiverReport,
  type ReportBlock, type SenderReport,
} from '../wire/rtcp.ts';
import { isRtcp, isRtp, payloadTypeOf, type VideoCodec } from '../wire/rtp.ts';
import {
  advertise, chooseCodec, writeAnswer, type ChosenMedia, type MediaKind, type Offer,
} from '../wire/sdp.ts';
import { DROPPED, IncomingTrack } from './incoming-track.ts';
import { MediaPeer, randomSsrc, type PeerAddress } from './peer.ts';

/** What a publisher tells its stream. */
export interface PublisherEvents {
  /** One accepted RTP packet with its extended sequence number. */
  readonly media: (track: IncomingTrack, packet: Buffer, sequence: number, nowMs: number) => void;
  readonly report: (track: IncomingTrack, report: SenderReport) => void;
  /** The first media packet came. */
  readonly up: () => void;
  /** The transport is gone. */
  readonly gone: () => void;
}

/** What a publisher's offer comes to: one codec per section. */
export interface PublishPlan {
  readonly offer: Offer;
  readonly chosen: readonly ChosenMedia[];
  readonly codec: VideoCodec;
}

export interface PublisherOptions {
  readonly session: string;
  readonly owner: string;
  readonly plan: PublishPlan;
  readonly address: PeerAddress;
  readonly clock: Clock;
  readonly nowMs: () => number;
  readonly events: PublisherEvents;
}

/**
 * The sections and codecs a publisher is answered with: H.264 or else VP8, and Opus when there is audio.
 * Throws {@link EngineRefused} `malformed_offer` or `unsupported_codec`.
 */
export function planPublishing(offer: Offer): PublishPlan {
  let codec: VideoCodec | null = null;
  const chosen = offer.media.map((media) => {
    if (media.direction !== 'sendonly' && media.direction !== 'sendrecv') {
      throw new EngineRefused('malformed_offer', 'a publisher must offer to send');
    }
    const picked = media.kind === 'audio'
      ? chooseCodec(media, 'opus')
      : chooseCodec(media, 'H264') ?? chooseCodec(media, 'VP8');
    if (!picked) throw new EngineRefused('unsupported_codec', `no common ${media.kind} codec`);
    if (picked.name !== 'opus') codec = picked.name;
    return { media, codec: picked };
  });
  if (!codec) throw new EngineRefused('unsupported_codec', 'video is needed');
  if (new Set(chosen.map((one) => one.codec.payloadType)).size < chosen.length) {
    throw new EngineRefused('malformed_offer', 'one payload type for two codecs');
  }
  return { offer, chosen, codec };
}

/**
 * One publish session: takes RTP in, and speaks RTCP back (reports, bandwidth, retransmission and keyframe
 * requests).
 */
export class Publisher {
  readonly session: string;
  readonly owner: string;
  readonly codec: VideoCodec;
  isUp = false;

  readonly #options: PublisherOptions;
  readonly #ssrc = randomSsrc();
  readonly #tracks: readonly IncomingTrack[];
  readonly #startedAtMs: number;
  readonly #peer: MediaPeer;
  #lastMediaAtMs: number | null = null;
  #cancelNacks: (() => void) | null = null;
  #closed = false;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.session = options.session;
    this.owner = options.owner;
    this.codec = options.plan.codec;
    this.#startedAtMs = options.nowMs();
    this.#tracks = options.plan.chosen.map(({ media, codec }) =>
      new IncomingTrack({ kind: media.kind, payloadType: codec.payloadType, codec: codec.name }));
    this.#peer = new MediaPeer({
      name: `publisher-${options.session}`, direction: 'RecvOnly', address: options.address,
      clock: options.clock,
      onOpen: () => undefined,
      onPacket: (packet) => this.#receive(packet),
      onGone: options.events.gone,
    });
  }

  /**
   * The answer to the offer. Throws {@link EngineRefused} `malformed_offer` when the native side refuses it.
   */
  async negotiate(): Promise<string> {
    const { plan: { offer, chosen }, address } = this.#options;
    const transport = await this.#peer.negotiate(offer);
    return writeAnswer(advertise(transport, address.publicAddress), chosen, 'recvonly');
  }

  track(kind: MediaKind): IncomingTrack | null {
    return this.#tracks.find((track) => track.kind === kind) ?? null;
  }

  /** Alive while media came lately; a new session has some seconds to connect. */
  isAlive(nowMs: number): boolean {
    if (this.#closed) return false;
    if (this.#lastMediaAtMs === null) return nowMs - this.#startedAtMs < CONNECT_TIMEOUT_MS;
    return nowMs - this.#lastMediaAtMs < PUBLISHER_SILENCE_MS;
  }

  /** Starts the silence time-out anew. */
  excuseSilence(nowMs: number): void {
    if (this.#lastMediaAtMs !== null) this.#lastMediaAtMs = nowMs;
  }

  requestKeyframe(): void {
    const video = this.track('video');
    if (video?.ssrc) this.#peer.send(writeKeyframeRequest(this.#ssrc, video.ssrc));
  }

  /** A receiver report and the bandwidth cap; to be called each second. */
  sendReports(nowMs: number): void {
    const blocks = this.#reportBlocks(nowMs);
    if (blocks.length === 0) return;
    const video = this.track('video');
    const cap = video?.ssrc ? [writeBandwidth(this.#ssrc, MAX_VIDEO_BITS_PER_SECOND, [video.ssrc])] : [];
    this.#peer.send(Buffer.concat([writeReceiverReport(this.#ssrc, blocks), ...cap]));
  }

  /** Measures of the period since the last call, which lasted `periodMs`. */
  takeHealth(stream: string, viewers: number, periodMs: number): StreamHealth {
    const video = this.track('video');
    const videoPeriod = video?.takePeriod();
    const audioPeriod = this.track('audio')?.takePeriod();
    const perSecond = (count: number): number => Math.round((count * 1_000) / Math.max(1, periodMs));
    const expected = (videoPeriod?.expected ?? 0) + (audioPeriod?.expected ?? 0);
    const lost = (videoPeriod?.lost ?? 0) + (audioPeriod?.lost ?? 0);
    return {
      stream, session: this.session, codec: this.codec, viewers,
      videoBitsPerSecond: perSecond((videoPeriod?.bytes ?? 0) * 8),
      audioBitsPerSecond: perSecond((audioPeriod?.bytes ?? 0) * 8),
      framesPerSecond: perSecond(videoPeriod?.frames ?? 0),
      lossFraction: expected > 0 ? lost / expected : 0,
      roundTripMs: video?.roundTripMs === null || !video ? null : Math.round(video.roundTripMs),
      keyframeIntervalMs: video?.keyframeIntervalMs ?? null,
    };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelNacks?.();
    // The native side often closes without telling the other end: say goodbye in RTCP, for those who listen.
    const report = writeReceiverReport(this.#ssrc, this.#reportBlocks(this.#options.nowMs()));
    this.#peer.send(Buffer.concat([report, writeGoodbye(this.#ssrc)]));
    this.#peer.close();
  }

  #reportBlocks(nowMs: number): ReportBlock[] {
    return this.#tracks.flatMap((track) => track.reportBlock(nowMs) ?? []);
  }

  #receive(packet: Buffer): void {
    const now = this.#options.nowMs();
    if (isRtcp(packet)) this.#receiveReports(packet, now);
    else if (isRtp(packet)) this.#receiveMedia(packet, now);
  }

  #receiveReports(packet: Buffer, nowMs: number): void {
    for (const item of readRtcp(packet)) {
      if (item.kind !== 'sender_report') continue;
      const track = this.#tracks.find((one) => one.noteReport(item, nowMs));
      if (track) this.#options.events.report(track, item);
    }
  }

  #receiveMedia(packet: Buffer, nowMs: number): void {
    const { events } = this.#options;
    const payloadType = payloadTypeOf(packet);
    const track = this.#tracks.find((one) => one.payloadType === payloadType);
    const sequence = track?.accept(packet, nowMs) ?? DROPPED;
    if (!track || sequence === DROPPED) return;
    this.#lastMediaAtMs = nowMs;
    if (!this.isUp) {
      this.isUp = true;
      events.up();
    }
    if (track.hasMissing && !this.#cancelNacks) this.#scheduleNacks(track);
    events.media(track, packet, sequence, nowMs);
  }

  #scheduleNacks(track: IncomingTrack): void {
    this.#cancelNacks = this.#options.clock.after('nack', FIRST_NACK_AFTER_MS, () => {
      this.#cancelNacks = null;
      const due = track.dueNacks(this.#options.nowMs());
      if (due.length > 0) this.#peer.send(writeNack(this.#ssrc, track.ssrc, due));
      if (track.hasMissing) this.#scheduleNacks(track);
    });
  }
}
