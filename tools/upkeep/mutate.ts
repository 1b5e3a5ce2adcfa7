/**
 * `npm run mutate`: changes the program in one place at a time, by rule, and looks which test notices.
 *
 *   npm run mutate                        a sample of 150 mutants, drawn by seed
 *   npm run mutate -- --sample 400        more of them; `--sample all` is every one
 *   npm run mutate -- --seed monday       other ones
 *   npm run mutate -- --only sql          only the functions of the ledger's schema, or only `ts`
 *   npm run mutate -- --again             what survived by the log, wherever it stands by now
 */
import { Dice } from '#product/testkit/money/dice.ts';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findPrograms, startCluster } from '../machine/cluster.mjs';
import { reachOf } from './mutation/reach.ts';
import { runTests } from './mutation/run-tests.ts';
import {
  bySimulation,
  byTests,
  ledgerMutants,
  mutantsOf,
  readerTest,
  type Mutant,
  type Verdict,
} from './mutation/sql-run.ts';
import { typescriptMutants } from './mutation/typescript-mutants.ts';

const root = new URL('../..', import.meta.url).pathname;
const LEDGER_TESTS = ['product/ledger'];
/** Slices that are mutated; their own tests must notice. */
const SLICES = ['product/ledger', 'product/tips', 'product/billing'];
const MUTATED = /^(?:rules|server|store)(?:\/[a-z-]+)?\.ts$/u;

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '150' },
    seed: { type: 'string', default: 'candela' },
    only: { type: 'string' },
    again: { type: 'boolean', default: false },
    log: { type: 'string', default: '.cache/mutants.jsonl' },
  },
});

const tracked = (folder: string): string[] =>
  execFileSync('git', ['ls-files', folder], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);

/** Rules, servers and stores of the slices of money, each with the tests of its slice. */
const sources = SLICES.flatMap((folder) => {
  const files = tracked(folder);
  const tests = files.filter((file) => file.endsWith('.test.ts'));
  return files.filter((file) => MUTATED.test(file.slice(folder.length + 1)))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8'), tests }));
});

/** A copy of the sources in which mutants can live without touching anybody. */
function copyOfTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'candela-mutants-'));
  for (const name of readdirSync(root)) {
    if (['node_modules', '.git', '.cache', 'dist', 'var', 'docs', 'spec'].includes(name)) continue;
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** The quickest tests that run its place one by one, then all others of its slice that do. */
function byOwnTests(
  copy: string,
  url: string,
  { name, original, mutated }: Mutant,
  reached: readonly string[],
): Verdict {
  const file = join(copy, name);
  writeFileSync(file, mutated);
  try {
    const runs = [reached.slice(0, 1), reached.slice(1, 2), reached.slice(2)];
    let late = '';
    for (const tests of runs.filter((some) => some.length > 0)) {
      const { killed, by } = runTests({ cwd: copy, tests, url });
      if (killed) return { fate: 'killed', by };
      late ||= by;
    }
    return { fate: 'survived', by: reached.length === 0 ? 'no test runs it' : late };
  } finally {
    writeFileSync(file, original);
  }
}

const keyOf = ({ original, mutated }: Mutant): string =>
  createHash('sha256').update(`${original}\n${mutated}`).digest('hex').slice(0, 16);

/** A mutant as the log has it: its lines, and what became of it. */
interface Logged extends Verdict {
  readonly key: string;
  readonly name: string;
  readonly line: number;
  readonly operator: string;
  readonly before: string;
  readonly after: string;
}

function logged(): readonly Logged[] {
  const file = join(root, values.log);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line) as Logged);
}

/** What runs before found out about mutants of texts that have not changed since. */
const knownVerdicts = (): Map<string, Verdict> =>
  // What survived is tried again: tests may have grown.
  new Map(logged().flatMap(({ key, fate, by }) => (fate === 'survived' ? [] : [[key, { fate, by }]])));

/** The line of a mutant before and after. */
function linesOf({ original, mutated, from, to, text }: Mutant): { before: string; after: string } {
  const lines = (whole: string, end: number): string =>
    whole.slice(whole.lastIndexOf('\n', from) + 1, end + whole.slice(end).search(/\n|$/u)).trim();
  return { before: lines(original, to), after: lines(mutated, from + text.length) };
}

/** One change in one line is the same mutant, whatever else became of its file. */
const likenessOf = (
  name: string,
  operator: string,
  { before, after }: { before: string; after: string },
): string => [name, operator, before, after].join('\n');

/** What the log has as survived; where a line stands several times, each of them. */
function survivorsOf(all: readonly Mutant[]): readonly Mutant[] {
  const last = new Map(logged().map((item) => [likenessOf(item.name, item.operator, item), item.fate]));
  return all.filter((mutant) =>
    last.get(likenessOf(mutant.name, mutant.operator, linesOf(mutant))) === 'survived'
  );
}

const programs = findPrograms();
if (programs === null) throw new Error('PostgreSQL 15 or newer is needed for this');
const cluster = await startCluster(programs);
const copy = copyOfTree();
try {
  const dice = new Dice(values.seed);
  const sql = values.only === 'ts' ? [] : ledgerMutants();
  const source = values.only === 'sql'
    ? []
    : sources.flatMap(({ path, text }) => mutantsOf(path, text, typescriptMutants(path, text)));
  const all = [...sql, ...source];
  const wanted = values.sample === 'all' ? all.length : Number(values.sample);
  const sample = values.again ? survivorsOf(all) : dice.shuffled(all).slice(0, wanted);
  const how = values.again ? 'tried again' : `drawn by seed ${values.seed}`;
  console.log(`${all.length} mutants (${sql.length} of SQL), ${sample.length} ${how}`);
  mkdirSync(join(root, '.cache'), { recursive: true });
  const isOfLedger = sample.some(({ name }) => name.startsWith('ledger.'));
  if (isOfLedger && runTests({ cwd: root, tests: LEDGER_TESTS, url: cluster.url }).killed) {
    throw new Error('the tests of the ledger fail without any mutant');
  }
  const reach = sample.some(({ name }) => !name.startsWith('ledger.'))
    ? reachOf(copy, sources, join(root, '.cache/reach'), cluster.url)
    : () => [];
  const fates = new Map<string, number>();
  const known = knownVerdicts();
  for (const mutant of sample) {
    const key = keyOf(mutant);
    const before = known.get(key);
    let verdict: Verdict;
    if (before) verdict = before;
    else if (mutant.name.startsWith('ledger.')) {
      const reader = readerTest(mutant);
      verdict = reader === null ? { fate: 'survived', by: '' } : await byTests(cluster.url, mutant, [reader]);
      if (verdict.fate === 'survived') verdict = await bySimulation(cluster.url, mutant);
      if (verdict.fate === 'survived') verdict = await byTests(cluster.url, mutant, LEDGER_TESTS);
    } else verdict = byOwnTests(copy, cluster.url, mutant, reach(mutant.name, mutant.from));
    fates.set(verdict.fate, (fates.get(verdict.fate) ?? 0) + 1);
    const { name, line, operator } = mutant;
    const record: Logged = { ...verdict, key, name, line, operator, ...linesOf(mutant) };
    if (!before) appendFileSync(join(root, values.log), `${JSON.stringify(record)}\n`);
    console.log(`${verdict.fate.padEnd(8)} ${name}:${line} ${operator}  ${verdict.by}`);
    if (verdict.fate === 'survived') console.log(`         ${record.before}\n         ${record.after}`);
  }
  console.log(Object.fromEntries(fates));
} finally {
  rmSync(copy, { recursive: true, force: true });
  await cluster.stop();
}
