import { sql } from 'kysely';
import pg from 'pg';
import { expect, it } from 'vitest';
import { VirtualClock } from '../clock.ts';
import { openTestData } from '../testing.ts';

/** The test ends a connection that is in use, which takes a server: PGlite has no connections. */
const hasServer = process.env['TEST_DATABASE_URL'] !== undefined;
const scope = { operatorId: 1 };

it.runIf(hasServer)('a connection that ends in a unit of work voids the unit, not the program', async () => {
  let report = (): void => {};
  const lost = new Promise<void>((resolve) => {
    report = resolve;
  });
  const data = await openTestData({
    clock: new VirtualClock(),
    slices: [],
    log: { warn: () => {}, error: () => report() },
  });
  const other = new pg.Client({ connectionString: data.databaseUrl ?? '' });
  await other.connect();
  const cut = data.tx(scope, async (tx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx.sql());
    await other.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
    await lost;
    await sql`select 1`.execute(tx.sql());
  });
  await expect(cut).rejects.toThrow('not queryable');
  const again = data.tx(scope, async (tx) => sql<{ one: number }>`select 1 as one`.execute(tx.sql()));
  expect((await again).rows).toEqual([{ one: 1 }]);
  await other.end();
  await data.close();
});
