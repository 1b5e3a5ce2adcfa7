import type { Channel } from '../contract/event.ts';
import { encodeFrame } from '../contract/frame.ts';
import type { BusMessage } from '../data/data.ts';
import type { Clock } from '../data/clock.ts';
import { TOPIC_TICK_MS } from './limits.ts';
import { textFrame, type LiveSocket } from './socket.ts';

interface Subscribers {
  readonly sockets: Set<LiveSocket>;
  /** Messages of a topic so far; rides as the last element of its frames. */
  seq: number;
  /** Frames of a topic that wait for the tick. */
  pending: Buffer[];
}

/** Channels of different operators never meet. Session ids are random and unique by themselves. */
const keyOf = (operatorId: number, channel: Channel): string =>
  channel.startsWith('session:') ? channel : `${operatorId} ${channel}`;

/**
 * Who listens to which channel, and the fan-out. A message is built into one frame for all its sockets.
 * Persons and sessions get it at once; topics once per tick, all frames of the tick in one write per socket.
 */
export class Channels {
  readonly #channels = new Map<string, Subscribers>();
  readonly #keysOf = new Map<LiveSocket, Set<string>>();
  readonly #waiting = new Set<Subscribers>();
  readonly #clock: Clock;
  readonly #onSlow: (socket: LiveSocket) => void;
  #cancelTick: (() => void) | null = null;

  constructor(clock: Clock, onSlow: (socket: LiveSocket) => void) {
    this.#clock = clock;
    this.#onSlow = onSlow;
  }

  subscribe(operatorId: number, channel: Channel, socket: LiveSocket): void {
    const key = keyOf(operatorId, channel);
    const subscribers = this.#channels.get(key) ?? { sockets: new Set(), seq: 0, pending: [] };
    this.#channels.set(key, subscribers);
    subscribers.sockets.add(socket);
    const keys = this.#keysOf.get(socket) ?? new Set();
    this.#keysOf.set(socket, keys.add(key));
  }

  /** Takes a socket out of all its channels; a channel without sockets is forgotten. */
  leave(socket: LiveSocket): void {
    for (const key of this.#keysOf.get(socket) ?? []) {
      const subscribers = this.#channels.get(key);
      subscribers?.sockets.delete(socket);
      if (subscribers?.sockets.size === 0) {
        this.#channels.delete(key);
        this.#waiting.delete(subscribers);
      }
    }
    this.#keysOf.delete(socket);
  }

  /** The sockets of a channel now, as a copy that may be closed while walking it. */
  socketsOf(operatorId: number, channel: Channel): readonly LiveSocket[] {
    return [...(this.#channels.get(keyOf(operatorId, channel))?.sockets ?? [])];
  }

  publish({ operatorId, channel, name, payload }: BusMessage): void {
    const subscribers = this.#channels.get(keyOf(operatorId, channel));
    if (!subscribers) return;
    if (!channel.startsWith('topic:')) {
      this.#write(subscribers, textFrame(encodeFrame(name, payload)));
      return;
    }
    subscribers.seq += 1;
    subscribers.pending.push(textFrame(encodeFrame(name, payload, subscribers.seq)));
    this.#waiting.add(subscribers);
    this.#cancelTick ??= this.#clock.after('gateway.tick', TOPIC_TICK_MS, () => this.flush());
  }

  /** Writes what waits for the tick. */
  flush(): void {
    this.#cancelTick?.();
    this.#cancelTick = null;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const subscribers of waiting) {
      const frames = subscribers.pending;
      subscribers.pending = [];
      this.#write(subscribers, frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames));
    }
  }

  #write(subscribers: Subscribers, frames: Buffer): void {
    const slow = [...subscribers.sockets].filter((socket) => !socket.write(frames));
    for (const socket of slow) this.#onSlow(socket);
  }
}
