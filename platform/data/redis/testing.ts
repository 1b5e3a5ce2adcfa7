import { Redis } from 'ioredis';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** A redis-server for one test, on loopback, that stores nothing on disk. */
export interface TestRedis {
  readonly url: string;
  /** Kills the server, as a crash does. */
  readonly dies: () => Promise<void>;
  /** Starts the server again, empty, at the same address. */
  readonly returns: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Why tests over Redis cannot run on this machine; null when they can. */
export function whyNoRedis(): string | null {
  const isThere = spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;
  if (isThere) return null;
  const reason = 'redis-server is not installed (apt-get install redis-server)';
  process.stderr.write(`tests over Redis are skipped: ${reason}\n`);
  return reason;
}

/**
 * Below the ephemeral ports of systems, so that no connection takes the port between the check and its use.
 */
const [FIRST_PORT, LAST_PORT] = [12_000, 31_999];

/** @returns a TCP port of loopback that nobody listens on */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (await isFree(port)) return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

async function answers(port: number): Promise<boolean> {
  const redis = new Redis({ port, host: '127.0.0.1', lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return (await redis.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}

/** Starts a redis-server and waits until it answers. */
export async function startRedis(): Promise<TestRedis> {
  const port = await freePort();
  let child: ChildProcess | null = null;
  const returns = async (): Promise<void> => {
    const started = spawn('redis-server', [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
    ], { stdio: 'ignore' });
    child = started;
    while (!(await answers(port))) {
      if (started.exitCode !== null) throw new Error('redis-server did not start');
    }
  };
  const dies = async (): Promise<void> => {
    const dying = child;
    child = null;
    if (!dying || dying.exitCode !== null) return;
    const gone = new Promise((resolve) => {
      dying.once('exit', resolve);
    });
    dying.kill('SIGKILL');
    await gone;
  };
  await returns();
  return { url: `redis://127.0.0.1:${port}`, dies, returns, stop: dies };
}
