import type { OpenSocket } from '#platform/contract/sockets/socket-client.ts';
import { systemClock, VirtualClock } from '#platform/data/clock.ts';
import { openRedisAttendance } from '#platform/data/redis/redis-attendance.ts';
import { openRedisBus } from '#platform/data/redis/redis-bus.ts';
import { openRedisLimits } from '#platform/data/redis/redis-limits.ts';
import { freePort, startRedis } from '#platform/data/redis/testing.ts';
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import WebSocket from 'ws';
import { SECRET } from './site-options.ts';
import { createSite, type TestSite } from './site.ts';
import type { Visitor } from './visitor.ts';

/** A site and the gateways that hold its sockets: its own, or separate processes. */
export interface Topology {
  readonly site: TestSite;
  /** The number of gateways; they are numbered from 0. */
  readonly gateways: number;
  /** Opens sockets of a browser as a load balancer does: at the given gateway while it lives, else at the
   * next. */
  readonly dial: (visitor: Visitor, gateway: number) => OpenSocket;
  /** Drops all sockets of a gateway without a close frame; with two gateways, kills its process. */
  readonly kills: (gateway: number) => Promise<void>;
  /** Starts a killed gateway again. */
  readonly returns: (gateway: number) => Promise<void>;
  /** Ends a gateway as a deployment of a new version does. */
  readonly ends: (gateway: number) => Promise<void>;
  /** Stops Redis, and starts it again empty; null where there is none. */
  readonly redis: { readonly dies: () => Promise<void>; readonly returns: () => Promise<void> } | null;
  readonly close: () => Promise<void>;
}

/** The virtual clock follows real time, as the clocks of the other processes do. */
const CLOCK_STEP_MS = 50;

function followingClock(): { clock: VirtualClock; stop: () => void } {
  const clock = new VirtualClock(systemClock.now());
  const stop = systemClock.every(
    'site clock',
    CLOCK_STEP_MS,
    () => clock.advance(Math.max(0, systemClock.now().getTime() - clock.now().getTime())),
  );
  return { clock, stop };
}

/** Opens sockets at a port with the headers of a browser, and can cut them. */
class Dialer {
  /** Open sockets, each with a promise that resolves when it closes. */
  readonly #open = new Map<WebSocket, { readonly port: number; readonly closed: Promise<unknown> }>();

  dial(visitor: Visitor, portOf: () => number): OpenSocket {
    return (url, handlers) => {
      const sent = Object.entries(visitor.headers).filter(([, value]) => value !== undefined);
      const { pathname } = new URL(url);
      const port = portOf();
      const socket = new WebSocket(`ws://127.0.0.1:${port}${pathname}`, {
        perMessageDeflate: false,
        headers: Object.fromEntries(sent) as Record<string, string>,
      });
      const closed = new Promise((resolve) => {
        socket.once('close', resolve);
      });
      this.#open.set(socket, { port, closed });
      socket.on('open', () => handlers.opened());
      socket.on('message', (data: Buffer) => handlers.message(data.toString('utf8')));
      // A close follows every error.
      socket.on('error', () => undefined);
      socket.on('close', (code) => {
        this.#open.delete(socket);
        handlers.closed(code);
      });
      return { send: (text) => socket.send(text, () => undefined), close: () => socket.close() };
    };
  }

  /** Cuts all open sockets, and waits until they have closed. */
  async cut(): Promise<void> {
    const open = [...this.#open];
    for (const [socket] of open) socket.terminate();
    await Promise.all(open.map(([, { closed }]) => closed));
  }

  /** Waits until all sockets at a port have closed. */
  async lost(gone: number): Promise<void> {
    const open = [...this.#open.values()].filter(({ port }) => port === gone);
    await Promise.all(open.map(({ closed }) => closed));
  }
}

/** The whole site in one process: its gateway can't be killed, so its sockets are cut instead. */
export async function oneProcess(): Promise<Topology> {
  const { clock, stop } = followingClock();
  const site = await createSite({ clock });
  site.data.start();
  const address = await site.http.app.listen({ host: '127.0.0.1', port: 0 });
  const port = Number(new URL(address).port);
  const dialer = new Dialer();
  return {
    site,
    redis: null,
    gateways: 1,
    dial: (visitor) => dialer.dial(visitor, () => port),
    kills: () => dialer.cut(),
    returns: async () => {},
    ends: async () => site.gateway.close(),
    close: async () => {
      await dialer.cut();
      stop();
      await site.close();
    },
  };
}

/** A program in its own process. */
export class ProgramProcess {
  readonly #name: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly port: number;
  #child: ChildProcess | null = null;

  constructor(name: 'web' | 'gateway' | 'worker', port: number, env: Readonly<Record<string, string>>) {
    this.#name = name;
    this.port = port;
    this.#env = { ...env, PORT: String(port) };
  }

  get isUp(): boolean {
    return this.#child !== null;
  }

  async start(): Promise<void> {
    const entry = fileURLToPath(new URL(`../../programs/${this.#name}.ts`, import.meta.url));
    const child = fork(entry, [], {
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: { PATH: process.env['PATH'], ...this.#env },
    });
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`${this.#name} ended with ${code}`)));
      child.stdout?.on('data', (text: Buffer) => {
        if (text.toString().includes('is at')) resolve();
      });
    });
    this.#child = child;
  }

  async ends(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child) return;
    const gone = new Promise((resolve) => {
      child.once('exit', resolve);
    });
    child.kill(signal);
    await gone;
  }
}

/** The environment that all programs of one site share. */
export const sharedSettings = (databaseUrl: string, redisUrl: string): Readonly<Record<string, string>> => ({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  SITE_SECRET: SECRET,
  CANDELA_MODE: 'demo',
  LOG_LEVEL: 'error',
});

/** Calls and deliveries in this process and sockets in two others, connected by PostgreSQL and Redis. */
export async function twoGateways(): Promise<Topology> {
  const redis = await startRedis();
  const { clock, stop } = followingClock();
  const log = { warn: () => undefined, error: () => undefined };
  const joined = { url: redis.url, clock: systemClock, log };
  const [bus, attendance] = [await openRedisBus(joined), await openRedisAttendance(joined)];
  const limits = await openRedisLimits(joined);
  const site = await createSite({ clock, beside: { bus, attendance, limits } });
  const { databaseUrl } = site.data;
  if (databaseUrl === null) throw new Error('two processes need PostgreSQL: npm run test:postgres');
  site.data.start();
  const env = sharedSettings(databaseUrl, redis.url);
  const gateways = [
    new ProgramProcess('gateway', await freePort(), env),
    new ProgramProcess('gateway', await freePort(), env),
  ];
  await Promise.all(gateways.map((gateway) => gateway.start()));
  const dialer = new Dialer();
  const at = (gateway: number): ProgramProcess => gateways[gateway % gateways.length] as ProgramProcess;
  return {
    site,
    redis,
    gateways: gateways.length,
    dial: (visitor, gateway) =>
      dialer.dial(
        visitor,
        () => [at(gateway), at(gateway + 1)].find(({ isUp }) => isUp)?.port ?? at(gateway).port,
      ),
    kills: async (gateway) => {
      await at(gateway).ends('SIGKILL');
      await dialer.lost(at(gateway).port);
    },
    returns: (gateway) => at(gateway).start(),
    ends: (gateway) => at(gateway).ends('SIGTERM'),
    close: async () => {
      await dialer.cut();
      await Promise.all(gateways.map((gateway) => gateway.ends('SIGKILL')));
      stop();
      await site.close();
      await attendance.close();
      limits.close();
      bus.close();
      await redis.stop();
    },
  };
}
