import { VirtualClock } from '#platform/data/clock.ts';
import { readFunctions } from '#platform/data/schema/function-files.ts';
import { openTestDriver } from '#platform/data/testing.ts';
import { emptyTally, runEpisode } from '#product/testkit/money/episode.ts';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { runTests } from './run-tests.ts';
import { sqlMutants, type Change } from './sql-mutants.ts';

/** What became of a mutant. `invalid` is no program at all and counts for nothing. */
export interface Verdict {
  readonly fate: 'killed' | 'survived' | 'invalid';
  readonly by: string;
}
/** One change of one text, with its line. */
export interface Mutant extends Change {
  readonly name: string;
  readonly line: number;
  readonly original: string;
  readonly mutated: string;
}

const SLICES = ['site', 'notices', 'accounts', 'ledger'];
/** Short lives that meet every kind of operation: what they kill needs no slower test. */
const EPISODES = [
  { seed: 'mutants 2', rounds: 7, intentsPerRound: 60, burst: 100, limited: 0.1, busy: 0.5, perAwait: 0.004 },
  { seed: 'mutants 1', rounds: 14, intentsPerRound: 25, burst: 20, limited: 0.6, busy: 0, perAwait: 0.02 },
].map((plan) => ({
  ...plan,
  people: 60,
  checkEvery: 1,
  rounds: Array.from({ length: plan.rounds }, (_round, at) => at),
}));
/** A mutant that loops for ever is as dead as one that is wrong. */
const PATIENCE_MS = 90_000;
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Triggers and aggregates have no mutants: what they do is a line or two. */
const MUTATED = /^create or replace function (?![^$]*\breturns trigger\b)/mu;

export function mutantsOf(name: string, text: string, changes: readonly Change[]): Mutant[] {
  return changes.map((change) => ({
    ...change,
    name,
    line: text.slice(0, change.from).split('\n').length,
    original: text,
    mutated: text.slice(0, change.from) + change.text + text.slice(change.to),
  }));
}

/** All mutants of the functions of the ledger, by their files. */
export function ledgerMutants(): Mutant[] {
  const functions = readFunctions(ROOT, ['product/ledger/tables/functions']);
  return functions.filter(({ definition }) => MUTATED.test(definition)).flatMap(({ name, definition }) => {
    const start = definition.indexOf('$$') + '$$'.length;
    const body = definition.slice(start, definition.lastIndexOf('$$'));
    const changes = sqlMutants(body).map((one) => ({ ...one, from: one.from + start, to: one.to + start }));
    return mutantsOf(name, definition, changes);
  });
}

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? '');
/** Syntax errors, unknown columns, wrong types: the mutant is no program. */
const isNoProgram = (error: unknown): boolean => codeOf(error).startsWith('42');

/** What is only read, or set without moving anything: no simulated life depends on it. */
const READERS = new Map(Object.entries({
  faults: 'proofs',
  cover: 'proofs',
  alarms: 'proofs',
  balances_at: 'proofs',
  entry_text: 'proofs',
  link_hash: 'proofs',
  hash_day: 'proofs',
  seal_days: 'proofs',
  broken_seals: 'proofs',
  limits_of: 'forms',
}));

/** The test of a function that only reads; null when everything depends on it. */
export function readerTest({ name }: Mutant): string | null {
  const noun = READERS.get(name.replace('ledger.', ''));
  return noun === undefined ? null : `product/ledger/ledger-${noun}.test.ts`;
}

/** Lives a few short lives on a database with the mutant in it. */
export async function bySimulation(url: string, { mutated }: Mutant): Promise<Verdict> {
  const driver = await openTestDriver({ clock: new VirtualClock(), slices: SLICES, url });
  const session = await driver.pool.connect();
  // Its database may be dropped while it is still saying good-bye.
  session.on('error', () => {});
  let stop = (): void => {};
  const late = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('it never ends')), PATIENCE_MS);
    stop = () => clearTimeout(timer);
  });
  try {
    await session.query(mutated);
    for (const plan of EPISODES) await Promise.race([runEpisode(session, plan, emptyTally()), late]);
    return { fate: 'survived', by: '' };
  } catch (error) {
    if (isNoProgram(error)) return { fate: 'invalid', by: codeOf(error) };
    return { fate: 'killed', by: `simulation: ${(error as Error).message.split('\n').at(-1)?.slice(0, 70)}` };
  } finally {
    stop();
    session.release(true);
    await driver.close().catch(() => {});
  }
}

/** Runs the tests of a folder on databases whose templates hold the mutant. */
export async function byTests(
  url: string,
  { mutated, original }: Mutant,
  tests: readonly string[],
): Promise<Verdict> {
  try {
    await onTemplates(url, mutated);
  } catch (error) {
    if (isNoProgram(error)) return { fate: 'invalid', by: codeOf(error) };
    throw error;
  }
  try {
    const { killed, by } = runTests({ cwd: process.cwd(), tests, url });
    return { fate: killed ? 'killed' : 'survived', by };
  } finally {
    await onTemplates(url, original);
  }
}

/** The tests copy their databases from templates: what is changed there is in all of them. */
async function onTemplates(url: string, definition: string): Promise<void> {
  const server = new pg.Client({ connectionString: url });
  await server.connect();
  const { rows } = await server.query<{ name: string }>(
    `select datname as name from pg_database where datname like 'candela\\_template\\_%'`,
  );
  await server.end();
  for (const { name } of rows) {
    const address = new URL(url);
    address.pathname = `/${name}`;
    const client = new pg.Client({ connectionString: address.href });
    await client.connect();
    try {
      const { rowCount } = await client.query(`select from pg_namespace where nspname = 'ledger'`);
      if (rowCount) await client.query(definition);
    } finally {
      await client.end();
    }
  }
}
