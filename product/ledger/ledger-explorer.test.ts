import type { OutputOf } from '#platform/contract/call.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { key } from '#product/testkit/payments/wallet.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { balanceChanged, getBalance, getHistory, reverseOperation } from './contract.ts';
import { findOperations, getLedgerHealth } from './contract/explorer.ts';
import { EXPLORER_PAGE } from './rules.ts';
import type { Operation } from './server.ts';

let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
});
afterAll(() => site.close());

type Found = OutputOf<typeof findOperations>['operations'][number];
const tip = (from: Member, to: Member, tokens: number): Operation => ({
  id: uuidV4(),
  kind: 'tip',
  memo: { to: to.username, comment: 'hi' },
  parameterHash: '',
  facts: [
    { name: balanceChanged.name, key: 'marks', payload: { operationId: 'x', kind: 'mark', changes: [] } },
  ],
  legs: [
    { account: { kind: 'person', personId: from.id, book: 'tokens' }, tokens: -tokens },
    { account: { kind: 'person', personId: to.id, book: 'earnings' }, tokens: tokens - 1 },
    { account: { kind: 'operator', name: 'fees' }, tokens: 1 },
  ],
});
const purchase = (by: Member, tokens: number): Operation => ({
  id: uuidV4(),
  kind: 'purchase',
  memo: { product: 'pack' },
  parameterHash: '',
  facts: [],
  legs: [
    { account: { kind: 'operator', name: 'float' }, tokens: -tokens },
    {
      account: { kind: 'person', personId: by.id, book: 'tokens' },
      tokens,
      lot: { promotional: false, backingCents: tokens * 10 },
    },
  ],
  money: [
    { account: 'biller:ccbill', minor: tokens * 10, currency: 'USD' },
    { account: 'sales', minor: -tokens * 10, currency: 'USD' },
  ],
});
const post = async (...operations: Operation[]): Promise<void> => {
  const outcomes = await site.tx((tx) => site.services.ledger.post(tx, operations));
  expect(outcomes.map(({ status }) => status)).toEqual(operations.map(() => 'posted'));
};
const find = async (operation: string): Promise<Found> => {
  const { operations: [found] } = await admin.call(findOperations, { operation });
  if (!found) throw new Error(`nothing is found for ${operation}`);
  return found;
};
async function pair(tokens = 100): Promise<{ payer: Member; payee: Member; bought: Operation }> {
  const [payer, payee] = [await site.viewer(), await site.viewer()];
  const bought = purchase(payer, tokens);
  await post(bought);
  return { payer, payee, bought };
}

describe('an operation', () => {
  it('is found by its id with legs, money, lots, draws, facts and memo', async () => {
    const { payer, payee, bought } = await pair();
    const paid = tip(payer, payee, 30);
    await post(paid);
    const who = ({ id, username }: Member): { id: number; username: string } => ({ id, username });
    const sale = await find(bought.id);
    expect(sale).toMatchObject({
      operation: bought.id,
      kind: 'purchase',
      memo: { product: 'pack' },
      draws: [],
      hold: null,
      reversed_by: [],
      is_reversed: false,
      reverses: null,
      at: site.clock.now().toISOString(),
      money: [
        { account: 'biller:ccbill', minor: 1_000, currency: 'USD' },
        { account: 'sales', minor: -1_000, currency: 'USD' },
      ],
      lots: [{ promotional: false, backing_cents: 1_000, tokens: 100, tokens_left: 70 }],
    });
    expect(sale.legs).toHaveLength(2);
    expect(sale.legs).toContainEqual({ person: who(payer), account: 'tokens', tokens: 100, balance: 100 });
    expect(sale.legs).toContainEqual({ person: null, account: 'float', tokens: -100, balance: null });
    const found = await find(paid.id);
    expect(found).toMatchObject({
      memo: { to: payee.username, comment: 'hi' },
      money: [],
      lots: [],
      facts: paid.facts,
      draws: [{ lot: sale.lots[0]?.id, tokens: 30 }],
    });
    expect(found.legs).toHaveLength(3);
    expect(found.legs).toContainEqual({ person: who(payee), account: 'earnings', tokens: 29, balance: 29 });
  });

  it('shows its hold, and what a settlement took of it', async () => {
    const { payer, payee, bought } = await pair();
    const expiresAt = new Date(site.clock.now().getTime() + 60_000);
    const held: Operation = {
      id: uuidV4(),
      kind: 'hold',
      memo: {},
      parameterHash: '',
      facts: [],
      hold: { expiresAt },
      legs: [
        { account: { kind: 'person', personId: payer.id, book: 'tokens' }, tokens: -40 },
        { account: { kind: 'person', personId: payer.id, book: 'held' }, tokens: 40 },
      ],
    };
    const settled: Operation = {
      id: uuidV4(),
      kind: 'tick',
      memo: {},
      parameterHash: '',
      facts: [],
      settles: { hold: held.id, close: false },
      legs: [
        { account: { kind: 'person', personId: payer.id, book: 'held' }, tokens: -15 },
        { account: { kind: 'person', personId: payee.id, book: 'earnings' }, tokens: 15 },
      ],
    };
    await post(held);
    await post(settled);
    const lot = (await find(bought.id)).lots[0]?.id;
    expect(await find(held.id)).toMatchObject({
      hold: { tokens: 40, tokens_left: 25, expires_at: expiresAt.toISOString(), closed_at: null },
      draws: [{ lot, tokens: 40 }],
    });
    expect(await find(settled.id)).toMatchObject({ hold: null, draws: [{ lot, tokens: 15 }] });
  });

  it('is not there, or no id: nothing is found, nothing breaks', async () => {
    expect(await admin.call(findOperations, { operation: uuidV4() })).toEqual({ operations: [], next: null });
    for (const operation of ['', '1', '\' or 1=1', `${uuidV4()}x`]) {
      expect((await admin.refused(findOperations, { operation })).errorType).toBe('invalid_input');
    }
  });
});

describe('operations', () => {
  it('of a person are found through every book, each once, without gaps while new ones arrive', async () => {
    const { payer, payee } = await pair(5_000);
    const made: string[] = [];
    const batch = async (count: number): Promise<void> => {
      const tips = Array.from({ length: count }, (_, n) => tip(payer, payee, 2 + (n % 7)));
      await post(...tips);
      made.push(...tips.map(({ id }) => id));
    };
    await batch(30);
    await batch(EXPLORER_PAGE);
    const seen: string[] = [];
    let before: number | undefined;
    do {
      const page = await admin.call(findOperations, { username: payee.username, before });
      seen.push(...page.operations.map(({ operation }) => operation));
      before = page.next ?? undefined;
      const late = tip(payer, payee, 3);
      await post(late);
    } while (before !== undefined);
    expect(seen).toEqual(made.toReversed());
  });

  it('of nobody are refused; without a question the newest of all come', async () => {
    const { payer, payee } = await pair();
    const newest = tip(payer, payee, 5);
    await post(newest);
    const { operations, next } = await admin.call(findOperations, {});
    expect(operations[0]?.operation).toBe(newest.id);
    expect(operations.length).toBeLessThanOrEqual(EXPLORER_PAGE);
    if (next !== null) {
      const older = await admin.call(findOperations, { before: next });
      expect(older.operations[0]?.id).toBeLessThan(operations.at(-1)?.id ?? 0);
    }
    expect(await admin.refused(findOperations, { username: 'nobody_here' }))
      .toMatchObject({ errorType: 'person_unknown', status: 404 });
    expect((await admin.call(findOperations, { username: (await site.viewer()).username })).operations)
      .toEqual([]);
  });

  it('are for staff alone', async () => {
    const { payer, bought } = await pair();
    const moderator = await site.viewer({ roles: ['site_mod'] });
    for (const member of [payer, await site.performer(), moderator]) {
      expect((await member.refused(findOperations, { operation: bought.id })).status).toBe(403);
      const order = { operation: bought.id, mode: 'refund', reason: 'give it to me' };
      expect((await member.refused(reverseOperation, order, key())).status).toBe(403);
    }
    expect((await (await site.visitor()).refused(findOperations, {})).status).toBe(401);
    expect(await payer.call(getBalance, {})).toEqual({ tokens: 100 });
  });
});

describe('taking back', () => {
  it('happens once, with a reason the person does not read, and is shown on both', async () => {
    const { payer, payee } = await pair();
    const paid = tip(payer, payee, 30);
    await post(paid);
    const order = { operation: paid.id, mode: 'refund', reason: 'wrong room, ticket 99' } as const;
    const first = key();
    const { operation } = await admin.call(reverseOperation, order, first);
    expect(await admin.call(reverseOperation, order, first)).toEqual({ status: 1, operation });
    expect((await admin.refused(reverseOperation, order, key())).errorType).toBe('not_reversible');
    expect(await payer.call(getBalance, {})).toEqual({ tokens: 100 });
    expect(await find(paid.id)).toMatchObject({
      reversed_by: [operation],
      is_reversed: true,
      reverses: null,
    });
    expect(await find(operation)).toMatchObject({
      reverses: paid.id,
      kind: 'refund',
      memo: { reason: 'wrong room, ticket 99' },
    });
    const { lines: [line] } = await payer.call(getHistory, {});
    expect(line).toMatchObject({ kind: 'refund', tokens: 30, memo: { operation: paid.id } });
    expect(JSON.stringify(line)).not.toContain('ticket 99');
    const audit = await site.tx(async (tx) =>
      (await sql<{ reason: string; actor_id: number }>`
      select reason, actor_id from platform.audit where subject = ${`operation:${paid.id}`}`
        .execute(tx.sql())).rows
    );
    expect(audit).toEqual([{ reason: 'wrong room, ticket 99', actor_id: admin.id }]);
  });

  it('refuses what is unknown, spent, or has no reason', async () => {
    const { payer, payee, bought } = await pair();
    await post(tip(payer, payee, 2));
    const reason = 'asked for';
    const refused = async (order: object): Promise<string> =>
      (await admin.refused(reverseOperation, order, key())).errorType;
    expect(await refused({ operation: uuidV4(), mode: 'refund', reason })).toBe('not_reversible');
    expect(await refused({ operation: bought.id, mode: 'refund', reason })).toBe('not_reversible');
    expect(await refused({ operation: bought.id, mode: 'refund', reason: '  ' })).toBe('invalid_input');
    expect(await refused({ operation: bought.id, mode: 'theft', reason })).toBe('invalid_input');
    expect((await admin.refused(reverseOperation, { operation: bought.id, mode: 'refund', reason })).status)
      .toBeGreaterThanOrEqual(400);
    expect(await payer.call(getBalance, {})).toEqual({ tokens: 98 });
  });
});

describe('health', () => {
  it('is sound after everything above, and every token that is out is covered', async () => {
    const { payer, payee, bought } = await pair();
    await post(tip(payer, payee, 12));
    await admin.call(reverseOperation, { operation: bought.id, mode: 'chargeback', reason: 'bank' }, key());
    const health = await admin.call(getLedgerHealth, {});
    expect(health).toMatchObject({ faults: [], broken_seals: [] });
    expect(health.alarms).toEqual([]);
    expect(health.outstanding_cents).toBeGreaterThan(0);
    expect(health.owed_cents).toBeLessThanOrEqual(health.outstanding_cents);
    expect(health.outstanding_cents).toBeLessThanOrEqual(
      health.cash_cents + health.marketing_cents + health.receivable_cents + health.loss_cents,
    );
  });

  it('names what waits too long, with since when, and the day that is sealed', async () => {
    const since = site.clock.now();
    await post({
      id: uuidV4(),
      kind: 'suspense',
      memo: {},
      parameterHash: '',
      facts: [],
      legs: [],
      money: [
        { account: 'biller:segpay', minor: 999, currency: 'EUR' },
        { account: 'suspense', minor: -999, currency: 'EUR' },
      ],
    });
    expect((await admin.call(getLedgerHealth, {})).alarms).toEqual([]);
    for (let day = 0; day < 4; day += 1) await site.passes(DAY_MS);
    const health = await (await site.anotherTabOf(admin)).call(getLedgerHealth, {});
    expect(health.alarms).toEqual([{
      alarm: 'suspense_open',
      subject: 'EUR',
      detail: '-999',
      since: since.toISOString(),
    }]);
    // The hold above was released a day later, and that day is over too.
    expect(health.sealed_until).toBe(new Date(since.getTime() + DAY_MS).toISOString().slice(0, 10));
    expect(health).toMatchObject({ faults: [], broken_seals: [] });
  });

  it('is for staff, and not for a dashboard', async () => {
    for (const member of [await site.viewer(), await site.viewer({ roles: ['site_mod'] })]) {
      expect((await member.refused(getLedgerHealth, {})).status).toBe(403);
    }
    const asker = await site.admin();
    const asked = await Promise.all(
      Array.from({ length: 8 }, () => asker.request({ url: '/api/v1/admin/ledger/health' })),
    );
    expect(asked.filter(({ statusCode }) => statusCode === 429)).toHaveLength(2);
  });
});
