import { uuidV4 } from '#platform/data/ids.ts';
import { postings } from '#product/testkit/payments/postings.ts';
import { of, operation, operatorLeg, tipOf as tip } from '#product/testkit/payments/wallet.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PostOutcome } from './server.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const { balancesOf, hold, lotsOf, pair, post, purchase, reverse, rows, settle, statuses } = postings(() =>
  site
);

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
