import { uuidV4 } from '#platform/data/ids.ts';
import type { PaymentEvent } from '#platform/payments/biller.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import { changeMoneyRules, getMoneyRules } from '#product/ledger/contract.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { getSiteConfig } from '#product/site/contract.ts';
import { openShop } from '#product/testkit/payments/open-shop.ts';
import {
  scriptedBiller,
  scriptedCallback,
  scriptedPayment,
} from '#product/testkit/payments/scripted-biller.ts';
import { key, tokensOf } from '#product/testkit/payments/wallet.ts';
import type { Member } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { buyAtOnce, getJoinOffer, getPurchaseLink, listProducts } from './contract.ts';
import { changeBillingRules } from './contract/operator.ts';
import { getOrder } from './contract/orders.ts';
import { askBillerAgain, getBillingAlarms } from './contract/payments.ts';
import { getSpins, listPromos, redeemPromoCode, spin } from './contract/promos.ts';
import { DEFAULT_PRODUCTS } from './rules/products.ts';

/** The cost of offers is booked as marketing, up to a cap: offers that exceed it cannot be bought. */

const shop = await openShop();
const { site } = shop;
const admin = await site.admin();
const reason = 'the cap of the quarter';
/** `promo_300`: 300 tokens of 5 cents for 1,099 cents, and 200 free ones. */
const [BOUGHT_CENTS, PROMO_CENTS] = [401, 1_401];
const GIFTED = 'gifted';

const PACK = DEFAULT_PRODUCTS.find(({ internalId }) => internalId === '1_100');
if (!PACK) throw new Error('the default catalogue has a pack of 100');

await site.tx((tx) =>
  site.services.billing.sell(tx, [...DEFAULT_PRODUCTS, {
    ...PACK,
    internalId: GIFTED,
    freeTokens: 50,
  }], null)
);
await admin.call(changeBillingRules, {
  switches: [{ name: 'promos', on: true }, { name: 'joinOffer', on: true }, { name: 'wheel', on: true }],
  reason,
});

/** Sets the cap so that this many cents are left. */
async function leaves(cents: number): Promise<void> {
  const { marketing_booked_cents: booked, ...rules } = await admin.call(getMoneyRules, {});
  await admin.call(changeMoneyRules, { ...rules, marketing_cap_cents: booked + cents, reason });
}
beforeEach(() => leaves(1_000_000));

const orderOf = async (member: Member, id: string) => (await member.call(getOrder, { id })).order;
const heldIds = async () => (await admin.call(getBillingAlarms, {})).over_cap.map(({ id }) => id);
const receiptsOf = async ({ person }: Member) =>
  (await admin.call(listOutbox, {})).mails
    .filter((mail) => mail.to === person.email && mail.kind === 'billing:mails.receipt').length;

/** The state of the journal: faults, uncovered tokens, and the money of an order by account. */
async function journalOf(orderId: string) {
  return site.tx(async (tx) => {
    const money = await sql<{ account: string; minor: number }>`
      select m.account, sum(m.minor)::bigint as minor from ledger.money_postings m
      join ledger.journal j on j.operator_id = m.operator_id and j.id = m.journal_id
      where j.memo ->> 'order' = ${orderId} or j.memo ->> 'operation' in
        (select j.operation::text from ledger.journal j where j.memo ->> 'order' = ${orderId})
      group by m.account having sum(m.minor) <> 0`.execute(tx.sql());
    return {
      faults: (await sql`select * from ledger.faults()`.execute(tx.sql())).rows,
      uncovered: (await sql`select * from ledger.alarms(${tx.now}) where alarm = 'not_covered'`
        .execute(tx.sql())).rows,
      money: Object.fromEntries(money.rows.map(({ account, minor }) => [account, minor])),
    };
  });
}
const sound = { faults: [], uncovered: [] };

/** A member with an opened page; `pays` and `back` deliver events of its biller. */
async function opened(internalId: string, minor: number) {
  const member = await site.viewer();
  const { order_id: id } = await member.call(getPurchaseLink, { internal_id: internalId, biller: 'ccbill' });
  const reports = (event: PaymentEvent) =>
    site.services.billing.receiveCallback(site.scope, scriptedBiller('ccbill'), scriptedCallback(event));
  const back = (cents: number, type: PaymentEvent['type'] = 'refunded') => {
    const name = uuidV4();
    return reports(scriptedPayment(id, cents, { id: name, type, reference: name, of: `r ${id}` }));
  };
  return { member, id, back, pays: () => reports(scriptedPayment(id, minor)) };
}

describe('an offer that costs marketing', () => {
  it('is hidden when the cap does not cover it, and refused before paying', async () => {
    const member = await site.viewer();
    await shop.buys(await site.viewer(), '1_50');
    const shownTo = async () => ({
      shelf: (await member.call(listProducts, {})).promo_products.default.map(({ internal_id: id }) => id),
      promos: (await member.call(listPromos, {})).promos.map(({ kind }) => kind),
      join: (await (await site.visitor()).call(getJoinOffer, { promo: 'x' })).promo?.product.internal_id,
      wheel: (await member.call(getSpins, {})).enabled,
      config: (await member.call(getSiteConfig, {})).arePromoProductsEnabled.wheelProduct,
    });
    const all = {
      shelf: ['promo_300'],
      promos: ['offer', 'free_tokens', 'wheel'],
      join: 'promo_300',
      wheel: true,
      config: true,
    };
    await leaves(PROMO_CENTS);
    expect(await shownTo()).toEqual(all);
    await leaves(PROMO_CENTS - 1);
    expect(await shownTo()).toEqual({ ...all, shelf: [], promos: ['free_tokens', 'wheel'], join: undefined });
    const asks = { internal_id: 'promo_300' };
    expect(await member.refused(getPurchaseLink, asks)).toMatchObject({
      status: 429,
      errorType: 'marketing_cap',
    });
    expect((await member.refused(getPurchaseLink, { internal_id: 'nothing' })).errorType)
      .toBe('product_unknown');
    await leaves(0);
    expect(await shownTo()).toMatchObject({ promos: [], wheel: false, config: false });
    expect((await member.refused(spin, {}, key())).errorType).toBe('promo_unavailable');
    expect((await member.refused(redeemPromoCode, { code: 'FREE_TOKENS' })).errorType)
      .toBe('promo_unavailable');
    // Products without marketing cost can still be bought.
    const { products } = await member.call(listProducts, {});
    const ids = products.credit.map(({ internal_id: id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['1_50', '1_100']));
    expect(ids).not.toContain(GIFTED);
    // They can be bought even when the cap is lowered below the booked amount.
    const { marketing_booked_cents: _booked, ...rules } = await admin.call(getMoneyRules, {});
    await admin.call(changeMoneyRules, { ...rules, marketing_cap_cents: 0, reason });
    await shop.buys(member, '1_50');
    expect(await tokensOf(member)).toBe(50);
  });

  it('is not charged to a saved card when the cap is reached', async () => {
    const member = await site.viewer();
    await shop.buys(member, '1_50');
    await leaves(249);
    expect((await member.refused(buyAtOnce, { internal_id: GIFTED }, key())).errorType).toBe('marketing_cap');
    await leaves(250);
    expect(await member.call(buyAtOnce, { internal_id: GIFTED }, key())).toMatchObject({ status: true });
    await shop.settle();
    expect(await tokensOf(member)).toBe(200);
  });
});

describe('a payment that arrives when the cap is reached', () => {
  it('is held, shown in the alarms, and posted exactly once after the cap is raised', async () => {
    const member = await site.viewer();
    const { purchase_link: link, order_id: id } = await member.call(getPurchaseLink, {
      internal_id: 'promo_300',
    });
    await leaves(BOUGHT_CENTS - 1);
    await shop.types(link);
    await shop.settle();
    // The biller got its reply, and no callback is unread.
    expect(await orderOf(member, id)).toMatchObject({ state: 'pending', paid_at: null });
    expect(await tokensOf(member)).toBe(0);
    const { over_cap: held, unread } = await admin.call(getBillingAlarms, {});
    expect(unread).toBe(0);
    expect(held).toMatchObject([{
      id,
      username: member.username,
      events: [{ type: 'paid', outcome: 'over_cap' }],
    }]);
    expect(await journalOf(id)).toMatchObject({
      ...sound,
      money: { 'biller:ccbill': 1_099, suspense: -1_099 },
    });
    // Sent again, and retried for hours, it stays one payment.
    await shop.passes(3 * HOUR_MS);
    expect(await heldIds()).toEqual([id]);
    await admin.logsIn();
    await leaves(PROMO_CENTS);
    await shop.passes(300_000);
    expect(await tokensOf(member)).toBe(500);
    expect(await orderOf(member, id)).toMatchObject({ state: 'paid', refunded_minor: 0 });
    expect(await journalOf(id)).toMatchObject({ ...sound, money: { 'biller:ccbill': 1_099, sales: -1_099 } });
    expect(await heldIds()).toEqual([]);
    expect(await receiptsOf(member)).toBe(1);
    await shop.passes(HOUR_MS);
    expect(await tokensOf(member)).toBe(500);
    expect(await receiptsOf(member)).toBe(1);
  });

  it('from two people for the last of the budget is posted for one and held for the other', async () => {
    const [one, other] = [await opened('promo_300', 1_099), await opened('promo_300', 1_099)];
    await leaves(PROMO_CENTS);
    await Promise.all([one.pays(), other.pays(), one.pays(), other.pays()]);
    const tokens = [await tokensOf(one.member), await tokensOf(other.member)];
    expect(tokens.toSorted((a, b) => a - b)).toEqual([0, 500]);
    const late = tokens[0] === 0 ? one : other;
    expect(await heldIds()).toEqual([late.id]);
    await leaves(PROMO_CENTS);
    // The biller has no record of the scripted payment; the held payment is posted all the same.
    await admin.call(askBillerAgain, { id: late.id });
    expect(await tokensOf(late.member)).toBe(500);
    expect(await journalOf(late.id)).toMatchObject(sound);
  });

  it('and is reversed before it is posted leaves nothing behind, whatever the cap is then', async () => {
    for (const [type, state, isBlocked] of [
      ['refunded', 'refunded', false],
      ['charged_back', 'charged_back', true],
    ] as const) {
      const { member, id, back, pays } = await opened('promo_300', 1_099);
      await leaves(0);
      await pays();
      await back(1_099, type);
      expect(await orderOf(member, id)).toMatchObject({ state, refunded_minor: 1_099, paid_at: null });
      expect(await journalOf(id)).toMatchObject({ ...sound, money: {} });
      await leaves(1_000_000);
      await shop.passes(HOUR_MS);
      await pays();
      await admin.logsIn();
      await admin.call(askBillerAgain, { id });
      expect(await tokensOf(member)).toBe(0);
      expect(await orderOf(member, id)).toMatchObject({ state });
      expect(await receiptsOf(member)).toBe(0);
      expect(await heldIds()).toEqual([]);
      const limits = await site.tx((tx) => site.services.ledger.limitsOf(tx, member.id));
      expect([limits.blocked !== null, limits.debtTokens]).toEqual([isBlocked, 0]);
    }
  });

  it('and is partly reversed before it is posted is posted without that part', async () => {
    const { member, id, back, pays } = await opened('promo_300', 1_099);
    await leaves(0);
    await pays();
    await back(549);
    await leaves(1_000_000);
    await shop.passes(300_000);
    expect(await orderOf(member, id)).toMatchObject({ state: 'paid', refunded_minor: 549 });
    // Half of 300 and of 200.
    expect(await tokensOf(member)).toBe(500 - 150 - 100);
    expect(await journalOf(id)).toMatchObject(sound);
  });

  it('whose gift alone exceeds the cap credits bought tokens at once, and the gift later', async () => {
    const { member, id, pays } = await opened(GIFTED, 1_000);
    await leaves(249);
    await pays();
    expect(await tokensOf(member)).toBe(100);
    expect(await orderOf(member, id)).toMatchObject({ state: 'paid', free_tokens: 50 });
    expect(await heldIds()).toEqual([id]);
    await shop.passes(HOUR_MS);
    expect(await tokensOf(member)).toBe(100);
    await admin.logsIn();
    await leaves(250);
    await shop.passes(300_000);
    expect(await tokensOf(member)).toBe(150);
    expect(await heldIds()).toEqual([]);
    expect(await receiptsOf(member)).toBe(1);
    expect(await journalOf(id)).toMatchObject({ ...sound, money: { 'biller:ccbill': 1_000, sales: -1_000 } });
  });

  it('without its gift removes no gift when reversed, now or after the cap is raised', async () => {
    const { member, id, back, pays } = await opened(GIFTED, 1_000);
    await leaves(0);
    await pays();
    await back(500);
    expect(await tokensOf(member)).toBe(50);
    expect(await heldIds()).toEqual([]);
    await leaves(1_000_000);
    await shop.passes(HOUR_MS);
    await back(500);
    expect(await tokensOf(member)).toBe(0);
    expect(await orderOf(member, id)).toMatchObject({ state: 'refunded', refunded_minor: 1_000 });
    const { debtTokens } = await site.tx((tx) => site.services.ledger.limitsOf(tx, member.id));
    expect(debtTokens).toBe(0);
    expect(await journalOf(id)).toMatchObject({
      ...sound,
      money: { refunds: 1_000, sales: -1_000 },
    });
  });
});
