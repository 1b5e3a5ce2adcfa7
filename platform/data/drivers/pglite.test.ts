import { subscribe } from '#platform/contract/bind.ts';
import { fact } from '#platform/contract/fact.ts';
import { sql } from 'kysely';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryBus } from '../bus.ts';
import { VirtualClock } from '../clock.ts';
import type { BusMessage } from '../data.ts';
import type { Sessions } from '../database/sessions.ts';
import type { Owner } from '../delivery/owner.ts';
import { Upkeep } from '../delivery/upkeep.ts';
import { openData, type OpenedData } from '../open.ts';
import { migrationHash, type Migration } from '../schema/migration.ts';
import { migrate, readSchema, type Schema } from '../schema/migrations.ts';
import { openTestDriver, shared } from '../testing.ts';
import { openPglite, type PgliteDriver } from './pglite.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const dataDir = mkdtempSync(join(tmpdir(), 'candela-data-'));
const lock = join(dataDir, 'process.lock');
const children: ChildProcess[] = [];
const platform = readSchema(ROOT, []);
const withPlatform = (...more: Migration[]): Schema => ({
  ...platform,
  migrations: [...platform.migrations, ...more],
});
/** Another program starts, makes a database and writes to it: seconds, and many more on a busy machine. */
const LIMIT = { timeout: 90_000 };
const scope = { operatorId: 1 };

const migration = (number: string, text: string): Migration => ({
  name: `product/t/tables/${number}-t.sql`,
  sql: text,
});
const TABLE = migration(
  '0001',
  `create schema t;
  create table t.t (operator_id bigint not null, n bigint not null, primary key (operator_id, n));
  select platform.own_table('t.t');`,
);
const open = async (...more: Migration[]): Promise<OpenedData> => {
  const { code, workerUrl } = await shared;
  return openData({
    at: { dataDir, code },
    workerUrl,
    clock: new VirtualClock(),
    schema: withPlatform(...more),
    development: true,
    bus,
  });
};
const bus = memoryBus(console);
const published: BusMessage[] = [];
bus.subscribe((message) => published.push(message));

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

/** Another process that opens the directory and then writes rows and socket events until it is killed. */
async function startWriter(): Promise<{ child: ChildProcess; wrote: () => number }> {
  const source = `
    const { openData } = await import('./platform/data/open.ts');
    const { systemClock } = await import('./platform/data/clock.ts');
    const { sql } = await import('./node_modules/kysely/dist/esm/index.js');
    const { z } = await import('./node_modules/zod/index.js');
    const schema = JSON.parse(process.env.SCHEMA);
    const at = { dataDir: process.env.DIR };
    const data = await openData({ at, clock: systemClock, schema, development: false });
    const shown = { name: 'v3.n', shape: z.any() };
    for (let n = 0; ; n += 1) {
      await data.tx({ operatorId: 1 }, async (tx) => {
        await sql\`insert into t.t (n) values (\${n})\`.execute(tx.sql());
        await tx.send('person:1', shown, { n });
      });
      process.stdout.write(n + '\\n');
    }`;
  const env = { ...process.env, DIR: dataDir, SCHEMA: JSON.stringify(withPlatform(TABLE)) };
  const flags = ['--import', 'tsx', '--input-type=module', '-e', source];
  const child = spawn(process.execPath, flags, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  let acknowledged = -1;
  let enough = (): void => {};
  child.stdout?.on('data', (chunk: Buffer) => {
    acknowledged = Number(chunk.toString().trim().split('\n').at(-1));
    if (acknowledged >= 200) enough();
  });
  await new Promise<void>((resolve, reject) => {
    enough = resolve;
    child.once('exit', (code) => reject(new Error(`the writer ended with code ${code}`)));
  });
  return { child, wrote: () => acknowledged };
}

it('survives kill -9: what was acknowledged is there, and the directory is free again', LIMIT, async () => {
  const { child, wrote } = await startWriter();
  await expect(open(TABLE)).rejects.toThrow(`is in use by process ${child.pid}`);
  child.removeAllListeners('exit');
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  expect(existsSync(lock)).toBe(true);
  const data = await open(TABLE);
  const { rows } = await data.tx(
    scope,
    async (tx) =>
      sql<{ rows: number; last: number }>`select count(*) as rows, max(n) as last from t.t`.execute(tx.sql()),
  );
  const last = rows[0]?.last ?? -1;
  expect(last).toBeGreaterThanOrEqual(wrote());
  expect(rows[0]?.rows).toBe(last + 1);
  await data.settle();
  const acknowledged = Array.from({ length: last + 1 }, (_, n) => ({ n }));
  expect(published.map(({ payload }) => payload)).toEqual(acknowledged);
  await data.close();
  expect(existsSync(lock)).toBe(false);
});

it('delivers what a process had taken when it died, as soon as the next one starts', LIMIT, async () => {
  const taken = fact({ name: 't.taken', shape: z.object({}), description: 'Something to deliver.' });
  const dying = await open(TABLE);
  const started = new Promise<void>((resolve) => {
    const subscription = subscribe(taken, 't.consumer')(() => {
      resolve();
      return new Promise(() => {});
    });
    void dying.attach({ subscriptions: [subscription], deadlineHandlers: [] })
      .then(() => dying.tx(scope, (tx) => tx.publish(taken, 'k', {})))
      .then(() => dying.settle());
  });
  await started;
  await dying.close();
  const delivered: string[] = [];
  const next = await open(TABLE);
  const subscription = subscribe(taken, 't.consumer')(async ({ id }) => void delivered.push(id));
  await next.attach({ subscriptions: [subscription], deadlineHandlers: [] });
  await next.settle();
  await next.close();
  expect(delivered).toHaveLength(1);
});

it('makes a database that takes little memory, after a start that was interrupted too', LIMIT, async () => {
  const fresh = mkdtempSync(join(tmpdir(), 'candela-fresh-'));
  mkdirSync(join(fresh, 'database.new.interrupted'));
  const { workerUrl } = await shared;
  const driver = await openPglite({
    dataDir: fresh,
    workerUrl,
    onLost: (error) => {
      throw error;
    },
  });
  const { rows } = await driver.pool.query<{ shared_buffers: string }>('show shared_buffers');
  expect(rows).toEqual([{ shared_buffers: '16MB' }]);
  expect(readdirSync(fresh).sort()).toEqual(['database', 'process.lock']);
  await driver.close();
  rmSync(fresh, { recursive: true, force: true });
});

it('refuses a directory this very process has open, and lets go when it closes', LIMIT, async () => {
  const data = await open(TABLE);
  await expect(open(TABLE)).rejects.toThrow('is in use by process');
  await data.close();
  await (await open(TABLE)).close();
});

it('takes over the lock of a process that is gone, also when its number is used again', LIMIT, async () => {
  writeFileSync(lock, '4194304 17\n');
  await (await open(TABLE)).close();
  // A reused pid is recognized by the start time in /proc (Linux).
  if (existsSync('/proc')) writeFileSync(lock, `${process.pid} 17\n`);
  await (await open(TABLE)).close();
  writeFileSync(lock, '');
  await (await open(TABLE)).close();
  expect(existsSync(lock)).toBe(false);
});

it('gives a new connection nothing of the one before, transaction or cached statement', LIMIT, async () => {
  const driver = await openTestDriver({ clock: new VirtualClock(), slices: [], url: '' });
  const answers = async (client: PoolClient, most: number): Promise<unknown[]> => {
    const answered: unknown[] = [];
    for (let n = 0; n < most; n += 1) {
      answered.push((await client.query(`select ${n} + $1::int as n`, [n])).rows[0]);
    }
    return answered;
  };
  const first = await driver.pool.connect();
  await first.query('begin; create table lost ()');
  // More statements than a connection caches: the rest are answered as well.
  const doubles = Array.from({ length: 1_100 }, (_, n) => ({ n: 2 * n }));
  expect(await answers(first, 1_100)).toEqual(doubles);
  expect(await answers(first, 1_100)).toEqual(doubles);
  first.release(true);
  const second = await driver.pool.connect();
  const { rows } = await second.query('select to_regclass(\'lost\') as lost');
  expect(rows).toEqual([{ lost: null }]);
  expect(await answers(second, 3)).toEqual(doubles.slice(0, 3));
  second.release();
  await driver.close();
});

it('clears away what was deleted and counts what is left, in its own time', LIMIT, async () => {
  const { code, workerUrl } = await shared;
  const clock = new VirtualClock();
  const data = await openData({
    at: { memory: true, code },
    workerUrl,
    clock,
    schema: withPlatform(TABLE),
    development: true,
  });
  await data.tx(scope, async (tx) => {
    await sql`insert into t.t (n) select generate_series(1, 5000)`.execute(tx.sql());
    await sql`insert into t.t (n) values (5001) returning n`.execute(tx.sql());
  });
  await data.tx(scope, (tx) => sql`delete from t.t where n > 100`.execute(tx.sql()));
  const state = async (): Promise<unknown> =>
    (await data.tx(scope, (tx) =>
      sql`
    select c.reltuples::int as rows, s.n_dead_tup as dead, s.n_mod_since_analyze as changed
    from pg_class c join pg_stat_user_tables s on s.relid = c.oid where c.oid = 't.t'::regclass`
        .execute(tx.sql()))).rows[0];
  await expect.poll(state).toEqual({ rows: -1, dead: 4901, changed: 9902 });
  data.start();
  await expect.poll(async () => {
    clock.advance(20_000);
    await data.settle();
    clock.advance(500);
    return state();
  }).toEqual({ rows: 100, dead: 0, changed: 0 });
  await data.close();
});

it('puts its upkeep off while somebody works, and does it all the same when that never ends', async () => {
  const done: string[] = [];
  const sessions = { isQuiet: false };
  const owner = {
    query: async (name: string) => {
      done.push(name);
      return name === 'most changed table' ? [{ name: 't.t' }] : [];
    },
  };
  const upkeep = new Upkeep(sessions as unknown as Sessions, owner as unknown as Owner);
  const turns = async (count: number): Promise<number> => {
    done.length = 0;
    for (let turn = 0; turn < count; turn += 1) await upkeep.turn();
    return done.filter((name) => name === 'vacuum and analyse').length;
  };
  expect(await turns(15)).toBe(0);
  expect(await turns(16)).toBe(1);
  sessions.isQuiet = true;
  expect(await turns(3)).toBe(3);
});

describe('migrations', LIMIT, () => {
  let driver: PgliteDriver;
  let client: PoolClient;
  beforeAll(async () => {
    driver = await openPglite({ dataDir, onLost: () => {}, ...await shared });
    client = await driver.pool.connect();
  }, LIMIT.timeout);
  afterAll(async () => {
    client.release();
    await driver.close();
  });
  const apply = (...more: Migration[]): Promise<void> =>
    migrate(client, withPlatform(...more), new Date('2026-01-15T12:00:00Z'));
  const three = migration('0003', 'create table t.three ()');

  it('go forward only: changed, vanished and late ones are refused', async () => {
    await expect(apply(migration('0001', 'select 1'))).rejects.toThrow('with another text');
    await expect(apply()).rejects.toThrow('newer version');
    await apply(TABLE, three);
    await apply(TABLE, three);
    await expect(apply(TABLE, migration('0002', 'select 1'), three)).rejects.toThrow('numbered lower');
  });

  it('happen as a whole or not at all', async () => {
    const broken = migration('0004', 'create table t.four (); select 1 / 0;');
    await expect(apply(TABLE, three, broken)).rejects.toThrow('0004-t.sql failed');
    await apply(TABLE, three, migration('0004', 'create table t.four ()'));
  });

  it('refuse tables that forget their operator', async () => {
    const causeOf = async (columns: string): Promise<unknown> => {
      const bad = migration('0005', `create table t.bad (${columns}); select platform.own_table('t.bad')`);
      const four = migration('0004', 'create table t.four ()');
      const error: unknown = await apply(TABLE, three, four, bad).catch((caught: unknown) => caught);
      return ((error as Error | undefined)?.cause as Error | undefined)?.message;
    };
    expect(await causeOf('id bigint primary key')).toContain('needs a column operator_id');
    expect(await causeOf('operator_id bigint, id bigint')).toContain('needs a column operator_id');
    expect(await causeOf('operator_id bigint not null, id bigint primary key')).toContain('every unique key');
  });

  it('give way to a baseline in a database that has all it replaced, without running it', async () => {
    const four = migration('0004', 'create table t.four ()');
    const replaces = [TABLE, three, four].map((item) => ({ name: item.name, sha256: migrationHash(item) }));
    const lost = { name: 'product/t/tables/0005-t.sql', sha256: '' };
    const baseline = { name: 'product/t/tables/0001-baseline.sql', sql: 'select 1 / 0' };
    const [first, ...rest] = replaces;
    await expect(apply({ ...baseline, replaces: [...replaces, lost] })).rejects.toThrow(`lacks ${lost.name}`);
    await expect(apply({ ...baseline, replaces: [{ ...first, sha256: '' } as typeof lost, ...rest] }))
      .rejects.toThrow(`${TABLE.name} was applied with another text`);
    await apply({ ...baseline, replaces });
    await apply({ ...baseline, replaces }, migration('0002', 'create table t.five ()'));
    await expect(apply(TABLE, three, four)).rejects.toThrow('newer version: it has product/t/');
  });
});
