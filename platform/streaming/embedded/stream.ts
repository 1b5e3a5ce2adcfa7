import type { Clock } from '../../data/clock.ts';
import { EngineRefused, type DownReason, type StreamHealth, type StreamReport } from '../engine.ts';
import type { SenderReport } from '../wire/rtcp.ts';
import { timestampOf } from '../wire/rtp.ts';
import type { Offer } from '../wire/sdp.ts';
import type { IncomingTrack } from './incoming-track.ts';
import { KeyframeRequests } from './keyframe-requests.ts';
import { keepHeader } from './outgoing-track.ts';
import type { PeerAddress } from './peer.ts';
import { planPublishing, Publisher } from './publisher.ts';
import { planPlaying, Reader } from './reader.ts';

export interface StreamOptions {
  readonly name: string;
  readonly address: PeerAddress;
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
  #shed = false;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.name = options.name;
    this.#goneAtMs = options.nowMs();
    this.#keyframes = new KeyframeRequests({
      clock: options.clock,
      send: () => this.#publisher?.requestKeyframe(),
      wanted: () => this.#publisher !== null
        && [...this.#readers.values()].some((reader) => reader.wantsKeyframe),
    });
  }

  get hasPublisher(): boolean {
    return this.#publisher !== null;
  }

  get readerCount(): number {
    return this.#readers.size;
  }

  /** Nothing is attached any more: the stream can be forgotten. */
  get isEmpty(): boolean {
    return this.#publisher === null && this.#readers.size === 0;
  }

  /** Takes a publisher on, replacing a dead one or one of the same owner. */
  async publish(session: string, owner: string, offer: Offer): Promise<string> {
    const plan = planPublishing(offer);
    const present = this.#publisher;
    if (present) {
      const alive = present.isAlive(this.#options.nowMs());
      const isTaken = alive && present.owner !== owner;
      if (isTaken) throw new EngineRefused('stream_taken', 'another publisher is live');
      this.#endPublisher(alive ? 'replaced' : 'silent');
    }
    const { address, clock, nowMs } = this.#options;
    const publisher = new Publisher({
      session, owner, plan, address, clock, nowMs,
      events: {
        media: (track, packet, sequence, atMs) => this.#forward(track, packet, sequence, atMs),
        report: (track, report) => this.#forwardReport(track, report),
        up: () => this.#announce(session),
        gone: () => this.end(session),
      },
    });
    this.#publisher = publisher;
    // A reader cannot change its codec within a session: it leaves and asks again.
    for (const reader of this.#readers.values()) if (reader.codec !== plan.codec) this.#endReader(reader);
    return this.#negotiate(publisher);
  }

  /** Takes a reader on; refuses with `stream_offline` while nobody publishes. */
  async play(session: string, offer: Offer): Promise<string> {
    if (!this.#publisher) throw new EngineRefused('stream_offline', 'nobody publishes this stream');
    const plan = planPlaying(offer, this.#publisher.codec);
    const { address, clock, nowMs } = this.#options;
    const reader = new Reader({
      session, plan, address, clock, nowMs,
      events: {
        joined: (joined) => this.#welcome(joined),
        keyframeWanted: () => this.#keyframes.ask(),
        gone: () => this.end(session),
      },
    });
    this.#readers.set(session, reader);
    return this.#negotiate(reader);
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
    if (this.#publisher) this.#endPublisher('stopped');
    for (const reader of this.#readers.values()) this.#endReader(reader);
  }

  /** Reports to the publisher and its health; to be called each second. */
  takeHealth(nowMs: number, periodMs: number): StreamHealth | null {
    this.#publisher?.sendReports(nowMs);
    return this.#publisher?.isUp ? this.#publisher.takeHealth(this.name, this.#readers.size, periodMs) : null;
  }

  /** Ends whoever was silent for too long, and readers whose publisher stays away. */
  endSilent(nowMs: number): void {
    if (this.#publisher && !this.#publisher.isAlive(nowMs)) this.#endPublisher('silent');
    const abandoned = !this.#publisher && nowMs - this.#goneAtMs > this.#options.graceMs;
    for (const reader of this.#readers.values()) {
      if (abandoned || (this.#publisher && reader.isSilent(nowMs))) this.#endReader(reader);
      else if (!this.#publisher) reader.excuseSilence(nowMs);
    }
  }

  /** Starts every silence anew: the relay itself was asleep and must not judge by what it could not hear. */
  excuseSilence(nowMs: number): void {
    this.#publisher?.excuseSilence(nowMs);
    for (const reader of this.#readers.values()) reader.excuseSilence(nowMs);
  }

  #announce(session: string): void {
    this.#options.report({ kind: 'up', stream: this.name, session });
    if (this.#readers.size > 0) this.#keyframes.ask();
  }

  async #negotiate(side: Publisher | Reader): Promise<string> {
    try {
      return await side.negotiate();
    } catch (error) {
      this.end(side.session);
      throw error;
    }
  }

  #forward(track: IncomingTrack, packet: Buffer, sequence: number, nowMs: number): void {
    if (track.kind === 'video' && this.#skips(nowMs)) return;
    const restore = keepHeader(packet);
    const timestamp = timestampOf(packet);
    for (const reader of this.#readers.values()) {
      reader.track(track.kind)?.forward(track, packet, sequence, timestamp, nowMs);
    }
    restore();
  }

  /** Under overload video is skipped for all, and goes on with a fresh keyframe. */
  #skips(nowMs: number): boolean {
    const shed = this.#options.isShedding(nowMs);
    if (shed !== this.#shed) {
      this.#shed = shed;
      if (shed) for (const reader of this.#readers.values()) reader.track('video')?.skipToKeyframe();
      else this.#keyframes.ask();
    }
    return shed;
  }

  #forwardReport(track: IncomingTrack, report: SenderReport): void {
    for (const reader of this.#readers.values()) reader.track(track.kind)?.report(track, report);
  }

  /** A joining reader gets the running group of pictures, or else a fresh keyframe. */
  #welcome(reader: Reader): void {
    const source = this.#publisher?.track('video');
    if (source && reader.track('video')?.catchUp(source, this.#options.nowMs())) return;
    this.#keyframes.ask();
  }

  #endPublisher(reason: DownReason): void {
    const publisher = this.#publisher;
    if (!publisher) return;
    this.#publisher = null;
    this.#goneAtMs = this.#options.nowMs();
    this.#keyframes.close();
    publisher.close();
    for (const reader of this.#readers.values()) reader.track('video')?.skipToKeyframe();
    this.#options.report({ kind: 'down', stream: this.name, session: publisher.session, reason });
  }

  #endReader(reader: Reader): void {
    if (!this.#readers.delete(reader.session)) return;
    reader.close();
    this.#options.report({ kind: 'reader_gone', stream: this.name, session: reader.session });
  }
}
