import { listClientReports } from '#product/client-logs/contract.ts';
import { servesDocuments } from '#product/testkit/pages/documents.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';

type Page = Awaited<ReturnType<typeof openPage>>;

let site: TestSite;
let performer: Member;
beforeAll(async () => {
  site = await createSite();
  await servesDocuments(site);
  performer = await site.performer({ live: true });
});
afterAll(() => site.close());

const guest = () => site.visitor({ ofAge: true });
/** Follows the link to the page of tags in the footer. */
const followsTags = async (page: Page): Promise<void> =>
  page.press('All tags', { role: 'link', in: await page.find('navigation', 'More of this site') });

describe('an error page', () => {
  test(
    'is of code 404 and says that the page is not found, where nothing else is known [A-055, A-056]',
    async () => {
      const paths = ['/there/is/nothing', '/girls/old'];
      const visitor = await guest();
      for (const path of paths) {
        const { statusCode, body } = await visitor.request({ method: 'GET', url: path });
        expect([path, statusCode]).toEqual([path, 404]);
        expect(body).toMatch(/<title>Page not found · Candela/u);
      }
      // After a document that waited for code, React's server leaves contexts set until the next document.
      expect((await visitor.request({ method: 'GET', url: '/' })).statusCode).toBe(200);
      for (const path of paths) {
        const page = await openPage(site, visitor, path);
        await page.find('heading', 'Page not found', { level: 1 });
        await page.sees('404');
        expect(await page.problems()).toEqual([]);
        await page.press('Go to the home page', { role: 'link' });
        await page.until(() => expect(page.path).toBe('/'));
      }
    },
  );

  test('shows the code and the message of what refused it, in the reader’s language [A-054]', async () => {
    const viewer = await site.viewer();
    const page = await openPage(site, viewer, '/admin/site');
    await page.find('heading', 'You don’t have access');
    await page.sees('403');
    await page.sees(/^Your account can’t open this page\./u);
    expect(document.title).toMatch(/^You don’t have access · /u);
    expect(await page.problems()).toEqual([]);
    const german = await openPage(site, viewer, '/account/receipts/123456', { locale: 'de' });
    await german.find('heading', 'Seite nicht gefunden', { level: 1 });
    await german.sees('404');
    await german.sees('Diesen Kauf gibt es nicht.');
    // A refused call has a message of its own; a network failure has none, so the page writes one.
    const lost = await openPage(site, await guest(), '/', { mayPrint: /./u });
    lost.network.goesDown(true);
    await lost.press('Contests', { role: 'link', in: await lost.find('navigation', 'More of this site') });
    await lost.find('heading', 'Something went wrong', { level: 1 });
    await lost.sees('503');
    await lost.sees(/^This page couldn’t be shown/u);
  });

  test('says “Oops” for what broke, and leads on [A-057]', async () => {
    const page = await openPage(site, await guest(), '/', { mayPrint: /./u });
    page.network.spoils(/\/tags\/index/u);
    await followsTags(page);
    const heading = await page.find('heading', 'Oops', { level: 1 });
    await page.until(() => expect(page.focused).toBe(heading));
    await page.sees('Something broke on this page');
    expect(await page.problems()).toEqual([]);
    await page.press('Home');
    await page.until(() => expect(page.path).toBe('/'));
    await page.find('banner');
  });
});

describe('what a page reads', () => {
  /** What a screen reader reads of a loading read, a finished one, and a failed one. */
  const READS: readonly {
    readonly what: string;
    readonly by: () => Promise<Visitor>;
    readonly path: string;
    readonly request: RegExp;
    readonly loading: () => number;
    readonly content: (page: Page) => unknown;
  }[] = [
    {
      what: 'places a performer is hidden from',
      by: () => site.performer(),
      path: '/account/listing',
      request: /\/blocked/u,
      loading: () => document.querySelectorAll('#blocked [aria-busy=true]').length,
      content: (page) => page.find('button', 'Save blocked places'),
    },
    {
      what: 'a listing',
      by: guest,
      path: '/girls',
      request: /\/browse\/react\//u,
      loading: () => document.querySelectorAll('[role=status] .skeleton').length,
      content: (page) =>
        page.find('link', new RegExp(performer.person.displayName, 'u'), {
          in: page.all('main')[0] as HTMLElement,
        }),
    },
  ];

  test.each(READS)(
    '$what: loading, then ok, and error where it fails',
    async ({ by, path, request, loading, content }) => {
      const visitor = await by();
      const page = await openPage(site, visitor, '/legal');
      const release = page.network.holds(request);
      expect([loading(), page.all('alert').filter((element) => element.textContent !== '')]).toEqual([0, []]);
      await goes(page, path);
      await page.until(() => expect(loading()).toBeGreaterThan(0));
      release();
      await content(page);
      expect([loading(), page.all('button', 'Try again')]).toEqual([0, []]);
      const failing = await openPage(site, visitor, '/legal', { mayPrint: /./u });
      const fail = failing.network.holds(request);
      await goes(failing, path);
      await failing.until(() => expect(loading()).toBeGreaterThan(0));
      failing.network.goesDown(true);
      fail();
      for (let tries = 0; tries < 3; tries += 1) await site.passes(5_000);
      await failing.find('button', 'Try again');
      expect(loading()).toBe(0);
      failing.network.goesDown(false);
      await failing.press('Try again');
      await content(failing);
      expect(failing.all('button', 'Try again')).toEqual([]);
    },
  );

  test(
    'of a tab that one comes back to is read again once it is 60 s old, and not before [C-400]',
    async () => {
      vi.useFakeTimers({ toFake: ['Date'] });
      onTestFinished(() => void vi.useRealTimers());
      const page = await openPage(site, await guest(), '/tags');
      await page.find('heading', undefined, { level: 1 });
      const reads = (): number =>
        page.network.sent.filter((text) => /^GET \S*\/tags\/index/u.test(text)).length;
      const before = reads();
      const comesBack = async (afterMs: number): Promise<void> => {
        vi.setSystemTime((vi.getMockedSystemTime()?.getTime() ?? 0) + afterMs);
        window.dispatchEvent(new Event('visibilitychange'));
        await page.idle();
      };
      await comesBack(59_999);
      expect(reads()).toBe(before);
      await comesBack(1);
      await page.until(() => expect(reads()).toBe(before + 1));
      await comesBack(59_999);
      expect(reads()).toBe(before + 1);
    },
  );
});

/** Follows a link of the shell that leads to a path: of the header, or of the person's menu. */
async function goes(page: Page, path: string): Promise<void> {
  const leads = (role: string) => page.all(role).find((element) => element.getAttribute('href') === path);
  const first = await page.until(() => {
    const found = leads('link') ?? page.all('button', /’s account$/u)[0];
    if (!found) throw new Error(`nothing leads to ${path}`);
    return found;
  });
  await page.click(first);
  if (first.getAttribute('href') === path) return;
  await page.click(
    await page.until(() => {
      const found = leads('menuitem');
      if (!found) throw new Error(`no menu item leads to ${path}`);
      return found;
    }),
  );
}

describe('an error toast', () => {
  const REPORT = 'POST /api/v1/log/react-toast ';
  const reports = (page: Page) => page.network.sent.filter((text) => text.startsWith(REPORT));

  /** A room that cannot connect says so in a toast: its page got no token. */
  async function isNotConnected(visitor: Visitor): Promise<Page> {
    const page = await openPage(site, visitor, '/girls', { mayPrint: /./u });
    await page.idle();
    onTestFinished(page.network.spoils(/\/user\/current/u, (answer) => ({ ...answer, node_token: '' })));
    await page.click(
      await page.find('link', new RegExp(performer.person.displayName, 'u'), {
        in: page.all('main')[0] as HTMLElement,
      }),
    );
    await page.sees(/^We couldn’t connect you\./u);
    return page;
  }

  test('of a guest is sent to nobody, one of a member is reported in its words [A-365]', async () => {
    const of = await isNotConnected(await guest());
    await site.passes(120_000);
    await of.idle();
    expect(reports(of)).toEqual([]);
    const by = await isNotConnected(await site.viewer());
    await by.until(() => expect(reports(by)).toHaveLength(1));
    const sent = reports(by)[0] ?? '';
    expect(JSON.parse(sent.slice(sent.indexOf('{')))).toEqual({
      appearance: 'error',
      content: expect.stringMatching(/^We couldn’t connect you\./u) as string,
      title: '',
      url: expect.stringMatching(/^http:\/\/localhost\/\S+$/u) as string,
    });
    await site.settle();
    const { reports: read } = await (await site.admin()).call(listClientReports, { kind: 'toast' });
    expect(read.map(({ message, count }) => [message, count]))
      .toEqual([[expect.stringMatching(/^We couldn’t connect you\./u), 1]]);
  });
});
