import { fact } from '#platform/contract/fact.ts';
import { sql, type Generated } from 'kysely';
import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { VirtualClock } from './clock.ts';
import type { Tx } from './data.ts';
import { dataOn, type OpenedData } from './open.ts';
import { openTestData, openTestDriver } from './testing.ts';

interface WordsTables {
  'words.words': { operator_id: Generated<number>; id: Generated<number>; text: string };
}
const WORDS = {
  name: 'product/words/tables/0001-words.sql',
  sql: `create schema words;
    create table words.words (
      operator_id bigint not null, id bigint generated always as identity, text text not null,
      primary key (operator_id, id));
    select platform.own_table('words.words');`,
};
const ours = { operatorId: 1 };
const theirs = { operatorId: 2 };
const spoken = fact({ name: 'words.spoken', shape: z.object({}), description: 'A word was spoken.' });

const clock = new VirtualClock();
let data: OpenedData;

const put = async (tx: Tx, text: string): Promise<void> => {
  await tx.sql<WordsTables>().insertInto('words.words').values({ text }).execute();
};
const textsIn = async (tx: Tx): Promise<string[]> => {
  const rows = await tx.sql<WordsTables>().selectFrom('words.words').select('text').orderBy('id').execute();
  return rows.map(({ text }) => text);
};
/** A new value each time the database is asked. */
const random = async (tx: Tx): Promise<string> => {
  const { rows } = await sql<{ id: string }>`select gen_random_uuid()::text as id`.execute(tx.sql());
  return rows[0]?.id ?? '';
};
const number = async (tx: Tx, value: number): Promise<number | undefined> => {
  const { rows } = await sql<{ value: number }>`select ${value}::int as value`.execute(tx.sql());
  return rows[0]?.value;
};

beforeAll(async () => {
  data = await openTestData({ clock, slices: [], migrations: [WORDS] });
  await data.attach({ subscriptions: [], deadlineHandlers: [] });
  await data.tx(ours, (tx) => put(tx, 'ours'));
  await data.tx(theirs, (tx) => put(tx, 'theirs'));
});
afterAll(() => data.close());

describe('a unit that only reads', () => {
  it('sees the rows of its operator alone, and what was committed before it began', async () => {
    expect(await data.read(ours, textsIn)).toEqual(['ours']);
    expect(await data.read(theirs, textsIn)).toEqual(['theirs']);
    await data.tx(theirs, (tx) => put(tx, 'more of theirs'));
    expect(await data.read(theirs, textsIn)).toEqual(['theirs', 'more of theirs']);
    expect(await data.read({ operatorId: 0 }, textsIn)).toEqual([]);
  });

  it('is refused whatever would write: rows, facts, deadlines, locks', async () => {
    const writes: ((tx: Tx) => Promise<unknown>)[] = [
      (tx) => put(tx, 'smuggled'),
      (tx) => tx.publish(spoken, 'all', {}),
      (tx) => tx.schedule({ kind: 'words.due', key: 'one', at: clock.now() }),
      (tx) => tx.sql<WordsTables>().selectFrom('words.words').selectAll().forUpdate().execute(),
    ];
    for (const write of writes) await expect(data.read(ours, write)).rejects.toMatchObject({ code: '25006' });
    expect(await data.tx(ours, textsIn)).toEqual(['ours']);
  });

  it('asks the same once, and each unit for itself', async () => {
    const [first, second] = await data.read(ours, async (tx) => [await random(tx), await random(tx)]);
    expect(second).toBe(first);
    expect(await data.read(ours, random)).not.toBe(first);
    expect(await data.read(ours, (tx) => Promise.all([number(tx, 1), number(tx, 2), number(tx, 1)])))
      .toEqual([1, 2, 1]);
  });

  it('fails as a whole where one of its statements does, and leaves the session to others', async () => {
    const broken = data.read(ours, (tx) =>
      Promise.all([
        number(tx, 1),
        sql`select 1 / 0`.execute(tx.sql()),
        textsIn(tx),
      ]));
    await expect(broken).rejects.toMatchObject({ code: '22012' });
    expect(await data.read(ours, textsIn)).toEqual(['ours']);
    expect(await data.tx(ours, textsIn)).toEqual(['ours']);
  });

  it('fails too where an error of the database was swallowed', async () => {
    const swallowing = data.read(ours, async (tx) => {
      await sql`select 1 / 0`.execute(tx.sql()).catch(() => {});
      return 'as if it had worked';
    });
    await expect(swallowing).rejects.toMatchObject({ code: '22012' });
    expect(await data.read(ours, textsIn)).toEqual(['ours']);
  });

  it('has no other unit in it, and ends with its function', async () => {
    await expect(data.read(ours, () => data.read(ours, textsIn))).rejects.toThrow('inside another');
    await expect(data.tx(ours, () => data.read(ours, textsIn))).rejects.toThrow('inside another');
    const left = await data.read(ours, async (tx) => tx);
    await expect(random(left)).rejects.toThrow('after its unit of work had ended');
  });
});

it('sends what is asked at once without waiting for answers; a unit that writes waits', async () => {
  const driver = await openTestDriver({ clock, slices: [] });
  let [underWay, most] = [0, 0];
  const counted = new WeakSet<PoolClient>();
  driver.pool.on('acquire', (client) => {
    if (counted.has(client)) return;
    counted.add(client);
    const query = client.query.bind(client) as (...asked: unknown[]) => Promise<unknown>;
    Object.assign(client, {
      query: (...asked: unknown[]) => {
        underWay += 1;
        most = Math.max(most, underWay);
        return query(...asked).finally(() => {
          underWay -= 1;
        });
      },
    });
  });
  const { read, tx: write, close } = dataOn(driver, { clock, development: true });
  const three = (tx: Tx) => Promise.all([1, 2, 3].map((value) => number(tx, value)));
  expect(await write(ours, three)).toEqual([1, 2, 3]);
  expect(most).toBe(1);
  expect(await read(ours, three)).toEqual([1, 2, 3]);
  // The begin statement and all three queries.
  expect(most).toBe(4);
  await close();
});

it('takes no connection for an operator that cannot be', async () => {
  const driver = await openTestDriver({ clock, slices: [] });
  let taken = 0;
  driver.pool.on('acquire', () => {
    taken += 1;
  });
  const { read, close } = dataOn(driver, { clock, development: true });
  await expect(read({ operatorId: -1 }, textsIn)).rejects.toThrow('an operator id is a whole number');
  expect(taken).toBe(0);
  await close();
});
