import type { Clock } from '#platform/data/clock.ts';
import {
  EngineRefused,
  type DownReason,
  type GoneReason,
  type ReaderHealth,
  type StreamHealth,
  type StreamReport,
} from '../../engine.ts';
import { TAP_KEYFRAME_MS } from '../../limits.ts';
import type { SenderReport } from '../../wire/rtcp.ts';
import { timestampOf, type VideoCodec } from '../../wire/rtp.ts';
import type { IncomingTrack } from '../tracks/incoming-track.ts';
import { KeyframeRequests } from '../tracks/keyframe-requests.ts';
import { keepHeader } from '../tracks/outgoing-track.ts';
import type { Publisher } from './publisher.ts';
import type { Reader } from './reader.ts';

/** The reason in the RTCP BYE of a reader that is cut for silence. */
const NO_REPORTS = 'no RTCP receiver reports';

export interface StreamOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly nowMs: () => number;
  /** How long readers stay without a publisher. */
  readonly graceMs: number;
  /** True while the relay is so far behind that video must be skipped. */
  readonly isShedding: (nowMs: number) => boolean;
  readonly report: (report: StreamReport) => void;
}

/** One stream: at most one publisher, any number of readers, and the packets between them. */
export class Stream {
  readonly name: string;
  readonly #options: StreamOptions;
  readonly #readers = new Map<string, Reader>();
  readonly #keyframes: KeyframeRequests;
  #publisher: Publisher | null = null;
  #goneAtMs: number;
  #viewers = 0;
  #shed = false;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.name = options.name;
    this.#goneAtMs = options.nowMs();
    this.#keyframes = new KeyframeRequests({
      clock: options.clock,
      send: () => this.#publisher?.requestKeyframe(),
      wanted: () =>
        this.#publisher !== null
        && [...this.#readers.values()].some((reader) => reader.wantsKeyframe),
    });
  }

  get hasPublisher(): boolean {
    return this.#publisher !== null;
  }

  /** Readers that are viewers. */
  get viewerCount(): number {
    return this.#viewers;
  }

  /** Readers that are processes of this machine. */
  get tapCount(): number {
    return this.#readers.size - this.#viewers;
  }

  /** Whether no session is attached any more, so that the stream can be forgotten. */
  get isEmpty(): boolean {
    return this.#publisher === null && this.#readers.size === 0;
  }

  /** The codec of its publisher. Throws {@link EngineRefused} `stream_offline` while nobody publishes. */
  get codec(): VideoCodec {
    if (!this.#publisher) throw new EngineRefused('stream_offline', 'nobody publishes this stream');
    return this.#publisher.codec;
  }

  /**
   * Ends a publisher that is dead or belongs to this owner, so that another can follow. Throws
   * {@link EngineRefused} `stream_taken` when a publisher of another owner is alive. With a null owner every
   * live publisher counts as another's; with `onlyPaused` every one that sends or connects does.
   */
  makeRoom(owner: string | null, onlyPaused = false): void {
    const present = this.#publisher;
    if (!present) return;
    const nowMs = this.#options.nowMs();
    const alive = present.isAlive(nowMs);
    if (alive && (present.owner !== owner || (onlyPaused && !present.isPaused(nowMs)))) {
      throw new EngineRefused('stream_taken', 'another publisher is live');
    }
    this.#endPublisher(alive ? 'replaced' : 'silent');
  }

  /** Attaches a publisher. `makeRoom` comes first. */
  publish(publisher: Publisher): void {
    this.#publisher = publisher;
    publisher.attach({
      media: (track, packet, sequence, atMs) => this.#forward(track, packet, sequence, atMs),
      report: (track, report) => this.#forwardReport(track, report),
      up: () => this.#publishAvailability(publisher.session),
      trouble: (trouble) =>
        this.#options.report({
          kind: 'trouble',
          stream: this.name,
          session: publisher.session,
          trouble,
        }),
      copied: () => this.#endPeers(),
      finished: () => {
        if (this.#publisher === publisher) this.#endPublisher('finished');
      },
      gone: () => this.end(publisher.session),
    });
    // A reader cannot change its codec within a session: it is cut and asks again.
    for (const reader of this.#readers.values()) {
      if (reader.codec !== publisher.codec) this.#endReader(reader);
    }
    if (!publisher.isForPeers) this.#endPeers();
    if (publisher.isUp && this.#readers.size > 0) this.#keyframes.ask();
  }

  /** Attaches a reader. Throws {@link EngineRefused} `unsupported_codec` for a peer and B-frames. */
  play(reader: Reader): void {
    if (reader.isViewer && this.#publisher?.isForPeers === false) {
      throw new EngineRefused('unsupported_codec', 'B-frames are not shown over WebRTC');
    }
    this.#readers.set(reader.session, reader);
    if (reader.isViewer) this.#viewers += 1;
    reader.attach({
      joined: (joined) => this.#welcome(joined),
      keyframeWanted: () => this.#keyframes.ask(),
      gone: () => this.end(reader.session),
    });
  }

  /**
   * Detaches its publisher and cuts every reader. What was published so far stays under this name: readers of
   * the new name get none of it. Null when nobody publishes.
   */
  release(): Publisher | null {
    const publisher = this.#publisher;
    if (!publisher) return null;
    this.#publisher = null;
    this.#keyframes.close();
    this.cutReaders();
    publisher.forgetMedia();
    return publisher;
  }

  /** The publish or play session with this id. */
  find(session: string): Publisher | Reader | null {
    const publisher = this.#publisher?.session === session ? this.#publisher : null;
    return publisher ?? this.#readers.get(session) ?? null;
  }

  /** Ends a publish or play session of this stream; false when there is none. */
  end(session: string): boolean {
    const reader = this.#readers.get(session);
    if (reader) this.#endReader(reader);
    else if (this.#publisher?.session === session) this.#endPublisher('ended');
    else return false;
    return true;
  }

  /** Cuts the publisher and every reader. */
  stop(): void {
    this.#endPublisher('stopped');
    this.cutReaders();
  }

  cutReaders(): void {
    for (const reader of this.#readers.values()) this.#endReader(reader);
  }

  /** Sends a report to the publisher, and returns its health. Called each second. */
  takeHealth(nowMs: number, periodMs: number): StreamHealth | null {
    this.#publisher?.sendReports(nowMs);
    return this.#publisher?.isUp ? this.#publisher.takeHealth(this.name, this.#viewers, periodMs) : null;
  }

  /** What each metered reader was sent, and what it received since the last call. Ends their second. */
  takeReaders(): ReaderHealth[] {
    return [...this.#readers.values()].filter((reader) => reader.isMetered).map((reader) => (
      { session: reader.session, ...reader.endSecond() }
    ));
  }

  /** Ends sessions that were silent for too long, and readers whose publisher stays away. */
  endSilent(nowMs: number): void {
    if (this.#publisher && !this.#publisher.isAlive(nowMs)) this.#endPublisher('silent');
    const abandoned = !this.#publisher && nowMs - this.#goneAtMs > this.#options.graceMs;
    for (const reader of this.#readers.values()) {
      if (abandoned) this.#endReader(reader);
      else if (this.#publisher && reader.isSilent(nowMs)) {
        this.#endReader(reader, reader.lacksReports(nowMs) ? 'silent' : 'ended');
      } else if (!this.#publisher) reader.excuseSilence(nowMs);
    }
  }

  /** Restarts every silence timeout, because the relay itself was asleep and received nothing meanwhile. */
  excuseSilence(nowMs: number): void {
    this.#publisher?.excuseSilence(nowMs);
    for (const reader of this.#readers.values()) reader.excuseSilence(nowMs);
  }

  /** Requests a keyframe when a process reads the stream and none came recently. Called every tick. */
  keepKeyframesComing(nowMs: number): void {
    if (this.tapCount === 0 || !this.#publisher?.isUp) return;
    const video = this.#publisher.track('video');
    if (video && nowMs - video.keyframeAtMs >= TAP_KEYFRAME_MS) this.#keyframes.ask();
  }

  #publishAvailability(session: string): void {
    this.#options.report({ kind: 'up', stream: this.name, session });
    if (this.#readers.size > 0) this.#keyframes.ask();
  }

  #forward(track: IncomingTrack, packet: Buffer, sequence: number, nowMs: number): void {
    if (track.kind === 'video' && this.#skips(nowMs)) return;
    const restore = keepHeader(packet);
    const timestamp = timestampOf(packet);
    for (const reader of this.#readers.values()) {
      reader.track(track.kind)?.forward(track, packet, sequence, timestamp, nowMs);
    }
    restore();
    if (!track.isKeyframeLate) return;
    for (const reader of this.#readers.values()) reader.track(track.kind)?.beginLate(track, nowMs);
  }

  /** Under overload video is skipped for all readers, and resumes with a fresh keyframe. */
  #skips(nowMs: number): boolean {
    const shed = this.#options.isShedding(nowMs);
    if (shed !== this.#shed) {
      this.#shed = shed;
      if (shed) { for (const reader of this.#readers.values()) reader.track('video')?.skipToKeyframe(); }
      else this.#keyframes.ask();
    }
    return shed;
  }

  #forwardReport(track: IncomingTrack, report: SenderReport): void {
    for (const reader of this.#readers.values()) reader.track(track.kind)?.report(track, report);
  }

  /**
   * A joining reader gets the running group of pictures, or otherwise a fresh keyframe. A metered reader gets
   * nothing sent before it joined: by joining again and again it would receive those seconds unmetered.
   */
  #welcome(reader: Reader): void {
    const source = reader.isMetered ? undefined : this.#publisher?.track('video');
    if (source && reader.track('video')?.catchUp(source, this.#options.nowMs())) return;
    this.#keyframes.ask();
  }

  #endPublisher(reason: DownReason): void {
    const publisher = this.#publisher;
    if (!publisher) return;
    this.#publisher = null;
    this.#goneAtMs = this.#options.nowMs();
    this.#keyframes.close();
    const wasSending = publisher.isSending(this.#options.nowMs());
    publisher.close();
    for (const reader of this.#readers.values()) reader.track('video')?.skipToKeyframe();
    this.#options.report({
      kind: 'down',
      stream: this.name,
      session: publisher.session,
      reason,
      ...(reason === 'replaced' ? { wasSending } : {}),
    });
  }

  /** Peers ask again and are refused; processes of this machine can read B-frames. */
  #endPeers(): void {
    for (const reader of this.#readers.values()) if (reader.isViewer) this.#endReader(reader);
  }

  #endReader(reader: Reader, reason: GoneReason = 'ended'): void {
    if (!this.#readers.delete(reader.session)) return;
    if (reader.isViewer) this.#viewers -= 1;
    reader.close(reason === 'silent' ? NO_REPORTS : '');
    const { session, isMetered } = reader;
    const last = isMetered ? { session, ...reader.endLast() } : null;
    this.#options.report({ kind: 'reader_gone', stream: this.name, session, reason, last });
  }
}
