import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

type Page = Awaited<ReturnType<typeof openPage>>;

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const PAGES = [
  'ledger',
  'payments',
  'products',
  'cases',
  'identity',
  'clearances',
  'age-checks',
  'agreements',
  'regions',
  'blocked-words',
  'people',
  'site',
  'redirects',
  'outbox',
];
const navigation = (page: Page): Promise<HTMLElement> => page.find('navigation', 'Back office');
const itemsIn = (page: Page, part: HTMLElement): readonly string[] =>
  page.all('listitem', undefined, { in: part }).map(({ textContent }) => textContent ?? '');

/** Opens the account menu. */
const opensMenu = (page: Page): Promise<void> => page.press(/’s account$/u);

test('the menu leads staff into the back office, whose navigation links its pages', async () => {
  const page = await openPage(site, await site.admin(), '/');
  await opensMenu(page);
  await page.press('Back office', { role: 'menuitem' });
  await page.find('heading', 'Ledger', { level: 1 });
  const current = async (): Promise<readonly (string | null)[]> =>
    [...(await navigation(page)).querySelectorAll('[aria-current=page]')]
      .map(({ textContent }) => textContent);
  expect(await current()).toEqual(['Ledger']);
  expect(itemsIn(page, await navigation(page))).toEqual([
    'Ledger',
    'Payments',
    'Products',
    'Cases',
    'Reports',
    'Identity review',
    'Clearances',
    'Age checks',
    'Agreements',
    'Regions',
    'Blocked words',
    'Accounts',
    'Support',
    'Sites',
    'Redirects',
    'Outbox',
    'Browser errors',
  ]);
  await page.press('Payments', { role: 'link', in: await navigation(page) });
  await page.find('heading', 'Payments', { level: 1 });
  expect(await current()).toEqual(['Payments']);
  expect(await page.problems()).toEqual([]);
  // Clicking the link again from within the back office starts over.
  await opensMenu(page);
  await page.press('Back office', { role: 'menuitem' });
  await page.until(() => expect(page.path).toBe('/admin/ledger'));
});

test('a member is refused on every page and sees nothing of it, nor a way into it', async () => {
  const performer = await site.performer();
  const home = await openPage(site, performer, '/');
  await opensMenu(home);
  await home.find('menuitem', 'Settings');
  expect(home.all('menuitem', 'Back office')).toEqual([]);
  for (const path of ['/admin', ...PAGES.map((name) => `/admin/${name}`)]) {
    const page = await openPage(site, performer, path, { mayPrint: /403/u });
    await page.find('heading', 'You don’t have access');
    expect([path, page.all('navigation', 'Back office'), page.all('table'), page.all('form')])
      .toEqual([path, [], [], []]);
  }
});

test('a moderator finds the two pages of theirs, and is refused on the others', async () => {
  const moderator = await site.viewer({ roles: ['site_mod'] });
  const page = await openPage(site, moderator, '/admin');
  await page.find('heading', 'Cases', { level: 1 });
  expect(itemsIn(page, await navigation(page))).toEqual(['Cases', 'Blocked words']);
  const refused = await openPage(site, moderator, '/admin/ledger', { mayPrint: /403/u });
  await refused.find('heading', 'You don’t have access');
  await refused.press('Blocked words', { role: 'link', in: await navigation(refused) });
  await refused.find('heading', 'Blocked words', { level: 1 });
});

test('guests log in first, and what is not there is not found', async () => {
  const guest = await site.visitor({ ofAge: true });
  const page = await openPage(site, guest, '/admin/ledger');
  await page.until(() => expect(page.path).toBe('/login?next=%2Fadmin%2Fledger'));
  const nothing = await openPage(site, await site.admin(), '/admin/vaults', { mayPrint: /404/u });
  await nothing.find('heading', /not found|doesn’t exist|can’t find/iu);
});
