import { onFault } from '#platform/ui/faults/faults.ts';
import { loadRoute, PartFailed } from '#platform/ui/faults/part.ts';
import { listClientLines, listClientReports } from '#product/client-logs/contract.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { pageLoads } from '#product/testkit/pages/window/page-loads.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

let site: TestSite;
let admin: Member;
let performer: Member;
beforeAll(async () => {
  site = await createSite();
  [admin, performer] = [await site.admin(), await site.performer({ live: true })];
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;
const ANY = { mayPrint: /./u };
const CODE = /^[0-9A-Z]{4}-[0-9A-Z]{4}$/u;
const POST = 'POST /api/v1/log/react-error ';

/** What the page posted to /log/react-error. */
const posted = (page: Page): Record<string, string>[] =>
  page.network.sent
    .filter((text) => text.startsWith(POST))
    .map((text) => JSON.parse(text.slice(POST.length)) as Record<string, string>);
const codeOn = async (page: Page): Promise<string> => (await page.sees(CODE)).textContent ?? '';

/** Makes code chunks whose file matches fail, or never arrive, until the test ends. */
function spoils(file: RegExp, how: Error | 'never'): () => void {
  const mends = pageLoads().spoils(file, how);
  onTestFinished(mends);
  return mends;
}

/** Follows the link to the page of tags. */
const followsTags = async (page: Page): Promise<void> =>
  page.click(
    await page.until(() => {
      const link = page.all('link').find((element) => element.getAttribute('href') === '/tags');
      if (!link) throw new Error('no link to the tags');
      return link;
    }),
  );

/** The page of tags breaks: what it reads is not what it expects. Returns the code that is shown. */
async function crashes(page: Page): Promise<string> {
  page.network.spoils(/\/tags\/index/u);
  await followsTags(page);
  return codeOn(page);
}

describe('a page that crashes', () => {
  test(
    'is reported once, shows the code of its error alone, and admins find it by that [B-398, B-399]',
    async () => {
      const viewer = await site.viewer();
      const page = await openPage(site, viewer, '/', ANY);
      const code = await crashes(page);
      await page.find('heading', 'Oops', { level: 1 });
      await page.sees('Something broke on this page');
      expect(document.title).toMatch(/^Oops · /u);
      await page.find('button', 'Load again');
      await page.find('button', 'Home');
      // Nothing of the page is left, and no detail of what broke.
      expect(page.all('banner')).toEqual([]);
      expect(page.shows(/undefined|TypeError|\bat \S+:\d/u)).toBe(false);
      await site.passes(60_000);
      await page.idle();
      expect(posted(page)).toEqual([{
        clientVersion: 'test',
        errorMessage: expect.stringMatching(/undefined/u) as string,
        stack: expect.stringContaining('TypeError') as string,
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/u) as string,
        url: 'http://localhost/tags',
      }]);
      expect(await page.problems()).toEqual([]);
      const { reports } = await admin.call(listClientReports, { code });
      expect(reports).toEqual([expect.objectContaining({ kind: 'error', code, count: 1, page: '/tags' })]);
    },
  );

  test('over data that its head cannot be made of is shown and reported, too [B-328]', async () => {
    const page = await openRoom(site, await site.viewer(), performer, ANY);
    page.network.spoils(/\/browse\/bio\//u);
    await page.press(`All about ${performer.person.displayName}`, { role: 'link' });
    const code = await codeOn(page);
    expect(posted(page)).toEqual([{
      clientVersion: 'test',
      errorMessage: expect.stringMatching(/\S/u) as string,
      stack: expect.stringMatching(/\bat \S+/u) as string,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/u) as string,
      url: `http://localhost/${performer.username}/bio`,
    }]);
    expect((await admin.call(listClientReports, { code })).reports).toHaveLength(1);
  });

  test('prints the code of its report to the console [B-329]', async () => {
    const page = await openPage(site, await site.visitor({ ofAge: true }), '/', ANY);
    const code = await crashes(page);
    expect(page.complaints.filter((line) => line === `error code ${code}`)).toHaveLength(1);
    await page.idle();
    const { reports } = await admin.call(listClientReports, { code });
    expect(reports.map(({ message }) => message)).toEqual([posted(page)[0]?.['errorMessage']]);
  });

  test('speaks the language of its reader, and lets a member say that it was them', async () => {
    const viewer = await site.viewer();
    const page = await openPage(site, viewer, '/', { ...ANY, locale: 'de', width: 390 });
    const code = await crashes(page);
    await page.find('heading', 'Hoppla');
    await page.sees('Auf dieser Seite ist etwas kaputtgegangen');
    expect((await admin.call(listClientLines, {})).batches).toEqual([]);
    await page.press('Dem Support sagen, dass ich es war');
    await page.sees(/^Gesendet\./u);
    expect((await admin.call(listClientLines, {})).batches).toEqual([expect.objectContaining({
      username: viewer.username,
      lines: [`crash ${code}`, expect.any(String)],
    })]);
  });
});

describe('a part of a page', () => {
  const GONE = 'http://localhost/assets/gone.js';
  const MISSING = new TypeError(`Failed to fetch dynamically imported module: ${GONE}`);

  const MESSAGE = 'Loading chunk ../../browse/web/tags-page failed';

  /** Follows the link to the page of tags, whose code does not arrive. */
  async function opensTags(how: Error | 'never'): Promise<Page> {
    const page = await openPage(site, await site.viewer(), '/', ANY);
    spoils(/tags-page/u, how);
    await followsTags(page);
    return page;
  }

  test('is fetched by its name when it is asked for, and not before', async () => {
    const page = await openPage(site, await site.viewer(), '/');
    const fetched: string[] = [];
    pageLoads().onFetch = (file) => void fetched.push(file);
    onTestFinished(() => {
      pageLoads().onFetch = null;
    });
    await page.goto('/experiments');
    expect(fetched.filter((file) => file.includes('tags-page'))).toEqual([]);
    await page.goto('/tags');
    expect(fetched.filter((file) => file.includes('tags-page'))).toHaveLength(1);
  });

  test('that does not load is a crash; what was typed is there again after the reload [B-398]', async () => {
    const page = await openRoom(site, await site.viewer(), performer, ANY);
    const mends = spoils(/emoji-panel/u, new TypeError('Failed to fetch'));
    await page.fill('Message', 'I was about to say');
    await page.press('Emoji');
    const code = await codeOn(page);
    await site.passes(60_000);
    await page.idle();
    expect(posted(page).map(({ errorMessage }) => errorMessage))
      .toEqual(['Loading chunk emoji-panel failed']);
    expect(page.all('heading', 'Oops')).toHaveLength(1);
    const { reports } = await admin.call(listClientReports, { code });
    expect(reports.map(({ kind, count }) => [kind, count])).toEqual([['error', 1]]);
    mends();
    await page.press('Load again');
    const message = async () => (await page.field('Message') as HTMLTextAreaElement).value;
    for (let tries = 0; await message() === '' && tries < 200; tries += 1) await page.idle();
    expect(await message()).toBe('I was about to say');
    // Only once: a page opened later starts empty.
    await page.goto(page.path);
    expect((await page.field('Message') as HTMLTextAreaElement).value).toBe('');
  });

  test('is waited for 120,000 ms, and no longer', async () => {
    const page = await opensTags('never');
    // Waits equally long before and after the time-out, which takes several turns to show.
    const faults = async (): Promise<number> => {
      let turns = 0;
      await page.until(() => (turns += 1) > 30);
      return posted(page).length + page.all('heading', 'Oops').length;
    };
    site.clock.advance(119_999);
    expect(await faults()).toBe(0);
    site.clock.advance(1);
    expect(await faults()).toBeGreaterThan(0);
    await codeOn(page);
    await page.idle();
    expect(posted(page).map(({ errorMessage }) => errorMessage)).toEqual([MESSAGE]);
  });

  test.each(
    [
      ['missing', MISSING],
      ['error', new TypeError('Failed to fetch')],
      ['time-out', 'never'],
      ['error', new TypeError('Failed to fetch dynamically imported module: http://localhost/healthz')],
    ] as const,
  )('that fails names itself and says: %s', async (type, how) => {
    const faults: [string, string][] = [];
    const end = onFault((fault) => {
      if (fault.kind === 'part' && fault.error instanceof PartFailed) {
        faults.push([fault.error.message, fault.error.type]);
      }
    });
    onTestFinished(end);
    const page = await opensTags(how);
    if (how === 'never') site.clock.advance(120_000);
    await codeOn(page);
    expect(faults).toEqual([[MESSAGE, type]]);
    await page.idle();
    expect(posted(page).map(({ errorMessage }) => errorMessage)).toEqual([MESSAGE]);
  });

  test(
    'that is the file of a route is a route that fails with the same error, whatever is asked of it',
    async () => {
      await openPage(site, await site.viewer(), '/', ANY);
      const route = await loadRoute('home', () => Promise.reject(new TypeError('Failed to fetch')));
      for (const name of ['default', 'ErrorBoundary', 'clientLoader', 'clientAction'] as const) {
        expect(() => (route as Record<typeof name, () => void>)[name]()).toThrow('Loading chunk home failed');
      }
      expect(await loadRoute('home', async () => ({ default: 1 }))).toEqual({ default: 1 });
    },
  );

  test('that is a style sheet reports a CSS chunk load failure', async () => {
    const failed = (name: string): unknown =>
      expect.objectContaining({ errorMessage: `Loading CSS chunk /assets/${name}-12345678.css failed` });
    // What a document's first script records about a style sheet that failed before anything watched.
    Object.assign(globalThis, { failedStyles: ['http://localhost/assets/early-12345678.css'] });
    const page = await openPage(site, await site.viewer(), '/', ANY);
    await page.until(() => expect(posted(page)).toEqual([failed('early')]));
    const link = document.createElement('link');
    Object.assign(link, { rel: 'stylesheet', href: '/assets/gone-12345678.css' });
    document.head.append(link);
    link.dispatchEvent(new Event('error'));
    await page.until(() => expect(posted(page)).toEqual([failed('early'), failed('gone')]));
  });
});
