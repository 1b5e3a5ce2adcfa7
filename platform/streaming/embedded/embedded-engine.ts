import { systemClock, type Clock } from '#platform/data/clock.ts';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { childEntry, type ChildEntry } from '../child-entry.ts';
import {
  baseOf,
  EngineRefused,
  type Engine,
  type LocalMedia,
  type LocalTicket,
  type MediaFeature,
  type Patched,
  type StreamReport,
} from '../engine.ts';
import { MAX_FRAGMENT_BYTES, MAX_OFFER_BYTES, MAX_READERS_PER_RELAY, PUBLISHER_GRACE_MS } from '../limits.ts';
import { Placement } from './relay/placement.ts';
import { RelayProcess } from './relay/relay-process.ts';
import type { RelayOutcome, RelayRequest } from './relay/relay-protocol.ts';

export interface EmbeddedEngineOptions {
  /** UDP port of the first relay; the others take the following ones. */
  readonly udpPort: number;
  /**
   * Whether each relay has a second UDP port for peers behind TURN over TCP (see `TurnBridge`). These ports
   * follow the ports of all relays. Off by default.
   */
  readonly hasTurnPorts?: boolean;
  /** Relay processes, at most one per core. One by default. */
  readonly relays?: number;
  /** Address the relays listen on; every interface when absent. */
  readonly bindAddress?: string;
  /** Public address offered to peers instead of the machine's own, behind NAT (`PUBLIC_IP`). */
  readonly publicAddress?: string;
  /**
   * Loopback address offered as well, for a site that listens on loopback. The relays must then listen on
   * every interface: Firefox pairs none of its addresses with loopback and checks the machine's own.
   */
  readonly loopbackAddress?: string;
  /** Viewers one relay takes before it refuses with `overloaded`. */
  readonly maxReadersPerRelay?: number;
  /** How long viewers stay attached without a publisher, in milliseconds. */
  readonly graceMs?: number;
  /** The relay program; found beside this module by default, see {@link childEntry}. */
  readonly entry?: ChildEntry;
  readonly clock?: Clock;
  /** Called when a relay process dies; the engine restarts it. */
  readonly onRelayLost?: (relay: number, detail: string) => void;
}

interface Session {
  /** Changes when a publisher is moved. */
  stream: string;
  readonly relay: number;
  readonly isPublisher: boolean;
  /** Whether the caller has its answer: before that, reports of this session mean nothing to anyone. */
  answered: boolean;
}

/** Session ids are credentials (RFC 9725 §4.2: knowing the resource is enough to end it): 192 random bits. */
const SESSION_BYTES = 24;
/** Makes names of local sockets unguessable where no directory protects them. */
const SOCKET_NAME_BYTES = 16;

/** The UDP ports of each relay; no two relays share one. */
export function portsOf(
  { udpPort, relays: wanted = 1, hasTurnPorts = false }: Pick<
    EmbeddedEngineOptions,
    'udpPort' | 'relays' | 'hasTurnPorts'
  >,
): { readonly udpPort: number; readonly turnPort: number | null }[] {
  const relays = Math.max(1, wanted);
  return Array.from({ length: relays }, (_, index) => ({
    udpPort: udpPort + index,
    turnPort: hasTurnPorts ? udpPort + relays + index : null,
  }));
}

/** The engine on node-datachannel, in one or more relay processes. */
export class EmbeddedEngine implements Engine {
  readonly plays = 'whep';
  readonly #options: EmbeddedEngineOptions;
  readonly #relays: readonly RelayProcess[];
  readonly #sessions = new Map<string, Session>();
  readonly #placement: Placement;
  readonly #listeners = new Set<(report: StreamReport) => void>();
  /** Directory of the local sockets, accessible to this user only. */
  readonly #folder = join(tmpdir(), `candela-${randomBytes(SOCKET_NAME_BYTES).toString('hex')}`);

  constructor(options: EmbeddedEngineOptions) {
    this.#options = options;
    const ports = portsOf(options);
    const entry = options.entry ?? childEntry(import.meta.url, './relay/relay-child');
    this.#relays = ports.map(({ udpPort, turnPort }, index) =>
      new RelayProcess({
        entry,
        clock: options.clock ?? systemClock,
        settings: {
          address: {
            udpPort,
            bindAddress: options.bindAddress,
            publicAddress: options.publicAddress,
            loopbackAddress: options.loopbackAddress,
          },
          turnPort,
          socketPath: this.#socketPath(index),
          maxReaders: options.maxReadersPerRelay ?? MAX_READERS_PER_RELAY,
          graceMs: options.graceMs ?? PUBLISHER_GRACE_MS,
        },
        report: (report) => this.#onMessage(report),
        lost: (detail) => this.#loseRelay(index, detail),
      })
    );
    this.#placement = new Placement(this.#relays.length);
  }

  /** Process ids of the relays, for operators and tests. */
  readonly relayPids = (): readonly number[] => this.#relays.flatMap((relay) => relay.pid ?? []);

  /** Rejects when a relay cannot run, for example because its UDP port is taken. */
  readonly start = async (): Promise<void> => {
    try {
      // Fails when the directory exists already: it would belong to somebody else.
      if (process.platform !== 'win32') mkdirSync(this.#folder, { mode: 0o700 });
      await Promise.all(this.#relays.map((relay) => relay.start()));
    } catch (error) {
      await this.close();
      throw error;
    }
  };

  readonly features = (): readonly MediaFeature[] => {
    const first = this.#options.udpPort;
    const ports = this.#relays.length > 1 ? `${first}–${first + this.#relays.length - 1}` : String(first);
    return [{ name: 'WebRTC', on: true, detail: `WHIP and WHEP, H.264, VP8, Opus; UDP ${ports}` }];
  };

  readonly publish: Engine['publish'] = async (stream, offer, { owner, onlyPaused = false }) => {
    checkOffer(offer);
    const ask = (session: string): RelayRequest => ({
      kind: 'publish',
      session,
      stream,
      owner,
      onlyPaused,
      offer,
    });
    const { session, outcome } = await this.#begin(stream, true, ask);
    return { session, answer: String(outcome) };
  };

  readonly play: Engine['play'] = async (stream, offer, { isMetered = false } = {}) => {
    checkOffer(offer);
    const ask = (session: string): RelayRequest => ({ kind: 'play', session, stream, offer, isMetered });
    const { session, outcome } = await this.#begin(stream, false, ask);
    return { session, answer: String(outcome) };
  };

  readonly patch: Engine['patch'] = async (session, fragment) => {
    const known = this.#sessions.get(session);
    if (!known) throw new EngineRefused('session_unknown', 'there is no such session');
    if (fragment.length > MAX_FRAGMENT_BYTES) {
      throw new EngineRefused('malformed_fragment', 'the fragment is too large');
    }
    return await this.#relays[known.relay]!.ask({ kind: 'patch', session, fragment }) as Patched;
  };

  readonly end: Engine['end'] = async (session) => {
    const known = this.#sessions.get(session);
    if (!known) return false;
    return await this.#relays[known.relay]!.ask({ kind: 'end', session }) === true;
  };

  readonly stop: Engine['stop'] = async (stream) => {
    await this.#placement.settled(stream);
    await this.#relays[this.#placement.relayOf(stream)]!.ask({ kind: 'stop', stream });
  };

  readonly move: Engine['move'] = async (from, to) => {
    // A derived stream lives and ends with its base: it cannot be moved by itself.
    if (baseOf(from) !== from || baseOf(to) !== to) throw new RangeError('only whole streams are moved');
    await this.#placement.settled(from, to);
    const publishes = [...this.#sessions.values()].some((item) => item.isPublisher && item.stream === from);
    if (!publishes) throw new EngineRefused('stream_offline', 'nobody publishes this stream');
    const relay = this.#placement.relayOf(from);
    const present = this.#placement.presentAt(to) ?? relay;
    const work = async (): Promise<void> => {
      if (present !== relay) await this.#relays[present]!.ask({ kind: 'vacate', stream: to });
      const session = String(await this.#relays[relay]!.ask({ kind: 'move', from, to }));
      const moved = this.#sessions.get(session);
      if (moved) this.#rename(moved, to);
    };
    // Requests for the stream wait until its relay is known.
    await (this.#placement.relayOf(to) === relay ? work() : this.#placement.hold(to, work));
  };

  /** How processes of this machine take part. */
  readonly local: LocalMedia = {
    tap: (stream) => this.#ticket(stream, false, (session) => ({ kind: 'tap', session, stream })),
    feed: (stream, { owner, onlyPaused = false }) =>
      this.#ticket(stream, true, (session) => ({ kind: 'feed', session, stream, owner, onlyPaused })),
    end: (session) => this.end(session),
  };

  readonly onReport: Engine['onReport'] = (listener) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly close = async (): Promise<void> => {
    await Promise.all(this.#relays.map((relay) => relay.close()));
    this.#sessions.clear();
    rmSync(this.#folder, { recursive: true, force: true });
  };

  #socketPath(relay: number): string {
    if (process.platform === 'win32') return `\\\\.\\pipe\\${basename(this.#folder)}-${relay}`;
    return join(this.#folder, `${relay}.sock`);
  }

  async #ticket(
    stream: string,
    isPublisher: boolean,
    ask: (session: string) => RelayRequest,
  ): Promise<LocalTicket> {
    const { session, relay } = await this.#begin(stream, isPublisher, ask);
    return { session, socketPath: this.#socketPath(relay) };
  }

  /** Opens a session at the relay where the stream lives. */
  async #begin(
    stream: string,
    isPublisher: boolean,
    ask: (session: string) => RelayRequest,
  ): Promise<{ session: string; relay: number; outcome: RelayOutcome }> {
    await this.#placement.settled(stream);
    const session = randomBytes(SESSION_BYTES).toString('base64url');
    const relay = this.#placement.relayOf(stream);
    const entry: Session = { stream, relay, isPublisher, answered: false };
    this.#sessions.set(session, entry);
    this.#placement.enter(stream, relay);
    try {
      const outcome = await this.#relays[relay]!.ask(ask(session));
      if (!this.#sessions.has(session)) throw new EngineRefused('unavailable', 'the session ended meanwhile');
      entry.answered = true;
      return { session, relay, outcome };
    } catch (error) {
      this.#forget(session);
      // After a time-out the relay may still open the session, which nobody needs any more.
      const late = error instanceof EngineRefused && error.code === 'unavailable';
      if (late) void this.#relays[relay]!.ask({ kind: 'end', session }).catch(() => undefined);
      throw error;
    }
  }

  #forget(session: string): Session | undefined {
    const known = this.#sessions.get(session);
    if (known && this.#sessions.delete(session)) this.#placement.leave(known.stream, known.relay);
    return known;
  }

  #rename(session: Session, to: string): void {
    this.#placement.enter(to, session.relay);
    this.#placement.leave(session.stream, session.relay);
    session.stream = to;
  }

  #onMessage(report: StreamReport): void {
    if (report.kind === 'down' || report.kind === 'reader_gone') {
      if (!this.#forget(report.session)?.answered) return;
    }
    for (const listener of this.#listeners) listener(report);
  }

  #loseRelay(relay: number, detail: string): void {
    for (const [session, { stream, relay: index, isPublisher }] of this.#sessions) {
      if (index !== relay) continue;
      this.#onMessage(
        isPublisher
          ? { kind: 'down', stream, session, reason: 'relay_lost' }
          : { kind: 'reader_gone', stream, session, reason: 'ended', last: null },
      );
    }
    this.#options.onRelayLost?.(relay, detail);
  }
}

function checkOffer(offer: string): void {
  if (offer.length > MAX_OFFER_BYTES) throw new EngineRefused('malformed_offer', 'the offer is too large');
}

/** Makes the embedded engine; nothing starts before `start`. */
export const createEmbeddedEngine = (options: EmbeddedEngineOptions): EmbeddedEngine =>
  new EmbeddedEngine(options);
