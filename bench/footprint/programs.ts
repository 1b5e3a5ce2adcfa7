import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const POLL_MS = 100;
const LIMIT_MS = 120_000;
const BARE = `const fastify = require('fastify');
  const app = fastify(); app.get('/', () => 'ok');
  app.listen({ host: '127.0.0.1', port: 0 }).then(() => console.log('listening'));`;

/** What Node's report on a signal says of one thread, in bytes. */
interface ThreadReport {
  readonly javascriptHeap: { readonly usedMemory: number; readonly totalMemory: number };
  readonly workers?: readonly ThreadReport[];
}

export interface Running {
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

function runningOf(child: ChildProcess): Running {
  if (child.pid === undefined) throw new Error('a program did not start');
  return {
    pid: child.pid,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** A process with nothing in it but a server. */
export async function startBare(): Promise<Running> {
  const child = spawn(process.execPath, ['-e', BARE], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return runningOf(child);
}

interface SiteOptions {
  readonly directory: string;
  readonly flags: readonly string[];
  /** How many are to be live before it counts as started. */
  readonly streams: number;
  readonly ports: readonly [http: number, rtmp: number, simulators: number];
}

/** The built site under its supervisor, on loopback; resolves once its streams are live. */
export async function startSite({ directory, flags, streams, ports }: SiteOptions): Promise<Running> {
  const [http, rtmp, simulators] = ports.map(String);
  const child = spawn(process.execPath, ['tools/start.mjs', ...flags], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      DATA_DIR: join(directory, 'data'),
      HOST: '127.0.0.1',
      PORT: http,
      MEDIA_PORT: http,
      RTMP_PORT: rtmp,
      SIMULATOR_PORT: simulators,
      PUBLIC_URL: '',
      DATABASE_URL: '',
      REDIS_URL: '',
      NODE_OPTIONS: `--report-on-signal --report-compact --report-directory=${directory}`,
    },
  });
  const running = runningOf(child);
  const until = performance.now() + LIMIT_MS;
  while (performance.now() < until && child.exitCode === null) {
    if (await liveStreams(`http://127.0.0.1:${http}/metrics`) >= streams) return running;
    await wait(POLL_MS);
  }
  await running.stop();
  throw new Error(`the site did not have ${streams} live streams within ${LIMIT_MS / 1_000} s`);
}

/** Streams that publishers began, by the site's own count; -1 while it does not answer. */
async function liveStreams(metrics: string): Promise<number> {
  const answer = await fetch(metrics).then((response) => response.text(), () => null);
  if (answer === null) return -1;
  return Number(/call="broadcast\.whip",status="201"\} (\d+)/u.exec(answer)?.[1] ?? 0);
}

/**
 * MB of JavaScript in a site's process, its own threads after one another: the main one, then the database's.
 * @param directory that the site was started with
 */
export async function heapsOf(pid: number, directory: string): Promise<readonly string[]> {
  process.kill(pid, 'SIGUSR2');
  const until = performance.now() + LIMIT_MS;
  while (performance.now() < until) {
    await wait(POLL_MS);
    const file = readdirSync(directory).find((name) => name.startsWith('report.'));
    const report = file === undefined ? null : reportIn(join(directory, file));
    if (report === null) continue;
    rmSync(join(directory, file!));
    return [report, ...report.workers ?? []].map(({ javascriptHeap: { usedMemory, totalMemory } }) =>
      `${(usedMemory / 2 ** 20).toFixed(0)} of ${(totalMemory / 2 ** 20).toFixed(0)}`
    );
  }
  throw new Error('the site does not report');
}

/** Null while it is being written. */
function reportIn(file: string): ThreadReport | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ThreadReport;
  } catch {
    return null;
  }
}
