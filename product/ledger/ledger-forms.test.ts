import { uuidV4 } from '#platform/data/ids.ts';
import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import { postings } from '#product/testkit/payments/postings.ts';
import { of, operation, operatorLeg, tipOf as tip } from '#product/testkit/payments/wallet.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { untilSomebodyWaits } from '#product/testkit/store/waiting.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from './server.ts';

/** Holds, debts, splits and limits: every form of an operation that is more than plain. */

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const { balancesOf, hold, lotsOf, pair, post, purchase, reverse, settle, statuses } = postings(() => site);

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
