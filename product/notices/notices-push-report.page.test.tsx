import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { openPage } from '../testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '../testkit/site.ts';
import { TestPushService } from '../testkit/outside/push-service.ts';

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

/** What a browser with push has, behind which stands the push service of tests. */
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
  const registration = { pushManager };
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

/** Reports that a page of the person sends once it is open. */
async function reportsOf(viewer: Member): Promise<readonly string[]> {
  const page = await openPage(site, viewer, '/legal');
  await page.until(() => expect(page.network.hasLobby).toBe(true));
  await page.idle();
  return page.network.sent.filter((sent) => sent.startsWith('POST /api/v1/onesignal_subscribed'));
}

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

test('a browser that is not registered reports nothing', async () => {
  hasPush();
  expect(await reportsOf(await site.viewer())).toEqual([]);
});
