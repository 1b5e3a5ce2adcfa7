import { DAY_MS } from '#platform/time/units.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import { tokensOf } from '#product/testkit/payments/wallet.ts';
import type { Member } from '#product/testkit/site.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changeBillingRules } from './contract/operator.ts';
import { listOrders } from './contract/orders.ts';

type Page = Awaited<ReturnType<typeof openPage>>;
type Switch = 'paypal' | 'crypto' | 'vouchers' | 'postpay';

let shop: Shop;
let admin: Member;
let performer: Member;
beforeAll(async () => {
  shop = await createShop();
  admin = await shop.site.admin();
  performer = await shop.site.performer({ live: true });
});
afterAll(() => shop.close());

/** The operator switches methods on or off. */
const switches = (on: boolean, ...names: Switch[]): Promise<unknown> =>
  admin.call(changeBillingRules, {
    switches: names.map((name) => ({ name, on })),
    reason: 'a test of the methods',
  });
beforeEach(() => switches(true, 'paypal', 'crypto', 'vouchers'));

/** Opens the purchase dialog from the header and waits for its products. */
async function opensPurchase(who: Member): Promise<{ page: Page; dialog: HTMLElement }> {
  const page = await openPage(shop.site, who, '/');
  await page.press(/Get tokens$/u, { in: await page.find('banner') });
  const dialog = await page.find('dialog', 'Get tokens');
  await page.until(() => expect(page.all('radio', undefined, { in: dialog }).length).toBeGreaterThan(2));
  return { page, dialog };
}

/** Pays for the selected product on the biller's page, returns, and reads the purchase. */
async function pays(page: Page, who: Member, { tokens, price }: { tokens: number; price: string }) {
  await page.press(`Continue to payment · ${price}`, { in: await page.find('dialog', 'Get tokens') });
  await page.until(() => expect(page.left).toHaveLength(1));
  const returned = await shop.types(page.left[0] ?? '');
  await shop.settle();
  const { pathname, search } = new URL(returned);
  const back = await openPage(shop.site, who, pathname + search);
  const thanks = await back.find('dialog', 'Payment received');
  await back.sees(`${tokens} tokens`, { in: thanks });
  expect(await tokensOf(who)).toBe(tokens);
  const { orders } = await who.call(listOrders, {});
  expect(orders).toHaveLength(1);
  return { back, thanks, order: orders[0] };
}

describe('tokens are paid', () => {
  test('by card on the page of a card biller [A-022]', async () => {
    const who = await shop.site.viewer();
    const { page, dialog } = await opensPurchase(who);
    const tab = await page.find('tab', 'Card', { in: dialog });
    expect(tab.getAttribute('aria-selected')).toBe('true');
    await page.press(/^100 /u, { role: 'radio', in: dialog });
    const { back, thanks, order } = await pays(page, who, { tokens: 100, price: '$10.00' });
    expect(order).toMatchObject({ state: 'paid', biller: 'ccbill', card: { brand: 'VISA', last4: '1111' } });
    await back.sees(/Visa ending in 1111/u, { in: thanks });
  });

  test('with PayPal, where the operator takes it [A-023]', async () => {
    const who = await shop.site.viewer();
    const { page, dialog } = await opensPurchase(who);
    await page.press('PayPal', { role: 'tab', in: dialog });
    await page.press(/^100 /u, { role: 'radio', in: dialog });
    const { order } = await pays(page, who, { tokens: 100, price: '$10.00' });
    expect(order).toMatchObject({ state: 'paid', biller: 'segpay', card: null });
    await switches(false, 'paypal');
    await offersNot('PayPal');
  });

  test('in crypto, where the operator takes it [A-024]', async () => {
    const who = await shop.site.viewer();
    const { page, dialog } = await opensPurchase(who);
    await page.press('Crypto', { role: 'tab', in: dialog });
    await page.press(/^200 /u, { role: 'radio', in: dialog });
    const { order } = await pays(page, who, { tokens: 200, price: '$20.00' });
    expect(order).toMatchObject({ state: 'paid', card: null });
    expect(['nowpayments', 'btcpay']).toContain(order?.biller);
    await switches(false, 'crypto');
    await offersNot('Crypto');
  });

  test.each(
    [
      ['DE', '€25.00', 270, ['€10.00', '€25.00', '€50.00', '€100.00']],
      ['GB', '£20.00', 252, ['£20.00', '£50.00', '£100.00', '£200.00']],
      ['US-NY', '$25.00', 250, ['$10.00', '$25.00', '$50.00', '$100.00', '$200.00']],
    ] as const,
  )('with a cash voucher of the country, in %s [A-027]', async (region, price, tokens, amounts) => {
    const who = await shop.site.viewer({ region });
    const { page, dialog } = await opensPurchase(who);
    await page.press('Cash voucher', { role: 'tab', in: dialog });
    const panel = await page.find('tabpanel', 'Cash voucher', { in: dialog });
    for (const amount of amounts) await page.sees(amount, { in: panel });
    expect(page.all('radio', undefined, { in: panel })).toHaveLength(amounts.length);
    await page.press(new RegExp(`^${tokens} `, 'u'), { role: 'radio', in: panel });
    const { order } = await pays(page, who, { tokens, price });
    expect(order).toMatchObject({ state: 'paid', biller: 'cashtocode', card: null });
  });

  test('with no voucher where the operator sells none [A-027]', async () => {
    await switches(false, 'vouchers');
    await offersNot('Cash voucher');
  });

  test('with a saved card at one click, without a page of its biller [A-025]', async () => {
    const who = await shop.site.viewer();
    await shop.keeps(who);
    const { page, dialog } = await opensPurchase(who);
    await page.press(/^200 /u, { role: 'radio', in: dialog });
    await page.press('Pay $20.00', { in: dialog });
    await page.sees('200 tokens', { in: await page.find('dialog', 'Payment received') });
    expect(page.left).toEqual([]);
    expect(await tokensOf(who)).toBe(200);
    expect((await who.call(listOrders, {})).orders).toMatchObject([
      { state: 'paid', biller: 'ccbill', card: { last4: '1111' }, price: { minor: 2_000, currency: 'USD' } },
    ]);
  });

  /** The dialog has products for cards, but no tab for this method. */
  async function offersNot(method: string): Promise<void> {
    const { page, dialog } = await opensPurchase(await shop.site.viewer());
    await page.find('tab', 'Card', { in: dialog });
    expect(page.all('tab', method, { in: dialog })).toEqual([]);
  }
});

describe('credit on account', () => {
  test('is turned on by its member, pays for tips, and is charged a day later [A-026]', async () => {
    const who = await shop.site.viewer();
    await shop.buys(who, '1_50');
    await switches(true, 'postpay');
    const page = await openPage(shop.site, who, '/account/tokens');
    const section = await page.find('region', 'Pay later');
    await page.click(await page.find('checkbox', undefined, { in: section }));
    await page.press('Turn on', { in: section });
    await page.sees('On', { in: section });
    await who.tips(performer, 250);
    const owing = await openPage(shop.site, who, '/account/tokens');
    await owing.sees('200 tokens', { in: await owing.find('region', 'Pay later') });
    await shop.passes(DAY_MS);
    const { orders } = await who.call(listOrders, {});
    expect(orders[0]).toMatchObject({
      state: 'paid',
      tokens: 200,
      price: { minor: 2_000, currency: 'USD' },
      card: { last4: '1111' },
    });
    expect(await tokensOf(who)).toBe(0);
    await switches(false, 'postpay');
  });
});
