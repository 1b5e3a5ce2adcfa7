/** A throw-away PostgreSQL on loopback, on a free port, in a temporary folder, as a user who is not root. */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';

const START_TIMEOUT_MS = 30_000;
const POLL_MS = 100;

/** @returns {string | null} folder of the newest installed `initdb` and `postgres` */
export function findPrograms() {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
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
const freePort = () =>
  new Promise((resolve, reject) => {
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
 * @param {{ durable?: boolean }} [options] durable: with fsync, as in production
 * @returns {Promise<import('./cluster.d.mts').Cluster>}
 */
export async function startCluster(programs, { durable = false } = {}) {
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
    '-D',
    data,
    '-U',
    'candela',
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
    '-E',
    'UTF8',
    '--no-sync',
  ], { ...run, stdio: ['ignore', 'ignore', 2] });
  const port = await freePort();
  // A throw-away cluster does without durability, and without autovacuum: databases of tests are emptied and
  // filled again within seconds, and plans made for the empty table that it measures in between would stay in
  // a connection when there are thousands of rows.
  const hasty = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    autovacuum: 'off',
  };
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 200,
    log_min_messages: durable ? 'panic' : 'fatal',
    ...(durable ? {} : hasty),
  };
  const launch = () =>
    spawn(join(programs, 'postgres'), [
      '-D',
      data,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ], { ...run, stdio: ['ignore', 'ignore', durable ? 'ignore' : 'inherit'] });
  let server = launch();
  const hasEnded = () => server.exitCode !== null || server.signalCode !== null;
  /** @returns {Promise<void>} */
  const ended = () =>
    new Promise((resolve) => {
      if (hasEnded()) resolve();
      else server.once('exit', () => resolve());
    });
  const stop = async () => {
    server.kill('SIGINT');
    await ended();
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `postgres://candela:${password}@127.0.0.1:${port}/postgres`;
  const isUp = async (/** @type {boolean} */ again) => {
    for (let waited = 0; !(await answers(url)); waited += POLL_MS) {
      if ((hasEnded() && !again) || waited > START_TIMEOUT_MS) throw new Error('PostgreSQL did not start');
      // A killed one leaves sessions behind that hold its memory for a moment: until then no other starts.
      if (hasEnded()) server = launch();
      await new Promise((resolve) => {
        setTimeout(resolve, POLL_MS);
      });
    }
  };
  const kill = async (/** @type {'server' | 'session'} */ what) => {
    if (what === 'server') {
      server.kill('SIGKILL');
      await ended();
    } else {
      const session = childrenOf(server.pid ?? 0).find(({ command }) => command.includes('candela'));
      if (session) process.kill(session.pid, 'SIGKILL');
    }
    await isUp(true);
  };
  await isUp(false).catch(async (error) => {
    await stop();
    throw error;
  });
  return { url, pid: server.pid ?? 0, stop, kill };
}

/**
 * @param {number} pid
 * @returns {{ pid: number, command: string }[]}
 */
function childrenOf(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.flatMap((child) => {
    try {
      return [{ pid: Number(child), command: readFileSync(`/proc/${child}/cmdline`, 'utf8') }];
    } catch {
      // It ended in between.
      return [];
    }
  });
}
