import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPage } from '../testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '../testkit/site.ts';
import { likedCrowd } from '../testkit/store/liked-crowd.ts';
import { giveLike } from './contract/likes.ts';

/** One more than the board has places. */
const PEOPLE = 2_001;

let site: TestSite;
let girls: readonly { readonly username: string }[];
beforeAll(async () => {
  site = await createSite();
  girls = await likedCrowd(site, PEOPLE, 'girl');
  const man = await site.performer({ username: 'man1', gender: 'm' });
  await site.settle();
  await (await site.viewer()).call(giveLike, { username: man.username });
});
afterAll(() => site.close());

test('the sodastars of all time have 2,000 places, of one gender each [B-042]', async () => {
  const guest = await site.visitor({ ofAge: true });
  const placesAt = async (path: string) => {
    const page = await openPage(site, guest, path);
    const board = await page.find('list', 'Top 2000');
    return page.all('listitem', undefined, { in: board }).map((one) =>
      [/^\d+/u.exec(one.textContent)?.[0] ?? '', one.querySelector('a')?.getAttribute('href')]);
  };
  const placesOf = (from: number, to: number) => girls.slice(from - 1, to).map(({ username }, at) =>
    [String(from + at), `/${username}`]);
  const path = '/contests/girls/sodastars/top2000';
  expect(await placesAt(path)).toEqual(placesOf(1, 50));
  expect(await placesAt(`${path}?page=2`)).toEqual(placesOf(51, 100));
  expect(await placesAt(`${path}?page=40`)).toEqual(placesOf(1_951, 2_000));
  const last = await openPage(site, guest, `${path}?page=40`);
  await last.find('link', 'Previous');
  expect(last.all('link', 'Next')).toEqual([]);
  expect(await placesAt('/contests/men/sodastars/top2000')).toEqual([['1', '/man1']]);
  for (const gender of ['couples', 'trans']) {
    const page = await openPage(site, guest, `/contests/${gender}/sodastars/top2000`);
    await page.sees('Nobody has a like on this board yet.');
  }
});
