import { listClientReports } from '#product/client-logs/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { opensPurchase } from '#product/testkit/pages/purchase-page.ts';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import {
  scriptedBiller,
  scriptedCallback,
  scriptedPayment,
} from '#product/testkit/payments/scripted-biller.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getPurchaseLink } from './contract.ts';
import { getVerificationLink, listCards } from './contract/cards.ts';
import { setPostpay } from './contract/credit.ts';
import { listOrders } from './contract/orders.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.close());

const LOGGED = /^POST \/api\/v1\/log\/purchase /u;

/** Links that a page logged before it left. */
const linksIn = ({ network }: Awaited<ReturnType<typeof openPage>>): readonly string[] =>
  network.sent.filter((sent) => LOGGED.test(sent))
    .map((sent) => (JSON.parse(sent.replace(LOGGED, '')) as { link: string }).link);

/** Begins a purchase on a biller's page; returns where the page went, and the links it logged. */
async function leaves(viewer: Member): Promise<{ to: string; logged: readonly string[] }> {
  const page = await openPage(shop.site, viewer, '/');
  await page.press(/^Continue to payment/u, { in: await opensPurchase(page) });
  await page.until(() => expect(page.left).toHaveLength(1));
  await page.idle();
  return { to: page.left[0] ?? '', logged: linksIn(page) };
}

test('a page that leaves for a biller logs the link it goes to, without the order [A-358]', async () => {
  const { to, logged } = await leaves(await shop.site.viewer());
  const { origin, pathname, host } = new URL(to);
  expect(logged).toEqual([origin + pathname]);
  expect(logged[0]?.length).toBeLessThan(to.length);
  await shop.settle();
  const admin = await shop.site.admin();
  const { reports } = await admin.call(listClientReports, { kind: 'purchase' });
  // Path segments that look like ids are stored as `:id`.
  const place = host + pathname.replace(/[^/]*$/u, ':id');
  expect(reports).toEqual([expect.objectContaining({ message: place, count: 1, detail: '' })]);
});

test('the page that checks a card logs the link it goes to, too [A-358]', async () => {
  const page = await openPage(shop.site, await shop.site.viewer(), '/account/verify?type=rocketgate');
  await page.press('Start the check');
  await page.until(() => expect(page.left).toHaveLength(1));
  const { origin, pathname, search } = new URL(page.left[0] ?? '');
  expect(search).not.toBe('');
  expect(linksIn(page)).toEqual([origin + pathname]);
});

test('a card that was checked is not on file while its box is not ticked', async () => {
  const viewer = await shop.site.viewer();
  const page = await openPage(shop.site, viewer, '/account/verify?type=rocketgate');
  expect(await page.find('checkbox', /^Save this card for next time/u)).toHaveProperty('checked', false);
  await page.press('Start the check');
  await page.until(() => expect(page.left).toHaveLength(1));
  const { biller_link: refused } = await viewer.call(getVerificationLink, { keep_card: false });
  for (const [nth, link] of [page.left[0] ?? '', refused].entries()) {
    await shop.types(link);
    await shop.settle();
    const { orders } = await viewer.call(listOrders, {});
    expect(orders.filter(({ state }) => state === 'paid')).toHaveLength(nth + 1);
    expect((await viewer.call(listCards, {})).cards).toEqual([]);
  }
});

test('a page in a frame is logged as it opens [A-358]', async () => {
  const frames = (billers: readonly 'ccbill'[]): Promise<void> =>
    shop.site.tx((tx) => shop.site.services.billing.configure(tx, { framedBillers: [...billers] }, null));
  await frames(['ccbill']);
  try {
    const page = await openPage(shop.site, await shop.site.viewer(), '/');
    await page.press(/^Continue to payment/u, { in: await opensPurchase(page) });
    const dialog = await page.find('dialog', 'Payment page');
    const { origin, pathname } = new URL(dialog.querySelector('iframe')?.src ?? '');
    expect([linksIn(page), page.left]).toEqual([[origin + pathname], []]);
  } finally {
    await frames([]);
  }
});

describe('a saved card whose bank asks first', () => {
  const careful = scriptedBiller('segpay', {
    page: async (order) => ({ kind: 'page', url: `https://pay.example/${order.id}`, until: null }),
    charge: async () => ({ kind: 'page', url: 'https://bank.example/confirm?order=4711#now' }),
  });
  let site: TestSite;
  beforeAll(async () => {
    site = await createSite({ settings: { billersOf: () => [careful] } });
  });
  afterAll(() => site.close());

  /** Somebody who bought 100 tokens and saved their card. */
  async function payer(): Promise<Member> {
    const viewer = await site.viewer();
    const { order_id: id } = await viewer.call(getPurchaseLink, { internal_id: '1_100', keep_card: true });
    const card = { token: id, face: { brand: 'VISA', first6: '411111', last4: '1111', expiry: '12/30' } };
    const event = scriptedPayment(id, 1_000, { card });
    await site.services.billing.receiveCallback(site.scope, careful, scriptedCallback(event));
    await site.settle();
    return viewer;
  }

  /** The page left for the bank's page, and logged that link once. */
  async function leavesForBank(page: Awaited<ReturnType<typeof openPage>>): Promise<void> {
    await page.until(() => expect(page.left).toEqual(['https://bank.example/confirm?order=4711#now']));
    expect(linksIn(page)).toEqual(['https://bank.example/confirm']);
  }

  test('logs the link of that page [A-358]', async () => {
    const page = await openPage(site, await payer(), '/');
    await page.press(/^Pay \$/u, { in: await opensPurchase(page) });
    await leavesForBank(page);
  });

  test('logs it where a debt is paid, too [A-358]', async () => {
    const viewer = await payer();
    await site.tx((tx) => site.services.billing.configure(tx, { switches: { postpay: true } }, null));
    const { cards: [card] } = await viewer.call(listCards, {});
    await viewer.call(setPostpay, { enabled: true, cardId: card?.id ?? 0 });
    await viewer.tips(await site.performer({ live: true }), 150);
    const page = await openPage(site, viewer, '/');
    // The post-pay dialog opens automatically.
    await page.press('Pay $5.00 now', { in: await page.find('dialog', 'Pay later') });
    await leavesForBank(page);
  });
});

test('nothing is logged of who does not allow statistics, and the purchase goes on', async () => {
  const consent = { preferences: false, statistics: false, marketing: false };
  const { to, logged } = await leaves(await shop.site.viewer({ consent }));
  expect(logged).toEqual([]);
  expect(new URL(to).protocol).toMatch(/^https?:$/u);
});
