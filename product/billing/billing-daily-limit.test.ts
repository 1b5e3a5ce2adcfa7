import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { openShop } from '#product/testkit/payments/open-shop.ts';
import {
  scriptedBiller,
  scriptedCallback,
  scriptedPayment,
} from '#product/testkit/payments/scripted-biller.ts';
import { key, tokensOf } from '#product/testkit/payments/wallet.ts';
import type { Member } from '#product/testkit/site.ts';
import { describe, expect, it } from 'vitest';
import { buyAtOnce, getDailyLimit, getPurchaseLink } from './contract.ts';
import { getOrder } from './contract/orders.ts';
import { getBillingAlarms } from './contract/payments.ts';
import { DEFAULT_PRODUCTS } from './rules/products.ts';

/** The daily limit covers open pages and late payments. */

const shop = await openShop();
const { site } = shop;
const PACK = DEFAULT_PRODUCTS.find(({ internalId }) => internalId === '1_100');
if (!PACK) throw new Error('the default catalogue has a pack of 100');
const price = PACK.priceMinor;
const internal_id = PACK.internalId;
/** One pack fits, two do not. */
await site.tx((tx) => site.services.billing.configure(tx, { dailyLimitCents: price + 500 }, null));

const opens = (member: Member) => member.call(getPurchaseLink, { internal_id, keep_card: true });
const refusal = async (member: Member): Promise<string> =>
  (await member.refused(getPurchaseLink, { internal_id })).errorType;
const stateOf = async (member: Member, id: string) => (await member.call(getOrder, { id })).order.state;
const heldIds = async (): Promise<string[]> => {
  const admin = await site.admin();
  return (await admin.call(getBillingAlarms, {})).over_cap.map(({ id }) => id);
};

describe('the daily limit', () => {
  it('counts open pages: of four opened at once, before any is paid, one opens', async () => {
    const member = await site.viewer();
    const tried = await Promise.allSettled(Array.from({ length: 4 }, () => opens(member)));
    expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await refusal(member)).toBe('daily_purchase_limit');
    expect((await member.call(getDailyLimit, {})).remaining.minor).toBe(500);
  });

  it('counts an open page for thirty minutes', async () => {
    const member = await site.viewer();
    await opens(member);
    await shop.passes(30 * MINUTE_MS - 1);
    await member.logsIn();
    expect(await refusal(member)).toBe('daily_purchase_limit');
    await shop.passes(1);
    await opens(member);
  });

  it('counts an open page against a purchase with one click', async () => {
    const member = await site.viewer();
    const { purchase_link: link } = await opens(member);
    await shop.types(link);
    await shop.settle();
    expect(await tokensOf(member)).toBe(100);
    await shop.passes(DAY_MS);
    await member.logsIn();
    await opens(member);
    expect((await member.refused(buyAtOnce, { internal_id }, key())).errorType).toBe('daily_purchase_limit');
    expect(await tokensOf(member)).toBe(100);
  });

  it('holds what is paid on pages that are past their time, and posts it on days with room', async () => {
    const member = await site.viewer();
    const pages: Awaited<ReturnType<typeof opens>>[] = [];
    for (let count = 0; count < 4; count += 1) {
      pages.push(await opens(member));
      await shop.passes(31 * MINUTE_MS);
      await member.logsIn();
    }
    for (const { order_id: id } of pages) {
      await site.services.billing.receiveCallback(
        site.scope,
        scriptedBiller('ccbill'),
        scriptedCallback(scriptedPayment(id, price)),
      );
    }
    await shop.settle();
    expect(await tokensOf(member)).toBe(100);
    const states = async () => Promise.all(pages.map(({ order_id: id }) => stateOf(member, id)));
    expect((await states()).sort()).toEqual(['paid', 'pending', 'pending', 'pending']);
    expect(await heldIds()).toHaveLength(3);
    expect(await refusal(member)).toBe('daily_purchase_limit');
    // One per day, and no duplicates.
    for (const tokens of [200, 300, 400, 400]) {
      await shop.passes(DAY_MS);
      await member.logsIn();
      expect(await tokensOf(member)).toBe(tokens);
    }
    expect(await states()).toEqual(['paid', 'paid', 'paid', 'paid']);
    expect(await heldIds()).toEqual([]);
  });
});
