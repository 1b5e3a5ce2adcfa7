/**
 * The cost of a media playlist, for guests and for people logged in, compared with a bare Fastify reply of
 * the same bytes. Each HLS viewer requests one every two seconds. Measured in requests per second of the
 * *server's* CPU time, so that the cost of the load doesn't count.
 */
import { ask, type Target } from '../listing/load.ts';
import { rate, serve } from '../listing/measured.ts';
import type { Audience, Ready } from '../playlist/server.ts';

/** A player asks again after one target duration (RFC 8216 §6.3.4). */
const RELOAD_SECONDS = 2;
const SERVER = new URL('../playlist/server.ts', import.meta.url);

const targetOf = ({ port }: { readonly port: number }, { people, paths }: Audience): Target => ({
  port,
  path: paths,
  people,
});

const site = await serve<Ready>(SERVER);
const guests = await rate(site, targetOf(site, site.guests));
const members = await rate(site, targetOf(site, site.members));
const body = await ask(targetOf(site, site.guests));
site.child.disconnect();
const bare = await serve<Ready>(SERVER, body);
const baseline = await rate(bare, targetOf(bare, bare.guests));
bare.child.disconnect();

const row = (what: string, perSecond: number): Record<string, string | number> => ({
  '': what,
  'requests per CPU-second': Math.round(perSecond),
  'of the bare reply': (perSecond / baseline).toFixed(3),
  'viewers a core': Math.round(perSecond * RELOAD_SECONDS),
});
console.log(`Media playlist of ${(body.length / 1000).toFixed(1)} kB`);
console.table([
  row('bare Fastify reply of the same bytes', baseline),
  row('playlist, guests', guests),
  row('playlist, people logged in', members),
]);
