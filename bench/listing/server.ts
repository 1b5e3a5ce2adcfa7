/**
 * The server of a bench, in its own process: `site` is Candela with 98 live performers, `bare` is Fastify
 * replying with the bytes it was given. Reports its port, then its CPU time on request.
 */
import { createSite } from '#product/testkit/site.ts';
import { mountPages } from '#programs/parts/pages.ts';
import fastify from 'fastify';
import { fileURLToPath } from 'node:url';
import type { FromMeasured, ToMeasured } from './measured.ts';

/** A full page of the listing (spec 2: 98 tiles). */
const TILES = 98;
/** Enough that none exceeds the rate limit of a person (120 a minute), however fast the server is. */
const VISITORS = 500;
const MEMBERS = 60;

/** Reported once the server accepts requests. */
export interface Ready {
  readonly people: People;
  /** Path of a live performer's room. */
  readonly room: string;
}
type Headers = Readonly<Record<string, string>>;
/** Request headers: of visitors past the entry gate, and of people logged in. */
interface People {
  readonly visitors: readonly Headers[];
  readonly members: readonly Headers[];
}

const report = (message: FromMeasured<Ready>): void => void process.send?.(message);
const portOf = (address: string): number => Number(new URL(address).port);
/** Each has a loopback address of their own: addresses have rate limits too. */
const sent = (headers: Readonly<Record<string, string | undefined>>, at: number): Record<string, string> =>
  Object.fromEntries(
    Object.entries({
      ...headers,
      'accept-encoding': 'gzip',
      'x-forwarded-for': `127.1.${at >> 8}.${at & 255}`,
    }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );

async function serveSite(): Promise<void> {
  const site = await createSite({ checkOutputs: false, settings: { trustedProxies: ['127.0.0.1'] } });
  const root = fileURLToPath(new URL('../../', import.meta.url));
  if (!(await mountPages(root, site.http))) throw new Error('the pages are not built: npm run build');
  let room = '';
  for (let at = 0; at < TILES; at += 1) room = `/${(await site.performer({ live: true })).username}`;
  await site.settle();
  const [visitors, members]: [Headers[], Headers[]] = [[], []];
  for (let at = 0; at < VISITORS; at += 1) {
    visitors.push(sent((await site.visitor({ ofAge: true })).headers, at));
  }
  for (let at = 0; at < MEMBERS; at += 1) members.push(sent((await site.viewer()).headers, VISITORS + at));
  const address = await site.http.app.listen({ host: '127.0.0.1', port: 0 });
  report({ kind: 'listening', port: portOf(address), room, people: { visitors, members } });
}

async function serveBytes(bytes: Buffer): Promise<void> {
  const app = fastify();
  app.get(
    '/',
    (_request, reply) =>
      reply.type('text/html; charset=utf-8').header('content-encoding', 'gzip').send(bytes),
  );
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  const plain = { host: 'localhost', 'accept-encoding': 'gzip' };
  report({ kind: 'listening', port: portOf(address), room: '/', people: { visitors: [plain], members: [] } });
}

process.on('message', (message: ToMeasured) => {
  if (message.kind === 'bytes') void serveBytes(Buffer.from(message.base64, 'base64'));
  const { user, system } = process.cpuUsage();
  if (message.kind === 'cpu') report({ kind: 'cpu', seconds: (user + system) / 1e6 });
});
process.on('disconnect', () => process.exit(0));
if (process.argv[2] === 'site') await serveSite();
