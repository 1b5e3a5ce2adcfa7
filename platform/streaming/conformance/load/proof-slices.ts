import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const FOLDER = join(ROOT, '.cache/proofs');

export interface Slices<T> {
  /** Name of the proof. */
  readonly name: string;
  readonly seed: string;
  /** Size of one slice. Results of slices of another size are not reused. */
  readonly size: number;
  readonly count: number;
  /** Folders the proof is about: the result of a slice is valid while none of their sources changes. */
  readonly folders: readonly string[];
  /** Runs a slice with its own seed. The result must survive JSON. */
  readonly run: (seed: string, nth: number) => Promise<T>;
}

/**
 * Runs a long proof slice by slice and stores each result, so that an interrupted run resumes. A slice that
 * throws is not stored.
 */
export async function inSlices<T>({ name, seed, size, count, folders, run }: Slices<T>): Promise<T[]> {
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, `${name}.jsonl`);
  const of = sourcesOf(folders);
  const retained = storedIn<T>(file);
  const found: T[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const key = `${of} ${seed} ${size} ${nth}`;
    const before = retained.get(key);
    const slice = before ?? await run(`${seed} ${nth}`, nth);
    if (before === undefined) appendFileSync(file, `${JSON.stringify({ key, slice })}\n`);
    found.push(slice);
  }
  return found;
}

function storedIn<T>(file: string): ReadonlyMap<string, T> {
  if (!existsSync(file)) return new Map();
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => {
    const { key, slice } = JSON.parse(line) as { key: string; slice: T };
    return [key, slice];
  }));
}

/** A digest of the project's sources in folders, tests left out. */
function sourcesOf(folders: readonly string[]): string {
  const files = execFileSync('git', ['ls-files', ...folders], { cwd: ROOT, encoding: 'utf8' })
    .split('\n').filter((path) => path !== '' && !/\.(?:test|prove)\.ts$/u.test(path))
    .filter((path) => existsSync(join(ROOT, path)));
  const digest = createHash('sha256');
  for (const path of files) digest.update(path).update(readFileSync(join(ROOT, path)));
  return digest.digest('hex').slice(0, 16);
}
