import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RoomDataView } from '../product/rooms/contract.ts';
import { STREAM_STATUSES, type ChatStatus, type StreamStatus } from '../product/rooms/rules.ts';
import { setStandby } from '../product/broadcast/contract.ts';
import { requestOf } from '../platform/contract/client/client.ts';
import { DEFAULT_SCOPE } from '../product/site/rules.ts';
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

/** Width to height of what is shown. */
const ratioOf = (shown: Locator): Promise<number> => shown.evaluate((element) => {
  const { width, height } = element.getBoundingClientRect();
  return width / height;
});

const expectSound = async (page: Page): Promise<void> => expect(await lookProblems(page)).toEqual([]);

it('offline shows the offline picture in 4:3 and who is live instead [B-119] [B-207] [B-430]', async () => {
  const { page, context, complaints } = await demoSite.visit({ path: '/luna_vale' });
  await face(page, 'offline').getByText('Luna Vale is offline').waitFor();
  await expectSound(page);
  expect(await ratioOf(page.locator('[data-offline-picture]'))).toBeCloseTo(4 / 3, 2);
  expect(complaints).toEqual([]);
  await context.close();
});

it('standby says that she is near [B-213]', async () => {
  const { configure, viewOf } = demoSite.services.site;
  const { domain_name: domain } = await viewOf(DEFAULT_SCOPE);
  await demoSite.tx((tx) => configure(tx, { standby: { domains: [domain], studios: [] } }, null));
  const { page, context } = await demoSite.visit({ path: ROOM });
  await face(page, 'offline').waitFor();
  const stand = (on: boolean) => performer.page.evaluate(async ([path, body]) => {
    const { csrf } = await (await fetch('/api/v1/site_config')).json() as { csrf: string };
    const headers = { 'content-type': 'application/json', 'x-csrf-token': csrf };
    return (await fetch(path ?? '', { method: 'POST', headers, body })).status;
  }, Object.values(requestOf(setStandby, { on })));
  expect(await stand(true)).toBe(200);
  await face(page, 'standby').getByText('Demo Performer is on standby').waitFor();
  await expectSound(page);
  expect(await stand(false)).toBe(200);
  await face(page, 'offline').waitFor();
  await context.close();
});

it('the picture is 16:9 [B-214] [B-428]', async () => {
  await goLive(performer.page);
  const { page, context } = await demoSite.visit({ path: ROOM });
  await expectMoving(page);
  await page.setViewportSize({ width: 600, height: 1200 });
  expect(await ratioOf(page.getByRole('group', { name: 'Player' }))).toBeCloseTo(16 / 9, 2);
  await context.close();
});

it('a private show is for those in it [B-212]', async () => {
  const { page, context } = await demoSite.visit({ path: ROOM });
  await expectMoving(page);
  await demoSite.services.broadcast.move(DEFAULT_SCOPE, performerId, 'private');
  await face(page, 'private').getByText('Demo Performer is in a private show').waitFor();
  await expectSound(page);
  await demoSite.services.broadcast.move(DEFAULT_SCOPE, performerId, 'public');
  await expectMoving(page);
  await context.close();
});

it('a room that does not load says so, and offers live ones [B-204]', async () => {
  const { page, context } = await demoSite.visit({ path: '/nobody_here' });
  await face(page, 'user_error').getByRole('link', { name: /demo.performer/iu }).waitFor();
  await expectSound(page);
  await context.close();
});

/** What slices to come will say, put into the room's data on its way to the page. */
type Change = (room: RoomDataView) => RoomDataView;
const withChat = (status: ChatStatus): Change => (room) => ({ ...room, chat: { ...room.chat, status } });
const withStatus = (streamStatus: StreamStatus, change: Change): Change =>
  (room) => ({ ...change(room), streamStatus });
const COMING: Readonly<Partial<Record<StreamStatus, readonly [change: Change, text: string]>>> = {
  password_required: [
    (room) => ({ ...room, userSetting: { ...room.userSetting, hasCamPassword: true } }),
    'This room is password-protected',
  ],
  guest_overlay: [(room) => ({ ...room, isShowGuestOverlay: true }), 'Watch Demo Performer for free'],
  cc_required: [
    (room) => ({ ...room, ccVerification: { ...room.ccVerification, isRequired: true } }),
    'Verified members only',
  ],
  connected: [withChat('connected'), 'Demo Performer is connecting'],
  limited: [withChat('limited'), 'Demo Performer is in a ticket show'],
};

/** Opens the room from the listing, with its data changed on the way, and no socket to change it back. */
async function opensRoom(page: Page, change: Change): Promise<void> {
  await page.routeWebSocket(/\/ws\//u, () => undefined);
  await page.route(/\/chat\/react\//u, async (route) => {
    const response = await route.fetch();
    const room = change(await response.json() as RoomDataView);
    return route.fulfill({ response, json: room });
  });
  await page.getByRole('main').getByRole('link', { name: /Demo Performer/u }).click();
}

for (const [status, [change, text]] of Object.entries(COMING)) {
  it(`${status} has a face of its own, and asks for no stream`, async () => {
    const { page, context } = await demoSite.visit();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (/\/(?:whep|hls|video\/playback)\//u.test(request.url())) asked.push(request.url());
    });
    await opensRoom(page, withStatus(status as StreamStatus, change));
    await face(page, status).getByText(text).waitFor();
    await expectSound(page);
    expect(asked).toEqual([]);
    await context.close();
  });
}

it('age verification makes the panel 4:3 [B-429]', async () => {
  const { page, context } = await demoSite.visit();
  await opensRoom(page, (room) => ({ ...room, isAgeVerificationRequired: true }));
  const panel = page.getByRole('group', { name: 'Player' });
  await panel.waitFor();
  await page.setViewportSize({ width: 600, height: 1200 });
  expect(await ratioOf(panel)).toBeCloseTo(4 / 3, 2);
  await context.close();
});

it('a room that is loading shows its places, and one that fails to says so [B-204, B-205]', async () => {
  const { page, context } = await demoSite.visit();
  let answer = (): void => undefined;
  const answered = new Promise<void>((done) => {
    answer = done;
  });
  await page.route(/\/chat\/react\//u, async (route) => {
    await answered;
    await route.fulfill({ status: 503, json: { status: 503, message: 'The room is being tidied.' } });
  });
  await page.getByRole('main').getByRole('link', { name: /Demo Performer/u }).click();
  await face(page, 'user_loading').waitFor();
  await expectSound(page);
  answer();
  await face(page, 'user_error').getByText('The room is being tidied.').waitFor({ timeout: 30_000 });
  await context.close();
});

it('the journeys here have seen every status', () => {
  const seen = [
    'user_error', 'user_loading', 'offline', 'standby', 'private', 'online', ...Object.keys(COMING),
  ];
  expect(STREAM_STATUSES.filter((status) => !seen.includes(status))).toEqual([]);
});

it('tiles show live pictures, and one clip at a time on hover and focus', async () => {
  const { page, context, complaints } = await demoSite.visit({ moving: true });
  const tile = page.getByRole('main').getByRole('link', { name: /Demo Performer/u });
  // A live picture is made every 15 s, and the listing asks as often.
  await tile.locator('img[src^="/thumbnails/demo_performer"]').waitFor({ timeout: 60_000 });
  await tile.hover();
  const clip = page.locator('video[src="/previews/demo_performer"]');
  const width = () => clip.evaluate((video) => (video as HTMLVideoElement).videoWidth);
  await expect.poll(width, { timeout: 30_000 }).toBeGreaterThan(0);
  expect(await page.locator('video').count()).toBe(1);
  await page.getByRole('heading', { level: 1 }).hover();
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
    const { page, context } = await demoSite.visit({ moving });
    if (moving) await page.evaluate(() => localStorage.setItem('candela.player', '{"saver":true}'));
    const tile = page.getByRole('main').getByRole('link', { name: /Demo Performer/u });
    await tile.locator('img[src^="/thumbnails/demo_performer"]').waitFor({ timeout: 60_000 });
    await tile.hover();
    // Another tile would have begun by then.
    await page.waitForTimeout(1_000);
    expect(await page.locator('video').count()).toBe(0);
    await context.close();
  }
});
