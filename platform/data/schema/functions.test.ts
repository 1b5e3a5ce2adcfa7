import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Pool, QueryResultRow } from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../clock.ts';
import type { Driver } from '../drivers/driver.ts';
import { openTestDriver } from '../testing.ts';
import { describeCatalog } from './catalog.ts';
import { functionFileProblem, readFunctions } from './function-files.ts';
import { migrate, readSchema, type Schema } from './migrations.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const platform = readSchema(ROOT, []);
const folder = mkdtempSync(join(tmpdir(), 'candela-functions-'));
/** PGlite has one session, so nobody else can migrate it at the same time. */
const hasServer = process.env['TEST_DATABASE_URL'] !== undefined;

const TABLES = {
  name: 'product/t/tables/0001-t.sql',
  sql: `
  create schema t;
  create table t.items (operator_id bigint not null, id bigint not null, size bigint not null,
    primary key (operator_id, id));
  select platform.own_table('t.items');
  create table t.seen (operator_id bigint not null, id bigint not null, primary key (operator_id, id));
  select platform.own_table('t.seen');`,
};
const now = new Date('2026-01-15T12:00:00Z');

let versions = 0;
/** The platform with one slice of these functions; texts by name without schema. */
function schemaWith(functions: Readonly<Record<string, string>>): Schema {
  versions += 1;
  const path = `v${versions}/product/t/tables/functions`;
  mkdirSync(join(folder, path), { recursive: true });
  for (const [name, text] of Object.entries(functions)) {
    writeFileSync(join(folder, path, `${name.replaceAll('_', '-')}.sql`), `-- What it does.\n${text}`);
  }
  return {
    migrations: [...platform.migrations, TABLES],
    functions: [...platform.functions, ...readFunctions(folder, [path])],
  };
}

const DOUBLE = `create or replace function t.double(n bigint) returns bigint language sql immutable
  as $$ select 2 * n $$;`;
const WIDE = `create or replace function t.double(n numeric) returns numeric language sql immutable
  as $$ select 2 * n $$;`;
const NOTE = `create or replace function t.note() returns trigger language plpgsql as $$
  begin
    insert into t.seen (operator_id, id) values (new.operator_id, t.double(new.id));
    return null;
  end $$;
  create or replace trigger note after insert on t.items for each row execute function t.note();`;

let driver: Driver;
let pool: Pool;
beforeEach(async () => {
  driver = await openTestDriver({ clock: new VirtualClock(), slices: [] });
  ({ pool } = driver);
});
afterEach(() => driver.close());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function apply(schema: Schema, on = pool): Promise<void> {
  const client = await on.connect();
  try {
    await migrate(client, schema, now);
  } finally {
    client.release();
  }
}
async function rows<Row extends QueryResultRow>(query: string): Promise<Row[]> {
  return (await pool.query<Row>(query)).rows;
}
/** Why a schema was refused, with the reason that PostgreSQL gave. */
async function refusalOf(schema: Schema): Promise<string> {
  const messages: string[] = [];
  const error: unknown = await apply(schema).catch((caught: unknown) => caught);
  for (let one = error as Error | undefined; one; one = one.cause as Error | undefined) {
    messages.push(one.message);
  }
  return messages.join(': ');
}
/** A database that never had anything else, to compare with. */
async function catalogOfNew(schema: Schema): ReturnType<typeof describeCatalog> {
  const fresh = await openTestDriver({ clock: new VirtualClock(), slices: [] });
  try {
    await apply(schema, fresh.pool);
    return await describeCatalog(fresh.pool);
  } finally {
    await fresh.close();
  }
}
const insertItem = (id: number): Promise<unknown> =>
  pool.query(`insert into t.items (operator_id, id, size) values (1, ${id}, 0)`);

describe('functions of a schema', () => {
  it('are what their files say, callees first, and closed unless a file grants them', async () => {
    // A function in SQL is checked against existing ones: `answer` would fail before `double`.
    await apply(schemaWith({
      answer: `create or replace function t.answer() returns bigint language sql
          as $$ select t.double(21) $$;
        grant execute on function t.answer to candela_app;`,
      double: DOUBLE,
    }));
    expect(await rows('select t.answer() as found')).toEqual([{ found: 42 }]);
    expect(
      await rows(`select has_function_privilege('candela_app', 't.double(bigint)', 'execute') as double,
      has_function_privilege('candela_app', 't.answer()', 'execute') as answer,
      has_function_privilege('public', 't.answer()', 'execute') as everybody`),
    )
      .toEqual([{ double: false, answer: true, everybody: false }]);
  });

  it('are replaced when their file changed, and otherwise left alone', async () => {
    const other = 'create or replace function t.other() returns int language sql as $$ select 1 $$;';
    await apply(schemaWith({ double: DOUBLE, other }));
    const state = (): Promise<{ name: string; xmin: string }[]> =>
      rows(`select proname as name, xmin::text from pg_proc
        where pronamespace = 't'::regnamespace order by 1`);
    const [double, before] = await state();
    await apply(schemaWith({ double: DOUBLE.replace('2 *', '3 *'), other }));
    expect(await rows('select t.double(5) as found')).toEqual([{ found: 15 }]);
    const [changed, after] = await state();
    expect(after).toEqual(before);
    expect(changed?.xmin).not.toBe(double?.xmin);
  });

  it('come back when somebody dropped them', async () => {
    const schema = schemaWith({ double: DOUBLE });
    await apply(schema);
    await pool.query('drop function t.double(bigint)');
    await apply(schema);
    expect(await rows('select t.double(5) as found')).toEqual([{ found: 10 }]);
  });

  it('go when their file goes, with their triggers', async () => {
    await apply(schemaWith({ double: DOUBLE, note: NOTE }));
    const renamed = schemaWith({ double: DOUBLE, record: NOTE.replaceAll('t.note', 't.record') });
    await apply(renamed);
    await insertItem(4);
    expect(await rows('select id from t.seen')).toEqual([{ id: 8 }]);
    expect(await describeCatalog(pool)).toEqual(await catalogOfNew(renamed));
  });

  it('have the triggers of their file and no others', async () => {
    const more = `${NOTE} create or replace trigger more after update on t.items for each row
      execute function t.note();`;
    await apply(schemaWith({ double: DOUBLE, note: more }));
    const schema = schemaWith({ double: DOUBLE, note: NOTE });
    await apply(schema);
    expect(await describeCatalog(pool)).toEqual(await catalogOfNew(schema));
  });

  it('are those of the version that starts, be it an older one', async () => {
    const older = schemaWith({ double: DOUBLE });
    await apply(older);
    const catalog = await describeCatalog(pool);
    await apply(schemaWith({ double: WIDE, note: NOTE }));
    await apply(older);
    expect(await describeCatalog(pool)).toEqual(catalog);
  });
});

describe('a signature that changes', () => {
  const DEPENDENTS = `
    alter table t.items alter column size set default t.double(4);
    create policy even on t.items as restrictive for update to candela_app, current_user
      using (t.double(id) > 0) with check (t.double(size) < 100);
    create view t.doubled with (security_invoker=true) as
      select id, t.double(id)::bigint as twice from t.items;
    create view t.most as select max(twice) as most from t.doubled;
    grant select on t.most to candela_app;`;
  const ALSO = `create or replace function t.also() returns trigger language plpgsql
    as $$ begin return new; end $$;
    create or replace trigger also before insert on t.items for each row when (t.double(new.id) > 10)
      execute function t.also();`;
  const QUADRUPLE = `create or replace function t.quadruple(n bigint) returns numeric language sql
    return t.double(t.double(n)::bigint);`;
  const TOTAL = `create or replace function t.add(total bigint, n bigint) returns bigint
    language sql immutable as $$ select total + n $$;`;
  const SUM =
    'create or replace aggregate t.total(bigint) (sfunc = t.add, stype = bigint, initcond = \'0\');';

  it.each([
    ['types of parameters', WIDE, true],
    ['its result', DOUBLE.replace('returns bigint', 'returns numeric'), true],
    ['names of parameters', DOUBLE.replaceAll('n bigint', 'x bigint').replace('2 * n', '2 * x'), false],
    ['the number of parameters', DOUBLE.replace('n bigint', 'n bigint, times bigint default 2'), false],
  ])('in %s takes along everything that depends on the function', async (_what, changed, hasCasts) => {
    const others = { note: NOTE, quadruple: QUADRUPLE, also: ALSO };
    const original = schemaWith({ double: DOUBLE, ...others });
    await apply(original);
    await pool.query(DEPENDENTS);
    const before = await describeCatalog(pool);
    await insertItem(1);
    await apply(schemaWith({ double: changed, ...others }));
    expect(await rows('select t.quadruple(3)::int as found')).toEqual([{ found: 12 }]);
    expect(await rows('select most::int from t.most')).toEqual([{ most: 2 }]);
    await insertItem(2);
    expect(await rows('select id::int from t.seen order by 1')).toEqual([{ id: 2 }, { id: 4 }]);
    const after = await describeCatalog(pool);
    for (const part of ['triggers', 'policies', 'views', 'tables', 'columns'] as const) {
      expect(after[part], part).toHaveLength(before[part].length);
    }
    // After the way back everything is as it was. Only expressions that got a cast keep it.
    if (hasCasts) return;
    await apply(original);
    expect(await describeCatalog(pool)).toEqual(before);
  });

  it('takes an aggregate along', async () => {
    await apply(schemaWith({ add: TOTAL, total: SUM }));
    const renamed = TOTAL.replaceAll('total bigint', 'so_far bigint').replace('total +', 'so_far +');
    const schema = schemaWith({ add: renamed, total: SUM });
    await apply(schema);
    expect(await rows('select t.total(n)::int as found from generate_series(1::bigint, 4) n'))
      .toEqual([{ found: 10 }]);
    expect(await describeCatalog(pool)).toEqual(await catalogOfNew(schema));
  });

  it('is refused where data depends on it, and changes nothing', async () => {
    await apply(schemaWith({ double: DOUBLE }));
    await pool.query(
      'alter table t.items add column twice bigint generated always as (t.double(size)) stored',
    );
    const before = await describeCatalog(pool);
    expect(await refusalOf(schemaWith({ double: WIDE }))).toContain('a migration takes it apart first');
    expect(await describeCatalog(pool)).toEqual(before);
  });

  it('is refused where what depends on it does not fit any more', async () => {
    await apply(schemaWith({ double: DOUBLE }));
    await pool.query('alter table t.items alter column size set default t.double(4)');
    const text = DOUBLE.replaceAll('bigint', 'text').replace('2 * n', 'n || n');
    expect(await refusalOf(schemaWith({ double: text }))).toContain('a migration drops it first');
    expect(await rows('select t.double(4) as found')).toEqual([{ found: 8 }]);
  });

  it('is refused where a caller does not fit any more', async () => {
    const answer = 'create or replace function t.answer() returns bigint language sql '
      + 'as $$ select t.double(21) $$;';
    await apply(schemaWith({ double: DOUBLE, answer }));
    const two = DOUBLE.replace('n bigint', 'n bigint, more bigint');
    expect(await refusalOf(schemaWith({ double: two, answer }))).toContain('function t.answer');
    expect(await rows('select t.answer() as found')).toEqual([{ found: 42 }]);
  });
});

describe('a change of functions', () => {
  it('happens as a whole or not at all, and the next start completes it', async () => {
    const first = schemaWith({ double: DOUBLE });
    await apply(first);
    const before = await describeCatalog(pool);
    const record = 'select name, sha256 from platform.functions order by 1';
    const recorded = await rows(record);
    const broken = 'create or replace function t.zero() returns int language sql as $$ select nothing $$;';
    expect(await refusalOf(schemaWith({ double: WIDE, zero: broken }))).toContain('t.zero');
    expect(await describeCatalog(pool)).toEqual(before);
    expect(await rows(record)).toEqual(recorded);
    const mended = schemaWith({ double: WIDE, zero: broken.replace('nothing', '0') });
    await apply(mended);
    expect(await describeCatalog(pool)).toEqual(await catalogOfNew(mended));
  });

  it.runIf(hasServer)('is made once when several processes start at the same time', async () => {
    const schema = schemaWith({ double: DOUBLE, note: NOTE });
    await Promise.all(Array.from({ length: 4 }, () => apply(schema)));
    expect(await describeCatalog(pool)).toEqual(await catalogOfNew(schema));
  });
});

describe('the file of a function', () => {
  it.each([
    ['double.sql', 'create function t.double(n int) returns int return n;', /create or replace/],
    ['triple.sql', DOUBLE, /its name is double\.sql/],
    ['double.sql', `${DOUBLE} drop table t.items;`, /grant execute/],
    ['double.sql', '-- Nothing.', /create or replace/],
  ])('%s, case %#, is refused', (file, text, reason) => {
    expect(functionFileProblem(`product/t/tables/functions/${file}`, text)).toMatch(reason);
  });

  it('may hold semicolons in bodies, texts and comments', () => {
    const text = `-- One; two.
      create or replace function t.double(n bigint) returns text language plpgsql as $body$
      begin return ';' || $$;$$; /* ; */ end $body$;
      grant execute on function t.double to candela_app; -- the end;`;
    expect(functionFileProblem('product/t/tables/functions/double.sql', text)).toBeNull();
  });

  it('calls nobody in a circle', () => {
    const call = (name: string, other: string): string =>
      `create or replace function t.${name}() returns void language plpgsql
        as $$ begin perform t.${other}(); end $$;`;
    expect(() => schemaWith({ a: call('a', 'b'), b: call('b', 'c'), c: call('c', 'a') }))
      .toThrow('in a circle: t.a → t.b → t.c → t.a');
  });
});
