import { MINUTE_MS } from '#platform/time/units.ts';
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ALLOCATION } from './allocation.ts';

/** Waits before a restart grow from 250 ms to 8 s, and start over after a minute of health. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;
const HEALTHY_MS = MINUTE_MS;
/** A child that has not ended by then is killed: its work is safe in the database. */
const GRACE_MS = 10_000;
/** Exit codes of an end on purpose, or by settings that a restart would not fix (sysexits EX_CONFIG). */
const FINAL_CODES = [0, 78];

const entry = fileURLToPath(import.meta.url.replace(/all\.(ts|js)$/u, 'site.$1'));
const parent = process.ppid;
let [ending, waitMs] = [false, FIRST_WAIT_MS];
let child: ChildProcess;

function start(): void {
  const startedAt = Date.now();
  const env = { ...ALLOCATION, ...process.env };
  child = fork(entry, process.argv.slice(2), { env }).once('exit', (code, signal) => {
    if (ending || FINAL_CODES.includes(code ?? 1)) process.exit(code ?? 0);
    if (Date.now() - startedAt > HEALTHY_MS) waitMs = FIRST_WAIT_MS;
    console.error(`candela: the site ended (${signal ?? `code ${code}`}); starting it again in ${waitMs} ms`);
    setTimeout(start, waitMs);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  });
}

function end(signal: NodeJS.Signals): void {
  ending = true;
  if (child.exitCode !== null || child.signalCode !== null || !child.kill(signal)) process.exit(0);
  setTimeout(() => child.kill('SIGKILL'), GRACE_MS).unref();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
// The shell between npm and this process passes no signals on: when the shell is gone, this process ends.
const follow = (): void => (process.ppid === parent ? undefined : end('SIGTERM'));
if (process.env['npm_lifecycle_event']) setInterval(follow, 500).unref();
start();
