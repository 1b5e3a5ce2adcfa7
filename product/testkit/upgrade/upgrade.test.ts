import { VirtualClock } from '#platform/data/clock.ts';
import type { Driver } from '#platform/data/drivers/driver.ts';
import { dataOn } from '#platform/data/open.ts';
import { describeCatalog } from '#platform/data/schema/catalog.ts';
import { migrationHash, SchemaMismatch } from '#platform/data/schema/migration.ts';
import { migrate, readSchema } from '#platform/data/schema/migrations.ts';
import { openDumpedDriver, openTestDriver } from '#platform/data/testing.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#platform/time/units.ts';
import { tokenUpdate } from '#product/ledger/contract.ts';
import { order } from '#product/order.ts';
import { chatHistory } from '#product/rooms/contract.ts';
import { sql } from 'kysely';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { QueryResultRow } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createShop, type Shop } from '../payments/payments.ts';
import { tokensOf } from '../payments/wallet.ts';

/** What `npm run upgrade-fixture` wrote beside the dump. */
interface Facts {
  readonly at: string;
  readonly kinds: readonly string[];
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const fixture = (ending: string): Buffer => readFileSync(new URL(`50de409f.${ending}`, import.meta.url));
const facts = JSON.parse(fixture('json').toString()) as Facts;
const dump = gunzipSync(fixture('sql.gz')).toString();
const slices = order.map(([slice]) => slice);
const schema = readSchema(ROOT, slices);

/** Data that an upgrade must not change. */
const LASTING = {
  people: 'select id, username, email, type from accounts.people order by id',
  balances: 'select person_id, account, balance from ledger.accounts order by 1, 2',
  journal: `select j.id, j.operation, j.kind, j.memo, j.at, p.person_id, p.account, p.tokens, p.balance
    from ledger.journal j left join ledger.postings p on p.journal_id = j.id order by j.id, p.id`,
  money: 'select journal_id, account, currency, minor from ledger.money_postings order by id',
  lots: 'select id, person_id, tokens, tokens_left, backing_cents, promotional from ledger.lots order by id',
  holds: 'select operation, person_id, tokens_left, expires_at, closed_at from ledger.holds order by 1',
  orders: 'select id, person_id, state, amount_minor from billing.orders order by id',
  messages: 'select performer_id, id, sender_id, kind, body, tokens from rooms.messages order by 1, 2',
  log: 'select performer_id, seq, name, payload from rooms.log order by 1, 2',
  tips: 'select tip_id, sender_id, receiver_id, tokens, comment from tips.tips order by id',
  clubs: 'select performer_id, member_id, level, price, payments from fanclubs.memberships order by 1, 2',
  follows: 'select performer_id, viewer_id, id from messaging.follows order by id',
  reports: 'select id, kind, subject_id, reason, details from moderation.reports order by id',
  support: 'select id, topic, message from support.requests order by id',
  outbox: 'select id, consumer, name, key, payload from platform.outbox order by id',
  deadlines: 'select kind, key, at, payload from platform.due order by 1, 2',
} as const;

const clock = new VirtualClock(new Date(facts.at));
let driver: Driver;
let before: Record<string, unknown[]>;
let shop: Shop;
const names = { consumers: new Set<string>(), kinds: new Set<string>() };
const logged: string[] = [];

async function rows<Row extends QueryResultRow>(query: string): Promise<Row[]> {
  return (await driver.pool.query<Row>(query)).rows;
}
async function upgrade(database: Driver): Promise<void> {
  const client = await database.pool.connect();
  try {
    await migrate(client, schema, clock.now());
  } finally {
    client.release();
  }
}
const applied = async ({ pool }: Driver): Promise<unknown[]> =>
  (await pool.query<QueryResultRow>('select name, sha256 from platform.migrations order by name')).rows;
async function lasting(): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const [name, query] of Object.entries(LASTING)) found[name] = await rows(query);
  return found;
}

beforeAll(async () => {
  driver = await openDumpedDriver(dump, clock);
  before = await lasting();
  await upgrade(driver);
});
afterAll(() => (shop === undefined ? driver.close() : shop.close()));

describe('a database of 50de409f', () => {
  it('contains every kind of data that the upgrade must preserve', () => {
    for (const [name, found] of Object.entries(before)) expect(found.length, name).toBeGreaterThan(0);
    const kinds = new Set((before['journal'] as { kind: string }[]).map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual([
      'bonus',
      'chargeback',
      'fanclub',
      'grant',
      'post_pay',
      'private_show',
      'purchase_tokens',
      'refund',
      'tip',
      'tip_split',
    ]);
    expect(new Set((before['outbox'] as { consumer: string }[]).map(({ consumer }) => consumer)).size)
      .toBe(60);
    expect(new Set((before['deadlines'] as { kind: string }[]).map(({ kind }) => kind)).size).toBe(18);
  });

  it('has the schema of a new one: tables, functions, triggers, policies, grants', async () => {
    const fresh = await openTestDriver({ clock: new VirtualClock(), slices });
    try {
      const [upgraded, made] = [await describeCatalog(driver.pool), await describeCatalog(fresh.pool)];
      for (const part of Object.keys(made) as (keyof typeof made)[]) {
        expect(upgraded[part], part).toEqual(made[part]);
      }
      expect(made.functions.length).toBeGreaterThan(50);
    } finally {
      await fresh.close();
    }
  });

  it('has the baselines in place of the migrations that they replaced', async () => {
    expect(schema.migrations.filter(({ replaces }) => replaces !== undefined).length).toBe(22);
    expect(await applied(driver)).toEqual(
      schema.migrations
        .map((migration) => ({ name: migration.name, sha256: migrationHash(migration) }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    );
  });

  it('loses nothing', async () => {
    expect(await lasting()).toEqual(before);
  });

  it('has a ledger without faults', async () => {
    const owner = await driver.pool.connect();
    try {
      await owner.query('begin; set local app.operator = \'1\'');
      for (const query of ['select * from ledger.faults()', 'select * from ledger.broken_seals()']) {
        expect((await owner.query(query)).rows).toEqual([]);
      }
      const { rows: sums } = await owner.query<{ tokens: number; minor: number }>(`select
        (select sum(tokens)::bigint from ledger.postings) as tokens,
        (select sum(minor)::bigint from ledger.money_postings) as minor`);
      expect(sums).toEqual([{ tokens: 0, minor: 0 }]);
    } finally {
      await owner.query('rollback');
      owner.release();
    }
  });
});

describe('a database from before the baselines', () => {
  const LAST = 'product/tips/tables/0006-show-chat.sql';

  it.each([
    [
      'lacks one of their migrations',
      `delete from platform.migrations where name = '${LAST}'`,
      `lacks ${LAST}, which it replaced: start the last version before it once (commit 50de409f)`,
    ],
    [
      'had another text of one',
      `update platform.migrations set sha256 = md5(name) where name = '${LAST}'`,
      `${LAST} was applied with another text`,
    ],
  ])('is refused and stays as it is when it %s', async (_, change, advice) => {
    const older = await openDumpedDriver(dump, clock);
    try {
      await older.pool.query(change);
      const had = await applied(older);
      const refusal = await upgrade(older).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(SchemaMismatch);
      expect((refusal as Error).message).toContain(advice);
      expect(await applied(older)).toEqual(had);
    } finally {
      await older.close();
    }
  });
});

/** A site on the upgraded database; collects the names of its consumers and deadlines. */
async function openSite(): Promise<Shop> {
  const note = (fields: unknown, text: string): void => void logged.push(`${text} ${JSON.stringify(fields)}`);
  const data = dataOn(driver, { clock, development: true, log: { warn: note, error: note } });
  return createShop({
    clock,
    data: {
      ...data,
      attach: async (handlers) => {
        for (const { consumer } of handlers.subscriptions) names.consumers.add(consumer);
        for (const { kind } of handlers.deadlineHandlers) names.kinds.add(kind);
        await data.attach(handlers);
      },
    },
  });
}

describe('a site on it', () => {
  let consumers: string[];
  beforeAll(async () => {
    consumers = (await rows<{ consumer: string }>('select distinct consumer from platform.consumers'))
      .map(({ consumer }) => consumer);
    shop = await openSite();
  });

  it('has a handler for every consumer and kind of deadline in its rows', () => {
    expect(consumers.filter((name) => !names.consumers.has(name))).toEqual([]);
    expect(facts.kinds.filter((kind) => !names.kinds.has(kind))).toEqual([]);
  });

  it('handles every fact that nobody had handled', async () => {
    const { site } = shop;
    const kim = await site.memberOf('kim');
    const tab = await site.socketOf(kim);
    expect(await tokensOf(kim)).toBe(390);
    await shop.settle();
    expect(logged).toEqual([]);
    expect(await rows('select consumer, name, attempts from platform.outbox')).toEqual([]);
    // Checks four handlers: the person's own tab, the chat, the room, the effects.
    await tab.waitFor(tokenUpdate, ({ token_change: change }) => change === -155);
    const anna = '(select id from accounts.people where username = \'anna\')';
    expect(
      await rows(`select tokens::int, kind from rooms.messages
      where performer_id = ${anna} and tokens in (155, 45) order by 1`),
    )
      .toEqual([{ tokens: 45, kind: 'tip' }, { tokens: 155, kind: 'tip' }]);
    expect(await rows(`select status from rooms.rooms where performer_id = ${anna}`))
      .toEqual([{ status: 'offline' }]);
    expect(await rows(`select state from tips.effects where kind = 'order' and title like '%Song%'`))
      .not.toEqual([]);
  });

  it('shows the log of its rooms', async () => {
    const viewer = await shop.site.viewer();
    const socket = await shop.site.socketOf(viewer, 'anna');
    const { messages } = await socket.waitFor(chatHistory);
    expect(messages.map(({ message }) => message)).toEqual(expect.arrayContaining([
      'Good evening',
      'Hello, how was your day?',
      'guess who',
      'Who was that?',
      'Are you still there?',
    ]));
  });

  it('delivers every pending deadline', async () => {
    const pending = await rows<{ kind: string; key: string; at: Date }>(
      'select kind, key, at from platform.due order by at',
    );
    for (const ms of [30 * SECOND_MS, 5 * MINUTE_MS, 4 * HOUR_MS, DAY_MS, 31 * DAY_MS, 366 * DAY_MS]) {
      await shop.passes(ms);
    }
    expect(logged).toEqual([]);
    const left = await rows<{ kind: string; key: string; at: Date }>(
      'select kind, key, at from platform.due',
    );
    const late = pending.filter((item) =>
      left.some(({ kind, key, at }) =>
        kind === item.kind && key === item.key && at.getTime() === item.at.getTime()
      )
    );
    expect(late).toEqual([]);
    expect(await rows('select kind from platform.due where parked or attempts > 0')).toEqual([]);
    // The rest of the hold is released, and the debt charged to a card that new simulators decline.
    expect(
      await rows(`select a.account, a.balance::int from ledger.accounts a
      join accounts.people p on p.id = a.person_id
      where p.username = 'sam' and a.account in ('held', 'tokens') order by 1`),
    )
      .toEqual([{ account: 'held', balance: 0 }, { account: 'tokens', balance: 160 }]);
    expect(
      await rows(`select distinct o.purpose from billing.orders o
      join accounts.people p on p.id = o.person_id where p.username = 'pat' order by 1`),
    )
      .toEqual([{ purpose: 'page' }, { purpose: 'post_pay' }]);
    const faults = await shop.site.tx(async (tx) =>
      (await sql`select * from ledger.faults()`.execute(tx.sql())).rows
    );
    expect(faults).toEqual([]);
  });
});
