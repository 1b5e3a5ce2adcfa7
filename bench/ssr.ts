/**
 * The cost of documents, of a listing with 98 tiles and of a room, cached for everybody and rendered for one
 * person, beside a bare Fastify reply of the same bytes and React's `renderToString` of the same markup; and
 * the JavaScript of a first visit. Measured in requests per second of the *server's* CPU time, so that the
 * cost of the load doesn't count.
 */
import { bundleSizes } from '#tools/pages/bundle-sizes.ts';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { ask } from './listing/load.ts';
import { rate, serve } from './listing/measured.ts';
import type { Ready } from './listing/server.ts';

const SERVER = new URL('./listing/server.ts', import.meta.url);
const REACT = fileURLToPath(new URL('./listing/react-tree.ts', import.meta.url));

/** `renderToString` of the markup of a packed document, per CPU-second. */
function reactRate(document: Buffer): number {
  const { stdout, stderr } = spawnSync(process.execPath, [
    '--import',
    'tsx',
    REACT,
    ...process.argv.filter((flag) => flag === '--smoke'),
  ], {
    input: gunzipSync(document),
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const perSecond = Number.parseFloat(stdout);
  if (!(perSecond > 0)) throw new Error(`React rendered nothing: ${stderr}`);
  return perSecond;
}

const site = await serve<Ready>(SERVER);
const { port, people: { visitors, members } } = site;
const listing = { port, path: '/', people: visitors };
const room = { port, path: site.room, people: visitors };
const document = await ask(listing);
const measured = {
  cached: await rate(site, listing),
  personal: await rate(site, { ...listing, people: members }),
  room: await rate(site, room),
  personalRoom: await rate(site, { ...room, people: members }),
};
site.child.disconnect();
const bare = await serve<Ready>(SERVER, document);
const baseline = await rate(bare, { port: bare.port, path: '/', people: bare.people.visitors });
bare.child.disconnect();
const react = reactRate(document);

const row = (what: string, perSecond: number, aim: string): Record<string, string | number> => ({
  '': what,
  'requests per CPU-second': Math.round(perSecond),
  'of the bare reply': (perSecond / baseline).toFixed(4),
  aim,
});
console.log(`Listing with 98 tiles, ${(document.length / 1000).toFixed(1)} kB gzip`);
console.table([
  row('bare Fastify reply of the same bytes', baseline, 'baseline'),
  row('listing, cached', measured.cached, '≥ 0.25 of it'),
  row('listing, rendered for one person', measured.personal, '≥ 29'),
  row('room, cached', measured.room, '–'),
  row('room, rendered for one person', measured.personalRoom, '≥ 29'),
  row('renderToString of the listing\'s markup', react, '–'),
]);
console.log('JavaScript of a first visit');
console.table(bundleSizes().routes);
