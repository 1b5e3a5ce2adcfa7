import { afterAll, beforeAll, expect, test } from 'vitest';
import { uuidV4 } from '#platform/data/ids.ts';
import { refundPayment } from '#product/billing/contract/payments.ts';
import { endGroupGoal, giveToGroupGoal, startGroupGoal } from '#product/shows/contract/group-goal.ts';
import { textOf } from '#product/testkit/pages/look/read-text.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import {
  endsPrivate, mediaPasses, privatePerformer, startsPrivate, watches,
} from '#product/testkit/shows/private-show.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.close());

type Page = Awaited<ReturnType<typeof openPage>>;

async function rowsOf(page: Page): Promise<HTMLElement[]> {
  const table = await page.find('table', 'All changes');
  return page.all('row', undefined, { in: table }).slice(1);
}
/** Description, tokens and balance of a row, without when it was and what is behind it. */
const cellsOf = (row: HTMLElement): string[] => [...row.children].map((cell) => {
  const copy = cell.cloneNode(true) as HTMLElement;
  for (const one of copy.querySelectorAll('details, time')) one.remove();
  for (const one of copy.querySelectorAll('span')) one.append(' ');
  return textOf(copy);
});

test('the token history has one line for each show, with its parts behind it', async () => {
  const { site } = shop;
  const performer = await privatePerformer(site, { pricePerMinuteInToken: 60 });
  const { username } = performer;
  const viewer = await site.viewer();
  await shop.buys(viewer, '1_550');
  await startsPrivate(viewer, performer);
  await watches(viewer, performer);
  await mediaPasses(site, performer, 25);
  await endsPrivate(viewer, performer);
  await viewer.tips(performer, 30);
  await performer.call(startGroupGoal, { title: 'A song', tokens: 1_000, minutes: 20 });
  await viewer.call(giveToGroupGoal, { username, tokens: 40 }, { idempotencyKey: uuidV4() });
  await performer.call(endGroupGoal, {});
  await site.settle();
  const page = await openPage(site, viewer, '/account/tokens/history');
  const rows = await rowsOf(page);
  expect(rows.map(cellsOf)).toEqual([
    [`Group goal with ${username} Everything was returned to you`, '0 tokens', '495 tokens'],
    [`Tip to ${username}`, '−30 tokens $3.00', '495 tokens'],
    [`Private show with ${username}`, '−25 tokens $2.50', '525 tokens'],
    // Money as it was paid, which is less than what so many tokens are shown as.
    ['Purchase', '+550 tokens $49.99', '550 tokens'],
  ]);
  const [goal, tip, show, purchase] = rows;
  for (const [row, words, lines] of [
    [goal, '2 parts', [
      ['Group goal: tokens returned', '+40 tokens'], ['Set aside for a group goal', '−40 tokens'],
    ]],
    [show, '2 parts', [
      ['Private show Returned to you', '+35 tokens'], ['Set aside for a private show', '−60 tokens'],
    ]],
  ] as const) {
    expect(page.all('listitem', undefined, { in: row })).toEqual([]);
    await page.click(await page.sees(words, { in: row! }));
    expect(page.all('listitem', undefined, { in: row }).map(cellsOf)).toEqual(lines);
  }
  for (const row of [tip, purchase]) expect(row?.querySelector('details')).toBe(null);
  expect(await page.problems()).toEqual([]);
  await page.choose('Type', 'Private show');
  await page.until(async () => expect((await rowsOf(page)).map(cellsOf))
    .toEqual([[`Private show with ${username}`, '−25 tokens $2.50', '525 tokens']]));
});

test('the token history says what a hold gave back whole, and a refund of what', async () => {
  const { site } = shop;
  const performer = await privatePerformer(site, { pricePerMinuteInToken: 60 });
  const viewer = await site.viewer();
  const { orderId: id } = await shop.buys(viewer, '1_100');
  await startsPrivate(viewer, performer);
  await endsPrivate(viewer, performer);
  await site.settle();
  const admin = await site.admin();
  await admin.call(refundPayment, { id, reason: 'asked for it' });
  await shop.settle();
  const page = await openPage(site, viewer, '/account/tokens/history');
  expect((await rowsOf(page)).map(cellsOf)).toEqual([
    ['Refund Purchase', '−100 tokens -$10.00', '0 tokens'],
    [`Private show with ${performer.username} Everything was returned to you`, '0 tokens', '100 tokens'],
    ['Purchase', '+100 tokens $10.00', '100 tokens'],
  ]);
});

test('nothing went wrong on the server', () => expect(shop.site.log).toEqual([]));
