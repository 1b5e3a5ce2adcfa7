import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { projectOf } from './results.ts';

/** Coverage of a file in the format of Istanbul, as far as it is read here. */
interface FileCoverage {
  readonly path: string;
  readonly fnMap: Readonly<Record<string, { readonly name: string; readonly line: number }>>;
  /** Calls of each function. */
  readonly f: Readonly<Record<string, number>>;
}

/** Functions of one product file that ran during a test, by name or, of those without one, as `line 12`. */
export interface Executed {
  readonly path: string;
  readonly functions: readonly string[];
}

const ANONYMOUS = /^\(anonymous_\d+\)$/u;

/**
 * A test that starts a site and asks little of it: what it runs, every test runs, so it says nothing of a
 * proof.
 */
const BASELINE = { file: 'product/testkit/site.test.ts', title: 'opens real sockets' };

const PRODUCT = /^(?:product|programs)\/(?!testkit\/)/u;

/** A pattern for the names of a test: whatever stands for the `%s` and `${…}` of its title. */
const patternOf = (title: string): string =>
  title.split(/%[sdij]|\$\{[^}]*\}|\$\w+/u)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`)).join('.*');

/** Functions of the product that ran during one test, as `path\tfunction`; null when the test fails. */
function functionsOf(root: string, file: string, title: string): Set<string> | null {
  const out = mkdtempSync(join(tmpdir(), 'candela-executed-'));
  try {
    execFileSync(process.execPath, [
      'node_modules/vitest/vitest.mjs',
      'run',
      file,
      '--project',
      projectOf(file),
      '--testNamePattern',
      patternOf(title),
      '--coverage.enabled',
      '--coverage.provider=v8',
      '--coverage.reporter=json',
      `--coverage.reportsDirectory=${out}`,
      '--reporter=dot',
    ], { cwd: root, stdio: 'ignore' });
    const files = JSON.parse(
      readFileSync(join(out, 'coverage-final.json'), 'utf8'),
    ) as Record<string, FileCoverage>;
    return new Set(
      Object.values(files).flatMap(({ path, fnMap, f }) => {
        const name = relative(root, path);
        if (!PRODUCT.test(name)) return [];
        return Object.entries(f).filter(([, calls]) => calls > 0)
          .map(([nth]) => {
            const { name: given = '', line = 0 } = fnMap[nth] ?? {};
            return `${name}\t${ANONYMOUS.test(given) ? `line ${line}` : given}`;
          });
      }),
    );
  } catch {
    return null;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** Reads what tests execute that the start of a site does not; null when the test fails. */
export function executedReader(root: string): (file: string, title: string) => Executed[] | null {
  let baseline: ReadonlySet<string> | undefined;
  return (file, title) => {
    baseline ??= functionsOf(root, BASELINE.file, BASELINE.title) ?? new Set<string>();
    const executed = functionsOf(root, file, title);
    if (executed === null) return null;
    const byPath = new Map<string, string[]>();
    for (const key of executed) {
      if (baseline.has(key)) continue;
      const [path = '', name = ''] = key.split('\t');
      byPath.set(path, [...(byPath.get(path) ?? []), name]);
    }
    return [...byPath].map(([path, functions]) => ({ path, functions }))
      .sort((a, b) => a.path.localeCompare(b.path));
  };
}
