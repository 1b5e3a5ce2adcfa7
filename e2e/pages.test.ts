import { bundleSizes, overBudget } from '#tools/pages/bundle-sizes.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findings, lookProblems } from './axe.ts';
import { ALL_LIVE, openStage, type Stage, type Visit, type VisitOptions } from './stage.ts';

let stage: Stage;
/** One browser profile per person, which loads the site's scripts once. */
const visits = new Map<string | undefined, Visit>();
beforeAll(async () => {
  stage = await openStage({ live: ALL_LIVE });
  for (const as of [undefined, 'demo_viewer', 'demo_performer', 'demo_admin']) {
    visits.set(as, await stage.visit(as === undefined ? {} : { as }));
  }
});
afterAll(() => stage.close());

const SCREENS = [
  { name: 'home', path: '/', as: undefined },
  { name: 'girls', path: '/girls', as: undefined },
  { name: 'a room', path: '/luna_vale', as: undefined },
  { name: 'a fan club', path: '/luna_vale/fanclub', as: undefined },
  { name: 'the feed', path: '/girls/feed', as: undefined },
  { name: 'no room', path: '/nobody_here', as: undefined, complains: true },
  { name: 'log in', path: '/login', as: undefined },
  { name: 'register', path: '/register', as: undefined },
  { name: 'performer sign-up', path: '/models/signup', as: undefined },
  { name: 'not found', path: '/no/such/page', as: undefined, complains: true },
  { name: 'age verification', path: '/verify-age', as: undefined },
  { name: 'own settings', path: '/account/settings', as: 'demo_viewer' },
  { name: 'token history and limits', path: '/account/tokens/history', as: 'demo_viewer' },
  { name: 'statement', path: '/account/tokens/statement/2026-01', as: 'demo_viewer' },
  { name: 'own tokens', path: '/account/tokens', as: 'demo_viewer' },
  { name: 'a new card', path: '/account/card', as: 'demo_viewer' },
  { name: 'card check', path: '/account/verify?type=rocketgate', as: 'demo_viewer' },
  { name: 'join offer', path: '/join', as: undefined, complains: true },
  { name: 'notices', path: '/notifications', as: 'demo_viewer' },
  { name: 'what one is notified of', path: '/notifications/settings', as: 'demo_viewer' },
  { name: 'payments page', path: '/admin/payments', as: 'demo_admin' },
  { name: 'products page', path: '/admin/products', as: 'demo_admin' },
  { name: 'reports', path: '/admin/reports', as: 'demo_admin' },
  { name: 'blocked words', path: '/admin/blocked-words', as: 'demo_admin' },
  { name: 'go live', path: '/go-live', as: 'demo_performer' },
  { name: 'own fan club', path: '/account/fanclub', as: 'demo_performer' },
  { name: 'recordings', path: '/account/recordings', as: 'demo_performer' },
  { name: 'streamer settings', path: '/account/streaming', as: 'demo_performer' },
  { name: 'clearances', path: '/admin/clearances', as: 'demo_admin' },
  { name: 'ledger', path: '/admin/ledger', as: 'demo_admin' },
  { name: 'outbox', path: '/admin/outbox', as: 'demo_admin' },
] as const;

const BACK_OFFICE = [
  'ledger',
  'payments',
  'products',
  'cases',
  'reports',
  'identity',
  'clearances',
  'age-checks',
  'agreements',
  'regions',
  'blocked-words',
  'people',
  'support',
  'site',
  'redirects',
  'outbox',
  'client-errors',
];

for (const screen of SCREENS) {
  it(`${screen.name}: nothing serious for axe, dark and light, on a phone, at 320 px and wide`, async () => {
    const { page, complaints } = visits.get(screen.as) as Visit;
    const before = complaints.length;
    await page.goto(screen.path);
    await page.getByRole('main').waitFor();
    expect(await lookProblems(page)).toEqual([]);
    if (!('complains' in screen)) expect(complaints.slice(before)).toEqual([]);
  });
}

it('keeps the JavaScript of every route within its budget', () => {
  const sizes = bundleSizes();
  expect(sizes.routes.length).toBeGreaterThan(0);
  expect(overBudget(sizes)).toEqual([]);
});

it('shows no performer before the entry gate, and the page asked for after it [A-306]', async () => {
  const gated = await stage.visit({ gated: true, path: '/luna_vale' });
  // The head has the performer's name, for link previews on other sites; the page shows no name or image.
  expect(await gated.page.locator('body').innerText()).not.toContain('Luna Vale');
  expect(await gated.page.content()).not.toMatch(/portraits\/|thumbs\/|thumbnails\//u);
  expect(await gated.page.locator('main img, main video').count()).toBe(0);
  expect(await findings(gated.page)).toEqual([]);
  await gated.page.getByRole('button', { name: 'I am 18 or older' }).click();
  await gated.page.getByText('Luna Vale').first().waitFor();
  await gated.context.close();
});

it('no German heading runs out of its place, and none widens a page of 320 px', async () => {
  for (const { path, as } of SCREENS) {
    if (as === 'demo_admin') continue;
    const { page } = visits.get(as) as Visit;
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(`${path}${path.includes('?') ? '&' : '?'}lang=de`);
    await page.getByRole('main').waitFor();
    // A heading is as wide as its container, however far its words overflow.
    const wide = await page.locator('h1, h2, h3').evaluateAll((headings) =>
      headings
        .filter((heading) =>
          !heading.closest('.overflow-x-auto')
          && (heading.getBoundingClientRect().right > innerWidth
            // A heading for screen readers alone is a pixel wide; the titles of rows end in an ellipsis.
            || (heading.clientWidth > 1 && getComputedStyle(heading).textOverflow !== 'ellipsis'
              && heading.scrollWidth > heading.clientWidth))
        )
        .map(({ textContent }) => textContent)
    );
    const documentWidth = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(documentWidth, path).toBeLessThanOrEqual(320);
    expect([path, wide]).toEqual([path, []]);
  }
});

it('speaks the language of the address', async () => {
  const { page, context } = await stage.visit();
  for (const [lang, text] of [['de', 'Jetzt live'], ['fr', 'En direct']] as const) {
    await page.goto(`/?lang=${lang}`);
    expect(await page.locator('html').getAttribute('lang')).toBe(lang);
    await page.getByRole('heading', { level: 1 }).filter({ hasText: new RegExp(text, 'iu') }).waitFor();
  }
  await context.close();
});

it('on a phone a row holds every page of the back office, as high as a finger', async () => {
  const { page, context } = await stage.visit({ as: 'demo_admin', phone: true, path: '/admin/outbox' });
  const navigation = page.getByRole('navigation', { name: 'Back office' });
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 640 });
    await page.reload();
    const last = navigation.getByRole('link', { name: 'Outbox' });
    await expect.poll(async () => {
      const box = await last.boundingBox();
      return box !== null && box.x >= 0 && box.x + box.width <= width && box.height >= 44;
    }).toBe(true);
    expect(await navigation.getByRole('listitem').count()).toBe(BACK_OFFICE.length);
    expect(await findings(page)).toEqual([]);
  }
  await context.close();
});

it('documents of the back office are refused by status, and what is not there is not found', async () => {
  const { page, context } = await stage.visit({ as: 'demo_performer' });
  const statusOf = async (path: string): Promise<number> => (await page.request.get(path)).status();
  for (const name of BACK_OFFICE) {
    const path = `/admin/${name}`;
    expect([path, await statusOf(path)]).toEqual([path, 403]);
  }
  expect([await statusOf('/admin'), await statusOf('/no/such/page')]).toEqual([403, 404]);
  await context.close();
});

/** Built file of the tags page. */
const TAGS = /\/assets\/tags-page[^/]*\.js$/u;
const STYLES = /\/assets\/tokens[^/]*\.css$/u;
const WATCH = /\/assets\/page-watch[^/]*\.js$/u;
/** Parts are named as in the source, not as their built files. */
const TAGS_FAILED = 'Loading chunk ../../browse/web/tags-page failed';

/** Detail of the event that a page dispatches when something on it goes wrong. */
interface Raised {
  readonly kind: string;
  readonly error?: Error & { readonly type?: string };
}

interface Failing extends Visit {
  /** Messages and types of the failed parts, in order. */
  readonly failed: () => Promise<readonly (readonly [message: string, type: string])[]>;
  /** Messages of the errors that the page reported. */
  readonly reported: readonly string[];
  /** Requests for the file. */
  readonly asked: readonly string[];
}

/** Opens a page on which a file fails to load. */
async function visitWithout(
  file: RegExp,
  how: 'missing' | 'error' | 'time-out',
  { path = '/', ...options }: VisitOptions = {},
): Promise<Failing> {
  const visit = await stage.visit({ ...options, path: '/legal' });
  const { page } = visit;
  if (how === 'time-out') await page.clock.install();
  await page.addInitScript(() => {
    const failed: unknown[] = [];
    Object.assign(window, { failed });
    window.addEventListener('pagefault', (event) => {
      const { kind, error } = (event as CustomEvent<Raised>).detail;
      if (kind === 'part') failed.push([error?.message, error?.type]);
    });
  });
  await page.route(file, async (route) => {
    if (how === 'missing') await route.fulfill({ status: 404, body: '' });
    if (how === 'error') await route.abort();
  });
  const [reported, asked]: [string[], string[]] = [[], []];
  page.on('request', (request) => {
    if (file.test(request.url())) asked.push(request.url());
    if (!request.url().endsWith('/log/react-error')) return;
    reported.push((request.postDataJSON() as { errorMessage: string }).errorMessage);
  });
  await opensWatched(page, path);
  const failed: Failing['failed'] = () =>
    page.evaluate(() => (window as unknown as { failed: [string, string][] }).failed);
  return { ...visit, failed, reported, asked };
}

/** Opens a page and waits until it watches for failures. */
async function opensWatched(page: Page, path: string): Promise<void> {
  const watch = page.waitForResponse(WATCH);
  await page.goto(path);
  await (await watch).finished();
}

const followsTags = (page: Page): Promise<void> =>
  page.getByRole('contentinfo').getByRole('link', { name: 'All tags' }).click();

const crashOn = (page: Page): Promise<void> =>
  page.getByRole('heading', { name: 'Oops', level: 1 }).waitFor();

for (const how of ['missing', 'error', 'time-out'] as const) {
  it(`a part of the built page that fails says so by its name, and how: ${how} [C-386, C-387]`, async () => {
    const { page, context, failed, reported } = await visitWithout(TAGS, how);
    await followsTags(page);
    if (how === 'time-out') {
      // The loading indicator is a part too, and must have loaded.
      await page.clock.runFor(2_000);
      await page.getByRole('progressbar').first().waitFor();
      await page.clock.runFor(120_000);
    }
    await crashOn(page);
    await page.getByText(/^Error code:/u).waitFor();
    expect(await failed()).toEqual([[TAGS_FAILED, how]]);
    expect(reported).toEqual([TAGS_FAILED]);
    await page.unroute(TAGS);
    await page.getByRole('button', { name: 'Load again' }).click();
    await page.getByRole('heading', { name: 'Tags', level: 1 }).waitFor();
    await context.close();
  });
}

it('the style sheet of a document that fails is reported by its name [C-388]', async () => {
  for (const how of ['missing', 'error'] as const) {
    const { page, context, failed, reported } = await visitWithout(STYLES, how);
    const said = expect.stringMatching(/^Loading CSS chunk \/assets\/tokens-[\w-]+\.css failed$/u);
    await expect.poll(() => reported).toEqual([said]);
    expect((await failed()).map(([message]) => message)).toEqual([said]);
    // The page works all the same.
    await page.getByRole('heading', { name: 'Live now', level: 1 }).waitFor();
    await context.close();
  }
});

it('a part that no route names is asked for when it is needed, by its name [C-359, C-386]', async () => {
  const { page, context, failed, reported, asked } = await visitWithout(
    /\/assets\/settings-panel[^/]*\.js$/u,
    'error',
    { path: '/luna_vale' },
  );
  const settings = page.getByRole('button', { name: 'Chat settings' });
  await settings.waitFor();
  expect(asked).toEqual([]);
  await settings.click();
  await crashOn(page);
  expect(asked).not.toEqual([]);
  await page.getByText(/^Error code:/u).waitFor();
  expect(await failed()).toEqual([['Loading chunk settings-panel failed', 'error']]);
  expect(reported).toEqual(['Loading chunk settings-panel failed']);
  await context.close();
});

it('a part that a route names is asked for when it is needed, by its name, too [C-359]', async () => {
  const { page, context, failed, asked } = await visitWithout(TAGS, 'error');
  await page.getByRole('contentinfo').getByRole('link', { name: 'All tags' }).waitFor();
  await page.waitForLoadState('networkidle');
  expect(asked).toEqual([]);
  await followsTags(page);
  await crashOn(page);
  expect(asked).not.toEqual([]);
  expect(await failed()).toEqual([[TAGS_FAILED, 'error']]);
  await context.close();
});

it('a part of the built page is waited for 120,000 ms, then it has timed out [C-360, C-426]', async () => {
  const { page, context, failed, reported } = await visitWithout(TAGS, 'time-out', {
    path: '/legal',
  });
  // Otherwise parts of the first page would still be loading when their minutes pass at once.
  await page.waitForLoadState('networkidle');
  await page.clock.pauseAt(new Date(await page.evaluate(() => Date.now()) + 60_000));
  const asked = page.waitForRequest(TAGS);
  await followsTags(page);
  await asked;
  await page.clock.runFor(119_999);
  expect(await failed()).toEqual([]);
  await page.clock.runFor(1);
  expect(await failed()).toEqual([[TAGS_FAILED, 'time-out']]);
  await page.clock.resume();
  await crashOn(page);
  await page.getByText(/^Error code:/u).waitFor();
  expect(reported).toEqual([TAGS_FAILED]);
  await context.close();
});

it('a part that a page can be without takes nothing with it where it never comes', async () => {
  const { page, context, reported } = await visitWithout(/\/assets\/loading-bar[^/]*\.js$/u, 'error', {
    path: '/login',
  });
  await expect.poll(() => reported.length).toBeGreaterThan(0);
  const field = page.getByRole('main').getByLabel('Username or email');
  await field.fill('demo_viewer');
  expect(await field.inputValue()).toBe('demo_viewer');
  await context.close();
});

it('a crash without a network has its page, and a few words where even that never came', async () => {
  for (const isThere of [true, false]) {
    const { page, context } = await stage.visit({ path: '/legal' });
    if (isThere) await opensWatched(page, '/');
    else {
      await page.route(WATCH, (route) => route.abort());
      await page.goto('/');
    }
    await context.setOffline(true);
    await followsTags(page);
    await crashOn(page);
    await page.getByText('Something broke on this page').waitFor();
    await page.getByText('We could not report it: you seem to be offline.').waitFor();
    // The whole page says what became of the typed text, and links to the home page.
    expect(await page.getByRole('button', { name: 'Home' }).count()).toBe(isThere ? 1 : 0);
    expect(await findings(page)).toEqual([]);
    await context.setOffline(false);
    await page.unroute(WATCH);
    await page.getByRole('button', { name: 'Load again' }).click();
    await page.getByRole('heading', { name: 'Tags', level: 1 }).waitFor();
    await context.close();
  }
});
