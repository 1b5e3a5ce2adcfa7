import { DEMO_LISTING_NAMES } from '#product/testkit/demo/cast.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { likedCrowd } from '#product/testkit/store/liked-crowd.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { giveLike } from './contract/likes.ts';

/** One more performer than the board has places. */
const PEOPLE = 2_001;

let site: TestSite;
let girls: readonly { readonly username: string }[];
beforeAll(async () => {
  site = await createSite();
  await site.tx((tx) => site.services.site.nameListings(tx, site.scope.siteId, DEMO_LISTING_NAMES));
  girls = await likedCrowd(site, PEOPLE, 'girl');
  const others = [['m', 'man1'], ['c', 'couple1'], ['t', 'trans1']] as const;
  for (const [gender, username] of others) await site.performer({ gender, username });
  await site.settle();
  const fan = await site.viewer();
  for (const [, username] of others) await fan.call(giveLike, { username });
});
afterAll(() => site.close());

/** Places and performers of a board, at the address of a contest. */
async function placesAt(path: string, name = 'Top 2000') {
  const page = await openPage(site, await site.visitor({ ofAge: true }), path);
  const [, , section = ''] = path.split('/');
  await page.find('heading', `Sodastars: ${section.charAt(0).toUpperCase()}${section.slice(1)}`);
  const board = await page.find('list', name);
  return page.all('listitem', undefined, { in: board }).map((
    element,
  ) => [/^\d+/u.exec(element.textContent)?.[0] ?? '', element.querySelector('a')?.getAttribute('href')]);
}

test('the contest has pages of exactly girls, couples, men and trans [B-044]', async () => {
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/contests');
  for (const board of ['', '/top2000', '/30days']) {
    for (const [section, name] of [
      ['girls', 'Girls'],
      ['couples', 'Couples'],
      ['men', 'Men'],
      ['trans', 'Trans'],
    ]) {
      await page.goto(`/contests/${section}/sodastars${board}`);
      await page.find('heading', `Sodastars: ${name}`);
    }
    for (const section of ['women', 'girl', 'robots']) {
      await page.goto(`/contests/${section}/sodastars${board}`);
      await page.sees('404');
      expect(page.all('heading', /^Sodastars: /u)).toEqual([]);
    }
  }
});

const OTHERS = [['men', '/man1'], ['couples', '/couple1'], ['trans', '/trans1']] as const;

test('the sodastars of each gender are those liked this month [B-041]', async () => {
  for (const [gender, address] of OTHERS) {
    expect(await placesAt(`/contests/${gender}/sodastars`, 'This month'), gender).toEqual([['1', address]]);
  }
});

test('those of thirty days are of one gender each, too [B-043]', async () => {
  for (const [gender, address] of OTHERS) {
    const path = `/contests/${gender}/sodastars/30days`;
    expect(await placesAt(path, '30 days'), gender).toEqual([['1', address]]);
  }
});

test('the sodastars of all time have 2,000 places, of one gender each [B-042]', async () => {
  const guest = await site.visitor({ ofAge: true });
  const placesOf = (from: number, to: number) =>
    girls.slice(from - 1, to).map(({ username }, at) => [String(from + at), `/${username}`]);
  const path = '/contests/girls/sodastars/top2000';
  expect(await placesAt(path)).toEqual(placesOf(1, 50));
  expect(await placesAt(`${path}?page=2`)).toEqual(placesOf(51, 100));
  expect(await placesAt(`${path}?page=40`)).toEqual(placesOf(1_951, 2_000));
  const last = await openPage(site, guest, `${path}?page=40`);
  await last.find('link', 'Previous');
  expect(last.all('link', 'Next')).toEqual([]);
  for (const [gender, address] of OTHERS) {
    expect(await placesAt(`/contests/${gender}/sodastars/top2000`), gender).toEqual([['1', address]]);
  }
});
