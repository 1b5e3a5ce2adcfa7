import { afterAll, beforeAll, expect, test } from 'vitest';
import { listClientReports } from '../client-logs/contract.ts';
import { openPage } from '../testkit/pages/open-page.tsx';
import { createShop, type Shop } from '../testkit/payments/payments.ts';
import { opensPurchase } from '../testkit/pages/purchase-page.ts';
import type { Member } from '../testkit/site.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.close());

const LOGGED = /^POST \/api\/v1\/log\/purchase /u;

/** Begins a purchase on the page of a biller; answers where the page went, and the links it logged. */
async function leaves(viewer: Member): Promise<{ to: string; logged: readonly string[] }> {
  const page = await openPage(shop.site, viewer, '/');
  await page.press(/^Continue to payment/u, { in: await opensPurchase(page) });
  await page.until(() => expect(page.left).toHaveLength(1));
  await page.idle();
  const logged = page.network.sent.filter((sent) => LOGGED.test(sent))
    .map((sent) => (JSON.parse(sent.replace(LOGGED, '')) as { link: string }).link);
  return { to: page.left[0] ?? '', logged };
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

test('nothing is logged of who does not allow statistics, and the purchase goes on', async () => {
  const consent = { preferences: false, statistics: false, marketing: false };
  const { to, logged } = await leaves(await shop.site.viewer({ consent }));
  expect(logged).toEqual([]);
  expect(new URL(to).protocol).toMatch(/^https?:$/u);
});
