import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { VirtualClock } from '../clock.ts';
import { openTestData, type TestData } from '../testing.ts';

/** Only databases of PGlite are reused between tests; PostgreSQL copies a template. */
const isPglite = process.env['TEST_DATABASE_URL'] === undefined;

const open = (): Promise<TestData> =>
  openTestData({ clock: new VirtualClock(), slices: ['site'], log: { warn: () => {}, error: () => {} } });

const read = async (data: TestData, query: ReturnType<typeof sql>): Promise<unknown> =>
  data.tx({ operatorId: 1 }, async (tx) => (await query.execute(tx.sql())).rows);
const sizesOf = (data: TestData): Promise<unknown> =>
  read(
    data,
    sql`
  select relname, reltuples, relpages from pg_class
  where oid >= 16384 and relkind in ('r', 'i') order by oid`,
  );
const linesOf = (data: TestData): Promise<unknown> =>
  read(data, sql`select count(*)::int as lines from platform.audit`);

it.runIf(isPglite)('a database that was emptied is planned for as a new one', async () => {
  const first = await open();
  const atFirst = await sizesOf(first);
  await first.tx({ operatorId: 1 }, async (tx) => {
    for (let n = 0; n < 2_000; n += 1) {
      await tx.audit({
        action: 'test.write',
        actorId: null,
        subject: `person:${n}`,
        reason: 'x'.repeat(100),
      });
    }
  });
  expect(await linesOf(first)).toEqual([{ lines: 2_000 }]);
  await first.close();
  const second = await open();
  expect(await linesOf(second)).toEqual([{ lines: 0 }]);
  expect(await sizesOf(second)).toEqual(atFirst);
  await second.close();
});
