/**
 * Tips at an even rate while visitors search for words of bios, beside the same tips alone, in turns, on
 * PGlite: it has one session, and a search must not hold tips up. Here it runs in the thread of the site, so
 * a query delays more than in production, where it has a thread of its own.
 */
import { multiFilter } from '#product/browse/contract/search.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { Dice, percentile } from '../directory/population.ts';
import { openBurst, tipOf, type Burst } from '../tip-burst/site.ts';

const smoke = process.argv.includes('--smoke');
const SENDERS = 16;
/** Performers with a bio, each of so many of the words. */
const PERFORMERS = smoke ? 5_000 : 100_000;
const WORDS_OF_BIO = 40;
const WORDS = 5_000;
const TURN_MS = smoke ? 3_000 : 15_000;
const TURNS = smoke ? 1 : 3;
const TIPS_PER_SECOND = 40;
const SEARCHES_PER_SECOND = 10;
/** Each may ask so often only. */
const VISITORS = 60;

delete process.env['TEST_DATABASE_URL'];
const dice = new Dice();
const burst = await openBurst(SENDERS);
const { site } = burst;

/** Words of three syllables, which share most of their trigrams, as words of a language do. */
const SYLLABLES = [
  'ba',
  'con',
  'de',
  'fi',
  'gra',
  'ing',
  'jo',
  'ka',
  'lu',
  'mer',
  'no',
  'per',
  'ra',
  'sti',
  'ter',
  'vi',
  'wo',
];
const words = Array.from(
  { length: WORDS },
  () => dice.of(SYLLABLES) + dice.of(SYLLABLES) + dice.of(SYLLABLES) + String(dice.below(10)),
);

async function writeBios({ performerId }: Burst): Promise<void> {
  await site.tx(async (tx) => {
    await sql`
      insert into accounts.people (site_id, username, display_name, email, type, birth_date, created_at)
      select site_id, 'writer' || n, 'Writer ' || n, 'writer' || n || '@people.example', 'model', birth_date,
        created_at
      from accounts.people, generate_series(1, ${PERFORMERS}::int) n where id = ${performerId}
    `.execute(tx.sql());
    await sql`
      insert into browse.bios (performer_id, words)
      select p.id, ' ' || (
        select string_agg((${words}::text[])[1 + (p.id * 7919 + n * n * 104729) % ${WORDS}::int], ' ')
        from generate_series(1, ${WORDS_OF_BIO}::int) n) || ' '
      from accounts.people p where p.username like 'writer%'
    `.execute(tx.sql());
  });
}

/** Milliseconds from a tip to its commit, and of a search, in one turn. */
async function turn(visitors: readonly Visitor[], searchesPerSecond: number) {
  const [tips, searches]: [number[], number[]] = [[], []];
  const under: Promise<void>[] = [];
  const start = performance.now();
  const timed = async (times: number[], work: () => Promise<unknown>): Promise<void> => {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  };
  const due = (rate: number): number => Math.floor(((performance.now() - start) * rate) / 1_000);
  for (let [tipped, searched] = [0, 0]; performance.now() - start < TURN_MS;) {
    for (; tipped < due(TIPS_PER_SECOND); tipped += 1) {
      const senderId = burst.senderIds[tipped % SENDERS] ?? 0;
      under.push(timed(tips, async () => {
        const { status } = await site.services.ledger.submit(site.scope, tipOf(burst, senderId));
        if (status !== 'posted') throw new Error(`a tip was ${status}`);
      }));
    }
    for (; searched < due(searchesPerSecond); searched += 1) {
      // Half of them find somebody; all of them differ, so that none is remembered.
      const word = dice.of(words);
      const q = searched % 2 === 0
        ? `${word} ${dice.of(words).slice(0, 4)}`
        : `${word.slice(0, -1)}zz${searched}`;
      const visitor = visitors[searched % VISITORS];
      under.push(timed(searches, async () => visitor?.call(multiFilter, { q })));
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
  }
  await Promise.all(under);
  return { tips, searches };
}

try {
  await writeBios(burst);
  const visitors: Visitor[] = [];
  while (visitors.length < VISITORS) visitors.push(await site.visitor({ ofAge: true }));
  await visitors[0]?.call(multiFilter, { q: 'warm' });
  const all = { alone: [] as number[], during: [] as number[], searches: [] as number[] };
  for (let n = 0; n < TURNS; n += 1) {
    all.alone.push(...(await turn(visitors, 0)).tips);
    const { tips, searches } = await turn(visitors, SEARCHES_PER_SECOND);
    all.during.push(...tips);
    all.searches.push(...searches);
  }
  const at = (times: readonly number[], share: number): number =>
    percentile(times.toSorted((a, b) => a - b), share);
  console.log(
    `${PERFORMERS} bios of ${WORDS_OF_BIO} words; ${TIPS_PER_SECOND} tips and `
      + `${SEARCHES_PER_SECOND} searches a second\n`,
  );
  console.log('| | p50 ms | p99 ms |');
  console.log('|---|---:|---:|');
  for (const [name, times] of [
    ['tips alone', all.alone],
    ['tips during searches', all.during],
    ['searches', all.searches],
  ] as const) console.log(`| ${name} | ${at(times, 0.5).toFixed(1)} | ${at(times, 0.99).toFixed(1)} |`);
  const ratio = (share: number): string => (at(all.during, share) / at(all.alone, share)).toFixed(2);
  console.log(`| ratio, during of alone | ${ratio(0.5)} | ${ratio(0.99)} |`);
} finally {
  await site.close();
}
