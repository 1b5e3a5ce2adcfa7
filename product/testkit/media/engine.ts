import { randomId } from '#platform/data/ids.ts';
import { Delivery } from '#platform/streaming/embedded/tracks/delivery.ts';
import {
  baseOf,
  EngineRefused,
  type DownReason,
  type Engine,
  type EngineRefusalCode,
  type GoneReason,
  type IngestTrouble,
  type LocalMedia,
  type LocalTicket,
  type PublishOptions,
  type StreamHealth,
  type StreamReport,
} from '#platform/streaming/engine.ts';

interface Publisher {
  readonly session: string;
  readonly owner: string;
  hasMedia: boolean;
  /** It sends nothing now, but may again. */
  isPaused: boolean;
}

interface Reader {
  readonly stream: string;
  readonly isMetered: boolean;
  /** How many packets the relay sends it in a second. */
  packetsPerSecond: number;
  /** Whether its receiver reports within each second. */
  reports: boolean;
  /** Whether the relay has sent it anything since the last report of the stream. */
  isSent: boolean;
  /** Seconds since it stopped reporting while media came in. */
  silentSeconds: number;
  /** Sequence number of its last packet. */
  sequence: number;
  readonly delivery: Delivery;
}

/** About 2 Mbit/s of video, and audio. */
const HEALTHY_PACKETS = 250;
/** A metered reader that does not report is dropped after this many seconds, unless `sends` is 0 for it. */
const SILENCE_SECONDS = 8;

const NOTHING_LOST = {
  ssrc: 1,
  fractionLost: 0,
  packetsLost: 0,
  jitter: 0,
  lastSenderReport: 0,
  sinceSenderReport: 0,
} as const;

/** User fragment and password of the ICE session in {@link TEST_OFFER}. */
export const TEST_ICE = { ufrag: 'EsAw', pwd: 'P2uYro0UCOQ4zxjKXaWCBui1' } as const;

/** An offer like those of browsers, reduced to what an engine reads. */
export const TEST_OFFER = [
  'v=0',
  'o=- 1 1 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'a=group:BUNDLE 0 1',
  `a=ice-ufrag:${TEST_ICE.ufrag}`,
  `a=ice-pwd:${TEST_ICE.pwd}`,
  'm=audio 9 UDP/TLS/RTP/SAVPF 111',
  'a=mid:0',
  'a=rtpmap:111 opus/48000/2',
  'm=video 9 UDP/TLS/RTP/SAVPF 102',
  'a=mid:1',
  'a=rtpmap:102 H264/90000',
  '',
].join('\r\n');

const ANSWER = 'v=0\r\no=- 2 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n';

const HEALTHY: Omit<StreamHealth, 'stream' | 'session' | 'viewers'> = {
  codec: 'H264',
  videoBitsPerSecond: 2_000_000,
  audioBitsPerSecond: 64_000,
  framesPerSecond: 30,
  lossFraction: 0,
  roundTripMs: 20,
  keyframeIntervalMs: 2_000,
  trouble: null,
  bFrames: null,
};

/** Value of the first line `a=<name>:` of an SDP or fragment, null when there is none. */
const attribute = (sdp: string, name: string): string | null =>
  new RegExp(`^a=${name}:(\\S+)\\r?$`, 'mu').exec(sdp)?.[1] ?? null;

/**
 * A fake of the media engine: it follows the rules of the port but moves no media. Tests decide when media
 * arrives and when it is lost.
 */
export class TestEngine implements Engine {
  readonly plays = 'whep';
  /** Sessions for processes on this machine. */
  readonly local: LocalMedia;
  /** Whether a PATCH can restart ICE. */
  canRestart = true;
  #restarting: () => Promise<void> = async () => undefined;
  readonly #publishers = new Map<string, Publisher>();
  /** By play session. */
  readonly #readers = new Map<string, Reader>();
  /** Local reader session → stream, for recording and segmenting. */
  readonly #taps = new Map<string, string>();
  /** Session → user fragment of its ICE session. */
  readonly #ice = new Map<string, string>();
  readonly #listeners = new Set<(report: StreamReport) => void>();
  #refusal: EngineRefusalCode | null = null;
  /** Delayed reports of replaced publishers; null while they are sent at once. */
  #delayed: StreamReport[] | null = null;
  /** Moves wait for this promise. */
  #moving: Promise<void> = Promise.resolve();

  constructor() {
    const ticket = (session: string): LocalTicket => ({ session, socketPath: '/nowhere/relay.sock' });
    this.local = {
      feed: async (stream, options) => ticket(this.#admit(stream, options)),
      tap: async (stream) => {
        this.#checkLive(stream);
        const session = randomId();
        this.#taps.set(session, stream);
        return ticket(session);
      },
      end: (session) => this.end(session),
    };
  }

  readonly start: Engine['start'] = async () => {};
  readonly close: Engine['close'] = async () => {};
  readonly features: Engine['features'] = () => [{ name: 'media', on: false, detail: 'simulated' }];

  readonly publish: Engine['publish'] = async (stream, offer, options) => {
    this.#check(offer);
    const session = this.#admit(stream, options);
    this.#ice.set(session, attribute(offer, 'ice-ufrag') ?? '');
    return { session, answer: ANSWER };
  };

  readonly play: Engine['play'] = async (stream, offer, { isMetered = false } = {}) => {
    this.#check(offer);
    this.#checkLive(stream);
    const session = randomId();
    this.#readers.set(session, {
      stream,
      isMetered,
      packetsPerSecond: HEALTHY_PACKETS,
      reports: true,
      isSent: false,
      silentSeconds: 0,
      sequence: 0,
      delivery: new Delivery(),
    });
    this.#ice.set(session, attribute(offer, 'ice-ufrag') ?? '');
    return { session, answer: ANSWER };
  };

  /** The next ICE restart begins and waits for `finish`. */
  holdsRestart(): { readonly begun: Promise<void>; readonly finish: () => void } {
    let finish = (): void => undefined;
    const finished = new Promise<void>((done) => {
      finish = done;
    });
    const begun = new Promise<void>((done) => {
      this.#restarting = () => {
        this.#restarting = async () => undefined;
        done();
        return finished;
      };
    });
    return { begun, finish };
  }

  readonly patch: Engine['patch'] = async (session, fragment) => {
    if (this.#refusal) throw new EngineRefused(this.#refusal, 'as the test says');
    const known = this.#ice.get(session);
    if (known === undefined) throw new EngineRefused('session_unknown', 'no such session');
    const ufrag = attribute(fragment, 'ice-ufrag');
    if (ufrag === null || attribute(fragment, 'ice-pwd') === null) {
      throw new EngineRefused('malformed_fragment', 'no ICE credentials');
    }
    if (ufrag === known) return { kind: 'noted' };
    if (!this.canRestart) return { kind: 'restart_unsupported' };
    await this.#restarting();
    this.#ice.set(session, ufrag);
    return { kind: 'restarted', fragment: 'a=ice-ufrag:289b31b7\r\na=ice-pwd:0b66f472495ef0ccac7bda65\r\n' };
  };

  readonly end: Engine['end'] = async (session) => {
    this.#ice.delete(session);
    if (this.#endReader(session) || this.#taps.delete(session)) return true;
    const publisher = [...this.#publishers].find(([, one]) => one.session === session);
    if (publisher) this.drop(publisher[0], 'ended');
    return publisher !== undefined;
  };

  readonly stop: Engine['stop'] = async (stream) => {
    this.#cutReaders(stream);
    for (const name of this.#namesOf(stream)) this.drop(name, 'stopped');
  };

  readonly move: Engine['move'] = async (from, to) => {
    await this.#moving;
    const publisher = this.#publishers.get(from);
    if (!publisher) throw new EngineRefused('stream_offline', 'nobody publishes');
    if (this.#publishers.has(to)) throw new EngineRefused('stream_taken', 'somebody publishes there');
    this.#publishers.delete(from);
    await this.stop(from);
    this.#publishers.set(to, publisher);
  };

  readonly onReport: Engine['onReport'] = (listener) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** From now on, moves of streams begin and wait; returns a function that lets them finish. */
  holdsMoves(): () => void {
    let finish = (): void => undefined;
    this.#moving = new Promise<void>((done) => {
      finish = done;
    });
    return finish;
  }

  /**
   * From now on a newer publisher is answered before the end of the one it replaced is reported; returns a
   * function that sends these reports, and ends that.
   */
  delaysReplaced(): () => void {
    this.#delayed = [];
    return () => {
      const reports = this.#delayed ?? [];
      this.#delayed = null;
      for (const report of reports) this.#report(report);
    };
  }

  /** Streams that have a publisher now. */
  get streams(): readonly string[] {
    return [...this.#publishers.keys()];
  }

  /** Play sessions of a stream. */
  readersOf(stream: string): number {
    return [...this.#readers.values()].filter((reader) => reader.stream === stream).length;
  }

  /** Play sessions of a stream that the site meters. */
  meteredReadersOf(stream: string): string[] {
    return this.#metered(stream).map(([session]) => session);
  }

  /** From now on the relay sends a reader this many packets a second; 0 when its network accepts none. */
  sends(session: string, packetsPerSecond: number): void {
    this.#reader(session).packetsPerSecond = packetsPerSecond;
  }

  /** From now on a reader reports what it receives, or does not. */
  setReports(session: string, reports: boolean): void {
    this.#reader(session).reports = reports;
  }

  /** Drops a connected reader that does not report. */
  cutSilent(session: string): void {
    this.#endReader(session, 'silent');
  }

  /** The relay sends a reader something in the current second; false if nothing is sent to it. */
  sendsNow(session: string): boolean {
    const reader = this.#reader(session);
    if (reader.delivery.isPaused) return false;
    reader.isSent = true;
    return true;
  }

  /** Delivers the first packet of every publisher that has sent none yet. */
  arrive(): void {
    for (const stream of this.streams) this.arriveAt(stream);
  }

  /** Delivers the first packet of one publisher, if it has sent none yet. */
  arriveAt(stream: string): void {
    const publisher = this.#publisherOf(stream);
    if (publisher.hasMedia) return;
    publisher.hasMedia = true;
    this.#report({ kind: 'up', stream, session: publisher.session });
  }

  /** Whether a stream has a publisher with media. */
  isLive(stream: string): boolean {
    return this.#publishers.get(stream)?.hasMedia === true;
  }

  /** A publisher's connection is interrupted: it does not count as gone yet. */
  pause(stream: string): void {
    this.#publisherOf(stream).isPaused = true;
  }

  /** Drops a publisher. */
  drop(stream: string, reason: DownReason): void {
    const publisher = this.#publishers.get(stream);
    if (!publisher) return;
    this.#publishers.delete(stream);
    this.#ice.delete(publisher.session);
    const wasSending = publisher.hasMedia && !publisher.isPaused;
    const { session } = publisher;
    const more = reason === 'replaced' ? { wasSending } : {};
    const report = { kind: 'down', stream, session, reason, ...more } as const;
    if (reason === 'replaced' && this.#delayed) this.#delayed.push(report);
    else this.#report(report);
  }

  /** Loses the relay, with all its publishers and readers. */
  loseRelay(): void {
    for (const [session, { stream }] of this.#readers) {
      this.#report({ kind: 'reader_gone', stream, session, reason: 'ended', last: null });
    }
    this.#readers.clear();
    this.#taps.clear();
    for (const stream of this.streams) this.drop(stream, 'relay_lost');
  }

  /** Reports one second of measurements of a live publisher and of its metered readers. */
  measure(stream: string, health: Partial<StreamHealth> = {}): void {
    const { session } = this.#publisherOf(stream);
    const viewers = this.readersOf(stream);
    const measured = { ...HEALTHY, stream, session, viewers, ...health };
    const comesIn = measured.videoBitsPerSecond + measured.audioBitsPerSecond > 0;
    const readers = this.#metered(stream).map(([of, reader]) => {
      this.#passes(reader, comesIn);
      return { session: of, ...reader.delivery.take() };
    });
    this.report({ kind: 'health', health: measured, readers });
    for (const [of, { silentSeconds }] of this.#metered(stream)) {
      if (silentSeconds > SILENCE_SECONDS) this.cutSilent(of);
    }
  }

  /** Reports a second of a live publisher, and then of its renditions, like a relay. */
  measureAll(stream: string): void {
    this.measure(stream);
    for (const name of this.#namesOf(stream)) if (name !== stream) this.measure(name);
  }

  /** Reports why a publisher sends no media. */
  trouble(stream: string, trouble: IngestTrouble): void {
    this.report({ kind: 'trouble', stream, session: this.#publisherOf(stream).session, trouble });
  }

  /** Refuses every publish, play and patch from now on with this code; null ends it. */
  refuseWith(code: EngineRefusalCode | null): void {
    this.#refusal = code;
  }

  /** Sends a report of any kind, e.g. a late one. */
  report(report: StreamReport): void {
    this.#report(report);
  }

  #metered(stream: string): [string, Reader][] {
    return [...this.#readers].filter(([, reader]) => reader.isMetered && reader.stream === stream);
  }

  #reader(session: string): Reader {
    const reader = this.#readers.get(session);
    if (!reader) throw new Error(`nobody plays as ${session}`);
    return reader;
  }

  /** A metered reader's second ends with its report; a sign of life ends a pause. */
  #passes(reader: Reader, comesIn: boolean): void {
    const { delivery, packetsPerSecond, reports } = reader;
    const isSent = comesIn && packetsPerSecond > 0 && !delivery.isPaused;
    if (isSent) reader.sequence += packetsPerSecond;
    delivery.endSecond(isSent || reader.isSent ? { video: reader.sequence } : {}, 0);
    reader.isSent = false;
    reader.silentSeconds = reports ? 0 : reader.silentSeconds + Number(comesIn);
    if (!reports || packetsPerSecond === 0) return;
    delivery.reported('video', { ...NOTHING_LOST, highestSequence: reader.sequence }, 0);
    delivery.resumes(0);
  }

  #endReader(session: string, reason: GoneReason = 'ended'): boolean {
    const reader = this.#readers.get(session);
    if (!reader || !this.#readers.delete(session)) return false;
    const { stream, isMetered, isSent, sequence, delivery } = reader;
    delivery.endSecond(isSent ? { video: sequence } : {}, 0);
    delivery.settle();
    const last = isMetered ? { session, ...delivery.take() } : null;
    this.#report({ kind: 'reader_gone', stream, session, reason, last });
    return true;
  }

  #publisherOf(stream: string): Publisher {
    const publisher = this.#publishers.get(stream);
    if (!publisher) throw new Error(`nobody publishes ${stream}`);
    return publisher;
  }

  #admit(stream: string, { owner, onlyPaused = false }: PublishOptions): string {
    if (this.#refusal) throw new EngineRefused(this.#refusal, 'as the test says');
    const before = this.#publishers.get(stream);
    if (before && before.owner !== owner) throw new EngineRefused('stream_taken', 'another owner publishes');
    const hasPaused = before?.hasMedia === true && before.isPaused;
    if (before && onlyPaused && !hasPaused) throw new EngineRefused('stream_taken', 'it has not paused');
    if (before) this.drop(stream, 'replaced');
    const session = randomId();
    this.#publishers.set(stream, { session, owner, hasMedia: false, isPaused: false });
    return session;
  }

  #checkLive(stream: string): void {
    if (!this.isLive(stream)) throw new EngineRefused('stream_offline', 'nobody publishes');
  }

  #namesOf(stream: string): string[] {
    return [...this.#publishers.keys()].filter((name) => name === stream || baseOf(name) === stream);
  }

  #cutReaders(stream: string): void {
    const played = [...this.#readers].map(([session, reader]) => [session, reader.stream] as const);
    for (const [session, name] of [...played, ...this.#taps]) {
      if (name !== stream && baseOf(name) !== stream) continue;
      if (this.#endReader(session)) continue;
      this.#taps.delete(session);
      this.#report({ kind: 'reader_gone', stream: name, session, reason: 'ended', last: null });
    }
  }

  #check(offer: string): void {
    if (this.#refusal) throw new EngineRefused(this.#refusal, 'as the test says');
    if (!/^v=0\r?\n/u.test(offer) || !offer.includes('m=')) {
      throw new EngineRefused('malformed_offer', 'not SDP');
    }
    if (!/H264|VP8/u.test(offer) || !/opus/iu.test(offer)) {
      throw new EngineRefused('unsupported_codec', 'no codec');
    }
  }

  #report(report: StreamReport): void {
    for (const listener of this.#listeners) listener(report);
  }
}
