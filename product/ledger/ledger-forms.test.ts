import { uuidV4 } from '#platform/data/ids.ts';
import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import {
  of,
  operation,
  operatorLeg,
  tipOf as tip,
  type PersonBook,
} from '#product/testkit/payments/wallet.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { untilSomebodyWaits } from '#product/testkit/store/waiting.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation, PostOutcome } from './server.ts';

/** Holds, reversals, debts, splits and limits: every form of an operation that is more than plain. */

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const purchase = (who: Member, tokens: number, cents: number): Operation =>
  operation('purchase', [
    operatorLeg('float', -tokens),
    of(who.id, 'tokens', tokens, { promotional: false, backingCents: cents }),
  ], {
    money: [
      { account: 'biller:ccbill', minor: cents, currency: 'USD' },
      { account: 'sales', minor: -cents, currency: 'USD' },
    ],
  });
const hold = (who: Member, tokens: number, hours = 1): Operation =>
  operation('hold', [of(who.id, 'tokens', -tokens), of(who.id, 'held', tokens)], {
    hold: { expiresAt: new Date(site.clock.now().getTime() + hours * HOUR_MS) },
  });
const settle = (held: Operation, who: Member, to: Member, tokens: number, close = false): Operation =>
  operation('tick', tokens === 0 ? [] : [of(who.id, 'held', -tokens), of(to.id, 'earnings', tokens)], {
    settles: { hold: held.id, close },
  });

const post = (...operations: Operation[]): Promise<readonly PostOutcome[]> =>
  site.tx((tx) => site.services.ledger.post(tx, operations));
const statuses = async (...operations: Operation[]): Promise<string[]> =>
  (await post(...operations)).map(({ status }) => status);
const reverse = (reversed: Operation, mode: 'refund' | 'chargeback', id = uuidV4()): Promise<PostOutcome> =>
  site.tx((tx) =>
    site.services.ledger.reverse(
      tx,
      { id, operation: reversed.id, mode, reason: 'test', actorId: null },
    )
  );
const rows = async <Row>(text: string): Promise<Row[]> =>
  site.tx(async (tx) => (await sql.raw<Row>(text).execute(tx.sql())).rows);

interface Balances {
  tokens: number;
  earnings: number;
  held: number;
  debt: number;
}
async function balancesOf({ id }: Member): Promise<Balances> {
  const found = await rows<{ account: PersonBook; balance: number }>(
    `select account, balance from ledger.accounts where person_id = ${id}`,
  );
  const balances: Balances = { tokens: 0, earnings: 0, held: 0, debt: 0 };
  for (const { account, balance } of found) balances[account] = balance;
  return balances;
}
const lotsOf = ({ id }: Member): Promise<{ tokens: number; left: number; promotional: boolean }[]> =>
  rows(`select tokens, tokens_left as left, promotional from ledger.lots
    where person_id = ${id} order by id`);

async function pair(tokens = 0, cents = tokens * 10): Promise<{ viewer: Member; performer: Member }> {
  const [viewer, performer] = [await site.viewer(), await site.viewer()];
  if (tokens > 0) await post(purchase(viewer, tokens, cents));
  return { viewer, performer };
}

describe('a hold', () => {
  it('keeps tokens aside, is settled in parts, and gives the rest back when it closes', async () => {
    const { viewer, performer } = await pair(100);
    const held = hold(viewer, 60);
    expect(await statuses(held, tip(viewer, performer, 41))).toEqual(['posted', 'insufficient']);
    expect(await balancesOf(viewer)).toMatchObject({ tokens: 40, held: 60 });
    expect(await statuses(settle(held, viewer, performer, 25), settle(held, viewer, performer, 10, true)))
      .toEqual(['posted', 'posted']);
    expect(await balancesOf(viewer)).toMatchObject({ tokens: 65, held: 0 });
    expect(await balancesOf(performer)).toMatchObject({ earnings: 35 });
    expect(await lotsOf(viewer)).toEqual([{ tokens: 100, left: 65, promotional: false }]);
  });

  it('settled three times over gives back just what is left of its lots', async () => {
    const { viewer, performer } = await pair(100);
    const held = hold(viewer, 60);
    await post(held, settle(held, viewer, performer, 20), settle(held, viewer, performer, 10));
    await post(settle(held, viewer, performer, 25, true));
    expect(await balancesOf(viewer)).toMatchObject({ tokens: 45, held: 0 });
    expect(await lotsOf(viewer)).toEqual([{ tokens: 100, left: 45, promotional: false }]);
  });

  it('is no part of another hold of the same person', async () => {
    const { viewer, performer } = await pair(100);
    const [one, other] = [hold(viewer, 30), hold(viewer, 30)];
    expect(await statuses(one, other, settle(one, viewer, performer, 40))).toEqual([
      'posted',
      'posted',
      'insufficient',
    ]);
    expect(await balancesOf(viewer)).toMatchObject({ tokens: 40, held: 60 });
  });

  it('gives back the lots it took, given tokens spent before bought ones', async () => {
    const { viewer, performer } = await pair(50);
    await site.tx((tx) => site.services.ledger.grant(tx, viewer.id, 20, 'test', uuidV4()));
    const held = hold(viewer, 40);
    await post(held, settle(held, viewer, performer, 25, true));
    expect(await lotsOf(viewer)).toEqual([
      { tokens: 50, left: 45, promotional: false },
      { tokens: 20, left: 0, promotional: true },
    ]);
  });

  it('is settled once: neither twice, nor beyond what it holds, nor after its end', async () => {
    const { viewer, performer } = await pair(100);
    const held = hold(viewer, 30);
    const [one, two] = [settle(held, viewer, performer, 30, true), settle(held, viewer, performer, 5, true)];
    expect(await statuses(held, settle(held, viewer, performer, 31))).toEqual(['posted', 'insufficient']);
    expect(await statuses(one, one, two)).toEqual(['posted', 'duplicate', 'hold_closed']);
    expect(await statuses(settle(operation('x', []), viewer, performer, 1))).toEqual(['hold_closed']);
    expect(await balancesOf(viewer)).toMatchObject({ tokens: 70, held: 0 });
  });

  it('settles once also when all settle it at the same moment', async () => {
    const { viewer, performer } = await pair(100);
    const held = hold(viewer, 30);
    await post(held);
    const once = (): Promise<string[]> => statuses(settle(held, viewer, performer, 30));
    const all = await Promise.all(Array.from({ length: 8 }, once));
    expect(all.flat().sort()).toEqual([...Array<string>(7).fill('insufficient'), 'posted']);
    expect(await balancesOf(performer)).toMatchObject({ earnings: 30 });
  });

  it('ends by itself', async () => {
    const { viewer, performer } = await pair(100);
    const held = hold(viewer, 30, 2);
    await post(held, settle(held, viewer, performer, 10));
    await site.passes(3 * HOUR_MS);
    expect(await balancesOf(viewer)).toMatchObject({ tokens: 90, held: 0 });
    expect(await statuses(settle(held, viewer, performer, 5))).toEqual(['hold_closed']);
  });

  it('of somebody else is nobody\'s to take', async () => {
    const { viewer, performer } = await pair(100);
    const thief = await pair(100);
    const held = hold(viewer, 30);
    await post(held, hold(thief.viewer, 30));
    await expect(post(settle(held, thief.viewer, thief.performer, 5))).rejects.toThrow('its own hold');
    const bare = operation('x', [of(viewer.id, 'held', -5), of(performer.id, 'earnings', 5)]);
    await expect(post(bare)).rejects.toThrow('by holds');
    expect(await balancesOf(viewer)).toMatchObject({ tokens: 70, held: 30 });
  });
});

describe('a reversal', () => {
  it('of a tip gives the tokens back to their lots, once', async () => {
    const { viewer, performer } = await pair(100);
    await site.tx((tx) => site.services.ledger.grant(tx, viewer.id, 20, 'test', uuidV4()));
    const tipped = tip(viewer, performer, 50);
    await post(tipped);
    const id = uuidV4();
    expect(await reverse(tipped, 'refund', id)).toEqual({
      status: 'posted',
      balances: new Map([[viewer.id, 120], [performer.id, 0]]),
    });
    expect(await lotsOf(viewer)).toEqual([
      { tokens: 100, left: 100, promotional: false },
      { tokens: 20, left: 20, promotional: true },
    ]);
    expect((await reverse(tipped, 'refund', id)).status).toBe('duplicate');
    expect((await reverse(tipped, 'refund')).status).toBe('not_reversible');
    expect((await reverse({ ...tipped, id }, 'refund')).status).toBe('not_reversible');
    expect(await balancesOf(performer)).toMatchObject({ earnings: 0 });
  });

  it('happens once also when it is asked for many times at the same moment', async () => {
    const { viewer, performer } = await pair(100);
    const tipped = tip(viewer, performer, 50);
    await post(tipped);
    const all = await Promise.all(Array.from({ length: 8 }, () => reverse(tipped, 'refund')));
    expect(all.map(({ status }) => status).sort())
      .toEqual([...Array<string>(7).fill('not_reversible'), 'posted']);
    expect(await balancesOf(viewer)).toMatchObject({ tokens: 100 });
  });

  it('of a settlement gives its lots back to the person, not to the hold', async () => {
    const { viewer, performer } = await pair(100);
    const held = hold(viewer, 60);
    const ticked = settle(held, viewer, performer, 25, true);
    await post(held, ticked);
    expect((await reverse(ticked, 'refund')).status).toBe('posted');
    expect((await reverse(held, 'refund')).status).toBe('not_reversible');
    expect(await balancesOf(viewer)).toMatchObject({ tokens: 100, held: 0 });
    expect(await lotsOf(viewer)).toEqual([{ tokens: 100, left: 100, promotional: false }]);
  });

  it('of a purchase takes its tokens back while none is spent, money legs turned round', async () => {
    const { viewer, performer } = await pair();
    const bought = purchase(viewer, 100, 1_000);
    await post(bought);
    expect((await reverse(bought, 'refund')).status).toBe('posted');
    expect(await balancesOf(viewer)).toEqual({ tokens: 0, earnings: 0, held: 0, debt: 0 });
    expect(
      await rows(`select m.account, m.minor from ledger.money_postings m
      join ledger.journal j on j.id = m.journal_id where j.memo ->> 'operation' = '${bought.id}' order by 1`),
    )
      .toEqual([{ account: 'biller:ccbill', minor: -1_000 }, { account: 'sales', minor: 1_000 }]);
    const second = purchase(viewer, 100, 1_000);
    await post(second, tip(viewer, performer, 1));
    expect((await reverse(second, 'refund')).status).toBe('not_reversible');
    expect((await reverse(operation('x', []), 'refund')).status).toBe('not_reversible');
  });

  it('by chargeback takes what is left, owes the rest, and closes spending until it is paid', async () => {
    const { viewer, performer } = await pair();
    const bought = purchase(viewer, 100, 1_000);
    await post(bought, tip(viewer, performer, 70));
    expect((await reverse(bought, 'chargeback')).status).toBe('posted');
    expect((await reverse(bought, 'chargeback')).status).toBe('not_reversible');
    expect(await balancesOf(viewer)).toMatchObject({ tokens: 0, debt: -70 });
    expect(await balancesOf(performer)).toMatchObject({ earnings: 70 });
    // Incoming tokens repay the debt first.
    await post(purchase(viewer, 50, 500));
    expect(await balancesOf(viewer)).toMatchObject({ tokens: 0, debt: -20 });
    await post(purchase(viewer, 50, 500));
    expect(await balancesOf(viewer)).toMatchObject({ tokens: 30, debt: 0 });
    expect(await statuses(tip(viewer, performer, 5))).toEqual(['posted']);
  });

  it('by chargeback closes spending until the own debt is paid, not somebody else\'s', async () => {
    const [{ viewer: one, performer }, { viewer: other }] = [await pair(), await pair()];
    for (const who of [one, other]) {
      const bought = purchase(who, 50, 500);
      await post(bought, tip(who, performer, 50));
      await reverse(bought, 'chargeback');
    }
    await post(purchase(one, 60, 600));
    expect(await statuses(tip(one, performer, 5), tip(other, performer, 5))).toEqual(['posted', 'blocked']);
  });

  it('by chargeback closes spending of what was bought otherwise', async () => {
    const { viewer, performer } = await pair(100);
    const bought = purchase(viewer, 100, 1_000);
    await post(bought);
    await reverse(bought, 'chargeback');
    expect(await balancesOf(viewer)).toMatchObject({ tokens: 100, debt: 0 });
    expect(await statuses(tip(viewer, performer, 5), hold(viewer, 5))).toEqual(['blocked', 'blocked']);
    await site.tx((tx) => site.services.ledger.unblock(tx, viewer.id, 'looked at', null));
    expect(await statuses(tip(viewer, performer, 5))).toEqual(['posted']);
  });

  it('by chargeback is only for what brought money', async () => {
    const { viewer, performer } = await pair(100);
    const tipped = tip(viewer, performer, 5);
    await post(tipped);
    expect((await reverse(tipped, 'chargeback')).status).toBe('not_reversible');
  });

  it('of what is left of a purchase takes the rest of its money', async () => {
    const { viewer } = await pair();
    const bought = purchase(viewer, 100, 1_000);
    await post(bought);
    const part = await site.tx((tx) =>
      site.services.ledger.reverse(tx, {
        id: uuidV4(),
        operation: bought.id,
        mode: 'refund',
        reason: 'test',
        actorId: null,
        tokens: 40,
        money: [
          { account: 'biller:ccbill', minor: -400, currency: 'USD' },
          { account: 'sales', minor: 400, currency: 'USD' },
        ],
      })
    );
    expect(part.status).toBe('posted');
    expect((await reverse(bought, 'refund')).status).toBe('posted');
    expect(
      await rows(`select m.account, sum(m.minor)::bigint as minor, min(m.minor)::bigint as most
      from ledger.money_postings m join ledger.journal j on j.id = m.journal_id
      where j.operation = '${bought.id}' or j.memo ->> 'operation' = '${bought.id}' group by 1 order by 1`),
    )
      .toEqual([
        { account: 'biller:ccbill', minor: 0, most: -600 },
        { account: 'sales', minor: 0, most: -1_000 },
      ]);
    expect(await balancesOf(viewer)).toMatchObject({ tokens: 0 });
  });

  it('in part is of purchases alone', async () => {
    const { viewer, performer } = await pair();
    const shared = operation('x', [
      operatorLeg('grants', -10),
      of(viewer.id, 'tokens', 5),
      of(performer.id, 'tokens', 5),
    ]);
    await post(shared);
    const part = (tokens?: number): Promise<PostOutcome> =>
      site.tx((tx) =>
        site.services.ledger.reverse(tx, {
          id: uuidV4(),
          operation: shared.id,
          mode: 'refund',
          reason: 'test',
          actorId: null,
          ...(tokens === undefined ? {} : { tokens }),
        })
      );
    expect((await part(4)).status).toBe('not_reversible');
    expect(await balancesOf(viewer)).toMatchObject({ tokens: 5 });
    expect((await part()).status).toBe('posted');
    expect(await balancesOf(viewer)).toMatchObject({ tokens: 0 });
  });

  it('counts for the budget of who spent, not of who was given', async () => {
    const { viewer, performer: friend } = await pair(100);
    const performer = await site.viewer();
    const budget = (who: Member): Promise<void> =>
      site.tx((tx) => site.services.ledger.setBudgets(tx, who.id, { day: 50 }));
    const spentBy = async (who: Member): Promise<number | undefined> =>
      (await site.tx((tx) => site.services.ledger.limitsOf(tx, who.id))).budgets
        .find(({ period }) => period === 'day')?.spent;
    await post(purchase(friend, 20, 200), tip(friend, performer, 3));
    await Promise.all([budget(viewer), budget(friend)]);
    const given = operation('x', [of(viewer.id, 'tokens', -10), of(friend.id, 'tokens', 10)]);
    await post(given);
    expect([await spentBy(viewer), await spentBy(friend)]).toEqual([10, 3]);
    expect((await reverse(given, 'refund')).status).toBe('posted');
    expect([await spentBy(viewer), await spentBy(friend)]).toEqual([0, 3]);
  });
});

describe('an operation', () => {
  it('of several who cannot pay is refused for the one who came first, however its legs stand', async () => {
    const [poor, owing, performer] = [await site.viewer(), await site.viewer(), await site.viewer()];
    await site.tx((tx) => site.services.ledger.setCredit(tx, owing.id, 10));
    const shared = (...legs: Operation['legs']): Operation =>
      operation('x', [...legs, of(performer.id, 'earnings', 40)]);
    const legs = [of(owing.id, 'tokens', -20), of(poor.id, 'tokens', -20)] as const;
    expect(await statuses(shared(...legs), shared(...legs.toReversed())))
      .toEqual(['insufficient', 'insufficient']);
  });

  it('is one, also when the same id comes for two people in the same moment', async () => {
    const [first, second] = [await site.viewer(), await site.viewer()];
    const bought = purchase(first, 50, 500);
    const other = { ...purchase(second, 50, 500), id: bought.id, parameterHash: 'y' };
    let start = (): void => {};
    // Started from within the first unit of work, yet not part of it.
    const late = new Promise<void>((begin) => {
      start = begin;
    }).then(() => statuses(other));
    await site.tx(async (tx) => {
      await site.services.ledger.post(tx, [bought]);
      start();
      await untilSomebodyWaits(tx);
    });
    expect(await late).toEqual(['mismatch']);
    expect([await balancesOf(first), await balancesOf(second)])
      .toMatchObject([{ tokens: 50 }, { tokens: 0 }]);
  });
});

describe('who asks before', () => {
  it('answers what posting would, to the token, and holds nothing', async () => {
    const { viewer } = await pair(30);
    const asked = (tokens: number): Promise<unknown> =>
      site.tx((tx) => site.services.ledger.maySpend(tx, viewer.id, tokens));
    expect([await asked(30), await asked(31), await asked(30)])
      .toEqual([null, { status: 'insufficient' }, null]);
    await site.tx((tx) => site.services.ledger.setCredit(tx, viewer.id, 10));
    expect([await asked(40), await asked(41)]).toEqual([null, { status: 'credit_exhausted' }]);
  });
});

describe('who pays afterwards', () => {
  it('owes what their tokens do not cover, down to their line and not beyond', async () => {
    const { viewer, performer } = await pair(30);
    await site.tx((tx) => site.services.ledger.setCredit(tx, viewer.id, 100));
    const [outcome] = await post(tip(viewer, performer, 50));
    expect(outcome).toEqual({ status: 'posted', balances: new Map([[viewer.id, 0], [performer.id, 0]]) });
    expect(await balancesOf(viewer)).toMatchObject({ tokens: 0, debt: -20 });
    expect(await statuses(tip(viewer, performer, 81), tip(viewer, performer, 80), tip(viewer, performer, 1)))
      .toEqual(['credit_exhausted', 'posted', 'credit_exhausted']);
    const paid = operation('post_pay_charge', [
      operatorLeg('float', -100),
      of(viewer.id, 'debt', 100, { promotional: false, backingCents: 1_000 }),
    ]);
    expect(
      await statuses({
        ...paid,
        id: uuidV4(),
        legs: [
          operatorLeg('float', -101),
          of(viewer.id, 'debt', 101, { promotional: false, backingCents: 1_010 }),
        ],
      }, paid),
    ).toEqual(['insufficient', 'posted']);
    expect(await balancesOf(viewer)).toMatchObject({ tokens: 0, debt: 0 });
  });

  it('needs a credit limit that was granted, and nobody can post a debt themselves', async () => {
    const { viewer, performer } = await pair(30);
    expect(await statuses(tip(viewer, performer, 31))).toEqual(['insufficient']);
    const owing = operation('x', [of(viewer.id, 'debt', -5), of(performer.id, 'earnings', 5)]);
    await expect(post(owing)).rejects.toThrow('debts grow by');
  });

  it('never owes more than the line when many spends come at once', async () => {
    const { viewer, performer } = await pair();
    await site.tx((tx) => site.services.ledger.setCredit(tx, viewer.id, 100));
    await Promise.all(Array.from({ length: 12 }, () => post(tip(viewer, performer, 30))));
    expect(await balancesOf(viewer)).toMatchObject({ tokens: 0, debt: -90 });
    expect(await balancesOf(performer)).toMatchObject({ earnings: 90 });
  });
});

describe('splits', () => {
  it('divide earnings by the day they are earned, without losing a token', async () => {
    const { viewer, performer } = await pair(1_000);
    const [studio, friend] = [await site.viewer(), await site.viewer()];
    const later = new Date(site.clock.now().getTime() + DAY_MS);
    const set = (from: Date, shares: { to: number | 'fees'; percent: number }[]): Promise<void> =>
      site.tx((tx) => site.services.ledger.setSplit(tx, performer.id, from, shares));
    await set(site.clock.now(), [{ to: studio.id, percent: 33 }, { to: 'fees', percent: 10 }]);
    await set(later, [{ to: friend.id, percent: 50 }]);
    const divided = (): Operation =>
      operation('tip', [
        of(viewer.id, 'tokens', -101),
        { ...of(performer.id, 'earnings', 100), split: true },
        operatorLeg('fees', 1),
      ]);
    await post(divided());
    expect((await balancesOf(studio)).earnings).toBe(33);
    expect((await balancesOf(performer)).earnings).toBe(57);
    await post(operation('tip', [
      of(viewer.id, 'tokens', -3),
      { ...of(performer.id, 'earnings', 3), split: true },
    ]));
    expect((await balancesOf(performer)).earnings).toBe(60);
    await site.passes(25 * HOUR_MS);
    await post(divided());
    expect((await balancesOf(friend)).earnings).toBe(50);
    // Other legs of an operation stay as they were given.
    const sold = purchase(viewer, 50, 500);
    await post({
      ...sold,
      legs: [
        operatorLeg('float', -70),
        ...sold.legs.slice(1),
        { ...of(performer.id, 'earnings', 20), split: true },
      ],
    });
    expect((await lotsOf(viewer)).at(-1)).toEqual({ tokens: 50, left: 50, promotional: false });
    await expect(set(new Date(0), [])).rejects.toThrow('past earnings stay divided as they were');
    const tooMuch = [{ to: friend.id, percent: 60 }, { to: 'fees' as const, percent: 60 }];
    await expect(set(later, tooMuch)).rejects.toThrow('120');
  });
});

describe('limits', () => {
  const budgetOf = async ({ id }: Member, period: string): Promise<unknown> =>
    (await site.tx((tx) => site.services.ledger.limitsOf(tx, id))).budgets
      .find((budget) => budget.period === period);

  it('are counted from what was spent before they were set, per day, week and month', async () => {
    const { viewer, performer } = await pair(1_000);
    const tipped = tip(viewer, performer, 40);
    await post(tipped);
    await site.tx((tx) => site.services.ledger.setBudgets(tx, viewer.id, { day: 100, month: 150 }));
    expect(await budgetOf(viewer, 'day')).toMatchObject({ tokens: 100, spent: 40, next: null });
    expect(await statuses(tip(viewer, performer, 61), tip(viewer, performer, 60)))
      .toEqual(['over_budget', 'posted']);
    const [refused] = await post(tip(viewer, performer, 1));
    const midnight = new Date(site.clock.now().getTime());
    midnight.setUTCHours(24, 0, 0, 0);
    expect(refused).toEqual({ status: 'over_budget', period: 'day', until: midnight });
    await site.passes(DAY_MS);
    expect(await statuses(tip(viewer, performer, 50), tip(viewer, performer, 1)))
      .toEqual(['posted', 'over_budget']);
    // A refund in the same month also reduces the amount counted for the budget.
    await reverse(tipped, 'refund');
    expect(await budgetOf(viewer, 'month')).toMatchObject({ spent: 110 });
  });

  it('are lowered at once and raised after a day', async () => {
    const { viewer, performer } = await pair(1_000);
    const set = (day: number | null): Promise<void> =>
      site.tx((tx) => site.services.ledger.setBudgets(tx, viewer.id, { day }));
    await set(100);
    await set(50);
    expect(await statuses(tip(viewer, performer, 51))).toEqual(['over_budget']);
    await set(200);
    await site.passes(12 * HOUR_MS);
    await set(200);
    expect(await statuses(tip(viewer, performer, 51))).toEqual(['over_budget']);
    await site.passes(13 * HOUR_MS);
    expect(await budgetOf(viewer, 'day')).toMatchObject({ tokens: 200, next: null });
    await set(null);
    expect(await statuses(tip(viewer, performer, 201), tip(viewer, performer, 200)))
      .toEqual(['over_budget', 'posted']);
    await site.passes(25 * HOUR_MS);
    expect(await statuses(tip(viewer, performer, 300))).toEqual(['posted']);
  });

  it('hold when spends race each other', async () => {
    const { viewer, performer } = await pair(1_000);
    await site.tx((tx) => site.services.ledger.setBudgets(tx, viewer.id, { week: 100 }));
    const all = await Promise.all(Array.from({ length: 12 }, () => statuses(tip(viewer, performer, 30))));
    expect(all.flat().sort())
      .toEqual([...Array<string>(9).fill('over_budget'), ...Array<string>(3).fill('posted')]);
  });

  it('hold for a budget that is set while spends are on their way', async () => {
    const { viewer, performer } = await pair(1_000);
    await Promise.all([
      ...Array.from({ length: 6 }, () => post(tip(viewer, performer, 30))),
      site.tx((tx) => site.services.ledger.setBudgets(tx, viewer.id, { day: 90 })),
      ...Array.from({ length: 6 }, () => post(tip(viewer, performer, 30))),
    ]);
    const spent = 1_000 - (await balancesOf(viewer)).tokens;
    expect(await budgetOf(viewer, 'day')).toMatchObject({ spent });
    expect(await statuses(tip(viewer, performer, 91))).toEqual(['over_budget']);
  });

  it('count what a hold keeps, and give back what it releases', async () => {
    const { viewer, performer } = await pair(1_000);
    await site.tx((tx) => site.services.ledger.setBudgets(tx, viewer.id, { day: 100 }));
    const held = hold(viewer, 90);
    expect(await statuses(held, tip(viewer, performer, 20))).toEqual(['posted', 'over_budget']);
    await post(settle(held, viewer, performer, 30, true));
    expect(await budgetOf(viewer, 'day')).toMatchObject({ spent: 30 });
    expect(await statuses(tip(viewer, performer, 70))).toEqual(['posted']);
  });

  it('close spending for a while, and are never shortened', async () => {
    const { viewer, performer } = await pair(1_000);
    const at = (hours: number): Date => new Date(site.clock.now().getTime() + hours * HOUR_MS);
    const until = at(5);
    await site.tx((tx) => site.services.ledger.coolOff(tx, viewer.id, until));
    await site.tx((tx) => site.services.ledger.coolOff(tx, viewer.id, at(1)));
    expect(await post(tip(viewer, performer, 1))).toEqual([{ status: 'cooling_off', until }]);
    const long = at(100);
    await site.tx((tx) => site.services.ledger.selfExclude(tx, viewer.id, long));
    await site.tx((tx) => site.services.ledger.selfExclude(tx, viewer.id, at(50)));
    expect(await post(tip(viewer, performer, 1))).toEqual([{ status: 'self_excluded', until: long }]);
    expect(await statuses(purchase(viewer, 10, 100))).toEqual(['posted']);
    await site.passes(101 * HOUR_MS);
    expect(await statuses(tip(viewer, performer, 1))).toEqual(['posted']);
  });
});
