import { MINUTE_MS } from '#platform/time/units.ts';
import { endBroadcast } from '#product/broadcast/contract.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;

/** Performers whom somebody watched, latest first, as stored. */
const storedOf = async ({ id }: Member): Promise<number[]> => {
  const { rows } = await site.tx((tx) =>
    sql<{ performer_id: number }>`
    select performer_id from browse.views where viewer_id = ${id} order by last_at desc`
      .execute(tx.sql<object>())
  );
  return rows.map(({ performer_id: performerId }) => performerId);
};

/** Opens the page of a room until the visit is stored, and leaves it after a while. */
async function watches(viewer: Member, performer: Member, forMs: number): Promise<void> {
  const page = await openRoom(site, viewer, performer);
  await expect.poll(() => storedOf(viewer)).toContain(performer.id);
  await site.passes(forMs);
  page.leave();
  await expect.poll(async () => (await storedOf(viewer))[0]).toBe(performer.id);
}

const tilesOf = (page: Page): (string | null)[] =>
  page.all('link').filter((link) => link.hasAttribute('data-tile')).map((link) => link.getAttribute('href'));

test('the menu leads to the rooms one was in, the last first, each to its room [B-073]', async () => {
  const [one, two] = [await site.performer({ live: true }), await site.performer({ live: true })];
  const viewer = await site.viewer();
  await watches(viewer, one, 5 * MINUTE_MS);
  await watches(viewer, two, 0);
  const page = await openPage(site, viewer, '/');
  await page.press(`${viewer.person.displayName}’s account`);
  await page.press('Viewing history', { role: 'menuitem' });
  await page.until(() => expect(page.path).toBe('/view-history'));
  await page.until(() => expect(tilesOf(page)).toEqual([`/${two.username}`, `/${one.username}`]));
  await page.sees(/5 min in the room/u);
  await page.press(new RegExp(two.person.displayName, 'u'), { role: 'link' });
  await page.until(() => expect(page.path).toBe(`/${two.username}`));
});

test('a room that is offline says when it was live last; the list is cleared for good [B-073]', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  await watches(viewer, performer, 0);
  await performer.call(endBroadcast, {});
  await site.passes(0);
  const page = await openPage(site, viewer, '/view-history');
  await page.until(() => expect(tilesOf(page)).toEqual([`/${performer.username}`]));
  await page.sees(/^Visited /u);
  await page.sees(/^Last live /u);
  expect(await page.problems()).toEqual([]);
  await page.press('Clear history');
  const dialog = await page.find('alertdialog', 'Clear your viewing history?');
  await page.press('Cancel', { in: dialog });
  expect(await storedOf(viewer)).toEqual([performer.id]);
  await page.press('Clear history');
  await page.press('Clear', { in: await page.find('alertdialog', 'Clear your viewing history?') });
  await page.sees('Rooms you visit will be here.');
  await page.gone('button', 'Clear history');
  expect(await storedOf(viewer)).toEqual([]);
});

test('a history that is off stays as it is, whatever one visits, until it is on [B-073]', async () => {
  const [one, two] = [await site.performer({ live: true }), await site.performer({ live: true })];
  const viewer = await site.viewer();
  const page = await openPage(site, viewer, '/view-history');
  await page.sees('Rooms you visit will be here.');
  await page.click(await page.field('Add rooms I visit'));
  await page.sees(/^Your viewing history is off\./u);
  const room = await openRoom(site, viewer, one);
  await room.sees('1 person in the room');
  room.leave();
  const again = await openPage(site, viewer, '/view-history');
  const field = await again.field('Add rooms I visit');
  expect(field).toHaveProperty('checked', false);
  expect(tilesOf(again)).toEqual([]);
  await again.click(field);
  await again.sees('Rooms you visit will be here.');
  await watches(viewer, two, 0);
  expect(await storedOf(viewer)).toEqual([two.id]);
});

test('a guest is asked to log in, and comes back to the page', async () => {
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/view-history');
  await page.sees('Log in to see the rooms you’ve been in.');
  expect(page.network.sent.filter((sent) => sent.includes('/browse/history'))).toEqual([]);
  const link = await page.find('link', 'Log in', { in: await page.find('main') });
  expect(link.getAttribute('href')).toBe('/login?next=%2Fview-history');
});
