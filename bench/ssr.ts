/**
 * The cost of a listing with 98 tiles, from the cache and rendered for one person, compared with a bare
 * Fastify reply of the same bytes; and the JavaScript of a first visit. Measured in requests per second of
 * the *server's* CPU time, so that the cost of the load doesn't count.
 */
import { bundleSizes } from '../tools/pages/bundle-sizes.ts';
import { ask } from './listing/load.ts';
import { rate, serve } from './listing/measured.ts';
import type { Ready } from './listing/server.ts';

const SERVER = new URL('./listing/server.ts', import.meta.url);

const site = await serve<Ready>(SERVER);
const anonymous = { port: site.port, path: '/', people: site.people.visitors };
const personal = { port: site.port, path: '/', people: site.people.members };
const body = await ask(anonymous);
const cached = await rate(site, anonymous);
const rendered = await rate(site, personal);
site.child.disconnect();
const bare = await serve<Ready>(SERVER, body);
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
console.table(bundleSizes().routes);
