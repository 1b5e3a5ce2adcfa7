import type { Clock } from '#platform/data/clock.ts';
import type { BFrameDelivery, IngestTrouble, StreamHealth } from '../../engine.ts';
import {
  CONNECT_TIMEOUT_MS, FIRST_NACK_AFTER_MS, PUBLISHER_PAUSE_MS, PUBLISHER_SILENCE_MS,
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
  /** Something stands in the way of showing it. */
  readonly trouble: (trouble: IngestTrouble) => void;
  /** Its pictures are not for peers any more: they have B-frames. */
  readonly copied: () => void;
  /** It means to stop. */
  readonly finished: () => void;
  /** The transport is gone. */
  readonly gone: () => void;
}

/** The way back to whoever publishes: a peer, or a process of this machine. */
export interface Upstream {
  readonly requestKeyframe: (video: IncomingTrack) => void;
  /** Asks for packets again, by their 16-bit numbers. */
  readonly requestAgain: (track: IncomingTrack, sequences: readonly number[]) => void;
  /** Reports what arrived, each second, once there is something to report. */
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

/** One publish session, whatever its transport: takes RTP and sender reports in, and says what it misses. */
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

  /** From now on it publishes to the stream behind these events, and to no other. */
  attach(events: PublisherEvents): void {
    this.#events = events;
  }

  track(kind: MediaKind): IncomingTrack | null {
    return this.#tracks.find((track) => track.kind === kind) ?? null;
  }

  /** Whether browsers show its pictures over WebRTC. */
  get isForPeers(): boolean {
    return this.#bFrames !== 'copied';
  }

  /**
   * Alive while media came lately; a new session has some seconds to connect. One whose ingest said what is
   * wrong with its media has none to send, and lives as long as its transport.
   */
  isAlive(nowMs: number): boolean {
    if (this.#closed) return false;
    if (this.#trouble !== null) return true;
    if (this.#lastMediaAtMs === null) return nowMs - this.#startedAtMs < CONNECT_TIMEOUT_MS;
    return nowMs - this.#lastMediaAtMs < PUBLISHER_SILENCE_MS;
  }

  /** Whether media comes now, or would come but for what its ingest said is wrong with it. */
  isSending(nowMs: number): boolean {
    if (this.#closed) return false;
    if (this.#trouble !== null) return true;
    return this.#lastMediaAtMs !== null && nowMs - this.#lastMediaAtMs < PUBLISHER_PAUSE_MS;
  }

  /** Whether its media came, and has not for a second: one that connects has not paused. */
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

  /** Makes all media so far unreachable: who reads from now on learns nothing of what was before. */
  forgetMedia(): void {
    for (const track of this.#tracks) track.forget();
  }

  /** One RTP or RTCP packet, to keep; anything else is dropped. */
  receive(packet: Buffer): void {
    const now = this.#options.nowMs();
    if (isRtcp(packet)) this.#receiveReports(packet, now);
    else if (isRtp(packet)) this.#receiveMedia(packet, now);
  }

  /** Its ingest says what keeps it from being shown; null when nothing does any more. */
  noteTrouble(trouble: IngestTrouble | null): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    this.excuseSilence(this.#options.nowMs());
    if (trouble !== null) this.#events?.trouble(trouble);
  }

  /** Its ingest says how B-frames are sent; null when there are none. */
  noteBFrames(bFrames: BFrameDelivery | null): void {
    if (bFrames === this.#bFrames) return;
    this.#bFrames = bFrames;
    if (bFrames === 'copied') this.#events?.copied();
  }

  /** It means to stop: unlike one that is lost it will not be back. */
  finish(): void {
    if (!this.#closed) this.#events?.finished();
  }

  /** Its transport says that it is over. */
  leave(): void {
    if (!this.#closed) this.#events?.gone();
  }

  /** Sends a receiver report to the other end; to be called each second. */
  sendReports(nowMs: number): void {
    const blocks = this.#reportBlocks(nowMs);
    if (blocks.length > 0) this.#options.upstream.report(blocks, this.track('video'));
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
      stream, session: this.session, codec: this.codec, viewers, trouble: this.#trouble,
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
      const track = this.#tracks.find((one) => one.noteReport(item, nowMs));
      if (track) this.#events?.report(track, item);
    }
  }

  #receiveMedia(packet: Buffer, nowMs: number): void {
    const events = this.#events;
    if (!events) return;
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
      if (due.length > 0) this.#options.upstream.requestAgain(track, due);
      if (track.hasMissing) this.#scheduleNacks(track);
    });
  }
}
