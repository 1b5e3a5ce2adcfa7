import { listNotices, markNotice } from '#product/notices/contract.ts';
import { getManifest } from '#product/site/contract/manifest.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const WORKER = readFileSync(new URL('web/public/app-worker.js', import.meta.url), 'utf8');

/** A request as a worker gets it, and its response; null where it leaves the request to the browser. */
interface Asked {
  readonly url: string;
  readonly mode?: string;
  readonly method?: string;
}

/** A browser around the worker: its network, its storage, its events. */
class Browser {
  readonly stored = new Map<string, Response>();
  readonly fetched: string[] = [];
  isOnline = true;
  readonly #listeners = new Map<string, (event: object) => void>();

  constructor(lang: string) {
    const urlOf = (request: Asked | string): string => (typeof request === 'string' ? request : request.url);
    const store = {
      match: async (request: Asked) => this.stored.get(request.url)?.clone(),
      put: async (request: Asked, answer: Response) => void this.stored.set(request.url, answer),
      keys: async () => [...this.stored.keys()],
      delete: async (request: Asked | string) => this.stored.delete(urlOf(request)),
    };
    const self = {
      location: new URL(`https://cam.example/app-worker.js?lang=${lang}`),
      registration: {},
      addEventListener: (name: string, listener: (event: object) => void) =>
        void this.#listeners.set(name, listener),
    };
    runInNewContext(WORKER, {
      self,
      URL,
      Response,
      Object,
      caches: { open: async () => store, keys: async () => [], delete: async () => true },
      fetch: async (request: Asked) => {
        if (!this.isOnline) throw new TypeError('Failed to fetch');
        this.fetched.push(request.url);
        return new Response(`of ${request.url}`);
      },
    });
  }

  async asks(asked: Asked): Promise<Response | null> {
    let answer: Promise<Response> | null = null;
    const request = { mode: 'no-cors', method: 'GET', ...asked };
    this.#listeners.get('fetch')?.({
      request,
      respondWith: (given: Promise<Response>) => {
        answer = given;
      },
    });
    return answer;
  }
}

describe('the worker of an installed site', () => {
  const ASSET = 'https://cam.example/assets/a-12345678.js';

  test('stores files that never change, and no document, answer or file of another site', async () => {
    const browser = new Browser('en');
    expect(await (await browser.asks({ url: ASSET }))?.text()).toBe(`of ${ASSET}`);
    browser.isOnline = false;
    expect(await (await browser.asks({ url: ASSET }))?.text()).toBe(`of ${ASSET}`);
    browser.isOnline = true;
    expect(await (await browser.asks({ url: 'https://cam.example/', mode: 'navigate' }))?.text())
      .toBe('of https://cam.example/');
    for (const url of [
      'https://cam.example/api/v1/user/current',
      'https://cam.example/thumbs/t/ava',
      'https://other.example/assets/a.js',
    ]) expect(await browser.asks({ url })).toBeNull();
    expect(await browser.asks({ url: 'https://cam.example/api/v1/entry', method: 'POST' })).toBeNull();
    expect([...browser.stored.keys()]).toEqual([ASSET]);
    expect(browser.fetched).toEqual([ASSET, 'https://cam.example/']);
  });

  test('shows a page in the language of its reader while there is no network', async () => {
    for (const [lang, title] of [
      ['en', 'You’re offline'],
      ['de', 'Du bist offline'],
      ['es', 'No tienes conexión'],
      ['fr', 'Vous êtes hors ligne'],
      ['it', 'Sei offline'],
      ['nl', 'Je bent offline'],
      ['xx', 'You’re offline'],
      ['__proto__', 'You’re offline'],
    ] as const) {
      const browser = new Browser(lang);
      browser.isOnline = false;
      const answer = await browser.asks({ url: 'https://cam.example/account/tokens', mode: 'navigate' });
      expect(answer?.status).toBe(503);
      expect(await answer?.text()).toContain(`<h1>${title}</h1>`);
      expect(browser.stored.size).toBe(0);
    }
  });

  test('stores the files of a few versions', async () => {
    const browser = new Browser('en');
    for (let nth = 0; nth < 305; nth += 1) {
      await (await browser.asks({ url: `https://cam.example/assets/${nth}.js` }))?.text();
    }
    expect(browser.stored.size).toBe(300);
    expect(browser.stored.has('https://cam.example/assets/0.js')).toBe(false);
  });
});

test('a site is installed by its own name, colours and icon', async () => {
  await site.services.site.addSite(site.scope.operatorId, {
    displayName: 'Lagoon',
    sitecode: 'lagoon',
    hosts: ['lagoon.example'],
    isWhitelabel: true,
    look: { favicon_url: '/lagoon.png' },
  });
  for (const [host, name, icon] of [
    ['localhost', 'Candela', { src: '/favicon.svg', type: 'image/svg+xml' }],
    ['lagoon.example', 'Lagoon', { src: '/lagoon.png', type: 'image/png' }],
  ] as const) {
    const { status, body } = await (await site.visitor({ host })).call(getManifest, {});
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      name,
      short_name: name,
      start_url: '/',
      display: 'standalone',
      theme_color: '#0E0B12',
      icons: [expect.objectContaining(icon)],
    });
  }
});

test('the menu of a person installs the site where the browser offers it, once', async () => {
  const page = await openPage(site, await site.viewer(), '/legal');
  const opensMenu = () => page.press(/’s account$/u);
  await opensMenu();
  await page.find('menuitem', 'Settings');
  expect(page.all('menuitem', 'Install as an app')).toEqual([]);
  await page.keys('{Escape}');
  let prompts = 0;
  const offer = Object.assign(new Event('beforeinstallprompt'), {
    prompt: async () => {
      prompts += 1;
    },
  });
  // The document's first script stores the offer like this.
  const holder = globalThis as { installOffer?: unknown };
  holder.installOffer = offer;
  onTestFinished(() => {
    holder.installOffer = null;
  });
  window.dispatchEvent(new Event('installoffer'));
  await opensMenu();
  await page.press('Install as an app', { role: 'menuitem' });
  expect(prompts).toBe(1);
  await opensMenu();
  await page.find('menuitem', 'Settings');
  expect(page.all('menuitem', 'Install as an app')).toEqual([]);
});

test('the icon of an installed site has the number of unread notifications', async () => {
  const shown: (number | null)[] = [];
  const viewer = await site.viewer();
  const page = await openPage(site, viewer, '/legal');
  Object.assign(navigator, {
    setAppBadge: async (count: number) => void shown.push(count),
    clearAppBadge: async () => void shown.push(null),
  });
  onTestFinished(() => {
    for (const name of ['setAppBadge', 'clearAppBadge']) Reflect.deleteProperty(navigator, name);
  });
  await page.until(() => expect(page.network.hasLobby).toBe(true));
  await page.idle();
  await site.tx((tx) =>
    site.services.notices.notify(tx, {
      // The names of kinds come from the texts, which the project of page tests does not read.
      personId: viewer.id,
      kind: 'browse:notices.searchMatched' as never,
      values: { name: 'Ava', search: 'Jazz' },
      link: '/tags',
    })
  );
  await page.until(() => expect(shown.at(-1)).toBe(1));
  const { notices: [notice] } = await viewer.call(listNotices, {});
  await viewer.call(markNotice, { id: notice?.id ?? 0, read: true });
  await page.until(() => expect(shown.at(-1)).toBeNull());
});

test('the shell says that there is no network until it is back', async () => {
  const page = await openPage(site, await site.viewer(), '/account/settings', { mayPrint: /./u });
  await page.find('heading', 'Settings');
  let isOnline = false;
  // A browser sets this along with its events; the DOM of the tests does not.
  Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => isOnline });
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'onLine'));
  page.network.goesDown(true);
  await page.sees('You’re offline. This page may be out of date.');
  isOnline = true;
  page.network.goesDown(false);
  await page.until(() => expect(page.shows(/^You’re offline/u)).toBe(false));
  expect(await page.problems()).toEqual([]);
});
