/**
 * The server of the playlist bench, in its own process: `site` is Candela with one live performer with HLS,
 * `bare` is Fastify replying with the bytes it was given. Reports its port, then its CPU time on request.
 */
import { getPlayback } from '#product/broadcast/contract.ts';
import { createSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import fastify from 'fastify';
import type { FromMeasured, ToMeasured } from '../listing/measured.ts';

/** Enough that none exceeds the rate limit of an address (1,200 a minute), however fast the server is. */
const VIEWERS = 200;
const SEGMENT_MS = 2_000;
/** The site's virtual clock follows the real one in steps shorter than any time it measures. */
const TICK_MS = 50;

type Headers = Readonly<Record<string, string>>;
/** Viewers with the playlist each of them may request. */
export interface Audience {
  readonly people: readonly Headers[];
  readonly paths: readonly string[];
}
/** Reported once the server accepts requests. */
export interface Ready {
  readonly guests: Audience;
  readonly members: Audience;
}

const report = (message: FromMeasured<Ready>): void => void process.send?.(message);
const portOf = (address: string): number => Number(new URL(address).port);

async function audienceOf(
  username: string,
  person: () => Promise<Visitor>,
  block: number,
): Promise<Audience> {
  const [people, paths]: [Headers[], string[]] = [[], []];
  for (let at = 0; at < VIEWERS; at += 1) {
    const viewer = await person();
    const { stream_name: stream, token } = await viewer.call(getPlayback, { username, kind: 'hls' });
    const sent = Object.entries({ ...viewer.headers, 'x-forwarded-for': `127.${block}.${at % 250}.1` });
    people.push(Object.fromEntries(sent.filter(([, value]) => value !== undefined)) as Headers);
    paths.push(`/hls/${stream}/source/live.m3u8?token=${encodeURIComponent(token)}&multitrack=0&track=sd`);
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
  report({ kind: 'listening', port: portOf(address), guests, members });
}

async function serveBytes(bytes: Buffer): Promise<void> {
  const app = fastify();
  app.get('/', (_request, reply) => reply.type('application/vnd.apple.mpegurl').send(bytes));
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  const plain = { people: [{ host: 'localhost' }], paths: ['/'] };
  report({ kind: 'listening', port: portOf(address), guests: plain, members: plain });
}

process.on('message', (message: ToMeasured) => {
  if (message.kind === 'bytes') void serveBytes(Buffer.from(message.base64, 'base64'));
  const { user, system } = process.cpuUsage();
  if (message.kind === 'cpu') report({ kind: 'cpu', seconds: (user + system) / 1e6 });
});
process.on('disconnect', () => process.exit(0));
if (process.argv[2] === 'site') await serveSite();
