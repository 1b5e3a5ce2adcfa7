import { NO_CONSENT, type CallContext, type Caller } from '#platform/contract/context.ts';
import { event, topicChannel } from '#platform/contract/event.ts';
import { memoryBus } from '#platform/data/bus.ts';
import { systemClock } from '#platform/data/clock.ts';
import type { Gateway } from '#platform/realtime/gateway/gateway-options.ts';
import { createGateway } from '#platform/realtime/gateway/gateway.ts';
import { createHash } from 'node:crypto';
import type { Server } from 'node:http';
import { pino } from 'pino';
import { z } from 'zod';
import { EVENT, payloadOf } from './load.ts';

export const ROOM = 'room';
/** Messages a room retains for newcomers (spec 2 §5). */
const HISTORY = 200;
const OPERATOR = 1;
const ANONYMOUS: Caller = { kind: 'anonymous', personId: null, sessionId: null, username: null, roles: [] };

export const message = event({
  name: EVENT,
  socket: 'room',
  from: 'server',
  description: 'A chat line.',
  shape: z.looseObject({ id: z.int() }),
});
export const history = event({
  name: 'v3.chat.history',
  socket: 'room',
  from: 'server',
  description: 'The lines before.',
  shape: z.object({ messages: z.array(message.shape), seq: z.int() }),
});
const loggedOut = event({
  name: 'v3.logout',
  socket: 'both',
  from: 'server',
  description: 'Out.',
  shape: z.object({}),
});

const contextAt = (origin: string): CallContext => ({
  scope: { operatorId: OPERATOR, siteId: 1 },
  origin,
  address: '127.0.0.1',
  locale: 'en',
  region: 'XX',
  caller: ANONYMOUS,
  userAgent: '',
  bearer: null,
  idempotencyKey: null,
  ifMatch: null,
  range: null,
  file: null,
  raw: { query: '', headers: {} },
  csrf: null,
  consent: NO_CONSENT,
  cookie: () => null,
  setCookie: () => undefined,
});

/**
 * The real gateway with a product of one room. Tokens name guests; the log holds the messages published, and
 * `logged` ones from before the start.
 */
export class GatewayStage {
  readonly #bus = memoryBus(pino({ level: 'silent' }));
  readonly #gateway: Gateway;
  /** Entries read so far, like a database's cache. */
  readonly #log = new Map<number, { id: number }>();
  #last: number;

  constructor(server: Server, { logged = 0, sendsHistory = false } = {}) {
    this.#last = logged;
    const limits = { socketsPerAddress: 100_000, pendingUpgrades: 10_000 };
    this.#gateway = createGateway({
      bus: this.#bus,
      clock: systemClock,
      log: pino({ level: 'warn' }),
      loggedOut,
      endings: [],
      eventHandlers: [],
      version: 'bench',
      limits,
      mayUse: () => true,
      contextOf: async ({ headers }) => contextAt(`http://${headers.host}`),
      port: {
        redeem: async (_scope, token) => ({
          ...ANONYMOUS,
          kind: 'guest',
          sessionId: createHash('sha1').update(token).digest('hex'),
          username: token,
          roles: ['guest'],
        }),
        describe: async (_scope, { username }) => ({ username }),
        admit: async () => ({ topic: ROOM }),
        joined: async ({ reply }, lastSeq) => {
          if (!sendsHistory) return;
          const isRetained = lastSeq !== null && lastSeq >= this.#last - HISTORY;
          const first = isRetained ? lastSeq : Math.max(0, this.#last - HISTORY);
          const missed = Array.from({ length: this.#last - first }, (_none, at) => this.#entryAt(first + at));
          if (isRetained) { for (const entry of missed) reply(message, entry, entry.id); }
          else reply(history, { messages: missed, seq: this.#last });
        },
        left: async () => {},
      },
    });
    this.#gateway.attach(server);
  }

  #entryAt(at: number): { id: number } {
    const entry = this.#log.get(at) ?? (payloadOf(at) as { id: number });
    this.#log.set(at, entry);
    return entry;
  }

  readonly publish = (payload: unknown, seq: number): void => {
    this.#last = seq;
    const channel = topicChannel(ROOM);
    this.#bus.publish({ operatorId: OPERATOR, channel, name: EVENT, payload, seq });
  };

  readonly joined = (): number => this.#gateway.counters().joined;
}
