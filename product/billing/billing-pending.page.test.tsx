import { implement } from '#platform/contract/extension-point.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import type { Member } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getVerificationLink } from './contract/cards.ts';
import { getPending } from './contract/pending.ts';
import { pendingPart, type AddedPending, type PendingPart } from './extension-points.ts';

const NOTHING = {
  aj_media_rejected: 0,
  cc_verification: 0,
  custom_media: 0,
  dickrating_requests: 0,
  snapchat_sale: 0,
  streaming_partners: 0,
};
const ADDED: AddedPending = {
  aj_media_rejected: 2,
  custom_media: 3,
  dickrating_requests: 4,
  snapchat_sale: 1,
  streaming_partners: 5,
};
const TEXTS = [
  '3 orders for custom media',
  '4 ratings to give',
  '1 Snapchat sale to fulfill',
  '5 invitations to stream together',
  '2 pictures or videos were rejected.',
];
const CHECK = 'A card check was started and not finished.';

let shop: Shop;
/** People for whom later slices count something. */
const busy = new Set<number>();
beforeAll(async () => {
  const part: PendingPart = {
    keys: ['aj_media_rejected', 'custom_media', 'dickrating_requests', 'snapchat_sale', 'streaming_partners'],
    read: async (_tx, personId) => (busy.has(personId) ? ADDED : {}),
  };
  shop = await createShop({ implementations: [implement(pendingPart, part)] });
});
afterAll(() => shop.close());

const pendingOf = async (member: Member): Promise<unknown> => {
  const answer = await member.request({ url: '/api/v1/tokens/pending?ssr=1' });
  expect(answer.statusCode).toBe(200);
  return answer.json();
};

test('a card check waits from when its page opened until it has an outcome', async () => {
  const viewer = await shop.site.viewer();
  expect(await pendingOf(viewer)).toEqual(NOTHING);
  const before = await openPage(shop.site, viewer, '/account/tokens');
  await before.find('heading', 'Tokens', { level: 1 });
  await before.gone('region', 'Waiting for you');
  const { biller_link: link } = await viewer.call(getVerificationLink, {});
  expect(await pendingOf(viewer)).toEqual({ ...NOTHING, cc_verification: 1 });
  const page = await openPage(shop.site, viewer, '/account/tokens');
  const waiting = await page.find('region', 'Waiting for you');
  await page.sees(CHECK, { in: waiting });
  expect(await page.problems()).toEqual([]);
  await page.press('Check the card', { role: 'link', in: waiting });
  await page.find('heading', 'Verify your card', { level: 1 });
  await shop.types(link);
  await shop.settle();
  expect(await pendingOf(viewer)).toEqual(NOTHING);
  const after = await openPage(shop.site, viewer, '/account/tokens');
  await after.gone('region', 'Waiting for you');
});

test('a purchase that is open is no card check, and a guest has nothing that waits', async () => {
  const [viewer, guest] = [await shop.site.viewer(), await shop.site.visitor({ ofAge: true })];
  await viewer.request({ url: '/api/v1/billing/purchase-link/1_200' });
  expect(await pendingOf(viewer)).toEqual(NOTHING);
  expect((await guest.refused(getPending, {})).status).toBe(401);
});

test('what later slices count is read by its own person and shown, each on a line', async () => {
  const [performer, other] = [await shop.site.performer(), await shop.site.performer()];
  busy.add(performer.id);
  expect(await pendingOf(other)).toEqual(NOTHING);
  expect(await pendingOf(performer)).toEqual({ ...ADDED, cc_verification: 0 });
  const page = await openPage(shop.site, performer, '/account/tokens');
  const waiting = await page.find('region', 'Waiting for you');
  for (const text of TEXTS) await page.sees(text, { in: waiting });
  expect(page.network.sent).toContain('GET /api/v1/tokens/pending?ssr=1');
  expect(await page.problems()).toEqual([]);
});

test('a read that fails says so, and can be tried again', async () => {
  const performer = await shop.site.performer();
  busy.add(performer.id);
  const page = await openPage(shop.site, performer, '/', { mayPrint: /Failed to fetch/u });
  const mends = page.network.fails(/tokens\/pending/u);
  await page.press(/’s account$/u, { in: await page.find('banner') });
  await page.press('Tokens', { role: 'menuitem' });
  const waiting = await page.find('region', 'Waiting for you');
  await page.find('alert', undefined, { in: waiting });
  mends();
  await page.press('Try again', { in: waiting });
  for (const text of TEXTS) await page.sees(text);
});
