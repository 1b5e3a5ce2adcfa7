/**
 * The server the bench of playlists loads, in a process of its own: `site` is Candela with one performer live
 * and segmented, `bare` is Fastify answering the bytes it is sent. Tells its port, then its CPU time whenever
 * it is asked.
 */
import fastify from 'fastify';
import { getPlayback } from '../../product/broadcast/contract.ts';
import { createSite } from '../../product/testkit/site.ts';
import type { Visitor } from '../../product/testkit/visitor.ts';
import type { FromMeasured, ToMeasured } from '../listing/measured.ts';

/** Enough that none asks more often than one address may (1,200 a minute), however fast the server is. */
const VIEWERS = 200;
const SEGMENT_MS = 2_000;
/** The site's clock is virtual: here it goes on with the real one, in steps below all it is asked about. */
const TICK_MS = 50;

type Headers = Readonly<Record<string, string>>;
/** Viewers with the playlist each of them may ask for. */
export interface Audience {
  readonly people: readonly Headers[];
  readonly paths: readonly string[];
}
/** What is told once this listens. */
export interface Listening {
  readonly guests: Audience;
  readonly members: Audience;
}

const tell = (message: FromMeasured<Listening>): void => void process.send?.(message);
const portOf = (address: string): number => Number(new URL(address).port);

async function audienceOf(
  username: string, person: () => Promise<Visitor>, block: number,
): Promise<Audience> {
  const [people, paths]: [Headers[], string[]] = [[], []];
  for (let at = 0; at < VIEWERS; at += 1) {
    const viewer = await person();
    const { url } = await viewer.call(getPlayback, { username, kind: 'hls', track: 'sd' });
    const { pathname, search } = new URL(url);
    const sent = Object.entries({ ...viewer.headers, 'x-forwarded-for': `127.${block}.${at % 250}.1` });
    people.push(Object.fromEntries(sent.filter(([, value]) => value !== undefined)) as Headers);
    paths.push(pathname.replace('index.m3u8', 'source/live.m3u8') + search);
  }
  return { people, paths };
}

async function serveSite(): Promise<void> {
  const site = await createSite({ checkOutputs: false, settings: { trustedProxies: ['127.0.0.1'] } });
  const { id, username } = await site.performer({ live: true });
  const { stream } = await site.tx((tx) => site.services.broadcast.viewOf(tx, id));
  if (stream === null) throw new Error('nobody is live');
  await site.outputs.openHls(stream);
  const guests = await audienceOf(username, () => site.visitor({ ofAge: true }), 10);
  const members = await audienceOf(username, () => site.viewer(), 11);
  setInterval(() => site.clock.advance(TICK_MS), TICK_MS);
  setInterval(() => site.outputs.produce(stream), SEGMENT_MS);
  const address = await site.http.app.listen({ host: '127.0.0.1', port: 0 });
  tell({ kind: 'listening', port: portOf(address), guests, members });
}

async function serveBytes(bytes: Buffer): Promise<void> {
  const app = fastify();
  app.get('/', (_request, reply) => reply.type('application/vnd.apple.mpegurl').send(bytes));
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  const plain = { people: [{ host: 'localhost' }], paths: ['/'] };
  tell({ kind: 'listening', port: portOf(address), guests: plain, members: plain });
}

process.on('message', (message: ToMeasured) => {
  if (message.kind === 'bytes') void serveBytes(Buffer.from(message.base64, 'base64'));
  const { user, system } = process.cpuUsage();
  if (message.kind === 'cpu') tell({ kind: 'cpu', seconds: (user + system) / 1e6 });
});
process.on('disconnect', () => process.exit(0));
if (process.argv[2] === 'site') await serveSite();
