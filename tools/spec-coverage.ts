/**
 * `npm run spec`: which requirements the tests prove.
 *
 *   npm run spec                         proven of total per milestone and area, and what is missing now
 *   npm run spec -- --milestone 2        the missing ids of that milestone
 *   npm run spec -- --json               the same as one JSON value and nothing else on stdout
 *   npm run spec -- --sample 10 --seed 7 ten proven ids with the tests that prove them
 *   npm run spec -- --write              also writes spec/CONFORMANCE.md
 *   npm run spec -- --no-run             takes the stored results, even of older sources
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  conformancePage, coverageOf, currentMilestone, sample, type Coverage, type Requirement,
} from './spec/coverage.ts';
import { readResults, sourcesHash, testFiles, type FileResult } from './spec/results.ts';
import { requirementsOf } from './tidy/content/titles.ts';

const root = new URL('..', import.meta.url).pathname;
const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    'no-run': { type: 'boolean', default: false },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    milestone: { type: 'string' },
  },
});

function readRequirements(): Requirement[] {
  return readdirSync(join(root, 'spec')).filter((name) => /^requirements-\d+\.tsv$/.test(name)).sort()
    .flatMap((name) => requirementsOf(readFileSync(join(root, 'spec', name), 'utf8')));
}

function readMilestones(): Map<string, string[]> {
  return new Map(readdirSync(join(root, 'spec/milestones')).filter((name) => name.endsWith('.ids'))
    .map((name) => [
    name.slice(0, -'.ids'.length),
    readFileSync(join(root, 'spec/milestones', name), 'utf8').split('\n').map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#')),
  ]));
}

/** Test files whose stored result is missing or of other sources. */
function stale(results: readonly FileResult[], hash: string): string[] {
  const fresh = new Set(
    results.filter((one) => one.sources === hash).map((one) => `${one.project} ${one.file}`),
  );
  return testFiles(root).filter(({ file, project }) => !fresh.has(`${project} ${file}`))
    .map(({ file }) => file);
}

/** The results to count: of the present sources, after running the tests if need be. */
function gatherResults(): FileResult[] {
  const hash = sourcesHash(root);
  const missing = stale(readResults(root), hash);
  if (missing.length === 0) return readResults(root).filter((one) => one.sources === hash);
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
  return results.filter((one) => one.sources === hash);
}

function tableOf(coverage: Coverage): string[] {
  const rows = [
    ...Object.entries(coverage.milestones).map(([name, count]) => [`milestone ${name}`, count] as const),
    ...Object.entries(coverage.areas).map(([name, count]) => [name, count] as const),
  ];
  const shown = options.milestone ?? currentMilestone(coverage);
  const missing = coverage.milestones[shown]?.missing ?? [];
  return [
    ...rows.map(([name, { proven, total }]) =>
      `${name.padEnd(20)} ${String(proven).padStart(4)} / ${String(total).padEnd(4)}`),
    `\nmissing of milestone ${shown}: ${missing.length === 0 ? 'nothing' : missing.join(' ')}`,
  ];
}

function sampleOf(
  coverage: Coverage, requirements: readonly Requirement[], size: number, seed: number,
): string[] {
  return sample(coverage, size, seed).flatMap((id) => [
    `${id}  ${requirements.find((one) => one.id === id)?.text ?? ''}`,
    ...(coverage.proofs.get(id) ?? []).map((proof) => `    ${proof.file}:${proof.line}  ${proof.title}`),
    '',
  ]);
}

function report(coverage: Coverage, requirements: readonly Requirement[]): string[] {
  if (options.json) return [JSON.stringify({ milestones: coverage.milestones, areas: coverage.areas })];
  if (options.sample === undefined) return tableOf(coverage);
  return sampleOf(coverage, requirements, Number(options.sample), Number(options.seed));
}

const requirements = readRequirements();
const coverage = coverageOf(requirements, readMilestones(), gatherResults());
process.stdout.write(`${report(coverage, requirements).join('\n')}\n`);
if (options.write) writeFileSync(join(root, 'spec/CONFORMANCE.md'), conformancePage(coverage, requirements));
for (const fault of coverage.faults) console.error(fault);
if (coverage.faults.length > 0) process.exitCode = 1;
