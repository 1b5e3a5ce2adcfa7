import type { Redis } from 'ioredis';
import { z } from 'zod';
import { memoryBus } from '../bus.ts';
import type { Bus, BusMessage } from '../data.ts';
import { connect, opened, prefixOf, readAs, type RedisOptions } from './connection.ts';

/**
 * Messages sent but not yet confirmed by Redis: seconds of the busiest site. With more, Redis does not keep
 * up; then lasting events wait in the outbox, and transient ones are dropped.
 */
const MAX_UNCONFIRMED = 10_000;
/** Longest message taken from Redis: an event with a full history is far smaller. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Longest name of a channel. */
const MAX_CHANNEL_LENGTH = 512;

const Message = z.strictObject({
  operatorId: z.int().nonnegative(),
  channel: z.string().max(MAX_CHANNEL_LENGTH).regex(/^(?:person:\d+|(?:session|topic|seat):.+)$/u),
  name: z.string().regex(/^[\w.-]{1,100}$/u),
  payload: z.unknown(),
  seq: z.int().positive().optional(),
});

export interface RedisBus extends Bus {
  /** Counts transient messages that could not be sent, and received ones that are malformed. */
  readonly dropped: () => { readonly unsent: number; readonly malformed: number };
  readonly close: () => void;
}

/**
 * The bus of several processes. Resolves once messages of other processes arrive, so that no socket is
 * accepted earlier. Throws `RedisUnreachable`.
 */
export async function openRedisBus(options: RedisOptions): Promise<RedisBus> {
  const publisher = connect(options, 'publisher');
  const subscriber = connect(options, 'subscriber');
  const bus = new LiveRedisBus(publisher, subscriber, options);
  await opened(publisher, options);
  await opened(subscriber, options);
  await bus.subscribed();
  return bus;
}

class LiveRedisBus implements RedisBus {
  readonly isShared = true;
  readonly #publisher: Redis;
  readonly #subscriber: Redis;
  readonly #log: RedisOptions['log'];
  readonly #here: Bus;
  readonly #events: string;
  readonly #pokes: string;
  readonly #pokeListeners = new Set<() => void>();
  readonly #restoreListeners = new Set<() => void>();
  #unconfirmed = 0;
  #unsent = 0;
  #malformed = 0;
  #wasSubscribed = false;

  constructor(publisher: Redis, subscriber: Redis, options: RedisOptions) {
    this.#publisher = publisher;
    this.#subscriber = subscriber;
    this.#log = options.log;
    this.#here = memoryBus(options.log);
    this.#events = `${prefixOf(options.url)}:events`;
    this.#pokes = `${prefixOf(options.url)}:pokes`;
    subscriber.on('message', (channel: string, text: string) => {
      if (channel === this.#pokes) { for (const listener of this.#pokeListeners) listener(); }
      else this.#receive(text);
    });
    subscriber.on('ready', () => {
      if (this.#wasSubscribed) this.#resubscribe();
    });
  }

  /** Subscribes; from then on messages of all processes arrive. */
  async subscribed(): Promise<void> {
    await this.#subscriber.subscribe(this.#events, this.#pokes);
    this.#wasSubscribed = true;
  }

  readonly publish = (message: BusMessage): void => {
    if (this.isUp()) void this.#send(message);
    else this.#unsent += 1;
  };

  readonly publishAll = async (messages: readonly BusMessage[]): Promise<void> => {
    const sent = this.isUp() ? await Promise.all(messages.map((message) => this.#send(message))) : [false];
    if (sent.includes(false)) throw new Error('Redis did not take every message');
  };

  readonly publishHere = (message: BusMessage): void => this.#here.publish(message);

  readonly subscribe = (listener: (message: BusMessage) => void): () => void =>
    this.#here.subscribe(listener);

  readonly isUp = (): boolean => this.#publisher.status === 'ready' && this.#unconfirmed < MAX_UNCONFIRMED;

  readonly poke = (): void => {
    if (this.isUp()) this.#publisher.publish(this.#pokes, '').catch(() => undefined);
  };

  readonly poked = (listener: () => void): () => void => {
    this.#pokeListeners.add(listener);
    return () => void this.#pokeListeners.delete(listener);
  };

  readonly restored = (listener: () => void): () => void => {
    this.#restoreListeners.add(listener);
    return () => void this.#restoreListeners.delete(listener);
  };

  readonly dropped = (): { readonly unsent: number; readonly malformed: number } => ({
    unsent: this.#unsent,
    malformed: this.#malformed,
  });

  readonly close = (): void => {
    this.#wasSubscribed = false;
    for (const connection of [this.#publisher, this.#subscriber]) {
      connection.removeAllListeners('close');
      connection.disconnect();
    }
  };

  /** Whether Redis confirmed the message. Redis handles messages of one connection in sending order. */
  async #send(message: BusMessage): Promise<boolean> {
    this.#unconfirmed += 1;
    try {
      await this.#publisher.publish(this.#events, JSON.stringify(message));
      return true;
    } catch {
      this.#unsent += 1;
      return false;
    } finally {
      this.#unconfirmed -= 1;
    }
  }

  /** Anybody who can write to this Redis can publish events, but no message may harm a process. */
  #receive(text: string): void {
    const message = text.length > MAX_MESSAGE_BYTES ? null : readAs(text, Message);
    if (message) return this.#here.publish(message as BusMessage);
    this.#malformed += 1;
    if (this.#malformed === 1) this.#log.warn({}, 'a message on the bus is none of ours and was dropped');
    return undefined;
  }

  #resubscribe(): void {
    this.subscribed().then(
      () => {
        for (const listener of this.#restoreListeners) listener();
      },
      // The connection was lost again; the next reconnect tries again.
      () => this.#subscriber.disconnect(true),
    );
  }
}
