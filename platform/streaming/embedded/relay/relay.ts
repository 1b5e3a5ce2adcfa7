import type { Clock } from '#platform/data/clock.ts';
import { baseOf, DERIVED, EngineRefused, type Patched, type StreamReport } from '../../engine.ts';
import { ADMISSION_LAG_MS, MAX_PUBLISHERS_PER_RELAY, MAX_TAPS_PER_RELAY, SHED_LAG_MS } from '../../limits.ts';
import type { LocalDoor } from '../../local/door.ts';
import { readFragment } from '../../wire/sdp-fragment.ts';
import { readOffer } from '../../wire/sdp.ts';
import { Feed } from '../feed.ts';
import { PeerPublisher, planPublishing } from '../peers/peer-publisher.ts';
import { PeerReader, planPlaying } from '../peers/peer-reader.ts';
import type { PeerWays } from '../peers/peer.ts';
import { Tap } from '../tap.ts';
import { LagGauge, TICK_MS } from '../tracks/lag-gauge.ts';
import type { RelayOutcome, RelayRequest, RelaySettings } from './relay-protocol.ts';
import { Stream } from './stream.ts';

const HEALTH_PERIOD_MS = 1_000;
/** A tick this late means that the relay was asleep (a suspended machine, a starved core). */
const ASLEEP_MS = 1_000;

export interface RelayOptions {
  readonly settings: RelaySettings;
  readonly door: LocalDoor;
  readonly ways: PeerWays;
  readonly clock: Clock;
  /** Milliseconds of a monotonic clock. */
  readonly nowMs: () => number;
  readonly report: (reports: readonly StreamReport[]) => void;
}

/** A request of one kind. */
type Ask<K extends RelayRequest['kind']> = Extract<RelayRequest, { kind: K }>;

/** All streams of one relay process: admission, sessions, time-outs, reports. */
export class Relay {
  readonly #options: RelayOptions;
  readonly #streams = new Map<string, Stream>();
  readonly #gauge: LagGauge;
  readonly #cancels: (() => void)[];
  #healthAtMs: number;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#healthAtMs = options.nowMs();
    this.#gauge = new LagGauge(options.nowMs());
    this.#cancels = [
      options.clock.every('lag', TICK_MS, () => this.#checkLag()),
      options.clock.every('health', HEALTH_PERIOD_MS, () => this.#reportHealth()),
    ];
  }

  /** Handles a request of the parent. Rejects with {@link EngineRefused}. */
  async handle(request: RelayRequest): Promise<RelayOutcome> {
    switch (request.kind) {
      case 'publish':
        return this.#publish(request);
      case 'play':
        return this.#play(request);
      case 'tap':
        return this.#tap(request);
      case 'feed':
        return this.#feed(request);
      case 'patch':
        return this.#patch(request);
      case 'end':
        return this.#end(request.session);
      case 'stop':
        for (const stream of this.#family(request.stream)) stream.stop();
        return true;
      case 'move':
        return this.#move(request);
      case 'vacate':
        this.#vacate(request.stream);
        return true;
    }
  }

  close(): void {
    for (const cancel of this.#cancels) cancel();
    for (const stream of this.#streams.values()) stream.stop();
  }

  async #publish(
    { session, stream: name, owner, onlyPaused, offer: text }: Ask<'publish'>,
  ): Promise<string> {
    const offer = readOffer(text);
    this.#admitPublisher(name);
    const plan = planPublishing(offer);
    const stream = this.#open(name);
    stream.makeRoom(owner, onlyPaused);
    const { ways, clock, nowMs } = this.#options;
    const peer = new PeerPublisher({ session, owner, plan, ways, clock, nowMs });
    stream.publish(peer.publisher);
    return this.#negotiate(session, peer);
  }

  async #play({ session, stream: name, offer: text, isMetered }: Ask<'play'>): Promise<string> {
    const offer = readOffer(text);
    this.#admitReader();
    const stream = this.#live(name);
    const { ways, clock, nowMs } = this.#options;
    const peer = new PeerReader({
      session,
      plan: planPlaying(offer, stream.codec),
      isMetered,
      ways,
      clock,
      nowMs,
    });
    stream.play(peer.reader);
    return this.#negotiate(session, peer);
  }

  #tap({ session, stream: name }: Ask<'tap'>): boolean {
    const stream = this.#live(name);
    const taps = this.#count((item) => item.tapCount);
    if (taps >= MAX_TAPS_PER_RELAY) throw new EngineRefused('overloaded', 'too many local readers');
    const { door, nowMs } = this.#options;
    stream.play(new Tap({ session, codec: stream.codec, door, nowMs }).reader);
    return true;
  }

  #feed({ session, stream: name, owner, onlyPaused }: Ask<'feed'>): boolean {
    this.#admitPublisher(name);
    const stream = this.#open(name);
    stream.makeRoom(owner, onlyPaused);
    const { door, clock, nowMs } = this.#options;
    stream.publish(new Feed({ session, owner, door, clock, nowMs }).publisher);
    return true;
  }

  /**
   * All in one turn of the event loop: by the time the publisher has its new name, every reader of the old
   * name, or of a stream derived from it, is cut.
   */
  #move({ from, to }: Ask<'move'>): string {
    const source = this.#live(from);
    this.#streams.get(to)?.makeRoom(null);
    const publisher = source.release();
    if (!publisher) throw new EngineRefused('stream_offline', 'nobody publishes this stream');
    for (const stream of this.#family(from)) stream.stop();
    this.#open(to).publish(publisher);
    return publisher.session;
  }

  #vacate(name: string): void {
    this.#streams.get(name)?.makeRoom(null);
    for (const stream of this.#family(name)) stream.stop();
  }

  #patch({ session, fragment: text }: Ask<'patch'>): Patched {
    const [found] = [...this.#streams.values()].flatMap((stream) => stream.find(session) ?? []);
    if (!found?.iceUser) throw new EngineRefused('session_unknown', 'there is no such session');
    const { credentials } = readFragment(text);
    // The relay is reachable and learns a peer's address from its checks: it needs no remote candidates.
    const isRestart = credentials !== null && credentials.user !== found.iceUser;
    return { kind: isRestart ? 'restart_unsupported' : 'noted' };
  }

  async #negotiate(session: string, peer: { negotiate: () => Promise<string> }): Promise<string> {
    try {
      return await peer.negotiate();
    } catch (error) {
      this.#end(session);
      throw error;
    }
  }

  #end(session: string): boolean {
    return [...this.#streams.values()].some((stream) => stream.end(session));
  }

  /** The stream and those derived from it that live here. */
  #family(name: string): Stream[] {
    const derived = name + DERIVED;
    return [...this.#streams.values()]
      .filter((stream) => stream.name === name || stream.name.startsWith(derived));
  }

  /** A stream that has a publisher. */
  #live(name: string): Stream {
    const stream = this.#streams.get(name);
    if (!stream?.hasPublisher) throw new EngineRefused('stream_offline', 'nobody publishes this stream');
    return stream;
  }

  #open(name: string): Stream {
    const present = this.#streams.get(name);
    if (present) return present;
    const { settings, clock, nowMs, report } = this.#options;
    const stream = new Stream({
      name,
      clock,
      nowMs,
      graceMs: settings.graceMs,
      isShedding: (atMs) => this.#gauge.lagMs(atMs) > SHED_LAG_MS,
      report: (item) => report([item]),
    });
    this.#streams.set(name, stream);
    return stream;
  }

  #count(of: (stream: Stream) => number): number {
    let count = 0;
    for (const stream of this.#streams.values()) count += of(stream);
    return count;
  }

  #admitPublisher(stream: string): void {
    if (this.#streams.get(stream)?.hasPublisher) return;
    const publishers = this.#count((item) => (item.hasPublisher ? 1 : 0));
    if (publishers >= MAX_PUBLISHERS_PER_RELAY) throw new EngineRefused('overloaded', 'too many publishers');
  }

  #admitReader(): void {
    const { settings, nowMs } = this.#options;
    const viewers = this.#count((stream) => stream.viewerCount);
    if (viewers >= settings.maxReaders) throw new EngineRefused('overloaded', 'too many readers');
    const isBehind = this.#gauge.lagMs(nowMs()) > ADMISSION_LAG_MS;
    if (isBehind) throw new EngineRefused('overloaded', 'the relay is behind');
  }

  #checkLag(): void {
    const nowMs = this.#options.nowMs();
    const isAwake = this.#gauge.tick(nowMs) < ASLEEP_MS;
    for (const stream of this.#streams.values()) {
      stream.keepKeyframesComing(nowMs);
      if (!isAwake) stream.excuseSilence(nowMs);
    }
  }

  #reportHealth(): void {
    const nowMs = this.#options.nowMs();
    const periodMs = nowMs - this.#healthAtMs;
    this.#healthAtMs = nowMs;
    const reports: StreamReport[] = [];
    for (const stream of this.#basesFirst()) {
      const health = stream.takeHealth(nowMs, periodMs);
      // Without a report nothing is taken: what readers reported goes into the next one.
      if (health) reports.push({ kind: 'health', health, readers: stream.takeReaders() });
    }
    // Readers that are cut for silence below still received this second: it is reported before their end.
    if (reports.length > 0) this.#options.report(reports);
    for (const [name, stream] of this.#streams) {
      // When this report is late, the lag check is late too and has not run yet.
      if (this.#gauge.lagMs(nowMs) < ASLEEP_MS) stream.endSilent(nowMs);
      if (stream.isEmpty) this.#streams.delete(name);
    }
  }

  /** A stream reports its second before its renditions do: the stream itself counts the seconds. */
  #basesFirst(): Stream[] {
    const streams = [...this.#streams.values()];
    const isBase = ({ name }: Stream): boolean => baseOf(name) === name;
    return [...streams.filter(isBase), ...streams.filter((stream) => !isBase(stream))];
  }
}
