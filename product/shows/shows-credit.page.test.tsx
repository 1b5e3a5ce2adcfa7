import { afterAll, beforeAll, expect, test } from 'vitest';
import { buyAtOnce, listCards, setPostpay } from '../billing/contract.ts';
import { openRoom } from '../testkit/pages/open-page.tsx';
import { createShop, type Shop } from '../testkit/payments/payments.ts';
import { key } from '../testkit/payments/wallet.ts';
import { mediaPasses, privatePerformer, startsPrivate, watches } from '../testkit/shows/private-show.ts';
import type { Member } from '../testkit/site.ts';
import { checkPrivate } from './contract/private-show.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.close());

type Page = Awaited<ReturnType<typeof openRoom>>;
const WARNING = /^Only \d+ tokens? (?:is|are) left to spend\./u;

/** A member with post-pay who has spent so much that this many tokens are left, credit included. */
async function postpayWith(left: number, idol: Member): Promise<Member> {
  const { site } = shop;
  const viewer = await site.viewer({ tokens: 950 });
  await shop.keeps(viewer);
  await viewer.call(buyAtOnce, { internal_id: '1_50' }, key());
  await shop.settle();
  await site.tx((tx) => site.services.billing.configure(tx, { switches: { postpay: true } }, null));
  const [card] = (await viewer.call(listCards, {})).cards;
  await viewer.call(setPostpay, { enabled: true, cardId: card?.id ?? 0 });
  // A thousand of one's own, and a thousand of credit.
  await viewer.tips(idol, 2_000 - left);
  return viewer;
}

/** How often a page warns now. */
const warnings = (page: Page): number => (page.shows(WARNING) ? 1 : 0);

async function dismisses(page: Page): Promise<void> {
  const warning = await page.sees(WARNING);
  await page.press('Dismiss', { in: warning.parentElement as HTMLElement });
  expect(warnings(page)).toBe(0);
}

test('who pays later is warned when what is available falls to the price of a minute [B-241, B-242]',
  { timeout: 120_000 }, async () => {
    const { site } = shop;
    const idol = await site.performer({ live: true });
    const performer = await privatePerformer(site, { pricePerMinuteInToken: 60 });
    const viewer = await postpayWith(121, idol);
    expect(await viewer.call(checkPrivate, { username: performer.username }))
      .toMatchObject({ avail: 12.1, spendable: 121, seconds: 121, tokens: 0 });
    const page = await openRoom(site, viewer, performer);
    await page.find('dialog', 'Pay later');
    await page.keys('{Escape}');
    await startsPrivate(viewer, performer);
    await watches(viewer, performer);
    // The first minute is set aside: 61 tokens are left.
    await mediaPasses(site, performer, 11);
    expect((await viewer.call(checkPrivate, { username: performer.username })).avail).toBe(6.1);
    expect(warnings(page)).toBe(0);
    await viewer.tips(idol, 1);
    await mediaPasses(site, performer, 10);
    expect((await viewer.call(checkPrivate, { username: performer.username })).avail).toBe(6);
    await page.sees('Only 60 tokens are left to spend. Your private show ends when they’re used up.');
    await dismisses(page);
    // Once, however long it stays so low.
    await viewer.tips(idol, 1);
    await mediaPasses(site, performer, 10);
    expect(warnings(page)).toBe(0);
    // More is there, and gone again.
    await viewer.call(buyAtOnce, { internal_id: '1_50' }, key());
    await shop.settle();
    await mediaPasses(site, performer, 10);
    expect(warnings(page)).toBe(0);
    await viewer.tips(idol, 50);
    await mediaPasses(site, performer, 10);
    await page.sees('Only 59 tokens are left to spend. Your private show ends when they’re used up.');
    await dismisses(page);
  });

test('nothing went wrong on the server', () => expect(shop.site.log).toEqual([]));
