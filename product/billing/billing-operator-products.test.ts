import { uuidV4 } from '#platform/data/ids.ts';
import { managedBy, PACK } from '#product/testkit/payments/managed-products.ts';
import { openShop } from '#product/testkit/payments/open-shop.ts';
import { plainOffer, tokensOf } from '#product/testkit/payments/wallet.ts';
import type { Member } from '#product/testkit/site.ts';
import { describe, expect, it } from 'vitest';
import { buyAtOnce, getJoinOffer, getPurchaseLink, listProducts } from './contract.ts';
import { listCards } from './contract/cards.ts';
import { getAutoReUp, reUpUpdate, setAutoReUp } from './contract/credit.ts';
import {
  changeBillingRules,
  changeProduct,
  createProduct,
  listManagedProducts,
  orderProducts,
  retireProduct,
} from './contract/operator.ts';
import { getOrder } from './contract/orders.ts';

const shop = await openShop();
const { site } = shop;
const admin = await site.admin();
const { onSale, productOf } = managedBy(admin);

const reason = 'quarterly review';

/** A product as input of an unchanged edit. */
async function asSeen(id: string) {
  const { kind: _kind, membership: _level, price, ...one } = await productOf(id);
  const { internal_id, revision, tokens, free_tokens, days, one_click, countries } = one;
  return {
    internal_id,
    revision,
    tokens,
    free_tokens,
    days,
    one_click,
    countries,
    price_minor: price.minor,
    currency: price.currency,
    reason,
  };
}
const shelfOf = async (member: Member): Promise<string[]> =>
  (await member.call(listProducts, {})).products.credit.map(({ internal_id: id }) => id);

describe('products', () => {
  it('are sold at once, in the order that is set, in their countries', async () => {
    const { product } = await admin.call(createProduct, PACK);
    expect(product).toMatchObject({
      cash_cents: 800,
      payout_cents: 400,
      marketing_cents: 0,
      below_payout: false,
      revision: 1,
    });
    const [german, other] = [await site.viewer({ region: 'DE' }), await site.viewer()];
    expect((await shelfOf(other)).at(-1)).toBe('pack_80');
    const ids = (await onSale()).map(({ internal_id: id }) => id);
    await admin.call(orderProducts, {
      internal_ids: ['pack_80', ...ids.filter((id) => id !== 'pack_80')],
      reason,
    });
    const packs = (await shelfOf(other)).filter((id) => !id.startsWith('membership_'));
    expect(packs[0]).toBe('pack_80');
    await admin.call(changeProduct, { ...await asSeen('pack_80'), countries: ['DE', 'AT', 'DE'] });
    expect((await productOf('pack_80')).countries).toEqual(['AT', 'DE']);
    expect(await shelfOf(german)).toContain('pack_80');
    expect(await shelfOf(other)).not.toContain('pack_80');
    expect((await other.refused(getPurchaseLink, { internal_id: 'pack_80' })).errorType)
      .toBe('product_unknown');
    await shop.buys(german, 'pack_80');
    expect(await tokensOf(german)).toBe(80);
  });

  it('change their price without changing existing orders', async () => {
    const member = await site.viewer();
    const { purchase_link: link, order_id: id } = await member.call(getPurchaseLink, {
      internal_id: '1_200',
    });
    await admin.call(changeProduct, { ...await asSeen('1_200'), price_minor: 2_500, tokens: 190 });
    expect((await member.call(getOrder, { id })).order).toMatchObject({
      tokens: 200,
      price: { minor: 2_000 },
    });
    await shop.types(link);
    await shop.settle();
    expect(await tokensOf(member)).toBe(200);
    await shop.buys(member, '1_200');
    expect(await tokensOf(member)).toBe(390);
    expect((await member.call(getOrder, { id })).order).toMatchObject({
      tokens: 200,
      price: { minor: 2_000 },
    });
  });

  it('are retired and restored, and never deleted', async () => {
    const member = await site.viewer();
    const { revision } = await productOf('1_550');
    const { product } = await admin.call(retireProduct, {
      internal_id: '1_550',
      revision,
      retired: true,
      reason,
    });
    expect(await shelfOf(member)).not.toContain('1_550');
    expect((await member.refused(getPurchaseLink, { internal_id: '1_550' })).errorType)
      .toBe('product_unknown');
    expect((await admin.refused(createProduct, { ...PACK, internal_id: '1_550' })).errorType)
      .toBe('product_taken');
    expect((await admin.call(listManagedProducts, { retired: true })).products
      .some(({ internal_id: id }) => id === '1_550')).toBe(true);
    await admin.call(retireProduct, {
      internal_id: '1_550',
      revision: product.revision,
      retired: false,
      reason,
    });
    expect((await shelfOf(member)).at(-1)).toBe('1_550');
  });

  it('are not overwritten when somebody else changed them', async () => {
    const seen = await asSeen('1_100');
    const tries = await Promise.all(
      [1_100, 1_200, 1_300].map((price_minor) =>
        admin.call(changeProduct, { ...seen, price_minor }).then(() => 'done', () => 'refused')
      ),
    );
    expect(tries.toSorted()).toEqual(['done', 'refused', 'refused']);
    expect((await admin.refused(changeProduct, seen)).errorType).toBe('product_changed');
    expect(
      (await admin.refused(retireProduct, {
        internal_id: '1_100',
        revision: seen.revision,
        retired: true,
        reason,
      })).errorType,
    )
      .toBe('product_changed');
    expect((await admin.refused(orderProducts, { internal_ids: ['1_100'], reason })).errorType)
      .toBe('product_changed');
    const ids = (await onSale()).map(({ internal_id: id }) => id);
    expect(
      (await admin.refused(orderProducts, { internal_ids: [...ids.slice(1), ids[1]], reason }))
        .errorType,
    ).toBe('product_changed');
    expect((await admin.refused(changeProduct, { ...seen, internal_id: 'nothing' })).errorType)
      .toBe('product_unknown');
    await admin.call(changeProduct, { ...await asSeen('1_100'), price_minor: 1_000 });
  });

  it.each<[string, Partial<Record<keyof typeof PACK, unknown>>, string]>([
    ['a price below nothing', { price_minor: -1 }, 'invalid_input'],
    ['a price no number holds', { price_minor: 2 ** 53 }, 'invalid_input'],
    ['a price beyond all days', { price_minor: 10_000_001 }, 'invalid_input'],
    ['half a cent', { price_minor: 0.5 }, 'invalid_input'],
    ['tokens below nothing', { tokens: -80 }, 'invalid_input'],
    ['more tokens than a product holds', { tokens: 1_000_001 }, 'invalid_input'],
    ['tokens for nothing', { price_minor: 0 }, 'product_invalid'],
    ['nothing for money', { tokens: 0 }, 'product_invalid'],
    ['a pack that lasts', { days: 30 }, 'product_invalid'],
    [
      'a membership without a name for it',
      { kind: 'membership', membership: 'vip', days: 30 },
      'product_invalid',
    ],
    ['a pass that costs', { kind: 'pass' }, 'product_invalid'],
    ['the id of a voucher', { internal_id: 'voucher_de_10' }, 'invalid_input'],
    ['a path for an id', { internal_id: '../x' }, 'invalid_input'],
    ['a currency nobody knows', { currency: 'QQQ' }, 'currency_unknown'],
    ['a currency that is no word', { currency: 'constructor' }, 'invalid_input'],
    ['no country', { countries: ['Germany'] }, 'invalid_input'],
    ['no reason', { reason: '  ' }, 'invalid_input'],
    ['tokens that pay out more than they cost', { price_minor: 399 }, 'price_below_payout'],
    ['gifts that pay out more than was paid', { free_tokens: 81 }, 'price_below_payout'],
    ['a gift nobody said yes to', { free_tokens: 10 }, 'cost_not_accepted'],
  ])('with %s are refused', async (_what, change, code) => {
    const before = await onSale();
    const problem = await admin.refused(createProduct, { ...PACK, internal_id: 'attack', ...change });
    expect([problem.errorType, problem.status === 422 ? 'invalid_input' : '']).toContain(code);
    expect(await onSale()).toEqual(before);
  });

  it('show the cost of a sale, and a first purchase may cost what was accepted', async () => {
    const promo = await productOf('promo_300');
    // 1,099 cents for 300 tokens of 5 cents, and 200 free tokens.
    expect(promo).toMatchObject({ cash_cents: 1_099, payout_cents: 2_500, marketing_cents: 1_401 });
    const dearer = { ...await asSeen('promo_300'), free_tokens: 210 };
    expect((await admin.refused(changeProduct, { ...dearer, accepted_cost_cents: 1_450 })).errorType)
      .toBe('cost_not_accepted');
    await admin.call(changeProduct, { ...dearer, accepted_cost_cents: 1_451 });
    const { marketing_booked_cents: before } = await admin.call(listManagedProducts, {});
    await admin.call(changeBillingRules, { switches: [{ name: 'promos', on: true }], reason });
    await shop.buys(await site.viewer(), 'promo_300');
    expect((await admin.call(listManagedProducts, {})).marketing_booked_cents - before).toBe(1_451);
    const guest = await site.visitor();
    await admin.call(changeBillingRules, { switches: [{ name: 'joinOffer', on: true }], reason });
    expect((await guest.call(getJoinOffer, { promo: 'x' })).promo?.product.free_tokens).toBe(210);
  });

  it('stop a re-up rather than charge more than was confirmed', async () => {
    const performer = await site.performer({ live: true });
    const member = await site.viewer();
    await shop.buys(member, '1_100');
    const cardId = (await member.call(listCards, {})).cards[0]?.id ?? 0;
    const settings = {
      enabled: true,
      threshold: 60,
      internal_id: '1_50',
      cardId,
      per_day: 5,
      confirmed: true as const,
      shown: plainOffer(50),
    };
    await member.call(setAutoReUp, settings);
    const tab = await site.socketOf(member);
    await admin.call(changeProduct, { ...await asSeen('1_50'), price_minor: 600 });
    await member.tips(performer, 50);
    await shop.settle();
    expect(await tab.waitFor(reUpUpdate)).toMatchObject({ success: false, tokens: 0, order_id: null });
    expect(await tokensOf(member)).toBe(50);
    expect((await member.call(getAutoReUp, {})).enabled).toBe(false);
    const dearer = { ...plainOffer(50), price: { minor: 600, currency: 'USD' } };
    await member.call(setAutoReUp, { ...settings, shown: dearer });
    await admin.call(changeProduct, { ...await asSeen('1_50'), price_minor: 500 });
    await member.tips(performer, 10);
    await shop.settle();
    expect(await tokensOf(member)).toBe(90);
    // A re-up of a retired product can still be turned off.
    const { revision } = await productOf('1_50');
    await admin.call(retireProduct, { internal_id: '1_50', revision, retired: true, reason });
    expect((await member.refused(setAutoReUp, settings)).errorType).toBe('product_unknown');
    expect(await member.call(setAutoReUp, { ...settings, enabled: false })).toMatchObject({ enabled: false });
    expect(
      (await member.refused(buyAtOnce, { internal_id: '1_50' }, { idempotencyKey: uuidV4() }))
        .errorType,
    ).toBe('product_unknown');
  });
});
