import { setDetails } from '#product/broadcast/contract.ts';
import { setStudio } from '#product/broadcast/contract/settings.ts';
import { saveListingProfile } from '#product/performers/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const guest = () => site.visitor({ ofAge: true });

test.each([
  ['All performers', '/models', 'Performers'],
  ['All tags', '/tags', 'Tags'],
  ['Most watched', '/top', 'Top performers'],
  ['Most liked', '/most-liked', /./u],
  ['Contests', '/contests', 'Contests'],
  ['New from girls', '/girls/feed', /what’s new$/u],
  ['New from couples', '/couples/feed', /what’s new$/u],
  ['New from men', '/men/feed', /what’s new$/u],
  ['New from trans performers', '/trans/feed', /what’s new$/u],
  ['Become a performer', '/models/signup', /./u],
  ['Experiments on this site', '/experiments', 'Experiments'],
])('the foot of each page leads on: “%s” to %s', async (name, path, heading) => {
  const page = await openPage(site, await guest(), '/girls');
  const foot = await page.find('navigation', 'More of this site');
  await page.press(name, { role: 'link', in: foot });
  await page.until(() => expect(page.path).toBe(path));
  await page.find('heading', heading, { level: 1 });
  expect(await page.problems()).toEqual([]);
});

test('the foot leads to the join offer while the site has one, and to no empty page without', async () => {
  const join = async () => {
    const foot = (await openPage(site, await guest(), '/legal')).find('navigation', 'More of this site');
    return [...(await foot).querySelectorAll('a')].some((link) => link.getAttribute('href') === '/join');
  };
  expect(await join()).toBe(false);
  await site.tx((tx) => site.services.billing.configure(tx, { switches: { joinOffer: true } }, null));
  // Documents and the site's own texts are cached for a while.
  await site.passes(60_000);
  expect(await join()).toBe(true);
});

test('a profile leads to its studio and its roles only while somebody of them is live', async () => {
  const performer = await site.performer({ username: 'rests' });
  const admin = await site.admin();
  await admin.call(setStudio, { username: 'rests', studio: 'harbour' });
  await performer.call(saveListingProfile, { voyeur_room: 'kitchen' });
  await site.settle();
  const offline = await openPage(site, await guest(), '/rests/bio');
  const main = await offline.find('main');
  await offline.until(() => expect(main.textContent).toContain('harbour'));
  expect(main.textContent).toContain('voyeur');
  for (const name of ['harbour', 'voyeur']) await offline.gone('link', name);
  const other = await site.performer({ username: 'works', live: true });
  await admin.call(setStudio, { username: 'works', studio: 'harbour' });
  await other.call(saveListingProfile, { voyeur_room: 'kitchen' });
  await site.settle();
  const page = await openPage(site, await guest(), '/rests/bio');
  for (const [name, path] of [['harbour', '/browse-studio/harbour'], [
    'voyeur',
    '/browse-role/voyeur',
  ]] as const) {
    await page.press(name, { role: 'link' });
    await page.until(() => expect(page.path).toBe(path));
    await page.find('link', /works/u, { in: await page.find('main') });
    await page.back();
  }
});

test('a profile leads to others of its studio and its roles, and a section to the games', async () => {
  const performer = await site.performer({ username: 'plays', live: true });
  await (await site.admin()).call(setStudio, { username: 'plays', studio: 'northlight' });
  await performer.call(saveListingProfile, { is_independent: true });
  await performer.call(setDetails, { title: '', tags: ['games'] });
  await site.settle();
  const page = await openPage(site, await guest(), '/plays/bio');
  for (const [name, path] of [['northlight', '/browse-studio/northlight'], [
    'independent',
    '/browse-role/independent',
  ]] as const) {
    await page.press(name, { role: 'link' });
    await page.until(() => expect(page.path).toBe(path));
    await page.find('link', /plays/u, { in: await page.find('main') });
    await page.back();
  }
  await page.goto('/girls');
  await page.press('Games', { role: 'link', in: await page.find('navigation', 'All listings') });
  await page.until(() => expect(page.path).toBe('/games'));
});

test('phones have these ways in their bottom bar too, by touch and by keys', async () => {
  for (const [keys, moves, name, path] of [
    ['{Enter}', '', 'Performers', '/models'],
    ['{ArrowUp}', '{ArrowUp}', 'Contests', '/contests'],
  ] as const) {
    const page = await openPage(site, await guest(), '/girls', { width: 320 });
    const bar = await page.find('navigation', 'Main navigation');
    const button = await page.find('button', 'Discover', { in: bar });
    button.focus();
    await page.keys(keys);
    const menu = await page.find('menu', 'Discover');
    expect(page.all('menuitem', undefined, { in: menu }).map(({ textContent }) => textContent))
      .toEqual(['All performers', 'All tags', 'Most watched', 'Most liked', 'Contests', 'Leave quickly']);
    if (moves !== '') await page.keys(moves);
    await page.keys('{Enter}');
    await page.find('heading', name, { level: 1 });
    expect(page.path).toBe(path);
  }
  const page = await openPage(site, await guest(), '/girls', { width: 320 });
  await page.press('Discover', { in: await page.find('navigation', 'Main navigation') });
  await page.press('Most liked', { role: 'menuitem' });
  await page.until(() => expect(page.path).toBe('/most-liked'));
});

test('before the gate the foot leads to performers’ sign-up, reports and legal pages alone', async () => {
  const page = await openPage(site, await site.visitor(), '/girls');
  const foot = await page.find('contentinfo');
  expect(page.all('link', undefined, { in: foot }).map((link) => link.getAttribute('href')))
    .toEqual(['/models/signup', '/report', '/legal', '/cookies']);
});
