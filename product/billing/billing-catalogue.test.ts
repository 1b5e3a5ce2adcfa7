import type { InputOf } from '#platform/contract/call.ts';
import { openShop } from '#product/testkit/payments/open-shop.ts';
import { describe, expect, it } from 'vitest';
import { listProducts } from './contract.ts';
import { createProduct, listManagedProducts, orderProducts } from './contract/operator.ts';

const shop = await openShop();
const { site } = shop;
const admin = await site.admin();
const reason = 'a test of the catalogue';

type NewProduct = InputOf<typeof createProduct>;
/** Creates a product as the operator does: by default a pack of 80 tokens. */
async function sells(product: Partial<NewProduct> & Pick<NewProduct, 'internal_id'>): Promise<void> {
  await admin.call(createProduct, {
    kind: 'pack',
    membership: null,
    tokens: 80,
    free_tokens: 0,
    price_minor: 800,
    currency: 'USD',
    days: null,
    one_click: true,
    countries: [],
    reason,
    ...product,
  });
}
/** Somebody with a saved card. */
async function holder() {
  const member = await site.viewer();
  await shop.keeps(member);
  return member;
}
const idsOf = (products: readonly { readonly internal_id: string }[]): readonly string[] =>
  products.map(({ internal_id: id }) => id);

describe('products', () => {
  it('are paid by card [A-022]', async () => {
    const member = await site.viewer();
    const { products: { credit }, billers } = await member.call(listProducts, {});
    expect(credit.length).toBeGreaterThan(0);
    expect(billers).toContain(credit[0]?.biller);
    await shop.buys(member, '1_100');
    expect(await site.tx((tx) => site.services.ledger.balance(tx, member.id))).toBe(100);
  });

  it('have the spec\'s fields [A-212]', async () => {
    const member = await holder();
    const { products: { credit } } = await member.call(listProducts, {});
    const of = (id: string) => credit.find(({ internal_id: one }) => one === id);
    expect(of('membership_vip')).toMatchObject({
      internal_id: 'membership_vip',
      biller: 'ccbill',
      biller_link: '/billing/oneclick/membership_vip',
      tokens: 300,
      amount: 39.99,
      discount: 0,
      membership: 'vip',
      is_oneclick: true,
    });
    expect(of('1_550')).toMatchObject({
      internal_id: '1_550',
      biller: 'ccbill',
      biller_link: '/billing/oneclick/1_550',
      tokens: 550,
      amount: 49.99,
      discount: 9,
      membership: null,
      is_oneclick: true,
    });
    const { products: plain } = await (await site.viewer()).call(listProducts, {});
    expect(plain.credit.find(({ internal_id: id }) => id === '1_550')).toMatchObject({
      biller_link: '/billing/purchase-link/1_550?method=card&biller=ccbill',
      is_oneclick: false,
    });
  });

  it('cost one dollar for ten tokens, and discounts are counted from there [A-020, A-449]', async () => {
    await sells({ internal_id: 'plain_80', tokens: 80, price_minor: 800 });
    await sells({ internal_id: 'cheap_80', tokens: 80, price_minor: 720 });
    const { products: { credit } } = await (await site.viewer()).call(listProducts, {});
    const of = (id: string) => credit.find(({ internal_id: one }) => one === id);
    expect(of('1_50')).toMatchObject({ tokens: 50, amount: 5, discount: 0 });
    expect(of('1_100')).toMatchObject({ tokens: 100, amount: 10, discount: 0 });
    expect(of('plain_80')).toMatchObject({ tokens: 80, amount: 8, discount: 0 });
    expect(of('cheap_80')).toMatchObject({ tokens: 80, amount: 7.2, discount: 10 });
  });

  it('are memberships first, whatever order the operator gives them [A-246]', async () => {
    const onSale = (await admin.call(listManagedProducts, {})).products;
    const last = onSale.toSorted((a, b) => Number(a.kind === 'membership') - Number(b.kind === 'membership'));
    expect(last.at(-1)?.kind).toBe('membership');
    await admin.call(orderProducts, { internal_ids: [...idsOf(last)], reason });
    const switchPaypal = (paypal: boolean): Promise<void> =>
      site.tx((tx) => site.services.billing.configure(tx, { switches: { paypal } }, null));
    await switchPaypal(true);
    const { products } = await (await site.viewer()).call(listProducts, {});
    for (const listed of [products.credit, products.paypal]) {
      const levels = listed.map(({ membership }) => membership !== null);
      expect(levels.length).toBeGreaterThan(3);
      expect(levels.filter(Boolean)).toHaveLength(3);
      expect(levels.slice(0, 3)).toEqual([true, true, true]);
    }
    await switchPaypal(false);
  });

  it('are memberships by the prefix of their id alone [A-213]', async () => {
    const membership = {
      kind: 'membership',
      membership: 'vip',
      days: 30,
      tokens: 100,
      price_minor: 2_999,
    } as const;
    const pack = { kind: 'pack', membership: null, tokens: 80, price_minor: 800, days: null } as const;
    const common = { free_tokens: 0, currency: 'USD', one_click: true, countries: [], reason };
    for (const refused of [
      { ...common, ...membership, internal_id: 'vip_monthly' },
      { ...common, ...membership, kind: 'winback' as const, internal_id: 'winback_vip' },
      { ...common, ...pack, internal_id: 'membership_pack' },
    ]) {
      expect((await admin.refused(createProduct, refused)).errorType).toBe('product_invalid');
    }
    // The same products can be sold under ids of the right form.
    await admin.call(createProduct, { ...common, ...membership, internal_id: 'membership_monthly' });
    await admin.call(createProduct, { ...common, ...pack, internal_id: 'vip_pack' });
    const { products: { credit } } = await (await site.viewer()).call(listProducts, {});
    const of = (id: string) => credit.find(({ internal_id: one }) => one === id)?.membership;
    expect([of('membership_monthly'), of('vip_pack')]).toEqual(['vip', null]);
    for (const { internal_id: id, membership: name } of credit) {
      expect(id.startsWith('membership_')).toBe(name !== null);
    }
  });

  it('for cash vouchers follow the country of the last log-in [A-027]', async () => {
    const vouchersIn = async (region: string): Promise<readonly (readonly unknown[])[]> => {
      const { products: { voucher } } = await (await site.viewer({ region })).call(listProducts, {});
      return voucher.map(({ price: { minor, currency } }) => [minor, currency]);
    };
    expect(await vouchersIn('DE')).toEqual([]);
    await site.tx((tx) => site.services.billing.configure(tx, { switches: { vouchers: true } }, null));
    expect((await vouchersIn('DE'))[0]).toEqual([1_000, 'EUR']);
    expect((await vouchersIn('US-NY'))[0]).toEqual([1_000, 'USD']);
  });
});

describe('suggestions at one click', () => {
  it('are packs of 50, 100 and 200 tokens [A-295, A-458]', async () => {
    await sells({ internal_id: 'pack_51', tokens: 51, price_minor: 510 });
    await sells({ internal_id: 'pack_210', tokens: 210, price_minor: 2_100 });
    const { suggestions, products: { credit } } = await (await holder()).call(listProducts, {});
    expect(suggestions.map(({ tokens }) => tokens)).toEqual([50, 100, 200]);
    expect(idsOf(credit)).toEqual(expect.arrayContaining(['pack_51', 'pack_210', '1_550']));
  });

  it('are no membership, and nothing discounted [A-297, A-298]', async () => {
    await sells({
      internal_id: 'membership_short',
      kind: 'membership',
      membership: 'premium',
      days: 7,
      tokens: 50,
      price_minor: 500,
    });
    await sells({ internal_id: 'pack_100_off', tokens: 100, price_minor: 900 });
    const { suggestions, products: { credit } } = await (await holder()).call(listProducts, {});
    expect(credit.find(({ internal_id: id }) => id === 'membership_short'))
      .toMatchObject({ tokens: 50, discount: 0, is_oneclick: true });
    expect(credit.find(({ internal_id: id }) => id === 'pack_100_off'))
      .toMatchObject({ membership: null, discount: 10, is_oneclick: true });
    expect(idsOf(suggestions)).toEqual(['1_50', '1_100', '1_200']);
  });

  it('are charged to a card at once; a product that cannot be is none [A-299]', async () => {
    await sells({ internal_id: 'pack_200_page', tokens: 200, price_minor: 2_000, one_click: false });
    const { suggestions, products: { credit } } = await (await holder()).call(listProducts, {});
    expect(credit.find(({ internal_id: id }) => id === 'pack_200_page'))
      .toMatchObject({ tokens: 200, discount: 0, is_oneclick: false });
    expect(idsOf(suggestions)).not.toContain('pack_200_page');
    expect((await (await site.viewer()).call(listProducts, {})).suggestions).toEqual([]);
  });

  it('have a price, since no product with tokens is free [A-296]', async () => {
    const free = {
      internal_id: 'pack_free',
      kind: 'pack',
      membership: null,
      tokens: 50,
      free_tokens: 0,
      price_minor: 0,
      currency: 'USD',
      days: null,
      one_click: true,
      countries: [],
      reason,
    };
    expect((await admin.refused(createProduct, free)).errorType).toBe('product_invalid');
    const { suggestions } = await (await holder()).call(listProducts, {});
    expect(suggestions.map(({ amount }) => amount)).toEqual([5, 10, 20]);
  });
});

it('packs of 200 or 210 tokens are highlighted when tokens run low, memberships never [A-486]', async () => {
  await sells({
    internal_id: 'membership_200',
    kind: 'membership',
    membership: 'premium',
    days: 30,
    tokens: 200,
    price_minor: 2_000,
  });
  const { products: { credit } } = await (await site.viewer()).call(listProducts, {});
  const of = (id: string) => credit.find(({ internal_id: one }) => one === id)?.highlighted;
  expect(['1_200', 'pack_210', 'pack_200_page'].map(of)).toEqual([true, true, true]);
  expect(['membership_200', '1_100', '1_550', 'pack_51'].map(of)).toEqual([false, false, false, false]);
});
