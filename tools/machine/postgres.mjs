/**
 * `npm run test:postgres`: tests on a real PostgreSQL. Starts a throw-away cluster on loopback, on a free
 * port, in a temporary folder, as a user who is not root; stops it by its process and removes it.
 *
 *   npm run test:postgres                     where PostgreSQL can differ from the embedded database
 *   npm run test:postgres -- --all            slices, platform/data and programs, whole
 *   npm run test:postgres -- product/ledger   only these
 */
import { spawn } from 'node:child_process';
import { installWithApt } from './apt.mjs';
import { findPrograms, startCluster } from './cluster.mjs';

const ALL_TESTS = ['product', 'platform/data', 'programs'];
/**
 * The embedded database is PostgreSQL with one connection: what differs is several connections at once
 * (locks, races, late notifications), plans and dumps. These files are about that; the others would only run
 * twice.
 */
const DEFAULT_TESTS = [
  'platform/data/',
  'programs/',
  'product/ledger/',
  'product/testkit/money/',
  'product/testkit/upgrade/',
  'product/testkit/two-gateways',
  'product/accounts/accounts-attacks',
  'product/accounts/accounts-codes',
  'product/accounts/accounts-deletion',
  'product/billing/billing-callbacks',
  'product/billing/billing-offers',
  'product/browse/browse-likes',
  'product/browse/browse-search',
  'product/fanclubs/fanclubs-renewal',
  'product/shows/shows-meter',
  'product/shows/shows-tickets',
  'product/tips/tips-split',
  'product/tips/tips.test',
];

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number>} its exit code
 */
const endOf = (child) =>
  new Promise((resolve) => {
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
const given = process.argv.slice(2);
const tests = given.includes('--all') ? ALL_TESTS : given.length > 0 ? given : DEFAULT_TESTS;
const vitest = spawn(process.execPath, [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--project',
  'unit',
  ...tests,
], {
  cwd: new URL('../..', import.meta.url).pathname,
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, TEST_DATABASE_URL: cluster.url },
});
// An interrupt reaches vitest too; the cluster goes down after it.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void vitest.kill(signal));
process.exitCode = await endOf(vitest);
await cluster.stop();
