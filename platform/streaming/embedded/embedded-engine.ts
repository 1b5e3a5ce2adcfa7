import { createHash, randomBytes } from 'node:crypto';
import { systemClock, type Clock } from '../../data/clock.ts';
import { childEntry, type ChildEntry } from '../child-entry.ts';
import {
  EngineRefused, type Engine, type MediaFeature, type Negotiated, type StreamReport,
} from '../engine.ts';
import { MAX_OFFER_BYTES, MAX_READERS_PER_RELAY, PUBLISHER_GRACE_MS } from '../limits.ts';
import { RelayProcess } from './relay-process.ts';

export interface EmbeddedEngineOptions {
  /** UDP port of the first relay; the others take the following ones. */
  readonly udpPort: number;
  /** Relay processes, one a core at most. One by default. */
  readonly relays?: number;
  /** Address the relays listen on; every interface when absent. */
  readonly bindAddress?: string;
  /** Address told to peers instead of the machine's own, behind address translation (`PUBLIC_IP`). */
  readonly publicAddress?: string;
  /** Viewers one relay takes before it refuses with `overloaded`. */
  readonly maxReadersPerRelay?: number;
  /** How long viewers stay attached without a publisher, in milliseconds. */
  readonly graceMs?: number;
  /** The relay program; found beside this module by default, see {@link childEntry}. */
  readonly entry?: ChildEntry;
  readonly clock?: Clock;
  /** Told when a relay process died; it is restarted by itself. */
  readonly onRelayLost?: (relay: number, detail: string) => void;
}

interface Session {
  readonly stream: string;
  readonly relay: number;
  readonly isPublisher: boolean;
  /** The caller has its answer: only then do reports of this session mean anything to anyone. */
  answered: boolean;
}

/**
 * Session ids are credentials (RFC 9725 §4.2: the resource is ended by whoever knows it): 192 random bits.
 */
const SESSION_BYTES = 24;

/** The engine on node-datachannel, in relay processes of its own. */
export class EmbeddedEngine implements Engine {
  readonly #options: EmbeddedEngineOptions;
  readonly #relays: readonly RelayProcess[];
  readonly #sessions = new Map<string, Session>();
  readonly #listeners = new Set<(report: StreamReport) => void>();

  constructor(options: EmbeddedEngineOptions) {
    this.#options = options;
    const entry = options.entry ?? childEntry(import.meta.url, './relay-child');
    this.#relays = Array.from({ length: Math.max(1, options.relays ?? 1) }, (_, index) => new RelayProcess({
      entry,
      clock: options.clock ?? systemClock,
      settings: {
        address: {
          udpPort: options.udpPort + index, bindAddress: options.bindAddress,
          publicAddress: options.publicAddress,
        },
        maxReaders: options.maxReadersPerRelay ?? MAX_READERS_PER_RELAY,
        graceMs: options.graceMs ?? PUBLISHER_GRACE_MS,
      },
      report: (report) => this.#hear(report),
      lost: (detail) => this.#loseRelay(index, detail),
    }));
  }

  /** Process ids of the relays, for operators and tests. */
  readonly relayPids = (): readonly number[] => this.#relays.flatMap((relay) => relay.pid ?? []);

  /** Rejects when a relay cannot run, for example because its UDP port is taken. */
  readonly start = async (): Promise<void> => {
    try {
      await Promise.all(this.#relays.map((relay) => relay.start()));
    } catch (error) {
      await this.close();
      throw error;
    }
  };

  readonly features = (): readonly MediaFeature[] => {
    const first = this.#options.udpPort;
    const ports = this.#relays.length > 1 ? `${first}–${first + this.#relays.length - 1}` : String(first);
    return [
      { name: 'WebRTC', on: true, detail: `WHIP and WHEP, H.264, VP8, Opus; UDP ${ports}` },
      { name: 'HLS', on: false, detail: 'not built yet' },
      { name: 'RTMP', on: false, detail: 'not built yet' },
    ];
  };

  readonly publish: Engine['publish'] = (stream, offer, { owner }) =>
    this.#negotiate(stream, offer, true, (session, relay) =>
      relay.ask({ kind: 'publish', session, stream, owner, offer }));

  readonly play: Engine['play'] = (stream, offer) =>
    this.#negotiate(stream, offer, false, (session, relay) =>
      relay.ask({ kind: 'play', session, stream, offer }));

  readonly end: Engine['end'] = async (session) => {
    const known = this.#sessions.get(session);
    if (!known) return false;
    return await this.#relays[known.relay]!.ask({ kind: 'end', session }) === true;
  };

  readonly stop: Engine['stop'] = async (stream) => {
    await this.#relays[this.#relayOf(stream)]!.ask({ kind: 'stop', stream });
  };

  readonly describe: Engine['describe'] = (stream) =>
    ({ kind: 'whep', path: `/whep/${encodeURIComponent(stream)}` });

  readonly onReport: Engine['onReport'] = (listener) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly close = async (): Promise<void> => {
    await Promise.all(this.#relays.map((relay) => relay.close()));
    this.#sessions.clear();
  };

  /** A stream lives on one relay, found by its name alone. */
  #relayOf(stream: string): number {
    return createHash('sha256').update(stream).digest().readUInt32BE(0) % this.#relays.length;
  }

  async #negotiate(
    stream: string, offer: string, isPublisher: boolean,
    ask: (session: string, relay: RelayProcess) => Promise<string | boolean>,
  ): Promise<Negotiated> {
    if (offer.length > MAX_OFFER_BYTES) throw new EngineRefused('malformed_offer', 'the offer is too large');
    const session = randomBytes(SESSION_BYTES).toString('base64url');
    const index = this.#relayOf(stream);
    const relay = this.#relays[index]!;
    const entry: Session = { stream, relay: index, isPublisher, answered: false };
    this.#sessions.set(session, entry);
    try {
      const answer = String(await ask(session, relay));
      if (!this.#sessions.has(session)) throw new EngineRefused('unavailable', 'the session ended meanwhile');
      entry.answered = true;
      return { session, answer };
    } catch (error) {
      this.#sessions.delete(session);
      // After a time-out the relay may still open the session that nobody waits for.
      const late = error instanceof EngineRefused && error.code === 'unavailable';
      if (late) void relay.ask({ kind: 'end', session }).catch(() => undefined);
      throw error;
    }
  }

  #hear(report: StreamReport): void {
    if (report.kind === 'down' || report.kind === 'reader_gone') {
      const known = this.#sessions.get(report.session);
      this.#sessions.delete(report.session);
      if (!known?.answered) return;
    }
    for (const listener of this.#listeners) listener(report);
  }

  #loseRelay(relay: number, detail: string): void {
    for (const [session, { stream, relay: index, isPublisher }] of this.#sessions) {
      if (index !== relay) continue;
      this.#hear(isPublisher
        ? { kind: 'down', stream, session, reason: 'relay_lost' }
        : { kind: 'reader_gone', stream, session });
    }
    this.#options.onRelayLost?.(relay, detail);
  }
}

/** Makes the embedded engine; nothing runs before `start`. */
export const createEmbeddedEngine = (options: EmbeddedEngineOptions): EmbeddedEngine =>
  new EmbeddedEngine(options);
