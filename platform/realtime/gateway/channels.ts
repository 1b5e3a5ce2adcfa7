import { topicOf, type Channel } from '#platform/contract/event.ts';
import type { Clock } from '#platform/data/clock.ts';
import type { BusMessage } from '#platform/data/data.ts';
import { MAX_TOPIC_TICK_MS, TOPIC_TICK_MS } from '../limits.ts';
import type { Encoding, Encodings } from './encodings.ts';
import { textFrame, type LiveSocket } from './socket.ts';

interface Subscribers {
  readonly sockets: Set<LiveSocket>;
  /** A topic's messages that wait for its tick. */
  pending: BusMessage[];
  /** How many of these messages a socket got before the tick. */
  readonly early: Map<LiveSocket, number>;
  /** Null while no message waits. */
  cancelTick: (() => void) | null;
}

/** Options of a gateway's channels. */
export interface ChannelsOptions {
  readonly clock: Clock;
  readonly encodings: Encodings;
  readonly tickMsPerSocket: number;
  /** Called when a reader lags too far behind. */
  readonly onSlow: (socket: LiveSocket) => void;
}

/** Messages as bytes: built once per encoding, when the first socket of that encoding is written to. */
class Batch {
  readonly #messages: readonly BusMessage[];
  readonly #encodings: Encodings;
  readonly #built = new Map<Encoding, Buffer>();

  constructor(messages: readonly BusMessage[], encodings: Encodings) {
    this.#messages = messages;
    this.#encodings = encodings;
  }

  bytes(encoding: Encoding): Buffer {
    const known = this.#built.get(encoding);
    if (known) return known;
    const frames = this.#messages.map(({ name, payload, seq }) =>
      textFrame(this.#encodings.text(encoding, name, payload, seq ?? null))
    );
    const built = frames.length === 1 ? frames[0] as Buffer : Buffer.concat(frames);
    this.#built.set(encoding, built);
    return built;
  }
}

/** How long a topic collects messages before it writes them, in whole milliseconds. */
const tickMs = (sockets: number, perSocket: number): number =>
  Math.round(Math.min(MAX_TOPIC_TICK_MS, Math.max(TOPIC_TICK_MS, sockets * perSocket)));

/** Channels of different operators never meet. Session ids are random and unique by themselves. */
const keyOf = (operatorId: number, channel: Channel): string =>
  channel.startsWith('session:') ? channel : `${operatorId} ${channel}`;

/**
 * The sockets of each channel, and the fan-out. A message is built into one frame per encoding for all its
 * sockets. Channels of persons and sessions are written at once; topics once per tick, with all frames of the
 * tick in one write per socket. Each topic has its own tick, longer for a large room. A message to one person
 * in a topic never overtakes earlier messages of the topic: that person's sockets get those first.
 */
export class Channels {
  readonly #channels = new Map<string, Subscribers>();
  readonly #keysOf = new Map<LiveSocket, Set<string>>();
  readonly #waiting = new Set<Subscribers>();
  readonly #options: ChannelsOptions;

  constructor(options: ChannelsOptions) {
    this.#options = options;
  }

  subscribe(operatorId: number, channel: Channel, socket: LiveSocket): void {
    const key = keyOf(operatorId, channel);
    const subscribers = this.#channels.get(key) ?? {
      sockets: new Set(),
      pending: [],
      early: new Map(),
      cancelTick: null,
    };
    this.#channels.set(key, subscribers);
    subscribers.sockets.add(socket);
    const keys = this.#keysOf.get(socket) ?? new Set();
    this.#keysOf.set(socket, keys.add(key));
  }

  /** Removes a socket from all its channels; a channel without sockets is dropped. */
  leave(socket: LiveSocket): void {
    for (const key of this.#keysOf.get(socket) ?? []) {
      const subscribers = this.#channels.get(key);
      subscribers?.sockets.delete(socket);
      subscribers?.early.delete(socket);
      if (subscribers?.sockets.size === 0) {
        this.#channels.delete(key);
        subscribers.cancelTick?.();
        this.#waiting.delete(subscribers);
      }
    }
    this.#keysOf.delete(socket);
  }

  /** A copy of a channel's current sockets, which may be closed while iterating. */
  socketsOf(operatorId: number, channel: Channel): readonly LiveSocket[] {
    return [...(this.#channels.get(keyOf(operatorId, channel))?.sockets ?? [])];
  }

  publish(message: BusMessage): void {
    const { operatorId, channel } = message;
    const subscribers = this.#channels.get(keyOf(operatorId, channel));
    if (!subscribers) return;
    if (!channel.startsWith('topic:')) {
      const topic = topicOf(channel);
      if (topic !== null) this.#writeEarly(this.#channels.get(keyOf(operatorId, topic)), subscribers.sockets);
      return this.#write(subscribers.sockets, [message]);
    }
    subscribers.pending.push(message);
    this.#waiting.add(subscribers);
    const { clock, tickMsPerSocket } = this.#options;
    subscribers.cancelTick ??= clock.after(
      'gateway.tick',
      tickMs(subscribers.sockets.size, tickMsPerSocket),
      () => this.#tick(subscribers),
    );
  }

  /** Writes all messages that wait for a tick. */
  flush(): void {
    for (const subscribers of this.#waiting) this.#tick(subscribers);
  }

  #tick(subscribers: Subscribers): void {
    subscribers.cancelTick?.();
    subscribers.cancelTick = null;
    this.#waiting.delete(subscribers);
    const messages = subscribers.pending;
    const early = [...subscribers.early];
    subscribers.pending = [];
    subscribers.early.clear();
    const ahead = new Set(early.map(([socket]) => socket));
    const others = ahead.size === 0
      ? subscribers.sockets
      : [...subscribers.sockets].filter((socket) => !ahead.has(socket));
    this.#write(others, messages);
    for (const [socket, count] of early) this.#write([socket], messages.slice(count));
  }

  /** Writes a topic's pending messages to some of its sockets, which the tick then skips. */
  #writeEarly(topic: Subscribers | undefined, sockets: Iterable<LiveSocket>): void {
    if (!topic || topic.pending.length === 0) return;
    for (const socket of sockets) {
      if (!topic.sockets.has(socket)) continue;
      const rest = topic.pending.slice(topic.early.get(socket) ?? 0);
      topic.early.set(socket, topic.pending.length);
      this.#write([socket], rest);
    }
  }

  #write(sockets: Iterable<LiveSocket>, messages: readonly BusMessage[]): void {
    if (messages.length === 0) return;
    const batch = new Batch(messages, this.#options.encodings);
    const slow = [...sockets].filter((socket) => !socket.deliver(batch.bytes(socket.encoding)));
    for (const socket of slow) this.#options.onSlow(socket);
  }
}
