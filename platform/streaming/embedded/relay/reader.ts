import { CONNECT_TIMEOUT_MS, KEYFRAME_PER_READER_MS, READER_SILENCE_MS } from '../../limits.ts';
import { readRtcp, type RtcpItem } from '../../wire/rtcp.ts';
import { isRtcp, type VideoCodec } from '../../wire/rtp.ts';
import type { MediaKind } from '../../wire/sdp.ts';
import { Delivery, type SecondSent } from '../tracks/delivery.ts';
import type { OutgoingTrack } from '../tracks/outgoing-track.ts';

/** What a reader reports to its stream. */
export interface ReaderEvents {
  /** Its video can be sent from now on. */
  readonly joined: (reader: Reader) => void;
  readonly keyframeWanted: () => void;
  /** The transport is gone. */
  readonly gone: () => void;
}

/** The way to the reader: a peer, or a process of this machine. */
export interface Downstream {
  /** Ends the transport, with a final RTCP packet of the tracks and the reason, where it has them. */
  readonly close: (tracks: readonly OutgoingTrack[], reason: string) => void;
}

export interface ReaderOptions {
  readonly session: string;
  readonly codec: VideoCodec;
  /** True for a peer, with which somebody watches; false for a process of this machine. */
  readonly isViewer: boolean;
  /** Whether its reception is reported; a metered reader is sent nothing while it fails to report on it. */
  readonly isMetered: boolean;
  /** ICE user of its peer; null when it has no peer. */
  readonly iceUser: string | null;
  readonly tracks: readonly OutgoingTrack[];
  readonly downstream: Downstream;
  readonly nowMs: () => number;
}

/** One play session over any transport: the tracks through which a stream's packets leave. */
export class Reader {
  readonly session: string;
  readonly codec: VideoCodec;
  readonly isViewer: boolean;
  readonly isMetered: boolean;
  readonly iceUser: string | null;
  readonly #options: ReaderOptions;
  readonly #tracks: readonly OutgoingTrack[];
  #events: ReaderEvents | null = null;
  /** Until the transport is up, this is the session's start, and the time-out is that of connecting. */
  #lastReceivedMs: number;
  #silenceLimitMs = CONNECT_TIMEOUT_MS;
  #askedKeyframeAtMs = Number.NEGATIVE_INFINITY;
  readonly #delivery = new Delivery();
  #isConnected = false;
  #closed = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.session = options.session;
    this.codec = options.codec;
    this.isViewer = options.isViewer;
    this.isMetered = options.isMetered;
    this.iceUser = options.iceUser;
    this.#tracks = options.tracks;
    this.#lastReceivedMs = options.nowMs();
  }

  /** From now on it reads the stream behind these events. */
  attach(events: ReaderEvents): void {
    this.#events = events;
  }

  track(kind: MediaKind): OutgoingTrack | undefined {
    return kind === this.#tracks[0]?.kind ? this.#tracks[0] : this.#tracks[1];
  }

  get wantsKeyframe(): boolean {
    const video = this.track('video');
    return video !== undefined && video.open && video.keyframeWanted && !this.#delivery.isPaused;
  }

  /** Ends one second of a metered reader: what it was sent, and what it reported since the last call. */
  endSecond(): ReturnType<Delivery['take']> {
    this.#delivery.endSecond(this.#takeSent(), this.#options.nowMs());
    this.#pauseAsNeeded();
    return this.#delivery.take();
  }

  /** Ends the last second of a metered reader that is gone: unreported seconds count as lost. */
  endLast(): ReturnType<Delivery['take']> {
    this.#delivery.endSecond(this.#takeSent(), this.#options.nowMs());
    this.#delivery.settle();
    return this.#delivery.take();
  }

  #takeSent(): SecondSent {
    return Object.fromEntries(
      this.#tracks
        .filter((track) => track.takePacketsSent() > 0).map((track) => [track.kind, track.lastSequence]),
    );
  }

  /** Its transport is up: packets may be sent. */
  join(): void {
    if (this.#closed) return;
    for (const track of this.#tracks) track.open = true;
    this.#events?.joined(this);
  }

  /** Takes RTCP of a viewer; anything else is dropped. */
  receive(packet: Buffer): void {
    if (!isRtcp(packet)) return;
    const nowMs = this.#options.nowMs();
    this.noteLife(nowMs, READER_SILENCE_MS);
    for (const item of readRtcp(packet)) this.#answer(item, nowMs);
    if (!this.isMetered) return;
    this.#pauseAsNeeded();
    if (this.#delivery.resumes(nowMs)) this.#resume();
  }

  /**
   * The transport of a peer is up. It notices by itself when the other end is gone (RFC 7675), so an
   * unmetered player without RTCP may go on. A player that reports is expected to keep reporting.
   */
  connected(): void {
    this.#isConnected = true;
    this.noteLife(this.#options.nowMs(), this.isMetered ? READER_SILENCE_MS : Number.POSITIVE_INFINITY);
  }

  /** The reader gave a sign of life, and must give the next within this time. */
  noteLife(nowMs: number, silenceLimitMs: number): void {
    this.#lastReceivedMs = nowMs;
    this.#silenceLimitMs = silenceLimitMs;
  }

  /** True when nothing was received from it for too long. */
  isSilent(nowMs: number): boolean {
    return nowMs - this.#lastReceivedMs > this.#silenceLimitMs;
  }

  /** Whether its transport is alive although it does not report on its media. */
  lacksReports(nowMs: number): boolean {
    return this.#isConnected && this.isSilent(nowMs);
  }

  /** Restarts the silence timeout: without a publisher, a viewer has nothing to report on. */
  excuseSilence(nowMs: number): void {
    this.#lastReceivedMs = nowMs;
  }

  /** The reader cannot decode: requests a keyframe, unless it did so just now. */
  wantKeyframe(nowMs: number): void {
    const video = this.track('video');
    if (!video || nowMs - this.#askedKeyframeAtMs < KEYFRAME_PER_READER_MS) return;
    this.#askedKeyframeAtMs = nowMs;
    video.keyframeWanted = true;
    this.#events?.keyframeWanted();
  }

  /** Its transport is over. */
  leave(): void {
    if (!this.#closed) this.#events?.gone();
  }

  /** @param reason sent to its peer; none when empty */
  close(reason: string): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.downstream.close(this.#tracks, reason);
    for (const track of this.#tracks) track.open = false;
  }

  #answer(item: RtcpItem, nowMs: number): void {
    if (item.kind === 'report_blocks' && this.isMetered) {
      for (const block of item.blocks) {
        const track = this.#trackOf(block.ssrc);
        if (track) this.#delivery.reported(track.kind, block, nowMs);
      }
    }
    if (!('ssrc' in item)) return;
    const track = this.#trackOf(item.ssrc);
    if (item.kind === 'nack') track?.retransmit(item.sequences, nowMs);
    else if (item.kind === 'keyframe_request' && track) this.wantKeyframe(nowMs);
  }

  #trackOf(ssrc: number): OutgoingTrack | undefined {
    return this.#tracks.find((track) => track.ssrc === ssrc);
  }

  #pauseAsNeeded(): void {
    if (this.#delivery.isPaused) { for (const track of this.#tracks) track.pause(); }
  }

  #resume(): void {
    for (const track of this.#tracks) track.resume();
    if (!this.#closed) this.#events?.joined(this);
  }
}
