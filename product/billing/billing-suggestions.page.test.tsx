import type { InputOf } from '#platform/contract/call.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import { tokensOf } from '#product/testkit/payments/wallet.ts';
import type { Member } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listProducts } from './contract.ts';
import { createProduct, listManagedProducts, retireProduct } from './contract/operator.ts';

type NewProduct = InputOf<typeof createProduct>;

let shop: Shop;
let admin: Member;
beforeAll(async () => {
  shop = await createShop();
  admin = await shop.site.admin();
});
afterAll(() => shop.close());

const reason = 'a test of the suggestions';

/** The operator sells a product: by default a pack with ten tokens per dollar. */
const sells = (product: Partial<NewProduct> & Pick<NewProduct, 'internal_id' | 'tokens'>): Promise<unknown> =>
  admin.call(createProduct, {
    kind: 'pack',
    membership: null,
    free_tokens: 0,
    price_minor: product.tokens * 10,
    currency: 'USD',
    days: null,
    one_click: true,
    countries: [],
    reason,
    ...product,
  });

/** The operator no longer sells a product. */
async function retires(id: string): Promise<void> {
  const { products } = await admin.call(listManagedProducts, {});
  const revision = products.find(({ internal_id: one }) => one === id)?.revision ?? 0;
  await admin.call(retireProduct, { internal_id: id, revision, retired: true, reason });
}

const PACKS = { 50: /^50 tokens.*\$5\.00$/u, 100: /^100 tokens.*\$10\.00$/u, 200: /^200 tokens.*\$20\.00$/u };

/** On a phone with a saved card, the tab suggests exactly these packs for one click. */
async function suggests(...packs: readonly (keyof typeof PACKS)[]): Promise<void> {
  const who = await shop.site.viewer();
  await shop.keeps(who);
  const page = await openPage(shop.site, who, '/', { width: 390 });
  await page.press(/Get tokens$/u, { in: await page.find('banner') });
  const tab = await page.find('region', 'Get tokens');
  await page.sees(/One tap charges/u, { in: tab });
  for (const pack of packs) await page.find('button', PACKS[pack], { in: tab });
  expect(page.all('button', /\d+ tokens/u, { in: tab })).toHaveLength(packs.length);
}

test('packs of 50, 100 and 200 tokens are suggested at one click, no others [A-295, A-458]', async () => {
  for (const tokens of [49, 51, 99, 101, 199, 201, 210]) {
    await sells({ internal_id: `pack_${tokens}`, tokens });
  }
  await suggests(50, 100, 200);
});

test('neither a membership nor a discounted pack is suggested [A-297, A-298]', async () => {
  await sells({
    internal_id: 'membership_week',
    kind: 'membership',
    membership: 'premium',
    days: 7,
    tokens: 50,
    price_minor: 500,
  });
  for (const tokens of [50, 100, 200]) {
    await sells({ internal_id: `off_${tokens}`, tokens, price_minor: tokens * 10 - tokens / 10 });
  }
  const who = await shop.site.viewer();
  await shop.keeps(who);
  const { products: { credit } } = await who.call(listProducts, {});
  const of = (id: string) => credit.find(({ internal_id: one }) => one === id);
  expect(of('membership_week')).toMatchObject({ tokens: 50, discount: 0, is_oneclick: true });
  for (const tokens of [50, 100, 200]) {
    expect(of(`off_${tokens}`)).toMatchObject({ membership: null, discount: 1, is_oneclick: true });
  }
  await suggests(50, 100, 200);
});

test(
  'a pack that cannot be charged at one click is not suggested, nor to people without a card [A-299]',
  async () => {
    for (const tokens of [50, 100, 200]) {
      await sells({ internal_id: `page_${tokens}`, tokens, one_click: false });
    }
    await suggests(50, 100, 200);
    await retires('1_200');
    await suggests(50, 100);
    await sells({ internal_id: 'again_200', tokens: 200 });
    await suggests(50, 100, 200);
    const cardless = await openPage(shop.site, await shop.site.viewer(), '/', { width: 390 });
    await cardless.press(/Get tokens$/u, { in: await cardless.find('banner') });
    await cardless.find('dialog', 'Get tokens');
    expect(cardless.all('region', 'Get tokens')).toEqual([]);
  },
);

test('a suggestion has a price, which one tap charges [A-296]', async () => {
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
  const who = await shop.site.viewer();
  await shop.keeps(who);
  const page = await openPage(shop.site, who, '/', { width: 390 });
  await page.press(/Get tokens$/u, { in: await page.find('banner') });
  const tab = await page.find('region', 'Get tokens');
  await page.press(PACKS[50], { in: tab });
  await page.sees('$5.00', { in: await page.find('dialog', 'Payment received') });
  expect(await tokensOf(who)).toBe(50);
});
