/**
 * Makes the database that the upgrade test starts from: checks an old commit out beside this tree, lets a
 * scenario write a busy site with that commit's own code into a throw-away PostgreSQL, and dumps it.
 *
 *   npm run upgrade-fixture                50de409f, the last version before the baselines of migrations
 *
 * A later fixture gets a scenario of its own, because it is written in the words of its commit.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { findPrograms, startCluster } from '../../machine/cluster.mjs';

const [scenario = '', commit = ''] = process.argv.slice(2);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const target = join(root, 'product/testkit/upgrade', commit);
const programs = findPrograms();
if (programs === null) throw new Error('PostgreSQL 15 is needed for this');

const checkout = mkdtempSync(join(tmpdir(), 'candela-upgrade-'));
const git = (...words) => execFileSync('git', words, { cwd: root, stdio: 'inherit' });
const cluster = await startCluster(programs);
try {
  git('worktree', 'add', '--detach', checkout, commit);
  const isSame = readFileSync(join(checkout, 'package-lock.json'), 'utf8')
    === readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (isSame) cpSync(join(root, 'node_modules'), join(checkout, 'node_modules'), { recursive: true });
  else execFileSync('npm', ['ci', '--prefer-offline'], { cwd: checkout, stdio: 'inherit' });
  const child = spawn(process.execPath, ['--import', 'tsx', join(root, scenario)], {
    cwd: checkout,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TEST_DATABASE_URL: cluster.url },
  });
  const [line] = await new Promise((resolve, reject) => {
    createInterface(child.stdout).once('line', (...found) => resolve(found));
    child.once('exit', () => reject(new Error('the scenario ended early')));
  });
  const { databaseUrl, ...facts } = JSON.parse(line);
  const words = ['--no-owner', '--inserts', '--rows-per-insert=100', databaseUrl];
  const dump = execFileSync(join(programs, 'pg_dump'), words, { encoding: 'utf8' });
  child.removeAllListeners('exit').stdin.end();
  await once(child, 'exit');
  // Lines that begin with a backslash are for psql alone; policies of the owner name this cluster's role.
  const text = dump.replaceAll(/^\\.*\n/gmu, '')
    .replaceAll(` TO ${new URL(databaseUrl).username} USING `, ' TO current_user USING ');
  writeFileSync(`${target}.sql.gz`, gzipSync(text, { level: 9 }));
  writeFileSync(`${target}.json`, `${JSON.stringify({ commit, ...facts }, null, 2)}\n`);
} finally {
  await cluster.stop();
  git('worktree', 'remove', '--force', checkout);
  rmSync(checkout, { recursive: true, force: true });
}
