import { MINUTE_MS } from '#platform/time/units.ts';
import { ratePerformer } from '#product/shows/contract/ratings.ts';
import { saveShowSettings } from '#product/shows/contract/settings.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import {
  endsPrivate,
  mediaPasses,
  privatePerformer,
  startsPrivate,
  watches,
} from '#product/testkit/shows/private-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;
const namesIn = (page: Page, row: HTMLElement): (string | undefined)[] =>
  page.all('listitem', undefined, { in: row })
    .map((item) => item.querySelector('a')?.getAttribute('href')?.slice(1));

/** A live performer whose private shows three viewers rated, the first with this vote. */
async function rated(first: 'RATE_UP' | 'RATE_DOWN', at: TestSite = site): Promise<Member> {
  const performer = await privatePerformer(at);
  for (let fan = 0; fan < 3; fan += 1) {
    const viewer = await at.viewer({ tokens: 200 });
    await startsPrivate(viewer, performer);
    await watches(viewer, performer);
    await mediaPasses(at, performer, 1);
    await endsPrivate(viewer, performer);
    await at.settle();
    await votes(viewer, performer, fan === 0 ? first : 'RATE_UP');
  }
  return performer;
}

async function votes(viewer: Member, performer: Member, vote: 'RATE_UP' | 'RATE_DOWN'): Promise<void> {
  await viewer.tips(performer, 25);
  await viewer.site.settle();
  await viewer.call(ratePerformer, { username: performer.username, vote });
}

test('top rated privates are a row of the home page, the best first [B-094, B-102]', async () => {
  const visitor = await site.visitor({ ofAge: true });
  visitor.setCookie('home_layout', 'section');
  const before = await openPage(site, visitor, '/');
  await before.find('region', 'New and trending').catch(() => null);
  expect(before.all('region', 'Top rated privates')).toEqual([]);
  const good = await rated('RATE_DOWN');
  const best = await rated('RATE_UP');
  const withdrawn = await rated('RATE_UP');
  await withdrawn.call(saveShowSettings, { private: { isEnabled: false } });
  // The order differs by all votes (`elsewhere` first, then `good`) and by tips (`good` first).
  const elsewhere = await privatePerformer(site);
  for (let fan = 0; fan < 4; fan += 1) {
    const viewer = await site.viewer({ tokens: 600 });
    await votes(viewer, elsewhere, 'RATE_UP');
    await votes(viewer, best, 'RATE_DOWN');
    if (fan === 0) await viewer.tips(good, 500);
  }
  await site.settle();
  const page = await openPage(site, visitor, '/');
  const row = await page.find('region', 'Top rated privates');
  expect(namesIn(page, row)).toEqual([best.username, good.username]);
  expect(page.all('link', /^See more/u, { in: row })).toEqual([]);
  expect(await page.problems()).toEqual([]);
});

test('"see more" leads from five of them to the listing of just these [B-101, B-102]', async () => {
  const other = await createSite();
  onTestFinished(() => other.close());
  const five: string[] = [];
  while (five.length < 4) five.push((await rated('RATE_UP', other)).username);
  await other.passes(MINUTE_MS);
  const visitor = await other.visitor({ ofAge: true });
  visitor.setCookie('home_layout', 'section');
  const page = await openPage(other, visitor, '/');
  const four = await page.find('region', 'Top rated privates');
  expect(namesIn(page, four)).toHaveLength(4);
  expect(page.all('link', /^See more/u, { in: four })).toEqual([]);
  five.push((await rated('RATE_UP', other)).username);
  await other.passes(MINUTE_MS);
  await page.goto('/');
  const row = await page.find('region', 'Top rated privates');
  await page.press(/^See more/u, { role: 'link', in: row });
  await page.until(() => expect(page.path).toBe('/girls/private-shows/top-rated'));
  await page.until(() => {
    const shown = page.all('article').map((tile) => tile.querySelector('a')?.getAttribute('href')?.slice(1));
    expect(shown.toSorted()).toEqual(five.toSorted());
  });
});

test('nothing went wrong on the server', () => expect(site.log).toEqual([]));
