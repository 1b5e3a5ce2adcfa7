import { endBroadcast } from '#product/broadcast/contract.ts';
import { saveListingProfile } from '#product/performers/contract.ts';
import { servesDocuments } from '#product/testkit/pages/documents.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { browseLive } from './contract.ts';

let site: TestSite;
/**
 * A live performer of each gender, one of them in a voyeur room; for each gender also one who never was live,
 * one who was, and one whom nobody may perceive.
 */
let live: Record<'f' | 'c' | 'm' | 't', Member>;
let guest: Visitor;

beforeAll(async () => {
  site = await createSite();
  await servesDocuments(site);
  const liveOf = (gender: 'f' | 'c' | 'm' | 't') => site.performer({ live: true, gender });
  live = { f: await liveOf('f'), c: await liveOf('c'), m: await liveOf('m'), t: await liveOf('t') };
  await live.f.call(saveListingProfile, { voyeur_room: 'kitchen' });
  for (const gender of ['f', 'c', 'm', 't'] as const) {
    await site.performer({ gender });
    await (await liveOf(gender)).call(endBroadcast, {});
    const { id } = await liveOf(gender);
    const order = { suspended: true, actorId: null, reason: 'fraud' };
    await site.tx((tx) => site.services.accounts.suspend(tx, id, order));
  }
  await site.settle();
  guest = await site.visitor({ ofAge: true });
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;

/** Addresses of the listing's tiles, once it is loaded. */
async function tiles(page: Page, heading: string | RegExp): Promise<readonly (string | null | undefined)[]> {
  await page.find('heading', heading, { level: 1 });
  await page.until(() => expect(page.all('article').length).toBeGreaterThan(0));
  const main = await page.find('main');
  const links = page.all('article', undefined, { in: main }).map((element) => element.querySelector('a'));
  return [...new Set(links.map((link) => link?.getAttribute('href')))].sort();
}
const of = (...genders: (keyof typeof live)[]): string[] =>
  genders.map((gender) => `/${live[gender].username}`).sort();

const SECTIONS = [
  ['girls', 'f', 'Girls live now'],
  ['couples', 'c', 'Couples live now'],
  ['men', 'm', 'Men live now'],
  ['trans', 't', 'Trans performers live now'],
] as const;

test.each(
  [
    ['Girls', 'f', 'girls', '[B-023, C-024]'],
    ['Couples', 'c', 'couples', '[A-128, C-025]'],
    ['Men', 'm', 'men', '[B-023, C-026]'],
    ['Trans', 't', 'trans', '[B-023, C-027]'],
  ] as const,
)('a guest opens a section from the header: %s, %s, %s %s', async (name, gender, slug, _ids) => {
  const page = await openPage(site, guest, '/top');
  const header = await page.find('banner');
  await page.press(name, { role: 'link', in: header });
  expect([await tiles(page, / live now$/u), page.path]).toEqual([of(gender), `/${slug}`]);
  expect((await page.find('link', name, { in: header })).getAttribute('aria-current')).toBe('page');
});

test('a guest finds everybody: women, men, couples, trans and voyeur cams [C-002, C-023]', async () => {
  const page = await openPage(site, guest, '/');
  await page.find('heading', 'Live now', { level: 1 });
  // The default listing leaves out men and trans.
  expect(await tiles(page, 'Live now')).toEqual(of('f', 'c'));
  for (const [, gender, heading] of SECTIONS) {
    const name = heading.split(' ')[0] ?? '';
    await page.press(name, { role: 'link', in: await page.find('banner') });
    expect(await tiles(page, heading)).toEqual(of(gender));
  }
  await page.press('Voyeur', { role: 'link', in: await page.find('banner') });
  expect(await tiles(page, 'Voyeur cams')).toEqual(of('f'));
});

test('the four genders have these addresses and no others [A-064, B-024]', async () => {
  const page = await openPage(site, guest, '/girls');
  for (const [slug, gender, heading] of SECTIONS) {
    await page.goto(`/${slug}`);
    expect(await tiles(page, heading)).toEqual(of(gender));
    await page.goto(`/${slug}/private-shows`);
    await page.find('heading', new RegExp(`^${heading.replace(/ live now$/u, '')} who offer`, 'u'));
    // The call has no fallback to the section: it refuses paths that are no listing.
    for (const rest of [
      'new',
      'top-rated',
      'control-her',
      'leaders',
      'language/german',
      'region/usa',
      'tag/yoga',
      'tag/yoga/dance',
      'private-shows/cam2cam',
      'private-shows/cam2cam/top-rated',
      'private-shows/spy-cam-shows',
      'private-shows/ticket-cam-shows',
      'private-shows/exclusive-available-now',
      'private-shows/top-rated',
      'private-shows/rate/6',
      'private-shows/rate/6/18',
      'fanclub/all',
      'fanclub/online',
    ]) await guest.call(browseLive, { path: `${slug}/${rest}` });
  }
  for (const path of ['girl', 'female', 'couple', 'f', 'women', 'males', 'transgender', 'girls/girls']) {
    await page.goto(`/${path}/private-shows`);
    await page.find('heading', 'Page not found');
    expect(await guest.refused(browseLive, { path: `${path}/new` })).toMatchObject({ status: 404 });
  }
  // These could be usernames, but nobody has them.
  for (const path of ['girl', 'female', 'women', 'f', 'transgender']) {
    await page.goto(`/${path}`);
    await page.find('heading', 'Page not found');
    expect(page.all('article')).toEqual([]);
  }
  // These pages and calls nearly reach a visitor's limit per minute.
  await site.passes(60_000);
});

test.each(
  [
    ['men', 'm', 'Men live now', 'Men who offer private shows', '[A-126]'],
    ['trans', 't', 'Trans performers live now', 'Trans performers who offer private shows', '[A-127]'],
  ] as const,
)('/%s is a section, and so is anything below it: %s, “%s”, “%s” %s', async (
  slug,
  gender,
  heading,
  privates,
  _id,
) => {
  const { statusCode, body } = await guest.request({
    url: `/${slug}/language/klingon`,
    headers: { accept: 'text/html' },
  });
  expect(statusCode).toBe(200);
  expect(body).toMatch(new RegExp(`<link rel="canonical" href="[^"]*/${slug}"`, 'u'));
  expect(body).toContain('<meta name="robots" content="noindex, follow"');
  const page = await openPage(site, guest, `/${slug}`);
  expect(await tiles(page, heading)).toEqual(of(gender));
  expect(page.shows(/^There’s no list of its own/u)).toBe(false);
  await page.goto(`/${slug}/private-shows`);
  await page.find('heading', privates, { level: 1 });
  // Any other path below it shows the section, with a note.
  for (const rest of [
    'language/klingon',
    'private-shows/rate/7',
    'an/old/link/of/many/parts',
    'x',
    'bio',
    'fanclub',
  ]) {
    await page.goto(`/${slug}/${rest}`);
    expect(await tiles(page, heading), rest).toEqual(of(gender));
    await page.sees(`There’s no list of its own at this address, so here’s “${heading}”.`);
    expect(page.path).toBe(`/${slug}/${rest}`);
  }
});

test.each(
  [
    ['c', '/couples', 'Couples live now', '[A-059, B-023]'],
    ['m', '/men', 'Men live now', '[A-060]'],
    ['t', '/trans', 'Trans performers live now', '[A-061]'],
  ] as const,
)('a gender in the address or a cookie: %s, %s, %s %s', async (value, section, heading, _id) => {
  const page = await openPage(site, guest, `/?gender=${value}`);
  expect([await tiles(page, heading), page.path]).toEqual([of(value), section]);
  const chose = await site.visitor({ ofAge: true });
  chose.setCookie('gender', value);
  const again = await openPage(site, chose, '/');
  expect([await tiles(again, heading), again.path]).toEqual([of(value), section]);
});

test('any other gender leads home, in the address and in a cookie [A-062]', async () => {
  for (const value of ['f', 'none', 'x']) {
    // The address leads home even for a visitor whose cookie says men.
    const changed = await site.visitor({ ofAge: true });
    changed.setCookie('gender', 'm');
    const page = await openPage(site, changed, `/?gender=${value}`);
    expect([await tiles(page, 'Live now'), page.path]).toEqual([of('f', 'c'), `/?gender=${value}`]);
    const chose = await site.visitor({ ofAge: true });
    chose.setCookie('gender', value);
    const again = await openPage(site, chose, '/');
    expect([await tiles(again, 'Live now'), again.path]).toEqual([of('f', 'c'), '/']);
  }
});

test('“Show me” names the genders, leads there, and is remembered [A-063]', async () => {
  const visitor = await site.visitor({ ofAge: true });
  const page = await openPage(site, visitor, '/girls');
  const labels = [
    ['Female', '/', 'f'],
    ['Couple', '/couples', 'c'],
    ['Trans', '/trans', 't'],
    ['Male', '/men', 'm'],
  ] as const;
  await page.press('Show me: Female');
  await page.find('menuitemradio', 'Male');
  expect(page.all('menuitemradio').map(({ textContent }) => textContent))
    .toEqual(labels.map(([label]) => label));
  await page.keys('{Escape}');
  for (const [label, path, code] of labels) {
    await page.press(/^Show me/u);
    await page.press(label, { role: 'menuitemradio' });
    await page.until(() => expect(page.path).toBe(path));
    expect(visitor.cookie('gender')).toBe(code);
    await page.find('heading', / live now$|^Live now$/u, { level: 1 });
  }
  await page.goto('/');
  expect(page.path).toBe('/men');
});

test('a visitor hides genders, and shows them again', async () => {
  const visitor = await site.visitor({ ofAge: true });
  const page = await openPage(site, visitor, '/');
  expect(await tiles(page, 'Live now')).toEqual(of('f', 'c'));
  await page.press('Hide: Trans, Male');
  await page.press('Show again: Male', { role: 'menuitem' });
  await page.find('button', 'Hide: Trans');
  await page.idle();
  expect(await tiles(page, 'Live now')).toEqual(of('f', 'c', 'm'));
  await page.press('Hide: Trans');
  await page.press('Hide: Couple', { role: 'menuitem' });
  await page.find('button', 'Hide: Couple, Trans');
  await page.idle();
  expect(await tiles(page, 'Live now')).toEqual(of('f', 'm'));
  // The section still shows its gender, and the choice persists.
  await page.goto('/couples');
  expect(await tiles(page, 'Couples live now')).toEqual(of('c'));
  await page.goto('/');
  expect(await tiles(page, 'Live now')).toEqual(of('f', 'm'));
  expect(await page.problems()).toEqual([]);
});
