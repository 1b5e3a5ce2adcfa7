import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import { tokensOf } from '#product/testkit/payments/wallet.ts';
import type { Member, TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listReceivedTips } from './contract.ts';

type Page = Awaited<ReturnType<typeof openRoom>>;

let shop: Shop;
let site: TestSite;
let performer: Member;
beforeAll(async () => {
  shop = await createShop();
  site = shop.site;
  performer = await site.performer({ live: true });
});
afterAll(() => shop.close());

async function tips(page: Page, amount: number): Promise<void> {
  const form = await page.find('form', /^Tip /u);
  await page.fill('Tokens', String(amount), { in: form });
  await page.press(`Tip ${amount}`, { in: form });
}

/** The responses to tips from a viewer's pages. */
function answersTo(viewer: Member): { readonly status: number; readonly body: unknown }[] {
  const answers: { status: number; body: unknown }[] = [];
  const request = viewer.request.bind(viewer);
  viewer.request = async (options) => {
    const answer = await request(options);
    const { statusCode: status } = answer;
    if (String(options.url).includes('/tip/')) answers.push({ status, body: answer.json() });
    return answer;
  };
  return answers;
}

const amountIn = async (page: Page): Promise<string> =>
  ((await page.field('Tokens', { in: await page.find('form', /^Tip /u) })) as HTMLInputElement).value;

test('a tip arrives, and the last amount answered with status 1 is stored [A-008, A-230]', async () => {
  const viewer = await site.viewer({ tokens: 100 });
  const answers = answersTo(viewer);
  const page = await openRoom(site, viewer, performer);
  expect(await amountIn(page)).toBe('25');
  await tips(page, 11);
  await page.sees(/^You tipped .* 11 tokens\.$/u);
  expect(answers).toMatchObject([{ status: 200, body: { status: 1, errorType: null, amount: 11 } }]);
  await tips(page, 12);
  await page.sees(/^You tipped .* 12 tokens\.$/u);
  expect(await tokensOf(viewer)).toBe(77);
  await site.settle();
  const { tips: received } = await performer.call(listReceivedTips, {});
  expect(received.slice(0, 2)).toMatchObject([
    { tokens: 12, sender_name: viewer.username },
    { tokens: 11, sender_name: viewer.username },
  ]);
  const again = await openPage(site, viewer, `/${performer.username}`);
  await expect.poll(() => amountIn(again)).toBe('12');
});

test('a member tips; the amount of a tip that was refused then is not stored [A-230, B-295]', async () => {
  const viewer = await site.viewer({ tokens: 100 });
  const answers = answersTo(viewer);
  const page = await openRoom(site, viewer, performer);
  await tips(page, 500);
  await page.find('dialog', 'Not enough tokens');
  expect(answers).toMatchObject([{ status: 402, body: { errorType: 'not_enough_tokens' } }]);
  await page.keys('{Escape}');
  await tips(page, 13);
  await page.sees(/^You tipped .* 13 tokens\.$/u);
  expect(await tokensOf(viewer)).toBe(87);
  await tips(page, 600);
  await page.find('dialog', 'Not enough tokens');
  const again = await openPage(site, viewer, `/${performer.username}`);
  await expect.poll(() => amountIn(again)).toBe('13');
});

test('a tip without enough tokens leads to a purchase, after which it can be sent [A-400]', async () => {
  const viewer = await site.viewer({ tokens: 10 });
  const page = await openRoom(site, viewer, performer);
  await tips(page, 25);
  const dialog = await page.find('dialog', 'Not enough tokens');
  await page.until(() => expect(page.all('radio', undefined, { in: dialog }).length).toBeGreaterThan(2));
  await page.press(/^Continue to payment/u, { in: dialog });
  await page.until(() => expect(page.left).toHaveLength(1));
  await shop.types(page.left[0] ?? '');
  await shop.settle();
  const back = await openPage(site, viewer, `/${performer.username}`);
  await back.find('button', /^60 tokens/u);
  await tips(back, 25);
  await back.find('button', /^35 tokens/u);
});
