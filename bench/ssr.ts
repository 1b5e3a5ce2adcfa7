/**
 * What a listing with 98 tiles costs the server, from the cache and rendered for one person, beside a bare
 * Fastify reply of the same bytes; and the JavaScript a first visit loads. Requests per second of the
 * *server's* CPU time, so that what the load costs does not count.
 */
import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ask, load, type Target } from './listing/load.ts';
import type { FromServer, ToServer } from './listing/server.ts';

const smoke = process.argv.includes('--smoke');
const SECONDS = smoke ? 1 : 8;
const WARM_UP_SECONDS = smoke ? 0.5 : 3;
/** More would only queue: one process answers one at a time. */
const CONNECTIONS = 16;

interface Server {
  readonly child: ChildProcess;
  readonly port: number;
  readonly people: Extract<FromServer, { kind: 'listening' }>['people'];
}

/** The next message of a kind from a server; throws when it ends first. */
function next<K extends FromServer['kind']>(
  child: ChildProcess, kind: K,
): Promise<Extract<FromServer, { kind: K }>> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    child.on('message', (message: FromServer) => {
      if (message.kind === kind) resolve(message as Extract<FromServer, { kind: K }>);
    });
  });
}

async function start(what: 'site' | 'bare', bytes?: Buffer): Promise<Server> {
  const child = fork(fileURLToPath(new URL('./listing/server.ts', import.meta.url)), [what], {
    execArgv: ['--import', 'tsx'], env: { ...process.env, NODE_ENV: 'production' },
  });
  const listening = next(child, 'listening');
  if (bytes) child.send({ kind: 'bytes', base64: bytes.toString('base64') } satisfies ToServer);
  const { port, people } = await listening;
  return { child, port, people };
}

async function cpuSeconds({ child }: Server): Promise<number> {
  const answer = next(child, 'cpu');
  child.send({ kind: 'cpu' } satisfies ToServer);
  return (await answer).seconds;
}

/** Requests per CPU-second of the server. */
async function rate(server: Server, target: Target): Promise<number> {
  await load(target, CONNECTIONS, WARM_UP_SECONDS);
  const before = await cpuSeconds(server);
  const replies = await load(target, CONNECTIONS, SECONDS);
  return replies / ((await cpuSeconds(server)) - before);
}

const site = await start('site');
const anonymous = { port: site.port, path: '/', people: site.people.visitors };
const personal = { port: site.port, path: '/', people: site.people.members };
const body = await ask(anonymous);
const cached = await rate(site, anonymous);
const rendered = await rate(site, personal);
site.child.disconnect();
const bare = await start('bare', body);
const baseline = await rate(bare, { port: bare.port, path: '/', people: bare.people.visitors });
bare.child.disconnect();

const row = (what: string, perSecond: number, aim: string): Record<string, string | number> => ({
  '': what, 'requests per CPU-second': Math.round(perSecond),
  'of the bare reply': (perSecond / baseline).toFixed(3), aim,
});
console.log(`Listing with 98 tiles, ${(body.length / 1000).toFixed(1)} kB gzip`);
console.table([
  row('bare Fastify reply of the same bytes', baseline, 'baseline'),
  row('listing, cached', cached, '≥ 0.5'),
  row('listing, rendered for one person', rendered, '–'),
]);
console.log('JavaScript of a first visit');
spawnSync(process.execPath, ['tools/bundle-sizes.mjs'], { stdio: ['ignore', 'inherit', 'inherit'] });
