/**
 * Filtered listings and advanced searches from memory: 98 of 20,000 online and 200,000 known, while
 * performers change, beside writing the same answer as JSON alone. Then bytes a performer, search index
 * included.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { multiFilterOf, SearchIndex } from '../product/browse/server.ts';
import { searchOf } from '../product/browse/rules/search/facets.ts';
import { Dice, heapBytes, percentile, populate } from './directory/population.ts';

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

const list = () => directory.list({
  filter: { genders: ['f'], languages: ['de', 'en'], privateRate: { from: 1, to: 60 } }, sort: 'recommended',
  sees, offset: PAGE * dice.below(3), limit: PAGE, now,
});
const advanced = () => multiFilterOf(search, { directory, index, isBlocked: () => false }, viewer, now,
  { offset: 0, limit: 60 });
const { entries } = list();
const bare = measure(() => JSON.stringify(entries));
const rows = [
  ['JSON of the same 98 entries alone', bare], ['filtered listing of 98', measure(list)],
  ['advanced search with counts', measure(advanced)],
] as const;

console.log(`${KNOWN} known, ${ONLINE} online, no query\n`);
console.log('| | p50 ms | p99 ms | answers a CPU-second | of the baseline |');
console.log('|---|---:|---:|---:|---:|');
for (const [name, { times, perSecond }] of rows) {
  console.log(`| ${name} | ${percentile(times, 0.5).toFixed(2)} | ${percentile(times, 0.99).toFixed(2)} | `
    + `${perSecond.toFixed(0)} | ${(perSecond / bare.perSecond).toFixed(3)} |`);
}
console.log(`\nbytes a performer: ${ofDirectory.toFixed(0)} in the directory, ${ofAll.toFixed(0)} with the `
  + 'search index (the aim: 2,000)');
