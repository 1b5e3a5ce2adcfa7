import { getBalance } from '#product/ledger/contract.ts';
import { getLimits } from '#product/ledger/contract/limits.ts';
import { openAction } from '#product/testkit/pages/look/action-bar.ts';
import { closesRatingCard } from '#product/testkit/pages/look/ratings.ts';
import { openRoom } from '#product/testkit/pages/open-page.tsx';
import { mediaPasses, privatePerformer, watches } from '#product/testkit/shows/private-show.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getReceipts } from './contract/private-running.ts';
import { acceptPrivate } from './contract/private-show.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** A whole show, second by second. */
const LONG = { timeout: 120_000 };
const ASK = 'Ask for a private show';
const DAY = 'My limit for each day (tokens)';

test('a show ends at the limit of the day that its viewer set when they asked', LONG, async () => {
  const performer = await privatePerformer(site, { pricePerMinuteInToken: 60 });
  const viewer = await site.viewer({ tokens: 300 });
  const page = await openRoom(site, viewer, performer);
  const dialog = await openAction(page, ASK, `Private show with ${performer.person.displayName}`);
  await page.sees('Optional. Counts everything you spend in a day (UTC).', { in: dialog });
  await page.fill(DAY, '50', { in: dialog });
  await page.press('Send request', { in: dialog });
  await page.sees('What this limit leaves for today isn’t enough to start.', { in: dialog });
  await page.fill(DAY, '90', { in: dialog });
  await page.sees('1 min 30 s', { in: dialog });
  expect(await page.problems()).toEqual([]);
  await page.press('Send request', { in: dialog });
  await page.sees(/^Waiting for/u);
  const dayOf = async () => (await viewer.call(getLimits, {})).budgets.find(({ period }) => period === 'day');
  expect(await dayOf()).toMatchObject({ tokens: 90, spent: 0 });
  await performer.call(acceptPrivate, { username: viewer.username });
  await watches(viewer, performer);
  await mediaPasses(site, performer, 29);
  expect(page.shows(/^Your private show ends in/u)).toBe(false);
  await mediaPasses(site, performer, 1);
  await page.sees('Your private show ends in 1 min 0 s: your tokens or your limit run out.');
  await mediaPasses(site, performer, 62);
  await closesRatingCard(page, performer);
  expect((await viewer.call(getReceipts, {})).receipts)
    .toMatchObject([{ seconds: 90, tokens: 90, reason_ended: 'out_of_tokens' }]);
  expect((await viewer.call(getBalance, {})).tokens).toBe(210);
  // The viewer has tokens, but the day's budget is used up: no request is sent, and no tokens are offered.
  const again = await openAction(page, ASK, `Private show with ${performer.person.displayName}`);
  await page.sees(/^0 tokens are left for today\./u, { in: again });
  expect(page.all('button', 'Buy tokens', { in: again })).toEqual([]);
  await page.fill(DAY, '400', { in: again });
  await page.sees('A higher limit, or none, takes effect after 24 hours.', { in: again });
  await page.press('Send request', { in: again });
  await page.sees('What this limit leaves for today isn’t enough to start.', { in: again });
  expect(await dayOf()).toMatchObject({ tokens: 90, spent: 90 });
});

test('nothing went wrong on the server', () => expect(site.log).toEqual([]));
