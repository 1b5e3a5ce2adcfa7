import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

interface TestResult {
  readonly title: string;
  readonly line: number;
  readonly state: string;
  /** Times it was tried again before it passed or was given up; absent in older results. */
  readonly retries?: number;
  /** The beginning of its first error, of a failed test. */
  readonly why?: string | undefined;
  /** How long it took; absent in older results. */
  readonly ms?: number;
}

/** What one test file said when it last ran. */
export interface FileResult {
  readonly file: string;
  /** Vitest project, with `-postgres` when it ran on a PostgreSQL server. */
  readonly project: string;
  /** Hash of the sources that were tested. */
  readonly sources: string;
  /** The file failed outside of its tests: in a hook, or while loading. */
  readonly broken: boolean;
  readonly tests: readonly TestResult[];
  /** Milliseconds it took to load the file, for its hooks and for its tests; in older results left out. */
  readonly ms?: { readonly load: number; readonly hooks: number; readonly tests: number };
}

const RESULTS = '.cache/results';
/** Folders whose content decides what tests say. */
const TESTED = ['platform', 'product', 'programs', 'e2e', 'tools'];
const OUTSIDE = new Set(['node_modules', 'dist', 'build', '.cache', '.react-router', 'var']);

/** Where such errors of a run are stored, by its database. */
export const unhandledPath = (database: string): string => posix.join(RESULTS, `unhandled${database}.json`);

export const resultPath = (project: string, file: string): string =>
  posix.join(RESULTS, project, `${file}.json`);

function filesBelow(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return OUTSIDE.has(entry.name) ? [] : filesBelow(root, path);
    return [path];
  }).sort();
}

/** One hash of everything tests depend on, the lock file included. Independent of file times. */
export function sourcesHash(root: string): string {
  const hash = createHash('sha256');
  for (const path of [...TESTED.flatMap((folder) => filesBelow(root, folder)), 'package-lock.json']) {
    hash.update(path).update('\0').update(readFileSync(join(root, path))).update('\0');
  }
  return hash.digest('hex');
}

/** Test files with the project that runs each of them (as in vitest.config.ts). */
export function testFiles(root: string): { readonly file: string; readonly project: string }[] {
  return ['platform', 'product', 'tools', 'e2e'].flatMap((folder) => filesBelow(root, folder))
    .filter((file) => /\.test\.tsx?$/u.test(file))
    .map((file) => ({ file, project: projectOf(file) }));
}

/** The Vitest project that runs a test file. */
export function projectOf(file: string): string {
  if (file.endsWith('.page.test.tsx')) return 'pages';
  return file.startsWith('e2e/') ? 'e2e' : 'unit';
}

/** Errors of the newest runs that belong to no test, as an event that nobody handled: they fail a run too. */
export function readUnhandled(root: string): string[] {
  return filesBelow(root, RESULTS).filter((path) => /\/unhandled[^/]*\.json$/u.test(path))
    .flatMap((path) => JSON.parse(readFileSync(join(root, path), 'utf8')) as string[]);
}

/** Stored results of test files that still exist. */
export function readResults(root: string): FileResult[] {
  return filesBelow(root, RESULTS).filter((path) => /\.test\.tsx?\.json$/u.test(path))
    .map((path) => JSON.parse(readFileSync(join(root, path), 'utf8')) as FileResult)
    .filter((result) => existsSync(join(root, result.file)));
}
