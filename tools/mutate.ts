/**
 * `npm run mutate`: changes the program in one place at a time, by rule, and looks which test notices.
 *
 *   npm run mutate                        a sample of 150 mutants, drawn by seed
 *   npm run mutate -- --sample 400        more of them; `--sample all` is every one
 *   npm run mutate -- --seed monday       other ones
 *   npm run mutate -- --only sql          only the functions of the ledger's schema, or only `ts`
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Dice } from '../product/testkit/money/dice.ts';
import { findPrograms, startCluster } from './cluster.mjs';
import { reachOf } from './mutation/reach.ts';
import { runTests } from './mutation/run-tests.ts';
import {
  bySimulation, byTests, ledgerMutants, mutantsOf, readerTest, type Mutant, type Verdict,
} from './mutation/sql-run.ts';
import { typescriptMutants } from './mutation/typescript-mutants.ts';

const root = new URL('..', import.meta.url).pathname;
const LEDGER_TESTS = ['product/ledger'];
/** Slices that are mutated; their own tests must notice. */
const SLICES = ['product/ledger', 'product/tips', 'product/billing'];
const MUTATED = /^(?:rules|server|store)(?:\/[a-z-]+)?\.ts$/u;

const { values } = parseArgs({ options: {
  sample: { type: 'string', default: '150' }, seed: { type: 'string', default: 'candela' },
  only: { type: 'string' }, log: { type: 'string', default: '.cache/mutants.jsonl' },
} });

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
  copy: string, url: string, { name, original, mutated }: Mutant, reached: readonly string[],
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

/** What runs before found out about mutants of texts that have not changed since. */
function knownVerdicts(): Map<string, Verdict> {
  const file = join(root, values.log);
  if (!existsSync(file)) return new Map();
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.flatMap((line): [string, Verdict][] => {
    const { key, fate, by } = JSON.parse(line) as Verdict & { key: string };
    // What survived is tried again: tests may have grown.
    return fate === 'survived' ? [] : [[key, { fate, by }]];
  }));
}

const programs = findPrograms();
if (programs === null) throw new Error('PostgreSQL 15 or newer is needed for this');
const cluster = await startCluster(programs);
const copy = copyOfTree();
try {
  const dice = new Dice(values.seed);
  const sql = values.only === 'ts' ? [] : await ledgerMutants(cluster.url);
  const source = values.only === 'sql' ? [] : sources.flatMap(({ path, text }) =>
    mutantsOf(path, text, typescriptMutants(path, text)));
  const all = [...sql, ...source];
  const wanted = values.sample === 'all' ? all.length : Number(values.sample);
  const sample = dice.shuffled(all).slice(0, wanted);
  console.log(`${all.length} mutants (${sql.length} of SQL), ${sample.length} drawn by seed ${values.seed}`);
  mkdirSync(join(root, '.cache'), { recursive: true });
  const isOfLedger = sample.some(({ name }) => name.startsWith('ledger.'));
  if (isOfLedger && runTests({ cwd: root, tests: LEDGER_TESTS, url: cluster.url }).killed) {
    throw new Error('the tests of the ledger fail without any mutant');
  }
  const reach = sample.some(({ name }) => !name.startsWith('ledger.'))
    ? reachOf(copy, sources, join(root, '.cache/reach'), cluster.url) : () => [];
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
    const { name, line, operator, original, mutated, from, to } = mutant;
    const lines = (text: string, end: number): string =>
      text.slice(text.lastIndexOf('\n', from) + 1, end + text.slice(end).search(/\n|$/u)).trim();
    const record = {
      ...verdict, key, name, line, operator,
      before: lines(original, to), after: lines(mutated, from + mutant.text.length),
    };
    if (!before) appendFileSync(join(root, values.log), `${JSON.stringify(record)}\n`);
    console.log(`${verdict.fate.padEnd(8)} ${name}:${line} ${operator}  ${verdict.by}`);
    if (verdict.fate === 'survived') console.log(`         ${record.before}\n         ${record.after}`);
  }
  console.log(Object.fromEntries(fates));
} finally {
  rmSync(copy, { recursive: true, force: true });
  await cluster.stop();
}
