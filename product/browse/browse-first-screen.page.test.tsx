import { follow } from '#product/messaging/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { crowdOf } from '#product/testkit/store/live-crowd.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';

let site: TestSite;
beforeEach(async () => {
  site = await createSite();
});
afterEach(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;

/** Usernames linked from the tiles and the featured show of a page, repeated as often as they appear. */
const shownOn = (page: Page): string[] =>
  page.all('link', undefined, { in: page.all('main')[0] })
    .map((link) => link.getAttribute('href') ?? '')
    .flatMap((address) => /^\/(crowd\d+)$/u.exec(address)?.[1] ?? []);
const namesIn = (page: Page, row: HTMLElement): string[] =>
  page.all('listitem', undefined, { in: row })
    .map((item) => item.querySelector('a')?.getAttribute('href')?.slice(1) ?? '');
/** The listing of everybody, below the rows. */
const gridOf = async (page: Page): Promise<HTMLElement> =>
  (await page.find('heading', 'Live now', { level: 1 })).closest('div.mx-auto') as HTMLElement;
const twice = (names: readonly string[]): string[] => names.filter((name, at) => names.indexOf(name) !== at);

/** A member who follows this many live performers, who then qualify for all of that member's rows. */
async function followsMany(count: number, crowd: readonly { readonly username: string }[]): Promise<Member> {
  const viewer = await site.viewer();
  for (const { username } of crowd.slice(0, count)) await viewer.call(follow, { username });
  await site.settle();
  return viewer;
}

test('everybody live stands on the home page once, though they are new and in every row', async () => {
  const crowd = await crowdOf(site, 30);
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/');
  const row = await page.find('region', 'New and trending');
  expect(namesIn(page, row)).toHaveLength(12);
  await page.find('region', 'Featured show');
  expect(twice(shownOn(page))).toEqual([]);
  expect(shownOn(page).toSorted()).toEqual(crowd.map(({ username }) => username).toSorted());
  // The server composes the screen, so the browser makes no difference.
  const { body } = await page.visitor.request({ method: 'GET', url: '/api/v1/browse/react/?without=top' });
  const { userList, totalCount } = JSON.parse(body) as { userList: unknown[]; totalCount: number };
  expect([userList.length, totalCount]).toEqual([30 - 12 - 1, 30]);
});

test('whom a member follows stands once in their rows, and not again below', async () => {
  const crowd = await crowdOf(site, 30);
  const viewer = await followsMany(20, crowd);
  const page = await openPage(site, viewer, '/');
  const favorites = namesIn(page, await page.find('region', 'Favorites and history'));
  const forYou = namesIn(page, await page.find('region', 'For you'));
  expect([favorites.length, forYou.length]).toEqual([9, 9]);
  expect(twice([...favorites, ...forYou])).toEqual([]);
  expect(twice(shownOn(page))).toEqual([]);
  expect(new Set(shownOn(page)).size).toBe(30);
});

test('the one favorite who is the featured show makes room for a row of others', async () => {
  const crowd = await crowdOf(site, 8);
  const guest = await openPage(site, await site.visitor({ ofAge: true }), '/');
  const featured = await guest.find('region', 'Featured show');
  const name = guest.all('link', undefined, { in: featured })[0]?.getAttribute('href')?.slice(1) ?? '';
  const viewer = await site.viewer();
  await viewer.call(follow, { username: name });
  await site.settle();
  const page = await openPage(site, viewer, '/');
  await page.find('region', 'New and trending');
  expect(page.all('region', 'Favorites and history')).toEqual([]);
  expect(shownOn(page).toSorted()).toEqual(crowd.map(({ username }) => username).toSorted());
});

test('where fewer than five others are live, rows stay whole: no favorites are missing', async () => {
  const crowd = await crowdOf(site, 5);
  const page = await openPage(site, await followsMany(5, crowd), '/');
  expect(namesIn(page, await page.find('region', 'Favorites and history'))).toHaveLength(5);
  expect(page.all('article', undefined, { in: await gridOf(page) })).toHaveLength(5);
});

test('by sections, rows of the first screen have nobody twice while they have five others', async () => {
  const crowd = await crowdOf(site, 45);
  const viewer = await followsMany(45, crowd);
  viewer.setCookie('home_layout', 'section');
  const page = await openPage(site, viewer, '/');
  for (const title of ['Favorites and history', 'For you', 'New and trending']) {
    expect(namesIn(page, await page.find('region', title))).toHaveLength(12);
  }
  expect(twice(shownOn(page))).toEqual([]);
  expect(shownOn(page)).toHaveLength(37);
});

const NAMED = /^(?:Featured show|New and trending|Favorites and history|For you)$/u;

test('a filtered listing and its other orders have everybody who matches, once', async () => {
  const crowd = await crowdOf(site, 12, { languages: ['de'] });
  const viewer = await followsMany(12, crowd);
  for (const query of ['sort=newest', 'language=de', 'rate=9-1']) {
    const page = await openPage(site, viewer, `/?${query}`);
    await page.until(() =>
      expect(shownOn(page).toSorted())
        .toEqual(crowd.map(({ username }) => username).toSorted())
    );
    expect(page.all('region', NAMED)).toEqual([]);
    // The layout can be chosen there, too.
    await page.find('group', 'Layout');
  }
  // Its own order by name is the first screen.
  const page = await openPage(site, viewer, '/?sort=recommended');
  await page.find('region', 'Featured show');
  expect(twice(shownOn(page))).toEqual([]);
});

test('later pages of everybody have nobody twice, and with the first screen nobody is missing', async () => {
  const crowd = await crowdOf(site, 110);
  const viewer = await followsMany(10, crowd.toReversed());
  const first = await openPage(site, viewer, '/');
  await first.find('region', 'Favorites and history');
  const names = shownOn(first);
  expect(twice(names)).toEqual([]);
  const page = await openPage(site, viewer, '/?p=2');
  await gridOf(page);
  expect(shownOn(page).length).toBeGreaterThan(5);
  expect(twice(shownOn(page))).toEqual([]);
  expect(page.all('region', NAMED)).toEqual([]);
  expect(new Set([...names, ...shownOn(page)]).size).toBe(110);
});
