import { MINUTE_MS } from '#platform/time/units.ts';
import { setDetails } from '#product/broadcast/contract.ts';
import { follow } from '#product/messaging/contract.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

let site: TestSite;
let [luna, mia]: Member[] = [];
let viewer: Member;
beforeAll(async () => {
  site = await createSite();
  const dancer = async (username: string, tags: string[]) => {
    const performer = await site.performer({ username, live: true });
    await performer.call(setDetails, { title: '', tags });
    return performer;
  };
  luna = await dancer('luna', ['dance', 'music']);
  mia = await dancer('mia', ['dance']);
  await site.settle();
});
beforeEach(async () => {
  viewer = await site.viewer();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;

/** What was learned about somebody, as stored: whole minutes in each performer's room. */
const minutesOf = async ({ id }: Member): Promise<readonly (readonly [string, number])[]> => {
  const { rows } = await site.tx((tx) =>
    sql<{ username: string; seconds: number }>`
    select p.username, l.seconds from browse.learned_performers l
    join accounts.people p on p.id = l.performer_id where l.viewer_id = ${id} order by p.username`
      .execute(tx.sql<object>())
  );
  return rows.map(({ username, seconds }) => [username, Math.floor(seconds / 60)]);
};
/** Opens the page of a room until the visit is stored, and leaves it after some minutes. */
async function watches(performer: Member | undefined, minutes: number): Promise<void> {
  if (!performer) throw new Error('the performers are live before each test');
  const page = await openRoom(site, viewer, performer);
  await expect.poll(async () =>
    (await site.tx((tx) =>
      sql`
    select * from browse.views where viewer_id = ${viewer.id} and performer_id = ${performer.id}`
        .execute(tx.sql<object>())
    )).rows
  ).toHaveLength(1);
  await site.passes(minutes * MINUTE_MS);
  page.leave();
  await expect.poll(() => minutesOf(viewer)).toContainEqual([performer.username, minutes]);
}
/** Opens what was learned as people do: by the menu, and the link on the history page. */
async function openLearned(): Promise<Page> {
  const page = await openPage(site, viewer, '/');
  await page.press(`${viewer.person.displayName}’s account`);
  await page.press('Viewing history', { role: 'menuitem' });
  await page.press('What For you has learned', { role: 'link' });
  await page.find('region', 'What For you has learned');
  return page;
}
const linesOf = (page: Page, list: string): (string | null)[] =>
  page.all('list', list).flatMap((element) => page.all('listitem', undefined, { in: element }))
    .map((item) => item.textContent);
const tileTexts = (page: Page): string[] =>
  page.all('listitem').filter((item) => item.querySelector('[data-tile]') !== null)
    .map((item) => item.textContent ?? '');

test('what was learned is shown with its time, and one by one removed', async () => {
  await watches(luna, 30);
  await watches(mia, 12);
  const page = await openLearned();
  await page.until(() =>
    expect(linesOf(page, 'Performers you watch most'))
      .toEqual(['luna30 min', 'mia12 min'])
  );
  // A name is isolated from the number beside it.
  const [name] = page.all('link', 'luna', { in: await page.find('list', 'Performers you watch most') });
  expect(name?.querySelector('bdi[dir="auto"]')?.textContent).toBe('luna');
  expect(linesOf(page, 'Tags you watch most')).toEqual(['#dance42 min', '#music30 min']);
  expect(await page.problems()).toEqual([]);
  await page.press('Remove: luna');
  await page.sees('luna has been removed.');
  await page.until(() => expect(linesOf(page, 'Performers you watch most')).toEqual(['mia12 min']));
  expect(await minutesOf(viewer)).toEqual([['mia', 12]]);
  await page.until(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Remove: mia'));
  await page.press('Remove: #dance');
  await page.until(() => expect(linesOf(page, 'Tags you watch most')).toEqual(['#music30 min']));
});

test('it is cleared for good, after a question, and starts over', async () => {
  await watches(luna, 5);
  const page = await openLearned();
  await page.press('Clear all');
  await page.press('Cancel', { in: await page.find('alertdialog', 'Clear what For you has learned?') });
  expect(await minutesOf(viewer)).toEqual([['luna', 5]]);
  await page.press('Clear all');
  await page.press('Clear', { in: await page.find('alertdialog', 'Clear what For you has learned?') });
  await page.sees('For you starts over.');
  await page.sees('Nothing yet. It starts once you’ve been in a room for a little while.');
  expect(await minutesOf(viewer)).toEqual([]);
  await watches(mia, 3);
  const again = await openLearned();
  await again.until(() => expect(linesOf(again, 'Performers you watch most')).toEqual(['mia3 min']));
});

test('learning is turned off, stays so, and what was learned is not used until it is on again', async () => {
  await watches(luna, 30);
  const page = await openLearned();
  await page.click(await page.field('Learn from what I watch'));
  await page.sees(/^For you isn’t learning from what you watch/u);
  const room = await openRoom(site, viewer, mia as Member);
  await room.sees(/in the room$/u);
  await site.passes(20 * MINUTE_MS);
  room.leave();
  await site.settle();
  const listing = await openPage(site, viewer, '/for-you');
  await listing.until(() => expect(tileTexts(listing)).toHaveLength(2));
  expect(tileTexts(listing).filter((text) => /often watch/u.test(text))).toEqual([]);
  const again = await openLearned();
  const field = await again.field('Learn from what I watch');
  expect(field).toHaveProperty('checked', false);
  expect(linesOf(again, 'Performers you watch most')).toEqual(['luna30 min']);
  await again.click(field);
  await again.until(() => expect(field).toHaveProperty('checked', true));
  await again.goto('/for-you');
  await again.until(() => expect(tileTexts(again).some((text) => /often watch/u.test(text))).toBe(true));
});

test('tiles of for-you say why they are there: whom one follows and watches, and tags [B-038]', async () => {
  await watches(luna, 30);
  const page = await openPage(site, viewer, '/for-you');
  await page.until(() =>
    expect(tileTexts(page)).toEqual([
      expect.stringContaining('You often watch this performer'),
      expect.stringContaining('You often watch #dance'),
    ])
  );
  await viewer.call(follow, { username: 'mia' });
  await site.settle();
  await page.goto('/');
  const row = await page.find('region', 'For you');
  expect(page.all('listitem', undefined, { in: row }).map((item) => item.textContent)).toEqual([
    expect.stringMatching(/mia.*You follow this performer/u),
    expect.stringMatching(/luna.*You often watch/u),
  ]);
  await page.press('Change what For you learns and shows', { role: 'link', in: row });
  await page.until(() => expect(page.path).toBe('/view-history'));
});

test('for-you is turned off: its page says so and leads back, and home has no row of it', async () => {
  await viewer.call(follow, { username: 'luna' });
  await site.settle();
  const page = await openLearned();
  await page.click(await page.field('Show me For you'));
  await page.sees(/^For you is off: there’s no row/u);
  await page.goto('/');
  await page.find('region', 'Featured show');
  expect(page.all('region', 'For you')).toEqual([]);
  await page.goto('/for-you');
  await page.sees('You’ve turned For you off.');
  expect(tileTexts(page)).toEqual([]);
  expect(await page.problems()).toEqual([]);
  await page.press('Turn For you on');
  await page.until(() => expect(tileTexts(page)[0]).toContain('You follow this performer'));
  await page.goto('/');
  await page.find('region', 'For you');
});

test('what cannot be saved says so, changes nothing, and can be saved once one is online again', async () => {
  const page = await openLearned();
  const field = await page.field('Learn from what I watch');
  page.network.goesDown(true);
  await page.click(field);
  await page.until(() => expect(page.all('alert').some(({ textContent }) => textContent !== '')).toBe(true));
  expect(field).toHaveProperty('checked', true);
  page.network.goesDown(false);
  await page.click(field);
  await page.sees(/^For you isn’t learning from what you watch/u);
});
