import { SECOND_MS } from '#platform/time/units.ts';
import { setDetails } from '#product/broadcast/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { Sight } from '#product/testkit/pages/sight.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { crowdOf } from '#product/testkit/store/live-crowd.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** More than one page of a listing, and more than two loads of a scrolling one. */
const PEOPLE = 103;

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  const people = await crowdOf(site, PEOPLE);
  await site.tx(async (tx) => {
    for (const { id } of people) await site.services.broadcast.setDetails(tx, id, '', ['many', 'much']);
  });
  await site.settle();
  for (const tags of [['many', 'much'], ['many'], ['much']]) {
    const other = await site.performer();
    await other.call(setDetails, { title: '', tags });
  }
}, 120_000);
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;
const opens = async (path: string, width?: number): Promise<Page> =>
  openPage(site, await site.visitor({ ofAge: true }), path, width === undefined ? {} : { width });
const tilesOn = (page: Page): readonly string[] =>
  page.all('article').map((element) => element.querySelector('a')?.getAttribute('href') ?? '');
const has = (page: Page, count: number): Promise<void> =>
  page.until(() => expect(tilesOn(page)).toHaveLength(count));

/** Page through all of it: this many on the first page, and everybody once. */
async function pagesThrough(path: string, perPage: number, width?: number): Promise<void> {
  const page = await opens(path, width);
  await has(page, perPage);
  const seen = [...tilesOn(page)];
  for (let rest = PEOPLE - perPage; rest > 0; rest -= perPage) {
    await page.press('Next', { role: 'link' });
    await page.until(() => expect(page.path).toBe(`${path}?p=${Math.ceil(seen.length / perPage) + 1}`));
    await page.until(() => {
      expect(tilesOn(page)).toHaveLength(Math.min(rest, perPage));
      expect(seen).not.toContain(tilesOn(page)[0]);
    });
    seen.push(...tilesOn(page));
  }
  expect(new Set(seen).size).toBe(PEOPLE);
}

test('a desktop has 98 on a page of a listing [C-392]', () => pagesThrough('/girls', 98));
test('the top list has 20 on a page [C-393]', () => pagesThrough('/top', 20));
test('a small screen has 48 on a page [C-394]', () => pagesThrough('/girls', 48, 390));

/** What the page requested from the tag's listing. */
const loadsOf = (page: Page): readonly string[] =>
  page.network.sent.filter((sent) => sent.includes('/browse/react/v2/'));

test('a tag begins with 40 and adds 60 each time, until all are there [C-395, C-396]', async () => {
  const page = await opens('/girls/tag/many');
  await has(page, 40);
  await page.sees('Showing 40 of 103');
  await page.press('Show more');
  await has(page, 100);
  await page.press('Show more');
  await has(page, 103);
  await page.sees('You’ve seen all 103.');
  const asked = loadsOf(page)
    .map((sent) => new URL(sent.split(' ')[1] ?? '', 'http://localhost').searchParams);
  expect(asked.map((query) => [query.get('perPage'), query.get('from')]))
    .toEqual([[null, null], ['60', '40'], ['60', '100']]);
  expect(new Set(tilesOn(page)).size).toBe(103);
  expect(page.all('button', 'Show more')).toEqual([]);
  const before = tilesOn(page);
  // Into a room and back: everything loaded before is there at once, without a request.
  const loads = loadsOf(page).length;
  await page.press(new RegExp(`^.*${before[90]?.slice(1)}.*$`, 'u'), { role: 'link' });
  await page.until(() => expect(page.path).toBe(before[90]));
  await page.back();
  await page.until(() => expect(tilesOn(page)).toEqual(before));
  await page.idle();
  expect(loadsOf(page)).toHaveLength(loads);
});

/** The page of a tag; the test scrolls near its end until everything is loaded. */
const scrollsThrough = (path: string, term: RegExp): Promise<void> =>
  Sight.during(async () => {
    const page = await opens(path);
    await has(page, 40);
    expect(loadsOf(page)).toHaveLength(1);
    for (const [loads, count] of [[1, 100], [2, 103]] as const) {
      await page.until(() => expect(Sight.open.size).toBe(1));
      // Nothing is requested before the end is near.
      await page.idle();
      expect(loadsOf(page)).toHaveLength(loads);
      // Near the end: 800 pixels before the content below the last tile.
      expect(Sight.lies()).toEqual({ margin: '0px 0px 800px 0px', after: page.all('article').at(-1) });
      Sight.scrolls();
      await has(page, count);
    }
    await page.sees('You’ve seen all 103.');
    expect([Sight.open.size, loadsOf(page).length]).toEqual([0, 3]);
    expect(new Set(tilesOn(page)).size).toBe(103);
    for (const sent of loadsOf(page)) expect(sent).toMatch(term);
  });

test('whoever scrolls near the end gets more, load by load, without a button [B-053, C-396]', async () => {
  await scrollsThrough('/girls/tag/many', /many/u);
  await scrollsThrough('/girls/tag/many/much', /many.*much/u);
  const page = await opens('/girls/tag/many/many-more');
  await page.sees('No one is live here right now.');
});

test('a further load that is refused shows the text of the server [C-361]', async () => {
  const page = await opens('/girls/tag/many');
  await has(page, 40);
  let message = '';
  // A browser may make only so many calls per minute.
  for (let calls = 0; calls < 2_000 && message === ''; calls += 1) {
    const answer = await page.visitor.request({ url: '/api/v1/browse/react/v2/girls/tag/many' });
    if (answer.statusCode === 429) ({ message } = answer.json<{ message: string }>());
  }
  expect(message).not.toBe('');
  await page.press('Show more');
  await page.sees(message, { in: await page.find('main') });
  expect(page.shows('Error during loading search results')).toBe(false);
  expect(tilesOn(page)).toHaveLength(40);
});

test('a failed load is shown in the specification’s words, and the button tries again [C-362]', async () => {
  const page = await opens('/girls/tag/many');
  await has(page, 40);
  await page.idle();
  page.network.goesDown(true);
  await page.press('Show more');
  const main = await page.find('main');
  await page.sees('Error during loading search results', { in: main });
  expect(tilesOn(page)).toHaveLength(40);
  // The browser believes it is online again, and the listing's refresh fails.
  const asked = loadsOf(page).length;
  window.dispatchEvent(new Event('online'));
  await page.until(() => expect(loadsOf(page).length).toBeGreaterThan(asked));
  await page.idle();
  await page.sees('Error during loading search results', { in: main });
  page.network.goesDown(false);
  await page.press('Show more');
  await has(page, 100);
  await page.until(() => expect(page.shows('Error during loading search results', { in: main })).toBe(false));
});

describe('beside a crowd of each other gender', () => {
  beforeAll(async () => {
    for (const gender of ['c', 'm', 't'] as const) {
      const people = await crowdOf(site, 41, { gender, prefix: `${gender}_crowd` });
      await site.tx(async (tx) => {
        for (const { id } of people) await site.services.broadcast.setDetails(tx, id, '', ['many']);
      });
    }
    await site.settle();
    await site.passes(SECOND_MS);
  }, 120_000);

  test.each(['couples', 'men', 'trans'])(
    'tags scroll in each section: %s [B-053]',
    (section) =>
      Sight.during(async () => {
        const page = await opens(`/${section}/tag/many`);
        await has(page, 40);
        expect(page.all('link', 'Next')).toEqual([]);
        await page.until(() => expect(Sight.open.size).toBe(1));
        Sight.scrolls();
        await has(page, 41);
        await page.sees('You’ve seen all 41.');
      }),
  );
});
