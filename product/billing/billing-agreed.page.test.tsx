import { openPage } from '#product/testkit/pages/open-page.tsx';
import { opensPurchase, sentTo, wantsTokens } from '#product/testkit/pages/purchase-page.ts';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import { tokensOf } from '#product/testkit/payments/wallet.ts';
import type { Member } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getAutoReUp } from './contract/credit.ts';
import { changeProduct, listManagedProducts } from './contract/operator.ts';
import { listOrders } from './contract/orders.ts';

// An admin changes a product while a buyer sees its old price.

let shop: Shop;
let admin: Member;
beforeAll(async () => {
  shop = await createShop();
  admin = await shop.site.admin();
});
afterAll(() => shop.close());

async function costs(id: string, cents: number): Promise<void> {
  const { products } = await admin.call(listManagedProducts, {});
  const found = products.find(({ internal_id: one }) => one === id);
  if (!found) throw new Error(`no product ${id}`);
  const { internal_id, revision, tokens, free_tokens, days, one_click, countries, price } = found;
  await admin.call(changeProduct, {
    internal_id,
    revision,
    tokens,
    free_tokens,
    days,
    one_click,
    countries,
    price_minor: cents,
    currency: price.currency,
    reason: 'prices of the season',
  });
}
const paidBy = async (who: Member): Promise<readonly number[]> =>
  (await who.call(listOrders, {})).orders.map(({ price }) => price.minor);
const changedTo = (price: string): string =>
  `The offer has changed: it costs ${price} now. Nothing was charged. Check it and try again.`;

test('the dialog says that the price has changed, and charges the new one once it is pressed', async () => {
  const viewer = await shop.site.viewer();
  await shop.keeps(viewer);
  const page = await openPage(shop.site, viewer, '/');
  const dialog = await opensPurchase(page);
  await page.press(/^200 /u, { role: 'radio', in: dialog });
  await page.find('button', 'Pay $20.00', { in: dialog });
  await costs('1_200', 2_500);
  await page.press('Pay $20.00', { in: dialog });
  await page.sees(changedTo('$25.00'), { in: dialog });
  await page.find('radio', /^200 .*\$25\.00/u, { in: dialog });
  expect([await paidBy(viewer), await tokensOf(viewer)]).toEqual([[], 0]);
  expect(await page.problems()).toEqual([]);
  await page.press('Pay $25.00', { in: dialog });
  await page.sees('200 tokens', { in: await page.find('dialog', 'Payment received') });
  expect(await paidBy(viewer)).toEqual([2_500]);
  expect(sentTo(page, '/oneclick/1_200')).toHaveLength(2);
  await costs('1_200', 2_000);
});

test('the bar of small packs on a phone says so, too', async () => {
  const viewer = await shop.site.viewer();
  await shop.keeps(viewer);
  const page = await openPage(shop.site, viewer, '/', { width: 390 });
  await wantsTokens(page);
  const tab = await page.find('region', 'Get tokens');
  const pack = await page.find('button', /^100 tokens.*\$10\.00/u, { in: tab });
  await costs('1_100', 1_001);
  await page.click(pack);
  await page.sees(changedTo('$10.01'), { in: tab });
  expect([await paidBy(viewer), await tokensOf(viewer)]).toEqual([[], 0]);
  await costs('1_100', 1_000);
});

test('auto re-up asks for another confirmation of the new price', async () => {
  const viewer = await shop.site.viewer({ tokens: 1_000 });
  await shop.keeps(viewer);
  const page = await openPage(shop.site, viewer, '/account/tokens');
  const section = await page.find('region', 'Auto re-up');
  await page.choose('Buy', '200 tokens · $20.00', { in: section });
  const confirmation = () => page.find('checkbox', undefined, { in: section });
  await page.click(await confirmation());
  await costs('1_200', 2_600);
  await page.press('Turn on', { in: section });
  await page.sees(changedTo('$26.00'), { in: section });
  await page.until(async () => expect(page.all('checkbox', /\$26\.00/u, { in: section })).toHaveLength(1));
  expect(await confirmation()).toHaveProperty('checked', false);
  expect(await page.find('button', 'Turn on', { in: section })).toHaveProperty('disabled', true);
  expect((await viewer.call(getAutoReUp, {})).enabled).toBe(false);
  await page.click(await confirmation());
  await page.press('Turn on', { in: section });
  await page.sees('On', { in: section });
  expect(await viewer.call(getAutoReUp, {})).toMatchObject({ enabled: true, internal_id: '1_200' });
  await costs('1_200', 2_000);
});
