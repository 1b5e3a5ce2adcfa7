/**
 * `npm run test:postgres`: the slice tests on a real PostgreSQL. Starts a throw-away cluster on loopback, on
 * a free port, in a temporary folder, as a user who is not root; stops it by its process and removes it.
 *
 *   npm run test:postgres                     slices, platform/data and programs
 *   npm run test:postgres -- product/ledger   only these
 */
import { spawn } from 'node:child_process';
import { installWithApt } from './apt.mjs';
import { findPrograms, startCluster } from './cluster.mjs';

const DEFAULT_TESTS = ['product', 'platform/data', 'programs'];

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number>} its exit code
 */
const endOf = (child) => new Promise((resolve) => {
  child.once('exit', (code) => resolve(code ?? 1));
});

const programs = findPrograms() ?? (installWithApt('postgresql') ? findPrograms() : null);
if (!programs) {
  console.error(
    'PostgreSQL 15 or newer is needed for this: `sudo apt-get install postgresql`, or put its bin on PATH',
  );
  process.exit(1);
}
const cluster = await startCluster(programs);
console.log(`PostgreSQL of ${programs} runs at ${cluster.url.replace(/:[^:@]*@/, ':…@')}`);
const tests = process.argv.length > 2 ? process.argv.slice(2) : DEFAULT_TESTS;
const vitest = spawn(process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', ...tests], {
  cwd: new URL('../..', import.meta.url).pathname, stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, TEST_DATABASE_URL: cluster.url },
});
// An interrupt reaches vitest too; the cluster goes down after it.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void vitest.kill(signal));
process.exitCode = await endOf(vitest);
await cluster.stop();
