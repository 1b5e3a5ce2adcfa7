import { DAY_MS } from '#platform/time/units.ts';
import { clubMember, setsClub } from '#product/testkit/fan-club.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import {
  adminAt,
  expectAllReads,
  showsFaces,
  titled,
  viewerAt,
  type ReadCase,
} from '#product/testkit/pages/read-faces.ts';
import {
  endsPrivate,
  mediaPasses,
  privatePerformer,
  startsPrivate,
  watches,
} from '#product/testkit/shows/private-show.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  findOperations,
  getEarnings,
  getHistory,
  getHistoryEntries,
  getLedgerHealth,
  getLimits,
  getSpendingState,
  getStatement,
} from './client.ts';

/** Somebody with tokens in their history. */
const spender = (at: string): ReadCase['way'] => async (site) => ({
  visitor: await site.viewer({ tokens: 100 }),
  at,
});
/** Their statement of the current month. */
const ofThisMonth: ReadCase['way'] = async (site) => {
  const month = site.clock.now().toISOString().slice(0, 7);
  return spender(`/account/tokens/statement/${month}`)(site);
};
/** An admin who looks at somebody's spending limits. */
const ofSpending: ReadCase['way'] = async (site) => {
  const [visitor, { username }] = [await site.admin(), await site.viewer({ tokens: 100 })];
  return {
    visitor,
    at: `/admin/ledger?username=${username}`,
    leads: (page) => page.press(/^Spending for/u),
  };
};

/** An admin who looks at an account's details. */
const ofAccount: ReadCase['way'] = async (site) => {
  const [visitor, { username }] = [await site.admin(), await site.viewer()];
  return { visitor, at: `/admin/people?username=${username}` };
};

const CASES: readonly ReadCase[] = [
  { in: ['history/history-section.tsx'], call: getHistoryEntries, way: viewerAt('/account/tokens/history') },
  {
    in: ['history/history-section.tsx'],
    call: getStatement,
    isSmall: true,
    way: spender('/account/tokens/history'),
  },
  { in: ['statement-page.tsx'], call: getStatement, way: ofThisMonth },
  { in: ['statement-page.tsx'], call: getHistory, way: ofThisMonth },
  {
    in: ['earnings-page.tsx'],
    call: getEarnings,
    way: async (site) => ({ visitor: await site.performer(), at: '/account/earnings' }),
  },
  { in: ['limits/limits-section.tsx'], call: getLimits, way: viewerAt('/account/tokens') },
  { in: ['admin/operation-finder.tsx'], call: findOperations, way: adminAt('/admin/ledger') },
  { in: ['admin/operations-of.tsx'], call: findOperations, way: ofAccount },
  {
    in: ['admin/health-panel.tsx'],
    call: getLedgerHealth,
    way: adminAt('/admin/ledger', { leads: (page) => page.press('Check ledger') }),
  },
  { in: ['admin/spending-dialog.tsx'], call: getSpendingState, named: 'getSpendingState', way: ofSpending },
  { in: ['admin/tokens-of.tsx'], call: getSpendingState, named: 'getSpendingState', way: ofAccount },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each read of these pages has a case here [C-109]', () => expectAllReads('ledger', CASES));
test.each(titled(CASES))(
  '%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, item) => showsFaces(site, item),
);

test('a month without earnings is no empty history', async () => {
  const performer = await site.performer();
  await (await site.viewer({ tokens: 100 })).tips(performer, 25);
  await site.passes(20 * DAY_MS);
  // A session ends after a month without a visit.
  await site.memberOf(performer.username);
  await site.passes(20 * DAY_MS);
  const page = await openPage(site, await site.memberOf(performer.username), '/account/earnings');
  await page.sees('Nothing earned in the last 31 days.');
  expect(page.shows('Nothing earned yet. Tips and shows appear here as they come in.')).toBe(false);
  await page.press('Show more');
  await page.find('list', 'Earnings by day');
});

test(
  'the header of a performer has what the ledger says they earned today, as it comes, and sells nothing',
  async () => {
    const performer = await site.performer();
    const viewer = await site.viewer({ tokens: 500 });
    await viewer.tips(performer, 300);
    await site.passes(DAY_MS);
    const back = await site.memberOf(performer.username);
    const page = await openPage(site, back, '/legal');
    const header = await page.find('banner');
    await page.find('link', /^Earned today 0 tokens$/u, { in: header });
    expect(page.all('button', /Get tokens/u, { in: header })).toEqual([]);
    const tipper = await site.memberOf(viewer.username);
    await tipper.tips(performer, 25);
    await page.find('link', /^Earned today 25 tokens$/u, { in: header });
    await tipper.tips(performer, 7);
    await page.find('link', /^Earned today 32 tokens$/u, { in: header });
    expect(await page.problems()).toEqual([]);
    // The next day starts at zero, by the server's clock.
    await site.passes(DAY_MS);
    const next = await openPage(site, await site.memberOf(performer.username), '/legal');
    await next.find('link', /^Earned today 0 tokens$/u, { in: await next.find('banner') });
  },
);

test('a performer finds from the header what they earned by day, kind and show, to the token', async () => {
  const performer = await privatePerformer(site, { pricePerMinuteInToken: 60 });
  const viewer = await site.viewer({ tokens: 600 });
  const empty = await openPage(site, performer, '/legal');
  const header = await empty.find('banner');
  // They cannot buy, so the header shows no balance of 0 and no link to buy tokens.
  expect(empty.all('button', /tokens/iu, { in: header })).toEqual([]);
  await empty.press(/^Earned today/u, { role: 'link', in: header });
  await empty.find('heading', 'Earnings', { level: 1 });
  await empty.sees('Nothing earned yet. Tips and shows appear here as they come in.');
  await empty.find('link', 'Go live', { in: await empty.find('main') });
  expect([empty.path, await empty.problems()]).toEqual(['/account/earnings', []]);
  const buyer = await openPage(site, viewer, '/legal');
  const theirs = await buyer.find('banner');
  await buyer.find('button', /tokens/iu, { in: theirs });
  expect(buyer.all('link', 'Earnings', { in: theirs })).toEqual([]);
  await viewer.tips(performer, 25);
  await viewer.tips(performer, 7);
  await startsPrivate(viewer, performer);
  await watches(viewer, performer);
  await mediaPasses(site, performer, 10);
  await endsPrivate(viewer, performer);
  await setsClub(performer, true);
  await clubMember(site, performer, 'supporter');
  await site.settle();
  // Shows the current amount, not the one cached by the previous page.
  const page = await openPage(site, performer, '/account/earnings');
  const days = await page.find('list', 'Earnings by day');
  const [day] = page.all('listitem', undefined, { in: days });
  const summary = day?.querySelector('summary');
  const { rows: [book] } = await site.tx((tx) =>
    sql<{ balance: number }>`select balance from ledger.accounts
    where person_id = ${performer.id} and account = 'earnings'`.execute(tx.sql())
  );
  const earned = String(book?.balance);
  expect([days.childElementCount, summary?.textContent?.includes(earned)]).toEqual([1, true]);
  if (summary) await page.click(summary);
  /** Name and tokens of each line of a table. */
  const linesOf = (table: HTMLElement | undefined) =>
    [...table?.querySelectorAll('tbody tr') ?? []].map((row) =>
      [
        row.querySelector('th')?.textContent,
        // Its label is for screen readers; its number is before the icon.
        Number(row.lastElementChild?.querySelector('[aria-hidden]')?.textContent),
      ] as const
    );
  const [kinds, shows] = page.all('table', undefined, { in: days });
  // Of the day, the month, the total, the day in the list, its three kinds and its show: five cents a token.
  expect((await page.find('main')).textContent?.match(/\$[\d.,]+/gu))
    .toEqual(['$6.10', '$6.10', '$6.10', '$6.10', '$4.00', '$1.60', '$0.50', '$0.50']);
  expect(linesOf(kinds).map(([name]) => name).toSorted()).toEqual(['Fan club', 'Private show', 'Tip']);
  expect(linesOf(kinds).find(([name]) => name === 'Tip')?.[1]).toBe(32);
  expect(String(linesOf(kinds).reduce((sum, [, tokens]) => sum + tokens, 0))).toBe(earned);
  expect(linesOf(shows)).toEqual([
    [
      expect.stringMatching(new RegExp(`Private show · ${viewer.username}$`, 'u')),
      linesOf(kinds).find(([name]) => name === 'Private show')?.[1],
    ],
  ]);
  expect(await page.problems()).toEqual([]);
});
