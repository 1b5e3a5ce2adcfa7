import { HOUR_MS } from '#platform/time/units.ts';
import { TestPushService } from '#product/testkit/outside/push-service.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { pageLoads } from '#product/testkit/pages/window/page-loads.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { endPush, reportPush } from './contract/push.ts';
import { PLAYER_ID } from './web/push/wrapper.ts';

let site: TestSite;
const service = new TestPushService();
beforeAll(async () => {
  await service.start();
  site = await createSite({ settings: { pushAllowsLoopback: true } });
});
afterAll(async () => {
  await site.close();
  await service.close();
});

type Page = Awaited<ReturnType<typeof openPage>>;

/** Opens the settings of notices as people do. */
async function opensPreferences(): Promise<Page> {
  const page = await openPage(site, await site.viewer(), '/account/settings', { mayPrint: /./u });
  await page.press('All notification settings', { role: 'link' });
  await page.until(() => expect(page.path).toBe('/notifications/settings'));
  return page;
}
/** The rest of the page still works. */
async function works(page: Page): Promise<void> {
  expect(page.all('heading', 'Oops')).toEqual([]);
  await page.press('Discreet push and text messages', { role: 'checkbox' });
  await page.idle();
  expect(await page.problems()).toEqual([]);
}

/** A browser with push, connected to the tests' push service. */
function hasPush(): void {
  let subscribed: { toJSON: () => object } | null = null;
  const { endpoint, p256dh, auth } = service.subscription('desktop');
  const pushManager = {
    getSubscription: async () => subscribed,
    subscribe: async () => {
      subscribed = { toJSON: () => ({ endpoint, keys: { p256dh, auth } }) };
      return subscribed;
    },
  };
  const registration = { pushManager, scope: 'https://cam.example/push/' };
  const workers = { register: async () => registration, getRegistration: async () => registration };
  Object.defineProperty(window.navigator, 'serviceWorker', { configurable: true, value: workers });
  const notification = { requestPermission: async () => 'granted', permission: 'granted' };
  const world = window as unknown as Record<string, unknown>;
  Object.assign(world, { PushManager: Object, Notification: notification });
  vi.stubGlobal('Notification', notification);
  onTestFinished(() => {
    vi.unstubAllGlobals();
    Reflect.deleteProperty(window.navigator, 'serviceWorker');
    for (const name of ['PushManager', 'Notification']) Reflect.deleteProperty(world, name);
  });
}

/** Reports that a page of the person sends after it opens. */
async function reportsOf(viewer: Member): Promise<readonly string[]> {
  const page = await openPage(site, viewer, '/legal');
  await page.until(() => expect(page.network.hasLobby).toBe(true));
  await page.idle();
  const { sent } = page.network;
  page.leave();
  return sent.filter((text) => text.startsWith('POST /api/v1/onesignal_subscribed'));
}

test(
  'a page whose push could not be loaded says so and tries again, and all else on it works [C-358]',
  async () => {
    hasPush();
    const mends = pageLoads().spoils(/\bsdk\.ts$/u, new TypeError('Failed to fetch'));
    onTestFinished(mends);
    const page = await opensPreferences();
    const unloaded = 'We couldn’t find out whether push is on. Check your connection and try again.';
    await page.sees(unloaded);
    await works(page);
    await page.press('Try again');
    await page.until(() => expect(page.all('button', 'Try again', { busy: false })).toHaveLength(1));
    expect([page.shows(unloaded), page.all('button', /push on this device$/u)]).toEqual([true, []]);
    mends();
    await page.press('Try again');
    await page.press('Turn on push on this device');
    await page.sees('This device gets push messages.');
    expect(page.shows(unloaded)).toBe(false);
  },
);

test('so does that of a browser without push, which is offered none', async () => {
  const page = await opensPreferences();
  await page.sees(/^This browser can’t receive push messages/u);
  expect(page.all('button', /push on this device$|^Try again$/u)).toEqual([]);
  await works(page);
});

test('a registered browser reports it when a page opens, at most once an hour [A-282, A-466]', async () => {
  hasPush();
  const viewer = await site.viewer();
  const page = await openPage(site, viewer, '/notifications/settings');
  const button = await page.find('button', 'Turn on push on this device');
  await page.until(() => expect(button.hasAttribute('disabled')).toBe(false));
  await page.click(button);
  await page.sees('This device gets push messages.');
  expect(await page.problems()).toEqual([]);
  const [first, ...more] = await reportsOf(viewer);
  expect([first, more]).toEqual([expect.stringMatching(/"player_id":"[^"]+"/u), []]);
  expect(await reportsOf(viewer)).toEqual([]);
  await site.passes(60 * 60_000 - 1);
  expect(await reportsOf(viewer)).toEqual([]);
  await site.passes(1);
  expect(await reportsOf(viewer)).toEqual([first]);
  expect(await reportsOf(viewer)).toEqual([]);
});

test('of two tabs that open together one reports [A-282]', async () => {
  hasPush();
  const viewer = await site.viewer();
  const first = await openPage(site, viewer, '/notifications/settings');
  await first.press('Turn on push on this device');
  await first.sees('This device gets push messages.');
  first.leave();
  await site.passes(HOUR_MS);
  const { serviceWorker } = window.navigator;
  let finds = (): void => undefined;
  const found = new Promise<void>((done) => {
    finds = done;
  });
  let hasAsked = false;
  const waits = async () => {
    hasAsked = true;
    await found;
    return serviceWorker.getRegistration();
  };
  Object.defineProperty(window.navigator, 'serviceWorker', {
    configurable: true,
    value: { ...serviceWorker, getRegistration: waits },
  });
  const page = await openPage(site, viewer, '/legal');
  await page.until(() => hasAsked);
  // Another tab reported meanwhile.
  localStorage.setItem('pushReportedAt', `${viewer.id} ${site.clock.now().getTime()}`);
  finds();
  await page.idle();
  expect(page.network.sent.filter((sent) => sent.includes('/onesignal_subscribed'))).toEqual([]);
});

test('the next person at a browser reports at once, and a former person\'s push ends', async () => {
  hasPush();
  const former = await site.viewer();
  const page = await openPage(site, former, '/notifications/settings');
  await page.press('Turn on push on this device');
  await page.sees('This device gets push messages.');
  page.leave();
  const playerId = localStorage.getItem(PLAYER_ID) ?? '';
  expect(await reportsOf(former)).toHaveLength(1);
  const next = await site.viewer();
  // The next person uses the same browser after the former session ran out.
  for (const [key, value] of former.storage.local) next.storage.local.set(key, value);
  expect(await reportsOf(next)).toEqual([expect.stringContaining(playerId)]);
  expect((await former.refused(reportPush, { player_id: playerId })).errorType).toBe('push_unknown');
});

test('a browser that is not registered reports nothing', async () => {
  hasPush();
  expect(await reportsOf(await site.viewer())).toEqual([]);
});

test('a report that did not arrive ends nothing, one of an ended registration does [A-368]', async () => {
  hasPush();
  const viewer = await site.viewer();
  const page = await openPage(site, viewer, '/notifications/settings', { mayPrint: /./u });
  await page.press('Turn on push on this device');
  await page.sees('This device gets push messages.');
  const playerId = localStorage.getItem(PLAYER_ID) ?? '';
  expect(playerId).not.toBe('');
  page.leave();
  await site.passes(HOUR_MS);
  // Uses up an hour's reports: the next is refused, which says nothing about the registration.
  for (let sent = 0; sent < 30; sent += 1) await viewer.call(reportPush, { player_id: playerId });
  expect(await reportsOf(viewer)).toEqual([expect.stringContaining(playerId)]);
  expect((await viewer.refused(reportPush, { player_id: playerId })).status).toBe(429);
  expect(localStorage.getItem(PLAYER_ID)).toBe(playerId);
  await site.passes(HOUR_MS);
  await viewer.call(endPush, { player_id: playerId });
  await reportsOf(viewer);
  expect(localStorage.getItem(PLAYER_ID)).toBeNull();
});
