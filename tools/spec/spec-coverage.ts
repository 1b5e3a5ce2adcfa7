/**
 * `npm run spec`: which requirements the tests prove.
 *
 *   npm run spec                         proven of total per milestone and area, and what is missing now
 *   npm run spec -- --milestone 2        the missing ids of that milestone
 *   npm run spec -- --json               the same as one JSON value and nothing else on stdout
 *   npm run spec -- --audit 30 --seed 7  thirty claimed ids, each with its tests and what they execute
 *   npm run spec -- --audit 30 --seed 7 --from 1,2 --bodies    of two milestones, with the tests alone
 *   npm run spec -- --write              also writes spec/CONFORMANCE.md
 *   npm run spec -- --no-run             takes the stored results, even of older sources
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { auditOf } from './audit-page.ts';
import { conformancePage } from './conformance-page.ts';
import { coverageOf, currentMilestone, sample, type Coverage } from './coverage.ts';
import { executedReader } from './executed.ts';
import { readResults, sourcesHash, testFiles, type FileResult } from './results.ts';
import { readSources, type Sources } from './sources.ts';

const root = new URL('../..', import.meta.url).pathname;
const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    'no-run': { type: 'boolean', default: false },
    audit: { type: 'string' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string' },
    bodies: { type: 'boolean', default: false },
    milestone: { type: 'string' },
  },
});

/** Test files whose stored result is missing or of other sources. */
function stale(results: readonly FileResult[], hash: string): string[] {
  const fresh = new Set(
    results.filter((result) => result.sources === hash).map((result) => `${result.project} ${result.file}`),
  );
  return testFiles(root).filter(({ file, project }) => !fresh.has(`${project} ${file}`))
    .map(({ file }) => file);
}

/** The results to count: of the present sources, after running the tests if need be. */
function gatherResults(): FileResult[] {
  const hash = sourcesHash(root);
  const missing = stale(readResults(root), hash);
  if (missing.length === 0) return readResults(root).filter((result) => result.sources === hash);
  const what = `results are missing or older than the sources for ${missing.length} test files`;
  if (options['no-run']) {
    console.error(`${what}; counting what was kept`);
    return readResults(root);
  }
  console.error(`${what}; running npm test first`);
  try {
    execFileSync('npm', ['test'], { cwd: root, stdio: ['ignore', 2, 2] });
  } catch {
    console.error('npm test failed; what its failing tests claim counts as missing');
  }
  const results = readResults(root);
  const left = stale(results, hash);
  if (left.length > 0) console.error(`still without a result: ${left.join(', ')}`);
  return results.filter((result) => result.sources === hash);
}

function tableOf(coverage: Coverage): string[] {
  const rows = [
    ...Object.entries(coverage.milestones).map(([name, count]) => [`milestone ${name}`, count] as const),
    ...Object.entries(coverage.areas).map(([name, count]) => [name, count] as const),
  ];
  const shown = options.milestone ?? currentMilestone(coverage);
  const missing = coverage.milestones[shown]?.missing ?? [];
  return [
    ...rows.map(([name, { proven, open, total }]) =>
      `${name.padEnd(20)} ${String(proven).padStart(4)} / ${String(total).padEnd(4)}`
      + (open > 0 ? ` ${open} open` : '')
    ),
    `\nmissing of milestone ${shown}: ${missing.length === 0 ? 'nothing' : missing.join(' ')}`,
    `second tries: ${coverage.retried.length === 0 ? 'none' : `\n  ${coverage.retried.join('\n  ')}`}`,
  ];
}

/** Ids that tests claim, of the milestones of `--from`, drawn by `--seed`: no results are needed. */
function printAudit({ requirements, milestones, claims }: Sources, size: number): void {
  const from = options.from?.split(',').flatMap((name) => milestones.get(name) ?? []);
  const claimed = new Set(claims.flatMap(({ ids }) => ids));
  const drawn = sample(from?.filter((id) => claimed.has(id)) ?? claimed, size, Number(options.seed));
  const executed = options.bodies ? undefined : executedReader(root);
  for (const id of drawn) {
    const requirement = requirements.find((item) => item.id === id);
    const own = claims.filter(({ ids }) => ids.includes(id));
    if (requirement) process.stdout.write(`${auditOf(requirement, own, executed)}\n`);
  }
}

function printCoverage(sources: Sources): void {
  const coverage = coverageOf(sources, gatherResults());
  const { milestones, areas, retried } = coverage;
  const lines = options.json ? [JSON.stringify({ milestones, areas, retried })] : tableOf(coverage);
  process.stdout.write(`${lines.join('\n')}\n`);
  if (options.write) {
    const page = conformancePage(coverage, sources.requirements, sources.open);
    writeFileSync(join(root, 'spec/CONFORMANCE.md'), page);
  }
  for (const fault of coverage.faults) console.error(fault);
  for (const { id, advice } of coverage.shortfalls) console.error(`${id} ${advice}`);
  if (coverage.faults.length + coverage.shortfalls.length > 0) process.exitCode = 1;
}

const sources = readSources(root);
if (options.audit === undefined) printCoverage(sources);
else printAudit(sources, Number(options.audit));
