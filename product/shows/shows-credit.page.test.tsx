import { buyAtOnce } from '#product/billing/contract.ts';
import { listCards } from '#product/billing/contract/cards.ts';
import { setPostpay } from '#product/billing/contract/credit.ts';
import { closesRatingCard } from '#product/testkit/pages/look/ratings.ts';
import { toastsOf } from '#product/testkit/pages/look/toasts.ts';
import { openRoom } from '#product/testkit/pages/open-page.tsx';
import { payloads } from '#product/testkit/pages/room-sockets.ts';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import { key } from '#product/testkit/payments/wallet.ts';
import {
  mediaPasses,
  privatePerformer,
  startsPrivate,
  watches,
} from '#product/testkit/shows/private-show.ts';
import type { Member } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endPrivate, privateTick } from './contract/private-running.ts';
import { checkPrivate } from './contract/private-show.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.close());

type Page = Awaited<ReturnType<typeof openRoom>>;
const WARNING = /^Only \d+ tokens? (?:is|are) left to spend\./u;

/** A post-pay member who has spent so much that this many tokens are left, including credit. */
async function postpayWith(left: number, idol: Member): Promise<Member> {
  const { site } = shop;
  const viewer = await site.viewer({ tokens: 950 });
  await shop.keeps(viewer);
  await viewer.call(buyAtOnce, { internal_id: '1_50' }, key());
  await shop.settle();
  await site.tx((tx) => site.services.billing.configure(tx, { switches: { postpay: true } }, null));
  const [card] = (await viewer.call(listCards, {})).cards;
  await viewer.call(setPostpay, { enabled: true, cardId: card?.id ?? 0 });
  // A balance of a thousand tokens, and a thousand of credit.
  await viewer.tips(idol, 2_000 - left);
  return viewer;
}

/** The warnings that a page shows now. */
const warnings = (page: Page): string[] =>
  toastsOf(page).map(([, text]) => text).filter((text) => WARNING.test(text));
const low = (tokens: number): string =>
  `Only ${tokens} tokens are left to spend. Your private show ends when they’re used up.`;

/** Lets seconds of a show pass, until the page shows the last one. */
async function passes(page: Page, performer: Member, seconds: number, all: string): Promise<void> {
  await mediaPasses(shop.site, performer, seconds);
  await page.sees(all, { in: await page.find('region', 'Your private show') });
}

/** Opens the room of a performer, and closes the offer to pay later. */
async function opens(viewer: Member, performer: Member): Promise<Page> {
  const page = await openRoom(shop.site, viewer, performer);
  await page.find('dialog', 'Pay later');
  await page.keys('{Escape}');
  return page;
}

test('who pays later is warned when what is available falls to the price of a minute [B-241]', {
  timeout: 120_000,
}, async () => {
  const { site } = shop;
  const idol = await site.performer({ live: true });
  const performer = await privatePerformer(site, { pricePerMinuteInToken: 90 });
  const { username } = performer;
  const viewer = await postpayWith(200, idol);
  const page = await opens(viewer, performer);
  const lastTick = (): unknown => payloads(page, 'site', `/ws/room/${username}`, privateTick.name).at(-1);
  // Their own limit ends a show after a minute: that is not a lack of credit.
  await startsPrivate(viewer, performer, { limit: 90 });
  await watches(viewer, performer);
  await passes(page, performer, 2, '2 s');
  expect(lastTick()).toMatchObject({ avail: 11, privateUserTimeLeftInSecond: 58 });
  expect(warnings(page)).toEqual([]);
  await viewer.call(endPrivate, { username });
  await closesRatingCard(page, performer);
  await viewer.tips(idol, 16);
  expect(await viewer.call(checkPrivate, { username }))
    .toMatchObject({ avail: 18.1, spendable: 181, seconds: 120 });
  await startsPrivate(viewer, performer);
  await watches(viewer, performer);
  // The first minute is set aside: 91 tokens are left.
  await passes(page, performer, 11, '11 s');
  expect(lastTick()).toMatchObject({ avail: 9.1 });
  expect(warnings(page)).toEqual([]);
  await viewer.tips(idol, 1);
  await passes(page, performer, 10, '21 s');
  expect(lastTick()).toMatchObject({ avail: 9 });
  await page.sees(low(90));
});

test(
  'who pays later is warned again only after more than a minute was there [B-242]',
  { timeout: 120_000 },
  async () => {
    const { site } = shop;
    const idol = await site.performer({ live: true });
    const performer = await privatePerformer(site, { pricePerMinuteInToken: 90 });
    const viewer = await postpayWith(180, idol);
    const page = await opens(viewer, performer);
    const buys = async (): Promise<void> => {
      await viewer.call(buyAtOnce, { internal_id: '1_50' }, key());
      await shop.settle();
    };
    await startsPrivate(viewer, performer);
    await watches(viewer, performer);
    await passes(page, performer, 1, '1 s');
    expect(warnings(page)).toEqual([low(90)]);
    await viewer.tips(idol, 60);
    await passes(page, performer, 10, '11 s');
    expect(warnings(page)).toEqual([low(90)]);
    // 80 tokens are more than 30, but still less than a minute.
    await buys();
    await passes(page, performer, 10, '21 s');
    expect(warnings(page)).toEqual([low(90)]);
    await buys();
    await passes(page, performer, 10, '31 s');
    expect(warnings(page)).toEqual([]);
    await viewer.tips(idol, 45);
    await passes(page, performer, 10, '41 s');
    expect(warnings(page)).toEqual([low(85)]);
    const warning = await page.sees(low(85));
    await page.press('Dismiss', { in: warning.parentElement as HTMLElement });
    await passes(page, performer, 1, '42 s');
    expect(warnings(page)).toEqual([]);
  },
);

test('nothing went wrong on the server', () => expect(shop.site.log).toEqual([]));
