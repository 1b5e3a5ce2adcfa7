import { servesDocuments } from '#product/testkit/pages/documents.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { changePushProvider, getPushProvider } from './contract/push-provider.ts';
import { PROVIDER_SCOPE, PROVIDER_WORKER } from './rules/push-provider.ts';

const SCRIPT = 'https://cdn.push.example/sdk.page.js';
const SETTINGS = {
  script: SCRIPT,
  worker: 'https://cdn.push.example/sdk.sw.js',
  origins: ['https://api.push.example'],
  api_url: 'https://api.push.example/notifications',
  app_id: 'app-of-the-test',
  api_key: 'key-of-the-test',
};
const PLAYER = '5f1c1f1e-0a54-4a0b-9d6f-3b1f6f4f9a10';

let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  await servesDocuments(site);
  admin = await site.admin();
});
afterAll(() => site.close());
beforeEach(() => admin.call(changePushProvider, { ...SETTINGS, reason: 'as the test needs it' }));

type Page = Awaited<ReturnType<typeof openPage>>;
const scripts = () => [...document.querySelectorAll('script')].filter(({ src }) => src === SCRIPT);
const sent = (page: Page) => page.network.sent.filter((text) => text.includes('/notifications/push/'));

/** Simulates the provider's SDK in the page: records its calls, and makes it ready on demand. */
function hasProvider() {
  const asked: string[] = [];
  const listeners = new Set<() => void>();
  const pushManager = { getSubscription: async () => null };
  let worker: { scope: string; pushManager: typeof pushManager } | undefined;
  const workers = {
    register: async (path: string, { scope }: { scope: string }) => {
      asked.push(`${path} ${scope}`);
      return worker = { scope: `https://cam.example${scope}`, pushManager };
    },
    // Another worker of the site is always registered.
    getRegistration: async () => worker ?? { scope: 'https://cam.example/push/', pushManager },
  };
  Object.defineProperty(window.navigator, 'serviceWorker', { configurable: true, value: workers });
  const notification = { requestPermission: async () => 'granted', permission: 'granted' };
  const world = window as unknown as Record<string, unknown>;
  Object.assign(world, { PushManager: Object, Notification: notification });
  vi.stubGlobal('Notification', notification);
  onTestFinished(() => {
    vi.unstubAllGlobals();
    Reflect.deleteProperty(window.navigator, 'serviceWorker');
    for (const name of ['PushManager', 'Notification', 'OneSignalDeferred', 'startedPushSdk']) {
      Reflect.deleteProperty(world, name);
    }
    for (const script of scripts()) script.remove();
  });
  let begun = { serviceWorkerPath: '', serviceWorkerParam: { scope: '' } };
  const subscription = {
    id: undefined as string | undefined,
    optIn: async () => {
      asked.push('optIn');
      await workers.register(`/${begun.serviceWorkerPath}`, begun.serviceWorkerParam);
    },
    optOut: async () => void asked.push('optOut'),
    addEventListener: (_event: string, listener: () => void) => listeners.add(listener),
    removeEventListener: (_event: string, listener: () => void) => listeners.delete(listener),
  };
  const sdk = {
    init: async (options: typeof begun & { appId: string }) => {
      asked.push(`init ${options.appId}`);
      begun = options;
    },
    User: { PushSubscription: subscription },
  };
  return {
    asked,
    waiting: () => (world['OneSignalDeferred'] ?? []) as ((ready: typeof sdk) => void)[],
    becomesReady: () => {
      const waiting = world['OneSignalDeferred'] as ((ready: typeof sdk) => void)[];
      world['OneSignalDeferred'] = { push: (run: (ready: typeof sdk) => void) => run(sdk) };
      for (const run of waiting) run(sdk);
    },
    givesId: (id: string) => {
      subscription.id = id;
      for (const listener of listeners) listener();
    },
  };
}

const turnsOn = async (page: Page): Promise<void> => {
  const button = await page.find('button', 'Turn on push on this device');
  await page.until(() => expect(button.hasAttribute('disabled')).toBe(false));
  await page.click(button);
};

describe('push by a provider', () => {
  test(
    'loads when it is turned on, and what was called before its SDK is ready waits [C-356, C-357]',
    async () => {
      const provider = hasProvider();
      const page = await openPage(site, await site.viewer(), '/notifications/settings');
      await page.sees(/^Push messages are delivered by cdn\.push\.example, which can read them/u);
      await page.idle();
      expect([scripts(), provider.asked]).toEqual([[], []]);
      expect(await page.problems()).toEqual([]);
      await turnsOn(page);
      await page.until(() => expect(provider.waiting()).toHaveLength(1));
      await page.idle();
      expect([scripts().length, provider.asked, sent(page)]).toEqual([1, [], []]);
      expect(page.shows('This device gets push messages.')).toBe(false);
      provider.becomesReady();
      await page.until(() =>
        expect(provider.asked).toEqual([
          `init ${SETTINGS.app_id}`,
          'optIn',
          `${PROVIDER_WORKER} ${PROVIDER_SCOPE}`,
        ])
      );
      await page.idle();
      expect(sent(page)).toEqual([]);
      provider.givesId(PLAYER);
      await page.sees('This device gets push messages.');
      expect(sent(page)).toEqual([expect.stringContaining(PLAYER)]);
      expect(await page.problems()).toEqual([]);
      // The running SDK turns push off.
      await page.press('Turn off push on this device');
      await page.find('button', 'Turn on push on this device');
      expect([provider.asked.at(-1), scripts().length]).toEqual(['optOut', 1]);
      expect(sent(page).at(-1)).toMatch(/push\/end.*5f1c1f1e/u);
    },
  );

  test('that does not get ready says so and can be tried again; it is turned off without it', async () => {
    const provider = hasProvider();
    const viewer = await site.viewer();
    const page = await openPage(site, viewer, '/notifications/settings', { mayPrint: /./u });
    await turnsOn(page);
    await page.until(() => expect(provider.waiting()).toHaveLength(1));
    await site.passes(15_000);
    await page.sees(/^cdn\.push\.example couldn’t be loaded\. A content blocker may have stopped it/u);
    expect(sent(page)).toEqual([]);
    await turnsOn(page);
    await page.until(() => expect(provider.waiting()).toHaveLength(2));
    provider.becomesReady();
    provider.givesId(PLAYER);
    await page.sees('This device gets push messages.');
    page.leave();
    for (const name of ['OneSignalDeferred', 'startedPushSdk']) Reflect.deleteProperty(window, name);
    // A new document knows that the browser is registered without loading anything from the provider.
    for (const script of scripts()) script.remove();
    const again = await openPage(site, viewer, '/notifications/settings', { mayPrint: /./u });
    await again.sees('This device gets push messages.');
    expect(scripts()).toEqual([]);
    await again.press('Turn off push on this device');
    await again.until(() => expect(provider.waiting()).toHaveLength(1));
    await site.passes(15_000);
    await again.find('button', 'Turn on push on this device');
    expect(sent(again)).toEqual([expect.stringMatching(/push\/end.*5f1c1f1e/u)]);
  });

  test('asks for permission before it loads anything, and starts once in a page', async () => {
    const provider = hasProvider();
    const asks = vi.spyOn(Notification, 'requestPermission').mockResolvedValueOnce('denied');
    const viewer = await site.viewer();
    const page = await openPage(site, viewer, '/notifications/settings', { mayPrint: /./u });
    await turnsOn(page);
    await page.until(() => expect(asks).toHaveBeenCalledTimes(1));
    await page.idle();
    expect([scripts(), provider.asked]).toEqual([[], []]);
    await turnsOn(page);
    await page.until(() => expect(provider.waiting()).toHaveLength(1));
    provider.becomesReady();
    provider.givesId(PLAYER);
    await page.sees('This device gets push messages.');
    page.leave();
    // The page opens again in the same document.
    const again = await openPage(site, viewer, '/notifications/settings', { mayPrint: /./u });
    await again.sees('This device gets push messages.');
    await again.press('Turn off push on this device');
    await again.find('button', 'Turn on push on this device');
    expect(provider.asked.filter((text) => text.startsWith('init'))).toHaveLength(1);
    // That loaded nothing.
    expect(scripts()).toEqual([]);
  });

  test('is allowed on the page that turns it on, and on no other', async () => {
    const viewer = await site.viewer();
    const policyAt = async (url: string): Promise<string> =>
      String(
        (await viewer.request({ url, headers: { accept: 'text/html' } })).headers['content-security-policy'],
      );
    const policy = await policyAt('/notifications/settings');
    for (const directive of ['script-src', 'connect-src']) {
      const [sources] = new RegExp(`${directive} [^;]*`, 'u').exec(policy) ?? [''];
      expect(sources).toContain(' https://cdn.push.example https://api.push.example');
    }
    for (const url of ['/', '/notifications', '/account/settings', '/legal']) {
      expect(await policyAt(url), url).not.toContain('push.example');
    }
  });
});

describe('the provider of push messages', () => {
  const opens = async () => {
    const page = await openPage(site, admin, '/admin');
    await page.press('Sites', { role: 'link', in: await page.find('navigation', 'Back office') });
    return [page, await page.find('region', 'Push provider')] as const;
  };

  test(
    'is chosen in the back office with a reason, its key is shown to nobody, and left again [A-396]',
    async () => {
      const [page, form] = await opens();
      await page.sees(/^A provider sends push messages\./u, { in: form });
      expect(await page.field('API key', { in: form })).toHaveProperty('value', '');
      expect(document.body.innerHTML).not.toContain(SETTINGS.api_key);
      expect(await page.problems()).toEqual([]);
      await page.press('Send push ourselves', { in: form });
      const dialog = await page.find('dialog', 'Send push messages without a provider?');
      await page.fill('Reason', 'we send them ourselves', { in: dialog });
      await page.press('Send push ourselves', { in: dialog });
      const empty = await page.find('region', 'Push provider');
      await page.sees(/^This site sends push messages itself\./u, { in: empty });
      expect(await admin.call(getPushProvider, {})).toEqual({ provider: null });
      const { script, worker, origins: [origin], api_url: api, app_id: app, api_key: key } = SETTINGS;
      await page.fill('Script of the page SDK', 'http://cdn.push.example/sdk.js', { in: empty });
      await page.fill('Script of the worker SDK', worker, { in: empty });
      await page.fill('Other origins of these scripts', `${origin}/path`, { in: empty });
      await page.fill('API address for notifications', 'https://10.0.0.1/notifications', { in: empty });
      await page.fill('App ID', app, { in: empty });
      await page.fill('Reason', 'a provider reaches more browsers', { in: empty });
      await page.press('Save push provider', { in: empty });
      await page.sees('Enter an https address, such as https://cdn.push.example/sdk.js.', { in: empty });
      await page.sees(/^Enter origins without a path/u, { in: empty });
      await page.fill('Script of the page SDK', script, { in: empty });
      await page.fill('Other origins of these scripts', `${origin}`, { in: empty });
      await page.press('Save push provider', { in: empty });
      await page.sees(/^Enter the https address of the provider’s API/u, { in: empty });
      await page.idle();
      await page.fill('API address for notifications', api, { in: empty });
      await page.press('Save push provider', { in: empty });
      await page.sees('Enter the API key: it’s needed for a new address or app.', { in: empty });
      await page.idle();
      await page.fill('API key', key, { in: empty });
      await page.press('Save push provider', { in: empty });
      await page.sees('Saved');
      const { api_key: _key, ...shown } = SETTINGS;
      // The toast may be that of the change before.
      await expect.poll(() => admin.call(getPushProvider, {})).toEqual({ provider: shown });
    },
  );
});
