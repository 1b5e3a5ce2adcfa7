import { writeProof } from '#platform/streaming/conformance/load/proof-report.ts';
import { inSlices } from '#platform/streaming/conformance/load/proof-slices.ts';
import { expect, it } from 'vitest';
import { runKilled, type Outcome } from './exactly-once/driver.ts';
import { buildProgram } from './exactly-once/killed-site.ts';

/** Smaller runs are for trying things out; only full-size results are committed. */
const INTENTS = Number(process.env['INTENTS'] ?? 50_000);
const SEED = process.env['SEED'] ?? 'candela';
const LIMIT_MS = 6 * 3_600_000;
/** Intents of a slice. Each slice has its own site, PostgreSQL server and billers. */
const SLICE = 5_000;
/** Sources that are built into the program, and the driver. */
const FOLDERS = ['platform', 'product', 'programs', 'e2e/exactly-once'];

const say = (text: string): void => void process.stdout.write(`${text}\n`);

it('fifty thousand intents happen once each while processes are killed', { timeout: LIMIT_MS }, async () => {
  const count = Math.ceil(INTENTS / SLICE);
  buildProgram();
  const slices = await inSlices<Outcome>({
    name: 'exactly-once',
    seed: SEED,
    size: Math.ceil(INTENTS / count),
    count,
    folders: FOLDERS,
    run: async (seed) => {
      // Keys of intents are made from the seed, and must not contain spaces.
      const own = seed.replaceAll(' ', '-');
      const run = await runKilled({ intents: Math.ceil(INTENTS / count), seed: own, onProgress: say });
      say(JSON.stringify(run));
      expect([run.doubled, run.lost, run.problems]).toEqual([0, 0, []]);
      return run;
    },
  });
  const sum = (of: (one: Outcome) => number): number => slices.reduce((total, slice) => total + of(slice), 0);
  const intents = sum(({ tips, grants, cards, pages }) => tips + grants + cards + pages);
  const facts = [
    ['Seed', SEED],
    ['Sites, each with people, a PostgreSQL and billers of its own', count],
    ['Intents', intents],
    ['… tips', sum(({ tips }) => tips)],
    ['… grants of tokens', sum(({ grants }) => grants)],
    ['… purchases with a saved card', sum(({ cards }) => cards)],
    ['… purchases on the page of a biller', sum(({ pages }) => pages)],
    ['Sends, 1 to 5 of each with one Idempotency-Key or on one page', sum(({ sends }) => sends)],
    ['… that got no answer', sum(({ unanswered }) => unanswered)],
    ['Intents nothing was known of when all was sent', sum(({ unknown }) => unknown)],
    ['SIGKILLs of the program', sum(({ siteKills }) => siteKills)],
    ['SIGKILLs of the PostgreSQL server', sum(({ serverKills }) => serverKills)],
    ['SIGKILLs of one of its sessions', sum(({ sessionKills }) => sessionKills)],
    ['Times the program ended by itself meanwhile', sum(({ ownEnds }) => ownEnds.length)],
    ['Charges in the books of the billers', sum(({ charges }) => charges)],
    ['Purchases that were declined, and neither charged nor credited', sum(({ declined }) => declined)],
    ['Doubled', sum(({ doubled }) => doubled)],
    ['Acknowledged and lost', sum(({ lost }) => lost)],
    ['Differences of balances, earnings, orders, money and ids', sum(({ problems }) => problems.length)],
    ['Seconds', Math.round(sum(({ seconds }) => seconds))],
  ] as const;
  say(facts.map(([fact, value]) => `${fact}: ${value}`).join('\n'));
  say([...new Set(slices.flatMap(({ ownEnds }) => ownEnds))].join('\n'));
  expect(sum(({ siteKills, serverKills, sessionKills }) => siteKills + serverKills + sessionKills))
    .toBeGreaterThan(0);
  expect(sum(({ declined }) => declined)).toBeLessThan(sum(({ charges }) => charges) / 5);
  if (INTENTS < 50_000) return;
  writeProof({
    name: 'exactly-once',
    title: 'Exactly once over HTTP',
    claim: 'People tip, take tokens and buy them over HTTP at the program as built on PostgreSQL with fsync. '
      + 'Each intent is sent up to five times, some at the same moment, while the program, the PostgreSQL '
      + 'server and single sessions of it are killed by SIGKILL. The simulated billers live on beside them; '
      + 'of every fifth purchase an answer is lost, or a callback doubled, lost, reordered, forged or cut. '
      + 'Whatever was never answered is asked again at the end, and questions to billers are brought '
      + 'forward. Then the log of the driver and the books of the billers are compared with the rows: ids, '
      + 'orders, charges, credits, balances, sums of postings, earnings and money.',
    facts,
  });
});
