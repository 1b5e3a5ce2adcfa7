import { servesDocuments } from '#product/testkit/pages/documents.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

type Page = Awaited<ReturnType<typeof openPage>>;

let site: TestSite;
let performer: Member;
/** The first script of a document, as the site sends it. */
let script = '';
beforeAll(async () => {
  site = await createSite();
  await servesDocuments(site);
  performer = await site.performer({ live: true });
  const visitor = await site.visitor();
  const { body } = await visitor.request({ method: 'GET', url: '/login' });
  // After a document that waited for code, React's server leaves contexts set until the next one.
  await visitor.request({ method: 'GET', url: '/terms' });
  script = /<script[^>]*>(.*?)<\/script>/su.exec(body)?.[1] ?? '';
});
afterAll(() => site.close());

/** Runs that script in the page that is open, by the page's clock, until the test ends. */
function runsScript(): void {
  const { pageClock } = globalThis as unknown as { readonly pageClock: { readonly Date: DateConstructor } };
  const listens = (name: string, listener: EventListener, capture?: boolean): void => {
    window.addEventListener(name, listener, capture);
    onTestFinished(() => window.removeEventListener(name, listener, capture));
  };
  class Watch extends MutationObserver {
    constructor(changed: MutationCallback) {
      super(changed);
      onTestFinished(() => this.disconnect());
    }
  }
  onTestFinished(() => void document.documentElement.style.removeProperty('display'));
  // oxlint-disable-next-line no-new-func, no-implied-eval, typescript/no-implied-eval -- a document's script
  const run = new Function('Date', 'addEventListener', 'MutationObserver', script) as (
    ...given: unknown[]
  ) => void;
  run(pageClock.Date, listens, Watch);
}

async function opens(visitor: Visitor, path: string, width = 1280): Promise<Page> {
  // The window is reused from the previous page, which hid itself.
  document.documentElement.style.removeProperty('display');
  const page = await openPage(site, visitor, path, { width });
  runsScript();
  return page;
}

const NEUTRAL = '/notes/en.html';
const pressesEscape = (on: Element = document.body): void => {
  const press = { key: 'Escape', bubbles: true, cancelable: true };
  on.dispatchEvent(new KeyboardEvent('keydown', press));
};

/** Called before a page is opened, since the page asks only once which browser it is in. */
function setsVendor(value: string): void {
  Object.defineProperty(navigator, 'vendor', { configurable: true, value });
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'vendor'));
}

/** An Escape that ends a composition, as each browser reports it; in Safari it follows within 99 ms. */
function endsComposition(field: Element, order: string, at: number): void {
  const sends = (event: Event, timeStamp: number): void => {
    Object.defineProperty(event, 'timeStamp', { value: timeStamp });
    field.dispatchEvent(event);
  };
  const press = (more: KeyboardEventInit) =>
    new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true, ...more });
  sends(new CompositionEvent('compositionstart', { bubbles: true }), at - 50);
  if (order === 'chromium') sends(press({ isComposing: true }), at);
  sends(new CompositionEvent('compositionend', { bubbles: true }), at);
  if (order === 'key 229') sends(press({ keyCode: 229 }), at + 99);
  if (order === 'safari') sends(press({}), at + 99);
}

describe('leaving in a hurry', () => {
  test('is Escape twice within 500 ms, and nothing that is slower', async () => {
    const page = await opens(await site.visitor({ ofAge: true }), '/legal');
    pressesEscape();
    await site.passes(501);
    pressesEscape();
    await page.idle();
    expect([page.path, document.documentElement.style.display]).toEqual(['/legal', '']);
    await page.find('heading', 'Legal');
    await site.passes(500);
    pressesEscape();
    expect(document.title).toBe('Notes');
    expect(document.documentElement.style.display).toBe('none');
    await page.until(() => expect(page.path).toBe(NEUTRAL));
  });

  test.each(['chromium', 'key 229', 'safari'])('is no Escape of an input method: %s', async (order) => {
    setsVendor(order === 'safari' ? 'Apple Computer, Inc.' : '');
    const visitor = await site.visitor({ ofAge: true });
    await opens(visitor, '/legal');
    // As in a document, the script runs first: the page's own handler sees each key after it.
    const page = await openPage(site, visitor, '/legal');
    const field = await page.find('combobox', 'Search');
    for (const at of [1_000, 1_200]) endsComposition(field, order, at);
    await page.idle();
    expect([page.path, document.documentElement.style.display]).toEqual(['/legal', '']);
    await site.passes(501);
    pressesEscape();
    expect(document.documentElement.style.display).toBe('');
    pressesEscape();
    expect(document.documentElement.style.display).toBe('none');
    await page.until(() => expect(page.path).toBe(NEUTRAL));
  });

  test('is not what closes a menu or a dialog, nor anything on the console of a performer', async () => {
    const page = await opens(await site.visitor({ ofAge: true }), '/legal');
    const menu = document.createElement('div');
    menu.setAttribute('role', 'menu');
    document.body.append(menu);
    pressesEscape();
    menu.remove();
    pressesEscape();
    expect(document.documentElement.style.display).toBe('');
    await site.passes(501);
    // A panel of a room, with the focus in it.
    const panel = document.createElement('div');
    panel.setAttribute('role', 'dialog');
    document.body.append(panel);
    pressesEscape(panel);
    panel.remove();
    pressesEscape();
    expect(document.documentElement.style.display).toBe('');
    await page.idle();
    await opens(performer, '/go-live');
    pressesEscape();
    pressesEscape();
    expect(document.documentElement.style.display).toBe('');
  });

  test('ends sound and pictures, and the sockets of a room, at once', async () => {
    const viewer = await site.viewer();
    const page = await openRoom(site, viewer, performer);
    runsScript();
    const video = document.createElement('video');
    let paused = 0;
    video.pause = () => {
      paused += 1;
    };
    video.setAttribute('src', '/a.mp4');
    document.body.append(video);
    const { network } = page;
    expect([network.openAt('/ws/lobby'), network.openAt(`/ws/room/${performer.username}`)]).toEqual([1, 1]);
    pressesEscape();
    pressesEscape();
    // It depends on nothing that has to be loaded.
    expect([script.includes('location.replace('), script.includes('import(')]).toEqual([true, false]);
    expect([paused, video.hasAttribute('src'), document.title]).toEqual([1, false, 'Notes']);
    expect([network.openAt('/ws/lobby'), network.openAt(`/ws/room/${performer.username}`)]).toEqual([0, 0]);
    await page.until(() => expect(page.path).toBe(NEUTRAL));
  });

  test('is an item of the menu of a person, of the phone’s menu and of the foot', async () => {
    const mine = await opens(await site.viewer(), '/legal');
    await mine.press(/’s account$/u);
    await mine.press('Leave quickly', { role: 'menuitem' });
    await mine.until(() => expect(mine.path).toBe(NEUTRAL));
    const phone = await opens(await site.visitor({ ofAge: true }), '/legal', 360);
    await phone.press('Discover', { in: await phone.find('navigation', 'Main navigation') });
    await phone.press('Leave quickly', { role: 'menuitem' });
    await phone.until(() => expect(phone.path).toBe(NEUTRAL));
    const foot = await opens(await site.visitor({ ofAge: true }), '/legal');
    await foot.press('Leave quickly', { in: await foot.find('contentinfo') });
    await foot.until(() => expect(foot.path).toBe(NEUTRAL));
  });

  test('has the key and the page that somebody chose, which stay in the browser', async () => {
    const viewer = await site.viewer();
    const page = await opens(viewer, '/account/settings');
    const section = await page.find('region', 'Leaving quickly');
    page.network.forgets();
    await page.choose('Key', 'F9', { in: section });
    await page.fill('Page to show', 'javascript:alert(1)', { in: section });
    await page.press('Save', { in: section });
    await page.sees('Enter an address that begins with https://.');
    await page.fill('Page to show', 'https://weather.example/today', { in: section });
    await page.press('Save', { in: section });
    await page.sees('Settings saved');
    expect(page.network.sent.filter((sent) => sent.startsWith('POST'))).toEqual([]);
    expect(await page.problems()).toEqual([]);
    pressesEscape();
    pressesEscape();
    expect(page.left).toEqual([]);
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'F9', bubbles: true }));
    expect(page.left).toEqual(['https://weather.example/today']);
  });

  test('has neutral tabs for who wants them, on every page', async () => {
    const viewer = await site.viewer();
    const page = await opens(viewer, '/account/settings');
    const section = await page.find('region', 'Leaving quickly');
    await page.press('Discreet tabs: a neutral title and no icon', { role: 'checkbox', in: section });
    await page.press('Save', { in: section });
    await page.until(() => expect(document.title).toBe('Notes'));
    await page.press('Legal', { role: 'link', in: await page.find('navigation', 'More of this site') });
    await page.find('heading', 'Legal');
    await page.until(() => expect(document.title).toBe('Notes'));
    // Without the setting, a page's title has the name of the site.
    const other = await opens(await site.viewer(), '/legal');
    await other.find('heading', 'Legal');
    expect(document.title).toContain('Candela');
  });

  test('leads to a page in each language that says nothing of the site and loads nothing', () => {
    for (const [language, title] of [
      ['en', 'Notes'],
      ['de', 'Notizen'],
      ['es', 'Notas'],
      ['fr', 'Bloc-notes'],
      ['it', 'Appunti'],
      ['nl', 'Notities'],
    ]) {
      const page = readFileSync(new URL(`web/public/notes/${language}.html`, import.meta.url), 'utf8');
      expect(page).toContain(`<html lang="${language}">`);
      expect(page).toContain(`<title>${title}</title>`);
      expect(page).not.toMatch(/candela|<script|<img|src=|https?:|stylesheet/iu);
    }
  });
});
