import { afterAll, beforeAll, expect, test } from 'vitest';
import { listClientReports } from '#product/client-logs/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import { opensPurchase } from '#product/testkit/pages/purchase-page.ts';
import {
  scriptedBiller, scriptedCallback, scriptedPayment,
} from '#product/testkit/payments/scripted-biller.ts';
import { createSite, type Member } from '#product/testkit/site.ts';
import { getPurchaseLink } from './contract.ts';

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

/** Begins a purchase on the page of a biller; answers where the page went, and the links it logged. */
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
  // What looks like an id is stored as none.
  const place = host + pathname.replace(/[^/]*$/u, ':id');
  expect(reports).toEqual([expect.objectContaining({ message: place, count: 1, detail: '' })]);
});

test('a saved card whose bank asks first logs the link of that page, too [A-358]', async () => {
  const careful = scriptedBiller('segpay', {
    page: async (order) => ({ kind: 'page', url: `https://pay.example/${order.id}`, until: null }),
    charge: async () => ({ kind: 'page', url: 'https://bank.example/confirm?order=4711#now' }),
  });
  const site = await createSite({ settings: { billersOf: () => [careful] } });
  try {
    const viewer = await site.viewer();
    const { order_id: id } = await viewer.call(getPurchaseLink, { internal_id: '1_100', keep_card: true });
    const card = { token: 'c', face: { brand: 'VISA', first6: '411111', last4: '1111', expiry: '12/30' } };
    const event = scriptedPayment(id, 1_000, { card });
    await site.services.billing.receiveCallback(site.scope, careful, scriptedCallback(event));
    await site.settle();
    const page = await openPage(site, viewer, '/');
    await page.press(/^Pay \$/u, { in: await opensPurchase(page) });
    await page.until(() => expect(page.left).toEqual(['https://bank.example/confirm?order=4711#now']));
    expect(linksIn(page)).toEqual(['https://bank.example/confirm']);
  } finally {
    await site.close();
  }
});

test('nothing is logged of who does not allow statistics, and the purchase goes on', async () => {
  const consent = { preferences: false, statistics: false, marketing: false };
  const { to, logged } = await leaves(await shop.site.viewer({ consent }));
  expect(logged).toEqual([]);
  expect(new URL(to).protocol).toMatch(/^https?:$/u);
});
