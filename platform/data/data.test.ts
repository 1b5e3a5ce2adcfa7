import { subscribe } from '#platform/contract/bind.ts';
import { event, personChannel } from '#platform/contract/event.ts';
import { fact } from '#platform/contract/fact.ts';
import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import { sql, type Generated } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryBus } from './bus.ts';
import { VirtualClock } from './clock.ts';
import type { BusMessage } from './data.ts';
import type { OpenedData } from './open.ts';
import { openTestData } from './testing.ts';

interface NotesTables {
  'notes.notes': { operator_id: Generated<number>; id: Generated<number>; text: string; size: number };
}

const NOTES = {
  name: 'product/notes/tables/0001-notes.sql',
  sql: `create schema notes;
    create table notes.notes (
      operator_id bigint not null, id bigint generated always as identity,
      text text not null, size bigint not null,
      primary key (operator_id, id));
    select platform.own_table('notes.notes');
    create table notes.log (operator_id bigint not null, id bigint not null, primary key (operator_id, id));
    select platform.own_table('notes.log', 'select', 'insert');
    create table notes.names (
      operator_id bigint not null, id bigint not null, name text not null,
      primary key (operator_id, id), unique (operator_id, name));
    select platform.own_table('notes.names');
    create table notes.words (
      operator_id bigint not null, id bigint not null, name_id bigint not null,
      primary key (operator_id, id));
    create index words_of_name on notes.words (operator_id, name_id);
    select platform.own_table('notes.words');
    create function notes.count() returns void language plpgsql security definer
      as $$ begin analyze notes.names, notes.words; end $$;`,
};
const ours = { operatorId: 1 };
const theirs = { operatorId: 2 };

const shape = z.object({ n: z.int() });
const noted = fact({ name: 'notes.noted', shape, description: 'A number was noted.' });
const passedOn = fact({ name: 'notes.heard', shape, description: 'It was delivered.' });
const shown = event({ name: 'v3.note', socket: 'both', from: 'server', shape, description: 'Shows it.' });

const clock = new VirtualClock();
const published: BusMessage[] = [];
const delivered: { consumer: string; id: string; n: number }[] = [];
const dueSeen: string[] = [];
const logged: string[] = [];
const note = (fields: unknown, text: string): void => void logged.push(`${text} ${JSON.stringify(fields)}`);
const log = { warn: note, error: note };
const bus = memoryBus(log);
/** Injected faults: how many times the handler fails for each number. */
const faults = new Map<number, number>();
let data: OpenedData;

function mayFail(n: number): void {
  const left = faults.get(n) ?? 0;
  faults.set(n, left - 1);
  if (left > 0) throw new Error('no number: "the words of a person"');
}

const subscriptions = [
  subscribe(noted, 'notes.first')(async ({ id, operatorId, payload: { n } }) => {
    mayFail(n);
    delivered.push({ consumer: 'first', id, n });
    await data.tx({ operatorId }, (tx) => tx.publish(passedOn, 'all', { n }));
  }),
  subscribe(noted, 'notes.second')(async ({ id, payload: { n } }) => {
    delivered.push({ consumer: 'second', id, n });
  }),
  subscribe(noted, 'notes.picky', { byInterest: true })(async ({ id, payload: { n } }) => {
    delivered.push({ consumer: 'picky', id, n });
  }),
  subscribe(passedOn, 'notes.third')(async ({ id, payload: { n } }) => {
    delivered.push({ consumer: 'third', id, n });
  }),
];

const due = [{
  kind: 'notes.remind',
  handle: async ({ operatorId, key, payload }: { operatorId: number; key: string; payload: unknown }) => {
    dueSeen.push(`${operatorId} ${key} ${JSON.stringify(payload)}`);
    if (key === 'daily') {
      await data.tx(
        { operatorId },
        (tx) => tx.schedule({ kind: 'notes.remind', key, at: new Date(tx.now.getTime() + DAY_MS) }),
      );
    }
  },
}];

const write = (text: string, size = 0, scope = ours): Promise<number> =>
  data.tx(scope, async (tx) => {
    const row = tx.sql<NotesTables>().insertInto('notes.notes').values({ text, size }).returning('id');
    return (await row.executeTakeFirstOrThrow()).id;
  });
const texts = (scope = ours): Promise<string[]> =>
  data.tx(scope, async (tx) => {
    const rows = await tx.sql<NotesTables>().selectFrom('notes.notes').select('text').orderBy('id').execute();
    return rows.map(({ text }) => text);
  });
const noteFacts = (key: string, ...numbers: number[]): Promise<void> =>
  data.tx(ours, async (tx) => {
    for (const n of numbers) await tx.publish(noted, key, { n });
  });
const by = (consumer: string, from: number): number[] =>
  delivered.slice(from).filter((item) => item.consumer === consumer).map(({ n }) => n);

beforeAll(async () => {
  data = await openTestData({ clock, slices: [], migrations: [NOTES], bus, log });
  bus.subscribe((message) => published.push(message));
  await data.attach({ subscriptions, deadlineHandlers: due });
});
afterAll(() => data.close());

it('commits everything or nothing', async () => {
  await write('kept');
  const failing = data.tx(ours, async (tx) => {
    await tx.sql<NotesTables>().insertInto('notes.notes').values({ text: 'lost', size: 0 }).execute();
    await tx.publish(noted, 'k', { n: 99 });
    await tx.send(personChannel(1), shown, { n: 99 });
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await texts()).toEqual(['kept']);
  await data.settle();
  expect(delivered).toEqual([]);
  expect(published).toEqual([]);
});

it('commits nothing when a swallowed SQL error has broken the unit', async () => {
  const before = await texts();
  const broken = data.tx(ours, async (tx) => {
    await tx.sql<NotesTables>().insertInto('notes.notes').values({ text: 'half', size: 0 }).execute();
    await sql`select 1 / 0`.execute(tx.sql()).catch(() => null);
  });
  await expect(broken).rejects.toMatchObject({ code: '25P02' });
  expect(await texts()).toEqual(before);
});

it('shows and changes only rows of its own operator, whatever the query says', async () => {
  await write('secret of two', 7, theirs);
  const attack = (statement: string): Promise<unknown[]> =>
    data.tx(ours, async (tx) => (await sql.raw(statement).execute(tx.sql())).rows);
  expect(await attack(`select * from notes.notes where text = 'secret of two'`)).toEqual([]);
  expect(await attack(`select * from notes.notes where operator_id = 2`)).toEqual([]);
  expect(await attack(`update notes.notes set text = 'x' where operator_id = 2 returning id`)).toEqual([]);
  expect(await attack(`delete from notes.notes where operator_id = 2 returning id`)).toEqual([]);
  const rowSecurity = { code: '42501' };
  await expect(attack(`insert into notes.notes (operator_id, text, size) values (2, 'planted', 0)`))
    .rejects.toMatchObject(rowSecurity);
  await expect(attack(`update notes.notes set operator_id = 2`)).rejects.toMatchObject(rowSecurity);
  expect(await texts(theirs)).toEqual(['secret of two']);
  expect(await texts({ operatorId: 0 })).toEqual([]);
});

it('finds rows of an operator that came after the statistics by their own key', async () => {
  const plan = (scope: typeof ours): Promise<string> =>
    data.tx(scope, async (tx) => {
      const { rows } = await sql.raw<{ 'QUERY PLAN': string }>(
        `explain select w.id from notes.names n
        join notes.words w on w.operator_id = ${scope.operatorId} and w.name_id = n.id
        where n.operator_id = ${scope.operatorId} and n.name = 'n 7'`,
      ).execute(tx.sql());
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
  await data.tx(ours, async (tx) => {
    await sql.raw(`insert into notes.names (id, name)
      select n, 'n ' || n from generate_series(1, 5000) n`).execute(tx.sql());
    await sql.raw(`insert into notes.words (id, name_id)
      select n, n / 2 from generate_series(1, 10000) n`).execute(tx.sql());
    await sql.raw('select notes.count()').execute(tx.sql());
  });
  for (const scope of [ours, theirs]) {
    expect(await plan(scope)).toMatch(/names_operator_id_name_key[^]*words_of_name/u);
  }
});

it('lets nobody publish, schedule or audit for another operator, nor read the outbox', async () => {
  const attack = (statement: string): Promise<unknown> =>
    data.tx(ours, (tx) => sql.raw(statement).execute(tx.sql()));
  const denied = { code: '42501' };
  await expect(attack('select * from platform.outbox')).rejects.toMatchObject(denied);
  await expect(attack(`insert into platform.outbox (operator_id, consumer, name, key, payload, at, ready_at)
    values (2, '', 'v3.note', 'person:1', '{}', now(), now())`)).rejects.toMatchObject(denied);
  await expect(attack(`insert into platform.due (operator_id, kind, key, at, payload, ready_at)
    values (2, 'notes.remind', 'x', now(), '{}', now())`)).rejects.toMatchObject(denied);
  await expect(attack('delete from platform.audit')).rejects.toMatchObject(denied);
  await expect(attack('update platform.migrations set sha256 = null')).rejects.toMatchObject(denied);
  await expect(attack('update notes.log set id = 2')).rejects.toMatchObject(denied);
});

it('keeps its role and operator within the unit, even when one is rolled back', async () => {
  await expect(data.tx(theirs, async () => {
    throw new Error('no');
  })).rejects.toThrow();
  const who = await data.tx(
    ours,
    async (tx) =>
      sql`select current_user as role, current_setting('app.operator') as operator`.execute(tx.sql()),
  );
  expect(who.rows).toEqual([{ role: 'candela_app', operator: '1' }]);
});

it('refuses a unit inside a unit, and a query after the end of one', async () => {
  await expect(data.tx(ours, () => data.tx(ours, async () => 1))).rejects.toThrow('inside another');
  const escaped = await data.tx(ours, async (tx) => ({ tx }));
  await expect(sql`select 1`.execute(escaped.tx.sql())).rejects.toThrow('after its unit of work had ended');
  await expect(data.tx({ operatorId: Number.NaN }, async () => 1)).rejects.toThrow('whole number');
});

it('runs units side by side without mixing them', async () => {
  const before = (await texts()).length;
  await Promise.all(Array.from({ length: 40 }, (_, n) => write(`n${n}`, n, n % 2 === 0 ? ours : theirs)));
  expect((await texts()).length).toBe(before + 20);
});

it('reads bigint exactly or not at all, and days as days', async () => {
  const read = async (expression: string): Promise<unknown> =>
    data.tx(ours, async (tx) => {
      const { rows } = await sql.raw<{ v: unknown }>(`select ${expression} as v`).execute(tx.sql());
      return rows[0]?.v;
    });
  expect(await read(`${Number.MAX_SAFE_INTEGER}::bigint`)).toBe(Number.MAX_SAFE_INTEGER);
  await expect(read('9007199254740992::bigint')).rejects.toThrow('not a safe integer');
  await expect(read('(-9007199254740993)::bigint')).rejects.toThrow('not a safe integer');
  expect(await read('array[1, null, 3]::bigint[]')).toEqual([1, null, 3]);
  await expect(read('array[9223372036854775807]::bigint[]')).rejects.toThrow('not a safe integer');
  expect(await read(`date '2008-02-29'`)).toBe('2008-02-29');
  expect(await read(`timestamptz '2026-01-15 13:00+01'`)).toEqual(new Date('2026-01-15T12:00:00Z'));
  expect(await read('count(*)')).toBe(1);
});

it('delivers a fact to each consumer once, in order per key, and what handlers publish', async () => {
  const from = delivered.length;
  await Promise.all([noteFacts('a', 1, 2, 3), noteFacts('b', 11, 12, 13)]);
  await noteFacts('a', 4, 5);
  await data.settle();
  for (const consumer of ['first', 'second', 'third']) {
    const numbers = by(consumer, from);
    expect(numbers.filter((n) => n < 10)).toEqual([1, 2, 3, 4, 5]);
    expect(numbers.filter((n) => n > 10)).toEqual([11, 12, 13]);
  }
  const idDeliveredTo = (name: string): string | undefined =>
    delivered.slice(from).find(({ consumer, n }) => consumer === name && n === 1)?.id;
  expect(idDeliveredTo('second')).toBe(idDeliveredTo('first'));
  expect(idDeliveredTo('third')).not.toBe(idDeliveredTo('first'));
});

it('makes a row only for keys of interest where a subscription says so, each operator its own', async () => {
  const from = delivered.length;
  const interest = (key: string): ReturnType<typeof data.tx> =>
    data.tx(
      ours,
      (tx) =>
        sql`insert into platform.interests (consumer, key) values ('notes.picky', ${key})`.execute(tx.sql()),
    );
  await noteFacts('dull', 51);
  await interest('vivid');
  await noteFacts('vivid', 52);
  await noteFacts('dull', 53);
  await data.tx(theirs, (tx) => tx.publish(noted, 'vivid', { n: 54 }));
  await data.tx(ours, (tx) => sql`delete from platform.interests`.execute(tx.sql()));
  await noteFacts('vivid', 55);
  await data.settle();
  expect(by('picky', from)).toEqual([52]);
  expect(by('first', from).toSorted((a, b) => a - b)).toEqual([51, 52, 53, 54, 55]);
});

it('holds a key back while its head fails, lets other keys pass, and tries again later', async () => {
  const from = delivered.length;
  faults.set(21, 2);
  await noteFacts('stuck', 21, 22);
  await noteFacts('free', 31);
  await data.settle();
  expect(by('first', from)).toEqual([31]);
  clock.advance(1_000);
  await data.settle();
  expect(by('first', from)).toEqual([31]);
  clock.advance(2_000);
  await data.settle();
  expect(by('first', from)).toEqual([31, 21, 22]);
});

it('parks a fact that always fails, says so without its words, and goes on with the key', async () => {
  const from = delivered.length;
  faults.set(41, 100);
  await noteFacts('poison', 41, 42);
  for (let tries = 0; tries < 8; tries += 1) {
    await data.settle();
    clock.advance(300_000);
  }
  await data.settle();
  expect(by('first', from)).toEqual([42]);
  expect(logged.some((line) => line.includes('parked') && line.includes('notes.first'))).toBe(true);
  expect(logged.join('\n')).not.toContain('the words of a person');
});

it('publishes socket events after the commit, in order', async () => {
  published.length = 0;
  await data.tx(ours, async (tx) => {
    for (let n = 0; n < 700; n += 1) await tx.send(personChannel(5), shown, { n });
    expect(published).toEqual([]);
  });
  expect(published).toEqual([]);
  await data.settle();
  expect(published.map(({ payload }) => payload)).toEqual(Array.from({ length: 700 }, (_, n) => ({ n })));
  expect(published[0]).toEqual({ operatorId: 1, channel: 'person:5', name: 'v3.note', payload: { n: 0 } });
});

it('refuses a payload of another shape where it is made', async () => {
  await expect(data.tx(ours, (tx) => tx.publish(noted, 'k', { n: 1.5 }))).rejects.toThrow();
  const sent = data.tx(ours, (tx) => tx.send(personChannel(1), shown, { n: 'x' as never }));
  await expect(sent).rejects.toThrow();
});

it('handles deadlines when the clock reaches them; the same kind and key replaces', async () => {
  dueSeen.length = 0;
  const at = (minutes: number): Date => new Date(clock.now().getTime() + minutes * 60_000);
  await data.tx(ours, async (tx) => {
    await tx.schedule({ kind: 'notes.remind', key: 'late', at: at(20), payload: 2 });
    await tx.schedule({ kind: 'notes.remind', key: 'soon', at: at(90) });
    await tx.schedule({ kind: 'notes.remind', key: 'soon', at: at(10), payload: 1 });
    await tx.schedule({ kind: 'notes.remind', key: 'never', at: at(10) });
    await tx.unschedule('notes.remind', 'never');
  });
  await data.tx(theirs, (tx) => tx.unschedule('notes.remind', 'late'));
  await data.settle();
  expect(dueSeen).toEqual([]);
  clock.advance(HOUR_MS);
  await data.settle();
  await data.settle();
  expect(dueSeen).toEqual(['1 soon 1', '1 late 2']);
});

it('keeps a deadline that its own handler schedules again', async () => {
  dueSeen.length = 0;
  await data.tx(ours, (tx) => tx.schedule({ kind: 'notes.remind', key: 'daily', at: tx.now }));
  for (let day = 0; day < 3; day += 1) {
    await data.settle();
    clock.advance(DAY_MS);
  }
  expect(dueSeen).toEqual(['1 daily null', '1 daily null', '1 daily null']);
});

it('writes the audit log within the unit', async () => {
  const line = { action: 'notes.read', actorId: 3, subject: 'person:4', reason: 'asked' };
  await data.tx(ours, (tx) => tx.audit(line));
  const rows = await data.tx(
    ours,
    async (tx) =>
      (await sql`select action, actor_id, subject, reason, at from platform.audit`.execute(tx.sql())).rows,
  );
  expect(rows).toEqual([
    { action: 'notes.read', actor_id: 3, subject: 'person:4', reason: 'asked', at: clock.now() },
  ]);
});
