import type { RoomDataView } from '#product/rooms/contract.ts';
import { DEFAULT_SCOPE } from '#product/site/rules.ts';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lookProblems } from './axe.ts';
import { openDemoSite, type DemoSite } from './demo-site.ts';
import { expectMoving, goLive, type Visit } from './stage.ts';

const ROOM = '/demo_performer';

let demoSite: DemoSite;
let performer: Visit;
let performerId: number;
beforeAll(async () => {
  demoSite = await openDemoSite();
  performerId = await demoSite.idOf('demo_performer');
  performer = await demoSite.visit({ as: 'demo_performer' });
});
afterAll(() => demoSite.close());

const face = (page: Page, status: string) => page.locator(`[data-stream-status=${status}]`);

/** Ratio of width to height of an element. */
const ratioOf = (shown: Locator): Promise<number> =>
  shown.evaluate((element) => {
    const { width, height } = element.getBoundingClientRect();
    return width / height;
  });

const expectSound = async (page: Page): Promise<void> => expect(await lookProblems(page)).toEqual([]);

it('offline shows the offline picture in 4:3 and who is live instead [B-430]', async () => {
  const { page, context, complaints } = await demoSite.visit({ path: '/luna_vale' });
  await face(page, 'offline').getByText('Luna Vale is offline').waitFor();
  await expectSound(page);
  expect(await ratioOf(page.locator('[data-offline-picture]'))).toBeCloseTo(4 / 3, 2);
  expect(complaints).toEqual([]);
  await context.close();
});

it('the picture is 16:9 (1.7778) [B-214] [B-428]', async () => {
  await goLive(performer.page);
  const { page, context } = await demoSite.visit({ path: ROOM });
  await expectMoving(page);
  await page.setViewportSize({ width: 600, height: 1200 });
  expect(await ratioOf(page.getByRole('group', { name: 'Player' }))).toBeCloseTo(16 / 9, 2);
  await context.close();
});

it('a private show is for those in it', async () => {
  const { page, context } = await demoSite.visit({ path: ROOM });
  await expectMoving(page);
  await demoSite.services.broadcast.move(DEFAULT_SCOPE, performerId, 'private');
  await face(page, 'private').getByText('Demo Performer is in a private show').waitFor();
  await expectSound(page);
  await demoSite.services.broadcast.move(DEFAULT_SCOPE, performerId, 'public');
  await expectMoving(page);
  await context.close();
});

type Change = (room: RoomDataView) => RoomDataView;

/** Opens the room from the listing with changed data, and without a socket that would change it back. */
async function opensRoom(page: Page, change: Change): Promise<void> {
  await page.routeWebSocket(/\/ws\//u, () => undefined);
  await page.route(/\/chat\/react\//u, async (route) => {
    const response = await route.fetch();
    const room = change(await response.json() as RoomDataView);
    return route.fulfill({ response, json: room });
  });
  await page.getByRole('main').getByRole('link', { name: /Demo Performer/u }).click();
}

it('age verification makes the panel 4:3', async () => {
  const { page, context } = await demoSite.visit({ path: '/girls' });
  await opensRoom(page, (room) => ({ ...room, isAgeVerificationRequired: true }));
  const panel = page.getByRole('group', { name: 'Player' });
  await panel.waitFor();
  await page.setViewportSize({ width: 600, height: 1200 });
  expect(await ratioOf(panel)).toBeCloseTo(4 / 3, 2);
  await context.close();
});

it('tiles show live pictures, and one clip at a time on hover and focus', async () => {
  const { page, context, complaints } = await demoSite.visit({ moving: true, path: '/girls' });
  const tile = page.getByRole('main').getByRole('link', { name: /Demo Performer/u });
  // A thumbnail is made every 15 s, and the listing asks as often.
  await tile.locator('img[src^="/thumbs/t/demo_performer"]').waitFor({ timeout: 60_000 });
  const clip = page.locator('video[src="/previews/demo_performer"]');
  const heading = page.getByRole('heading', { level: 1 });
  // The first clip may come after the first thumbnail; until then the tile shows its thumbnail.
  const width = async () => {
    await heading.hover();
    await tile.hover();
    return clip.evaluate(
      (video) =>
        new Promise<number>((resolve) => {
          video.addEventListener('loadeddata', () => resolve((video as HTMLVideoElement).videoWidth));
          video.addEventListener('error', () => resolve(0));
          if ((video as HTMLVideoElement).videoWidth > 0) resolve((video as HTMLVideoElement).videoWidth);
        }),
      undefined,
      { timeout: 5_000 },
    ).catch(() => 0);
  };
  await expect.poll(width, { timeout: 60_000 }).toBeGreaterThan(0);
  expect(await page.locator('video').count()).toBe(1);
  await heading.hover();
  await clip.waitFor({ state: 'detached' });
  await page.keyboard.press('Tab');
  await tile.focus();
  await clip.waitFor({ state: 'attached' });
  await tile.evaluate((link) => link.blur());
  await clip.waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
  await context.close();
});

it('tiles stay still for who asked for less motion, and for who saves data', async () => {
  for (const moving of [false, true]) {
    const { page, context } = await demoSite.visit({ moving, path: '/girls' });
    if (moving) await page.evaluate(() => localStorage.setItem('candela.player', '{"saver":true}'));
    const tile = page.getByRole('main').getByRole('link', { name: /Demo Performer/u });
    await tile.locator('img[src^="/thumbs/t/demo_performer"]').waitFor({ timeout: 60_000 });
    await tile.hover();
    // By then any other tile would have begun to play.
    await page.waitForTimeout(1_000);
    expect(await page.locator('video').count()).toBe(0);
    await context.close();
  }
});
