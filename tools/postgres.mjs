/**
 * `npm run test:postgres`: the slice tests on a real PostgreSQL. Starts a throw-away cluster on loopback, on
 * a free port, in a temporary folder, as a user who is not root; stops it by its process and removes it.
 *
 *   npm run test:postgres                     slices and platform/data
 *   npm run test:postgres -- product/ledger   only these
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { installWithApt } from './apt.mjs';

const START_TIMEOUT_MS = 30_000;
const POLL_MS = 100;
const DEFAULT_TESTS = ['product', 'platform/data'];

/** @returns {string | null} folder of the newest installed `initdb` and `postgres` */
function findPrograms() {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')), ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
    ?? null;
}

/** PostgreSQL refuses root: then the user `postgres`, else `nobody`. */
function userFor() {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (/** @type {string} */ flag) =>
        Number(execFileSync('id', [flag, name], { encoding: 'utf8' }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // Not on this machine; the next one.
    }
  }
  throw new Error(
    'run this as a user other than root: PostgreSQL refuses root, and there is no user postgres',
  );
}

/** @returns {Promise<number>} */
const freePort = () => new Promise((resolve, reject) => {
  const server = createServer().once('error', reject).listen(0, '127.0.0.1', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    server.close(() => resolve(port));
  });
});

/** @param {string} url */
async function answers(url) {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * @param {string} programs
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
async function startCluster(programs) {
  const user = userFor();
  const folder = mkdtempSync(join(tmpdir(), 'candela-postgres-'));
  const data = join(folder, 'data');
  const password = randomBytes(16).toString('hex');
  const passwordFile = join(folder, 'password');
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user.uid !== undefined) {
    for (const path of [folder, data, passwordFile]) chownSync(path, user.uid, user.gid);
  }
  const run = { ...user, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } };
  execFileSync(join(programs, 'initdb'), [
    '-D', data, '-U', 'candela', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-E', 'UTF8', '--no-sync',
  ], { ...run, stdio: ['ignore', 'ignore', 2] });
  const port = await freePort();
  // Durability is what a throw-away cluster does without; the rest is as in production.
  const settings = {
    listen_addresses: '127.0.0.1', port, unix_socket_directories: '', fsync: 'off', synchronous_commit: 'off',
    full_page_writes: 'off', max_connections: 200, log_min_messages: 'fatal',
  };
  const server = spawn(join(programs, 'postgres'),
    ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...run, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const stop = async () => {
    server.kill('SIGINT');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `postgres://candela:${password}@127.0.0.1:${port}/postgres`;
  for (let waited = 0; !(await answers(url)); waited += POLL_MS) {
    if (server.exitCode !== null || waited > START_TIMEOUT_MS) {
      await stop();
      throw new Error('PostgreSQL did not start');
    }
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS);
    });
  }
  return { url, stop };
}

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
  cwd: new URL('..', import.meta.url).pathname, stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, TEST_DATABASE_URL: cluster.url },
});
// An interrupt reaches vitest too; the cluster goes down after it.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void vitest.kill(signal));
process.exitCode = await endOf(vitest);
await cluster.stop();
