import type { Clock } from '#platform/data/clock.ts';
import type { BFrameDelivery, IngestTrouble, StreamHealth } from '../../engine.ts';
import {
  CONNECT_TIMEOUT_MS,
  FIRST_NACK_AFTER_MS,
  PUBLISHER_PAUSE_MS,
  PUBLISHER_SILENCE_MS,
} from '../../limits.ts';
import { readRtcp, type ReportBlock, type SenderReport } from '../../wire/rtcp.ts';
import { isRtcp, isRtp, payloadTypeOf, type VideoCodec } from '../../wire/rtp.ts';
import type { MediaKind } from '../../wire/sdp.ts';
import { DROPPED, type IncomingTrack } from '../tracks/incoming-track.ts';

/** What a publisher reports to its stream. */
export interface PublisherEvents {
  /** One accepted RTP packet with its extended sequence number. */
  readonly media: (track: IncomingTrack, packet: Buffer, sequence: number, nowMs: number) => void;
  readonly report: (track: IncomingTrack, report: SenderReport) => void;
  /** The first media packet came. */
  readonly up: () => void;
  /** Something prevents its media from being shown. */
  readonly trouble: (trouble: IngestTrouble) => void;
  /** Its video cannot be sent to peers any more: it has B-frames. */
  readonly copied: () => void;
  /** It stops on purpose. */
  readonly finished: () => void;
  /** The transport is gone. */
  readonly gone: () => void;
}

/** The way back to the publisher: a peer, or a process of this machine. */
export interface Upstream {
  readonly requestKeyframe: (video: IncomingTrack) => void;
  /** Asks for packets again, by their 16-bit numbers. */
  readonly requestAgain: (track: IncomingTrack, sequences: readonly number[]) => void;
  /** Sends a receiver report each second, once there is something to report. */
  readonly report: (blocks: readonly ReportBlock[], video: IncomingTrack | null) => void;
  /** Ends the transport. `blocks` are for the last report. */
  readonly close: (blocks: readonly ReportBlock[]) => void;
}

export interface PublisherOptions {
  readonly session: string;
  readonly owner: string;
  readonly codec: VideoCodec;
  /** ICE user of its peer; null when it has no peer. */
  readonly iceUser: string | null;
  readonly tracks: readonly IncomingTrack[];
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly nowMs: () => number;
}

/** One publish session over any transport: takes RTP and sender reports, and requests what it misses. */
export class Publisher {
  readonly session: string;
  readonly owner: string;
  readonly codec: VideoCodec;
  readonly iceUser: string | null;
  isUp = false;

  readonly #options: PublisherOptions;
  readonly #tracks: readonly IncomingTrack[];
  readonly #startedAtMs: number;
  #events: PublisherEvents | null = null;
  #trouble: IngestTrouble | null = null;
  #bFrames: BFrameDelivery | null = null;
  #lastMediaAtMs: number | null = null;
  #cancelNacks: (() => void) | null = null;
  #closed = false;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.session = options.session;
    this.owner = options.owner;
    this.codec = options.codec;
    this.iceUser = options.iceUser;
    this.#tracks = options.tracks;
    this.#startedAtMs = options.nowMs();
  }

  /** From now on it publishes only to the stream behind these events. */
  attach(events: PublisherEvents): void {
    this.#events = events;
  }

  track(kind: MediaKind): IncomingTrack | null {
    return this.#tracks.find((track) => track.kind === kind) ?? null;
  }

  /** Whether browsers can show its video over WebRTC. */
  get isForPeers(): boolean {
    return this.#bFrames !== 'copied';
  }

  /**
   * Whether media came recently; a new session has some seconds to connect. A publisher whose ingest reported
   * trouble has no media to send, and is alive as long as its transport.
   */
  isAlive(nowMs: number): boolean {
    if (this.#closed) return false;
    if (this.#trouble !== null) return true;
    if (this.#lastMediaAtMs === null) return nowMs - this.#startedAtMs < CONNECT_TIMEOUT_MS;
    return nowMs - this.#lastMediaAtMs < PUBLISHER_SILENCE_MS;
  }

  /** Whether media comes now, or would come but for the trouble its ingest reported. */
  isSending(nowMs: number): boolean {
    if (this.#closed) return false;
    if (this.#trouble !== null) return true;
    return this.#lastMediaAtMs !== null && nowMs - this.#lastMediaAtMs < PUBLISHER_PAUSE_MS;
  }

  /** Whether its media has stopped for a second. A publisher that is still connecting has not paused. */
  isPaused(nowMs: number): boolean {
    return this.#lastMediaAtMs !== null && !this.isSending(nowMs);
  }

  /** Restarts the silence timeout. */
  excuseSilence(nowMs: number): void {
    if (this.#lastMediaAtMs !== null) this.#lastMediaAtMs = nowMs;
  }

  requestKeyframe(): void {
    const video = this.track('video');
    if (video?.ssrc) this.#options.upstream.requestKeyframe(video);
  }

  /** Makes all media so far unreachable: new readers get nothing sent before this. */
  forgetMedia(): void {
    for (const track of this.#tracks) track.forget();
  }

  /** Takes one RTP or RTCP packet and keeps the buffer; anything else is dropped. */
  receive(packet: Buffer): void {
    const now = this.#options.nowMs();
    if (isRtcp(packet)) this.#receiveReports(packet, now);
    else if (isRtp(packet)) this.#receiveMedia(packet, now);
  }

  /** The ingest reports what prevents it from being shown; null when nothing does any more. */
  noteTrouble(trouble: IngestTrouble | null): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    this.excuseSilence(this.#options.nowMs());
    if (trouble !== null) this.#events?.trouble(trouble);
  }

  /** The ingest reports how B-frames are sent; null when there are none. */
  noteBFrames(bFrames: BFrameDelivery | null): void {
    if (bFrames === this.#bFrames) return;
    this.#bFrames = bFrames;
    if (bFrames === 'copied') this.#events?.copied();
  }

  /** It stops on purpose: unlike a lost publisher it will not return. */
  finish(): void {
    if (!this.#closed) this.#events?.finished();
  }

  /** Its transport is over. */
  leave(): void {
    if (!this.#closed) this.#events?.gone();
  }

  /** Sends a receiver report to the other end. Called each second. */
  sendReports(nowMs: number): void {
    const blocks = this.#reportBlocks(nowMs);
    if (blocks.length > 0) this.#options.upstream.report(blocks, this.track('video'));
  }

  /** Measurements since the last call, `periodMs` ago. */
  takeHealth(stream: string, viewers: number, periodMs: number): StreamHealth {
    const video = this.track('video');
    const videoPeriod = video?.takePeriod();
    const audioPeriod = this.track('audio')?.takePeriod();
    const perSecond = (count: number): number => Math.round((count * 1_000) / Math.max(1, periodMs));
    const expected = (videoPeriod?.expected ?? 0) + (audioPeriod?.expected ?? 0);
    const lost = (videoPeriod?.lost ?? 0) + (audioPeriod?.lost ?? 0);
    return {
      stream,
      session: this.session,
      codec: this.codec,
      viewers,
      trouble: this.#trouble,
      bFrames: this.#bFrames,
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
    this.#options.upstream.close(this.#reportBlocks(this.#options.nowMs()));
  }

  #reportBlocks(nowMs: number): ReportBlock[] {
    return this.#tracks.flatMap((track) => track.reportBlock(nowMs) ?? []);
  }

  #receiveReports(packet: Buffer, nowMs: number): void {
    for (const item of readRtcp(packet)) {
      if (item.kind !== 'sender_report') continue;
      const track = this.#tracks.find((entry) => entry.noteReport(item, nowMs));
      if (track) this.#events?.report(track, item);
    }
  }

  #receiveMedia(packet: Buffer, nowMs: number): void {
    const events = this.#events;
    if (!events) return;
    const payloadType = payloadTypeOf(packet);
    const track = this.#tracks.find((item) => item.payloadType === payloadType);
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
      if (due.length > 0) this.#options.upstream.requestAgain(track, due);
      if (track.hasMissing) this.#scheduleNacks(track);
    });
  }
}
