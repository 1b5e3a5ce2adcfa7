import { uuidV4 } from '#platform/data/ids.ts';
import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { getBalance, reverseOperation } from './contract.ts';
import { exportEarnings, getEarnings, getEarningsOfSpan } from './contract/earnings.ts';
import type { Operation } from './server.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const pays = (kind: string, from: Member, to: Member, tokens: number, memo: object = {}): Operation => ({
  id: uuidV4(),
  kind,
  memo: { from: from.username, to: to.username, ...memo },
  parameterHash: '',
  facts: [],
  legs: [
    { account: { kind: 'person', personId: from.id, book: 'tokens' }, tokens: -tokens },
    { account: { kind: 'person', personId: to.id, book: 'earnings' }, tokens },
  ],
});
const post = async (...operations: Operation[]): Promise<void> => {
  const outcomes = await site.tx((tx) => site.services.ledger.post(tx, operations));
  expect(outcomes.map(({ status }) => status)).toEqual(operations.map(() => 'posted'));
};
const today = (): string => site.clock.now().toISOString().slice(0, 10);
/** Advances to this long before or after the end of the UTC day. */
const toMidnight = (ms: number): Promise<void> =>
  site.passes(DAY_MS - (site.clock.now().getTime() % DAY_MS) + ms);

it('adds up by day, kind and show, to the last token, and a day ends at midnight UTC', async () => {
  const [performer, other] = [await site.performer(), await site.performer()];
  const viewer = await site.viewer({ tokens: 5_000 });
  await toMidnight(-MINUTE_MS);
  const first = today();
  await post(
    pays('tip', viewer, performer, 25),
    pays('tip', viewer, performer, 7),
    pays('private_show', viewer, performer, 60, { show: '41' }),
    pays('private_show', viewer, performer, 13, { show: '41' }),
    pays('private_show', viewer, performer, 90, { show: '42' }),
    pays('tip', viewer, other, 1_000),
  );
  await toMidnight(0);
  const second = today();
  await post(pays('tip', viewer, performer, 5));
  const { days, total, next, payout_cents: payout } = await performer.call(getEarnings, {});
  expect(payout).toBe(5);
  expect(days.map(({ day, tokens }) => [day, tokens])).toEqual([[second, 5], [first, 195]]);
  expect(days[1]).toMatchObject({
    count: 5,
    cents: 975,
    kinds: [
      { kind: 'private_show', tokens: 163, cents: 815, count: 3 },
      { kind: 'tip', tokens: 32, cents: 160, count: 2 },
    ],
    shows: [
      { show: '42', tokens: 90, cents: 450, payer: viewer.username },
      { show: '41', tokens: 73, cents: 365 },
    ],
    more_shows: 0,
  });
  const { rows } = await site.tx((tx) =>
    sql<{ balance: number }>`select balance from ledger.accounts
    where person_id = ${performer.id} and account = 'earnings'`.execute(tx.sql())
  );
  expect([total, next, rows]).toEqual([{ tokens: 200, cents: 1_000 }, null, [{ balance: 200 }]]);
});

it('takes what is reversed off the day it is reversed on, and leaves the day it was earned on', async () => {
  const [admin, performer] = [await site.admin(), await site.performer()];
  const viewer = await site.viewer({ tokens: 500 });
  await toMidnight(0);
  const first = today();
  const tip = pays('tip', viewer, performer, 300);
  await post(tip, pays('tip', viewer, performer, 40));
  await toMidnight(0);
  const second = today();
  const from = site.clock.now().toISOString();
  await admin.call(reverseOperation, { operation: tip.id, mode: 'refund', reason: 'by mistake' }, {
    idempotencyKey: uuidV4(),
  });
  await post(pays('tip', viewer, performer, 5));
  const { days, total } = await performer.call(getEarnings, {});
  expect(days.map(({ day, tokens }) => [day, tokens])).toEqual([[second, -295], [first, 340]]);
  expect(days[0]?.kinds.map(({ tokens }) => tokens).toSorted((one, other) => one - other)).toEqual([-300, 5]);
  const { rows } = await site.tx((tx) =>
    sql<{ balance: number }>`select balance from ledger.accounts
    where person_id = ${performer.id} and account = 'earnings'`.execute(tx.sql())
  );
  expect([total, rows]).toEqual([{ tokens: 45, cents: 225 }, [{ balance: 45 }]]);
  await site.passes(MINUTE_MS);
  const span = await performer.call(getEarningsOfSpan, { from, to: site.clock.now().toISOString() });
  expect([span.tokens, span.kinds.map(({ tokens }) => tokens)]).toEqual([-295, [5, -300]]);
});

it('is read by its performer alone, in pages of a month, and as a file', async () => {
  const performer = await site.performer();
  const viewer = await site.viewer({ tokens: 500 });
  await post(pays('tip', viewer, performer, 100));
  const old = today();
  for (const _days of [0, 20]) {
    // A visit extends the session.
    await site.passes(20 * DAY_MS);
    for (const one of [performer, viewer]) await one.call(getBalance, {});
  }
  await post(pays('tip', viewer, performer, 30));
  const page = await performer.call(getEarnings, {});
  expect(page.days.map(({ tokens }) => tokens)).toEqual([30]);
  expect(page.total.tokens).toBe(130);
  const before = await performer.call(getEarnings, { before: page.next ?? '' });
  expect([before.days.map(({ day, tokens }) => [day, tokens]), before.next]).toEqual([[[old, 100]], null]);
  await expect(viewer.call(getEarnings, {})).rejects.toThrow();
  await expect(viewer.call(getEarningsOfSpan, {
    from: site.clock.now().toISOString(),
    to: site.clock.now().toISOString(),
  })).rejects.toThrow();
  await expect(viewer.call(exportEarnings, {})).rejects.toThrow();
});

it('of a broadcast has its kinds and its best minute, and nothing from before or after', async () => {
  const performer = await site.performer();
  const viewer = await site.viewer({ tokens: 500 });
  await post(pays('tip', viewer, performer, 11));
  await site.passes(MINUTE_MS);
  const from = site.clock.now().toISOString();
  await post(pays('tip', viewer, performer, 20), pays('group_goal', viewer, performer, 15));
  await site.passes(2 * MINUTE_MS);
  await post(pays('tip', viewer, performer, 34));
  await site.passes(MINUTE_MS);
  const to = site.clock.now().toISOString();
  await post(pays('tip', viewer, performer, 99));
  const span = await performer.call(getEarningsOfSpan, { from, to });
  expect(span).toMatchObject({
    tokens: 69,
    cents: 345,
    best: { tokens: 35 },
    kinds: [{ kind: 'tip', tokens: 54, cents: 270 }, { kind: 'group_goal', tokens: 15, cents: 75 }],
  });
});

it('is a file of each posting, with what it pays out', async () => {
  const performer = await site.performer();
  const viewer = await site.viewer({ tokens: 500 });
  const [tip, show] = [
    pays('tip', viewer, performer, 25),
    pays('private_show', viewer, performer, 61, { show: '43' }),
  ];
  const at = site.clock.now().toISOString();
  await post(tip, show);
  const { status, headers, body } = await performer.call(exportEarnings, {});
  expect([status, headers['content-type'], headers['content-disposition']])
    .toEqual([200, 'text/csv; charset=utf-8', 'attachment; filename="earnings-year.csv"']);
  expect(body).toBe([
    '\uFEFFtime,operation,kind,tokens,payout_usd,balance,details',
    `${at},${tip.id},tip,25,1.25,25,to: ${performer.username}`,
    `${at},${show.id},private_show,61,3.05,86,"to: ${performer.username}, show: 43"`,
    '',
  ].join('\r\n'));
});
