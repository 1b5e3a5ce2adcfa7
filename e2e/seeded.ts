import { sourcesHash } from '#tools/spec/results.ts';
import { spawn, type ChildProcess } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const STORED = join(ROOT, '.cache/e2e-data');
/** Versions stored: the current one, and those of journeys that still run while sources change. */
const MAX_STORED = 3;
/** Time for a build and a start on two busy cores. */
const START_MS = 600_000;

/** Starts the program of `npm start` with this data. Its output goes to `output`. Resolves when it runs. */
export async function startProgram(given: {
  readonly dataDir: string;
  readonly port: number;
  readonly rtmpPort: number;
  readonly flags: readonly string[];
  readonly output: string[];
  /** Performers of the demo who are live; all of them by default. */
  readonly live?: number;
}): Promise<ChildProcess> {
  const { dataDir, port, rtmpPort, flags, output, live } = given;
  const child = spawn(process.execPath, ['tools/start.mjs', ...flags], {
    cwd: ROOT,
    env: {
      ...process.env,
      PORT: String(port),
      RTMP_PORT: String(rtmpPort),
      DATA_DIR: dataDir,
      NODE_ENV: 'production',
      ...(live === undefined ? {} : { DEMO_LIVE: String(live) }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await new Promise<void>((done, fail) => {
    const tooLate = setTimeout(() => {
      // Only this function knows the process: left alone, it would go on writing to its directory.
      child.kill('SIGTERM');
      fail(new Error(`no start within ${START_MS} ms:\n${output.join('')}`));
    }, START_MS);
    const read = (text: Buffer): void => {
      output.push(text.toString());
      if (!text.includes('Candela is at')) return;
      clearTimeout(tooLate);
      done();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => {
      clearTimeout(tooLate);
      fail(new Error(`the program ended with ${code}:\n${output.join('')}`));
    });
  });
  child.once('exit', (code, signal) => {
    if (child.killed) return;
    process.stderr.write(`the program ended by itself (${signal ?? code}):\n${output.join('')}\n`);
  });
  return child;
}

/** Ends the program as Ctrl-C does. */
export async function endProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  await ended;
}

/**
 * Makes the data of a first start, once per version of the sources. The set-up of the journeys calls it
 * first. When two callers do it at once, because sources changed meanwhile, both do the work and one result
 * stays.
 * @param ports two free ports for that start
 * @returns the directory of the data
 */
export async function seed(ports: { port: number; rtmpPort: number }): Promise<string> {
  const stored = join(STORED, sourcesHash(ROOT));
  if (existsSync(stored)) return stored;
  mkdirSync(STORED, { recursive: true });
  discardOld();
  const made = mkdtempSync(join(STORED, 'new-'));
  await endProgram(await startProgram({ ...ports, dataDir: made, flags: [], output: [] }));
  try {
    renameSync(made, stored);
  } catch (error) {
    if (!existsSync(stored)) throw error;
    rmSync(made, { recursive: true, force: true });
  }
  return stored;
}

/** Deletes data of older sources, and of starts that never finished. */
function discardOld(): void {
  const ages = readdirSync(STORED).map((name) => ({ name, madeMs: statSync(join(STORED, name)).mtimeMs }));
  for (const { name } of ages.toSorted((a, b) => b.madeMs - a.madeMs).slice(MAX_STORED - 1)) {
    rmSync(join(STORED, name), { recursive: true, force: true });
  }
}

/**
 * A data directory as a first start leaves it, with the people of the demo: a copy of what {@link seed} made,
 * which saves some seconds.
 * @param ports two free ports
 */
export async function seededDirectory(ports: { port: number; rtmpPort: number }): Promise<string> {
  const stored = await seed(ports);
  const dataDir = mkdtempSync(join(tmpdir(), 'candela-e2e-'));
  cpSync(stored, dataDir, { recursive: true });
  return dataDir;
}
