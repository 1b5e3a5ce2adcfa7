import { handleEvent } from '#platform/contract/bind.ts';
import { NO_CONSENT, type CallContext, type Caller } from '#platform/contract/context.ts';
import { event, topicChannel } from '#platform/contract/event.ts';
import { encodeFrame, type Frame } from '#platform/contract/sockets/frame.ts';
import * as protocol from '#platform/contract/sockets/lobby.ts';
import { TemplateBook } from '#platform/contract/sockets/templates.ts';
import { memoryBus } from '#platform/data/bus.ts';
import { systemClock, type Clock } from '#platform/data/clock.ts';
import { randomId } from '#platform/data/ids.ts';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import type { Gateway, GatewayOptions } from './gateway/gateway-options.ts';
import type { GatewayPort } from './gateway/gateway-port.ts';
import { createGateway } from './gateway/gateway.ts';

/** Ten seconds in all: a process of a busy machine takes long to start. */
const MOST_TRIES = 200;
const BETWEEN_TRIES_MS = 50;

/** A message from a client, for tests. */
export const said = event({
  name: 'v3.test.said',
  socket: 'room',
  from: 'client',
  access: 'person',
  shape: z.object({ text: z.string().max(50) }),
  description: 'Says something.',
});
export const spoken = event({
  name: 'v3.test.heard',
  socket: 'room',
  from: 'server',
  shape: z.object({ text: z.string() }),
  description: 'It was said.',
});
export const kicked = event({
  name: 'v3.test.kicked',
  socket: 'room',
  from: 'server',
  shape: z.object({}),
  description: 'Out.',
  closes: 'refused',
});
export const loggedOut = event({
  name: 'v3.logout',
  socket: 'both',
  from: 'server',
  shape: z.object({}),
  description: 'The session ended.',
});

export const PERSON: Caller = {
  kind: 'person',
  personId: 7,
  sessionId: 's7',
  username: 'anna',
  roles: ['member'],
};
export const GUEST: Caller = {
  kind: 'guest',
  personId: null,
  sessionId: 'g1',
  username: 'guest_1',
  roles: ['guest'],
};

/** A server, its gateway, and a product of two callers and one room. */
export interface Stage {
  readonly gateway: Gateway;
  readonly server: Server;
  readonly bus: ReturnType<typeof memoryBus>;
  readonly clock: Clock;
  readonly origin: string;
  /** Makes a single-use token for a caller. */
  readonly token: (caller: Caller) => string;
  readonly presence: string[];
  readonly publish: (text: string) => void;
  readonly close: () => Promise<void>;
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

/**
 * Listens where another server has just closed. A child process that some other test starts has a copy of the
 * closed socket until it runs its own program, and the port is in use until then.
 */
async function listenAgain(server: Server, port: number): Promise<void> {
  for (let tries = 1;; tries += 1) {
    try {
      return await listen(server, port);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tries === MOST_TRIES) throw error;
      await sleep(BETWEEN_TRIES_MS);
    }
  }
}

/** A real server and gateway; the product behind the port has two callers and a single room, `open`. */
export async function openStage(given: {
  clock?: Clock;
  limits?: GatewayOptions['limits'];
  /** The origin of the site's pages, when it differs from that of the server. */
  publicOrigin?: string;
  /** The address of each further socket; this machine's by default. */
  nextAddress?: () => string;
  port?: Partial<GatewayPort>;
  serverPort?: number;
  frequent?: GatewayOptions['frequent'];
  tierOf?: GatewayOptions['tierOf'];
  version?: string;
} = {}): Promise<Stage> {
  const { clock = systemClock } = given;
  const bus = memoryBus(pino({ level: 'silent' }));
  const server = createServer();
  await (given.serverPort === undefined ? listen(server, 0) : listenAgain(server, given.serverPort));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tokens = new Map<string, Caller>();
  const presence: string[] = [];
  const port: GatewayPort = {
    redeem: async (_scope, token) => {
      const caller = tokens.get(token) ?? null;
      tokens.delete(token);
      return caller;
    },
    describe: async (_scope, caller) => ({ username: caller.username }),
    admit: async (
      _scope,
      _caller,
      room,
    ) => (room.toLowerCase() === 'open' ? { topic: 'open' } : { refused: 'room_unknown' }),
    joined: async ({ caller, reply }) => {
      presence.push(`+${String(caller.username)}`);
      reply(spoken, { text: 'welcome' });
    },
    left: async ({ caller }) => void presence.push(`-${String(caller.username)}`),
    ...given.port,
  };
  let seq = 0;
  const publish = (text: string): void => {
    seq += 1;
    bus.publish({ operatorId: 1, channel: topicChannel('open'), name: spoken.name, payload: { text }, seq });
  };
  const gateway = createGateway({
    version: 'v1',
    ...given,
    port,
    bus,
    clock,
    loggedOut,
    endings: [kicked],
    log: pino({ level: 'silent' }),
    contextOf: async ({ headers }) => (headers.host === host
      ? contextAt(given.publicOrigin ?? `http://${host}`, given.nextAddress?.())
      : null),
    mayUse: (access, caller) => access === 'person' && caller.kind === 'person',
    eventHandlers: [
      handleEvent(said)(async ({ text }) => {
        if (text === 'fault') throw new Error('boom');
        publish(text);
      }),
    ],
  });
  gateway.attach(server);
  const close = (): Promise<void> => {
    gateway.close();
    server.closeAllConnections();
    return new Promise((resolve) => {
      server.close(() => resolve());
    });
  };
  const token = (caller: Caller): string => {
    const made = randomId();
    tokens.set(made, caller);
    return made;
  };
  return { gateway, server, bus, clock, origin: `http://${host}`, token, presence, publish, close };
}

const contextAt = (origin: string, address = '127.0.0.1'): CallContext => ({
  scope: { operatorId: 1, siteId: 1 },
  origin,
  address,
  locale: 'en',
  region: 'unknown',
  consent: NO_CONSENT,
  caller: { kind: 'anonymous', personId: null, sessionId: null, username: null, roles: [] },
  userAgent: '',
  bearer: null,
  idempotencyKey: null,
  ifMatch: null,
  range: null,
  file: null,
  raw: { query: '', headers: {} },
  csrf: null,
  cookie: () => null,
  setCookie: () => undefined,
});

/** A raw client socket that stores everything it receives. */
export class Peer {
  readonly frames: Frame[] = [];
  /** The messages in order of arrival. */
  readonly texts: string[] = [];
  readonly ws: WebSocket;
  readonly #book = new TemplateBook();
  /** The close code. */
  readonly closed: Promise<number>;
  readonly opened: Promise<void>;
  #wake: () => void = () => undefined;

  constructor(url: string, options: { origin?: string; headers?: Record<string, string> }) {
    this.ws = new WebSocket(url, options);
    this.closed = new Promise((resolve) => {
      this.ws.on('close', resolve);
    });
    this.opened = new Promise((resolve, reject) => {
      this.ws.on('open', resolve);
      this.ws.on('error', reject);
    });
    this.opened.catch(() => undefined);
    this.ws.on('message', (data) => {
      this.#receive((data as Buffer).toString('utf8'));
      this.#wake();
    });
  }

  #receive(text: string): void {
    const reading = this.#book.read(text);
    if ('error' in reading) throw new Error(`the gateway sent what cannot be read: ${reading.error}`);
    const { name, payload } = reading.frame;
    this.texts.push(text);
    this.frames.push(reading.frame);
    const content = payload as { templates: never; events: never };
    if (name === protocol.templates.name) this.#book.learnTemplates(content.templates);
    if (name === protocol.events.name) this.#book.learnEvents(content.events);
  }

  say(name: string, payload: unknown): void {
    this.ws.send(encodeFrame(name, payload));
  }

  /** Waits for the first matching frame, including those already received. */
  async receives(fits: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const frame = this.frames.find(fits);
      if (frame) return frame;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** A gateway that is closed at the end of the test. */
export async function stage(given: Parameters<typeof openStage>[0] = {}): Promise<Stage> {
  const opened = await openStage(given);
  onTestFinished(opened.close);
  return opened;
}

export const named = (name: string) => (frame: Frame): boolean => frame.name === name;
export const text = (wanted: string) => (frame: Frame): boolean =>
  frame.name === spoken.name && (frame.payload as { text: string }).text === wanted;

/** Opens a socket that has not authorized. */
export async function dial({ origin }: Stage, path: string): Promise<Peer> {
  const peer = new Peer(origin.replace('http', 'ws') + path, { origin });
  onTestFinished(() => peer.ws.terminate());
  await peer.opened;
  return peer;
}

/** Opens a socket and authorizes it. */
export async function enter(on: Stage, path = '/ws/room/open', caller = PERSON): Promise<Peer> {
  const peer = await dial(on, path);
  peer.say('v3.authorize', { token: on.token(caller), version: 'v1' });
  await peer.receives(named('v3.authorize.success'));
  if (path !== '/ws/lobby') await peer.receives(text('welcome'));
  return peer;
}
