import { systemClock } from '#platform/data/clock.ts';
import { writeProof } from '#platform/streaming/conformance/load/proof-report.ts';
import { inSlices } from '#platform/streaming/conformance/load/proof-slices.ts';
import type { Tally } from '#product/testkit/money/episode.ts';
import { simulate } from '#product/testkit/money/simulation.ts';
import { findPrograms, startCluster } from '#tools/machine/cluster.mjs';
import { expect, it } from 'vitest';

/** Smaller runs are for trying things out; only full-size results are committed. */
const OPERATIONS = Number(process.env['OPERATIONS'] ?? 1_000_000);
const CRASHES = Number(process.env['CRASHES'] ?? 100_000);
const SEED = process.env['SEED'] ?? 'candela';
const LIMIT_MS = 6 * 3_600_000;
/** Operations of a slice: takes a few minutes, which is all that an interrupted run loses. */
const SLICE = 50_000;
/** Progress is printed after this many histories. */
const REPORT_EVERY = 10;
/** Sources of what the simulation runs, and of what it is compared with. */
const FOLDERS = ['product/ledger', 'product/testkit/money', 'platform/data'];

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** The findings of one slice, in a form that survives JSON. */
type Slice = Omit<Tally, 'answers' | 'crashPoints'> & {
  readonly answers: readonly (readonly [string, number])[];
  readonly crashPoints: readonly (readonly [string, number])[];
  readonly databases: number;
  readonly episodes: number;
  readonly seconds: number;
};

async function slice(seed: string, count: number, databaseUrl: string | undefined): Promise<Slice> {
  const startedAt = systemClock.now().getTime();
  let outcome = 0;
  const found = await simulate({
    seed,
    operations: Math.ceil(OPERATIONS / count),
    crashes: Math.ceil(CRASHES / count),
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    onEpisode: ({ operations, crashes }) => {
      outcome += 1;
      if (outcome % REPORT_EVERY === 0) say(`${seed}: ${operations} operations, ${crashes} deaths so far`);
    },
    onError: (plan, { stack }) =>
      say(`${plan.seed} goes wrong; a smaller history is looked for.\n${stack ?? ''}`),
  });
  const seconds = Math.round((systemClock.now().getTime() - startedAt) / 1_000);
  say(`${seed}: ${found.operations} operations, ${found.crashes} deaths, ${seconds} s`);
  return { ...found, answers: [...found.answers], crashPoints: [...found.crashPoints], seconds };
}

const added = (lists: readonly (readonly (readonly [string, number])[])[]): [string, number][] => {
  const sums = new Map<string, number>();
  for (const [name, count] of lists.flat()) sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums];
};

it('a million operations and a hundred thousand deaths leave the journal of the reference', {
  timeout: LIMIT_MS,
}, async () => {
  const programs = findPrograms();
  const cluster = programs === null ? null : await startCluster(programs);
  const count = Math.ceil(OPERATIONS / SLICE);
  const running = inSlices({
    name: 'ledger-simulation',
    seed: SEED,
    size: Math.ceil(OPERATIONS / count),
    count,
    folders: FOLDERS,
    run: (seed) => slice(seed, count, cluster?.url),
  });
  await Promise.allSettled([running]);
  await cluster?.stop();
  const slices = await running;
  const sum = (of: (one: Slice) => number): number => slices.reduce((total, item) => total + of(item), 0);
  const tally = {
    operations: sum(({ operations }) => operations),
    crashes: sum(({ crashes }) => crashes),
    answers: added(slices.map(({ answers }) => answers)),
    crashPoints: added(slices.map(({ crashPoints }) => crashPoints)),
  };
  expect(tally.operations).toBeGreaterThanOrEqual(OPERATIONS);
  expect(tally.crashes).toBeGreaterThanOrEqual(CRASHES);
  const facts: (readonly [string, string | number])[] = [
    ['Seed', SEED],
    ['Slices of it', count],
    ['Database', cluster ? 'PostgreSQL' : 'PGlite'],
    ['Operations answered, each answer compared', tally.operations],
    ['… done at once with others of their batch', sum(({ atOnce }) => atOnce)],
    ...tally.answers.sort(([, a], [, b]) => b - a)
      .map(([status, count]) => [`… ${status}`, count] as const),
    ['Entries in the journals', sum(({ posted }) => posted)],
    ['Wishes of clients', sum(({ intents }) => intents)],
    ['Messages sent for them', sum(({ sends }) => sends)],
    ['Messages and answers lost', sum(({ lost }) => lost)],
    ['Largest batch', Math.max(...slices.map(({ largestBatch }) => largestBatch))],
    ['Processes that died, and the next took over', tally.crashes],
    ...tally.crashPoints.sort().map(([point, count]) => [`… ${point}`, count] as const),
    ['Checks of all invariants', sum(({ checks }) => checks)],
    ['Histories, each of an operator of its own', sum(({ episodes }) => episodes)],
    ['Databases', sum(({ databases }) => databases)],
    ['Seconds', sum(({ seconds }) => seconds)],
    ['Differences', 0],
  ];
  say(facts.map(([fact, value]) => `${fact}: ${value}`).join('\n'));
  if (OPERATIONS < 1_000_000) return;
  writeProof({
    name: 'ledger-simulation',
    title: 'The ledger against one thread',
    claim: 'Clients want things of the ledger and send them until they are answered, over a network that '
      + 'loses, doubles and reorders. The process that holds the ledger runs the real services and the real '
      + 'SQL, and dies at awaits: before a statement is sent, or after it is done and nobody has read its '
      + 'answer. Every answer of every committed unit of work is compared with a reference ledger of one '
      + 'thread, and after each stretch of time every invariant is asked of the rows.',
    facts,
  });
});
