/**
 * Filtered listings and advanced searches: 98 of 20,000 online and 200,000 known, while performers change.
 * First the directory alone, beside writing the same entries as JSON, and bytes a performer, search index
 * included. Then whole answers over HTTP beside a bare Fastify reply of the same bytes, in requests per
 * second of the server's CPU time.
 */
import { searchOf } from '#product/browse/rules/search/facets.ts';
import { multiFilterOf, SearchIndex } from '#product/browse/server.ts';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Dice, heapBytes, percentile, populate } from './directory/population.ts';
import type { Ready } from './directory/server.ts';
import { ask } from './listing/load.ts';
import { rate, serve } from './listing/measured.ts';

setFlagsFromString('--expose-gc');
(globalThis as { gc?: unknown }).gc = runInNewContext('gc');

const smoke = process.argv.includes('--smoke');
const [KNOWN, ONLINE] = smoke ? [20_000, 2_000] : [200_000, 20_000];
const ROUNDS = smoke ? 100 : 2_000;
/** A performer changes before every such answer, as a viewer enters a room. */
const CHANGE_EVERY = 2;
const PAGE = 98;

const dice = new Dice();
const start = Date.now();
let now = start;
const before = heapBytes();
const directory = populate(KNOWN, ONLINE, now);
const ofDirectory = (heapBytes() - before) / KNOWN;
const index = new SearchIndex();
for (const entry of directory.all()) index.put(entry);
directory.watch((_id, entry) => {
  if (entry) index.put(entry);
});
const ofAll = (heapBytes() - before) / KNOWN;
const ids = [...directory.online()].map(({ id }) => id);
const sees = (): boolean => true;
const viewer = { sees, audience: '', personId: null, followed: new Set<number>(), hidden: new Set<number>() };
const search = searchOf({ lang: 'de,en', region: 'europe,usa', rate: '1-60' });

/** Milliseconds of each round, and the processor's seconds of all. */
function measure(round: () => unknown) {
  const times: number[] = [];
  const from = process.cpuUsage();
  for (let at = 0; at < ROUNDS; at += 1) {
    now += 5;
    if (at % CHANGE_EVERY === 0) directory.change(dice.of(ids), { viewerCount: dice.below(2_000) });
    const began = performance.now();
    round();
    times.push(performance.now() - began);
  }
  const { user, system } = process.cpuUsage(from);
  return { times: times.sort((a, b) => a - b), perSecond: ROUNDS / ((user + system) / 1e6) };
}

const list = () =>
  directory.list({
    filter: { genders: ['f'], languages: ['de', 'en'], privateRate: { from: 1, to: 60 } },
    sort: 'recommended',
    sees,
    offset: PAGE * dice.below(3),
    limit: PAGE,
    now,
  });
const advanced = () =>
  multiFilterOf(search, { directory, index, isBlocked: () => false }, viewer, now, { offset: 0, limit: 60 });
const { entries } = list();
const bare = measure(() => JSON.stringify(entries));
const rows = [
  ['JSON of the same 98 entries alone', bare],
  ['filtered listing of 98', measure(list)],
  ['advanced search with counts', measure(advanced)],
] as const;

console.log(`${KNOWN} known, ${ONLINE} online, no query\n`);
console.log('| | p50 ms | p99 ms (aim: 5) | answers a CPU-second | of the baseline |');
console.log('|---|---:|---:|---:|---:|');
for (const [name, { times, perSecond }] of rows) {
  console.log(
    `| ${name} | ${percentile(times, 0.5).toFixed(2)} | ${percentile(times, 0.99).toFixed(2)} | `
      + `${perSecond.toFixed(0)} | ${(perSecond / bare.perSecond).toFixed(3)} |`,
  );
}
console.log(
  `\nbytes a performer: ${ofDirectory.toFixed(0)} in the directory, ${ofAll.toFixed(0)} with the `
    + 'search index (the aim: 2,000)\n',
);

const LISTING = '/api/v1/browse/react/girls?lang=de,en&rate=1-60';
if (smoke) process.env['BENCH_SMOKE'] = '1';
const site = await serve<Ready>(new URL('directory/server.ts', import.meta.url));
const { visitors, members } = site.people;
// Each measurement has people of its own, so that nobody reaches a rate limit.
const half = visitors.length / 2;
const shared = { port: site.port, path: LISTING, people: visitors.slice(0, half) };
const others = visitors.slice(half);
/** So many filters that few answers are asked for twice in a second. */
const different = others.map((_, at) =>
  '/api/v1/browse/react/girls'
  + `?lang=${['de', 'en', 'ro', 'de,en'][at % 4] ?? ''}&rate=${1 + at % 90}-${100 + at}`
);
const body = await ask(shared);
const found = (JSON.parse(body.toString()) as { userList: unknown[] }).userList.length;
if (found !== PAGE) throw new Error(`a listing of ${found}`);
const overHttp = [
  ['listing of 98, the same for guests', await rate(site, shared), '–'],
  [
    'listing of 98, each guest another filter',
    await rate(site, { ...shared, path: different, people: others }),
    '–',
  ],
  ['listing of 98, members', await rate(site, { ...shared, people: members }), '–'],
] as const;
site.child.disconnect();
const plain = await serve<Ready>(new URL('listing/server.ts', import.meta.url), body);
const baseline = await rate(plain, { port: plain.port, path: '/', people: plain.people.visitors });
plain.child.disconnect();

console.log(
  `over HTTP, ${(body.length / 1000).toFixed(1)} kB, while 2,000 viewer counts change a second and `
    + 'somebody leaves 4 times\n',
);
console.log('| | answers a CPU-second | of the bare reply | aim |');
console.log('|---|---:|---:|---:|');
for (const [name, perSecond, aim] of [['bare Fastify reply', baseline, ''] as const, ...overHttp]) {
  console.log(`| ${name} | ${perSecond.toFixed(0)} | ${(perSecond / baseline).toFixed(3)} | ${aim} |`);
}
