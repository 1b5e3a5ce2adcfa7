import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { sql } from 'kysely';
import { VirtualClock } from '../clock.ts';
import type { BusMessage } from '../data.ts';
import { memoryBus } from '../delivery/bus.ts';
import { readMigrations, type Migration } from '../migrations.ts';
import { openData, type OpenedData } from '../open.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const dataDir = mkdtempSync(join(tmpdir(), 'candela-data-'));
const lock = join(dataDir, 'process.lock');
const children: ChildProcess[] = [];
const platform = readMigrations(ROOT, []);
const scope = { operatorId: 1 };

const migration = (number: string, text: string): Migration => ({ name: `product/t/tables/${number}-t.sql`, sql: text });
const TABLE = migration('0001', `create schema t; create table t.t (operator_id bigint not null, n bigint not null,
  primary key (operator_id, n)); select platform.own_table('t.t');`);
const open = (...more: Migration[]): Promise<OpenedData> =>
  openData({ at: { dataDir }, clock: new VirtualClock(), migrations: [...platform, ...more], development: true, bus });
const bus = memoryBus();
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
    const migrations = JSON.parse(process.env.MIGRATIONS);
    const data = await openData({ at: { dataDir: process.env.DIR }, clock: systemClock, migrations, development: false });
    const shown = { name: 'v3.n', shape: z.any() };
    for (let n = 0; ; n += 1) {
      await data.tx({ operatorId: 1 }, async (tx) => {
        await sql\`insert into t.t (n) values (\${n})\`.execute(tx.sql());
        await tx.tell('person:1', shown, { n });
      });
      process.stdout.write(n + '\\n');
    }`;
  const env = { ...process.env, DIR: dataDir, MIGRATIONS: JSON.stringify([...platform, TABLE]) };
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

it('survives kill -9: every acknowledged row and event is there, and the directory is free again', async () => {
  const { child, wrote } = await startWriter();
  await expect(open(TABLE)).rejects.toThrow(`is in use by process ${child.pid}`);
  child.removeAllListeners('exit');
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  expect(existsSync(lock)).toBe(true);
  const data = await open(TABLE);
  const { rows } = await data.tx(scope, async (tx) =>
    sql<{ rows: number; last: number }>`select count(*) as rows, max(n) as last from t.t`.execute(tx.sql()));
  const last = rows[0]?.last ?? -1;
  expect(last).toBeGreaterThanOrEqual(wrote());
  expect(rows[0]?.rows).toBe(last + 1);
  await data.settle();
  expect(published.map(({ payload }) => (payload as { n: number }).n)).toEqual(Array.from({ length: last + 1 }, (_, n) => n));
  await data.close();
  expect(existsSync(lock)).toBe(false);
});

it('refuses a directory this very process has open, and lets go when it closes', async () => {
  const data = await open(TABLE);
  await expect(open(TABLE)).rejects.toThrow('is in use by process');
  await data.close();
  await (await open(TABLE)).close();
});

it('takes over the lock of a process that is gone, also when another process has its number now', async () => {
  writeFileSync(lock, '4194304 17\n');
  await (await open(TABLE)).close();
  // A reused number is told by the start time of /proc (Linux).
  if (existsSync('/proc')) writeFileSync(lock, `${process.pid} 17\n`);
  await (await open(TABLE)).close();
  writeFileSync(lock, '');
  await (await open(TABLE)).close();
  expect(existsSync(lock)).toBe(false);
});

it('goes forward only: changed, vanished and late migrations are refused', async () => {
  await expect(open(migration('0001', 'select 1'))).rejects.toThrow('with another text');
  await expect(open()).rejects.toThrow('newer version');
  await (await open(TABLE, migration('0003', 'create table t.three ()'))).close();
  await expect(open(TABLE, migration('0002', 'create table t.two ()'), migration('0003', 'create table t.three ()')))
    .rejects.toThrow('numbered lower');
  const half = migration('0004', 'create table t.four (); select 1 / 0;');
  const known = [TABLE, migration('0003', 'create table t.three ()')];
  await expect(open(...known, half)).rejects.toThrow('0004-t.sql failed');
  await (await open(...known, migration('0004', 'create table t.four ()'))).close();
});

it('refuses tables that forget their operator', async () => {
  const known = [TABLE, ...['0003', '0004'].map((number) =>
    migration(number, `create table t.${number === '0003' ? 'three' : 'four'} ()`))];
  const causeOf = (ddl: string): Promise<string> =>
    open(...known, migration('0005', ddl)).then(
      () => 'none',
      (error: Error) => (error.cause as Error).message,
    );
  expect(await causeOf(`create table t.bad (id bigint primary key); select platform.own_table('t.bad')`))
    .toContain('needs a column operator_id');
  expect(await causeOf(`create table t.bad (operator_id bigint not null, id bigint primary key);
    select platform.own_table('t.bad')`)).toContain('every unique key');
});
