import { listClientLines, setRemoteLogging } from '#product/client-logs/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;
const sentTo = (page: Page, path: string): string[] =>
  page.network.sent.filter((text) => text.startsWith(`POST /api/v1${path} {`))
    .map((text) => text.slice(text.indexOf('{')));
const batches = (page: Page): string[][] =>
  sentTo(page, '/log/console')
    .map((body) => (JSON.parse(body) as { lines: { text: string }[] }).lines.map(({ text }) => text));
/** Every way to print. */
const LEVELS = ['log', 'info', 'warn', 'error', 'debug'] as const;
// oxlint-disable-next-line no-console -- what the page prints is under test
const prints = (...given: unknown[]): void => console.info(...given);

describe('the console of a page', () => {
  /** A page of a member for whom an admin turned remote logging on. */
  async function watched(): Promise<Page> {
    const viewer = await site.viewer();
    await admin.call(setRemoteLogging, { username: viewer.username, on: true, reason: 'ticket 7' });
    const page = await openPage(site, viewer, '/', { mayPrint: /^line \d+$/u });
    // The log watcher is loaded after the page: it is there once the first batch was sent.
    for (let tries = 0; batches(page).length === 0 && tries < 200; tries += 1) {
      prints('ready');
      await site.passes(5_000);
      await page.idle();
    }
    await site.passes(5_000);
    await page.idle();
    page.network.forgets();
    return page;
  }

  test('is sent every 5 s, only when it printed something [B-333, B-435]', async () => {
    const page = await watched();
    await site.passes(60_000);
    await page.idle();
    expect(batches(page)).toEqual([]);
    prints('one', 2);
    await site.passes(4_999);
    await page.idle();
    expect(batches(page)).toEqual([]);
    await site.passes(1);
    await page.until(() => expect(batches(page)).toEqual([['one 2']]));
    await site.passes(5_000);
    await page.idle();
    expect(batches(page)).toHaveLength(1);
    prints('two');
    await site.passes(5_000);
    await page.until(() => expect(batches(page)).toEqual([['one 2'], ['two']]));
    // Printing more does not postpone a batch.
    prints('three');
    await site.passes(3_000);
    prints('four');
    await site.passes(1_999);
    await page.idle();
    expect(batches(page)).toHaveLength(2);
    await site.passes(1);
    await page.until(() => expect(batches(page)).toEqual([['one 2'], ['two'], ['three', 'four']]));
  });

  test('is held at most 50 lines long, and the last ones are sent [B-332, B-434]', async () => {
    const page = await watched();
    for (let at = 1; at <= 55; at += 1) prints(`line ${at}`);
    // oxlint-disable-next-line no-console -- what the page prints is under test
    for (const [at, level] of LEVELS.entries()) console[level](`line ${at + 56}`);
    await site.passes(5_000);
    await page.until(() => expect(batches(page)).toHaveLength(1));
    expect(batches(page)[0]).toEqual(Array.from({ length: 50 }, (_no, nth) => `line ${nth + 11}`));
    await site.settle();
    await page.idle();
    const { lines = [] } = (await admin.call(listClientLines, {})).batches[0] ?? {};
    expect([lines.length, lines[0], lines[49]])
      .toEqual([50, expect.stringMatching(/line 11$/u), expect.stringMatching(/line 60$/u)]);
    expect(lines.slice(45)).toEqual(LEVELS.map((level, at) => `${level}: line ${at + 56}`));
    // Dropped lines are not sent later.
    await site.passes(10_000);
    await page.idle();
    expect(batches(page)).toHaveLength(1);
  });

  test('stays in the browser of everybody else, and what is personal in everybody\'s', async () => {
    for (const visitor of [await site.viewer(), await site.visitor({ ofAge: true })]) {
      const page = await openPage(site, visitor, '/');
      prints('mine');
      await site.passes(10_000);
      await page.idle();
      expect([batches(page), sentTo(page, '/log')]).toEqual([[], []]);
    }
    const page = await watched();
    prints('for anna@mail.example', { name: 'Anna' }, new Error('password: hunter22'));
    await site.passes(5_000);
    await page.until(() =>
      expect(batches(page)).toEqual([['for [email] [Object] Error: password [secret]']])
    );
  });
});

describe('a cookie that changes', () => {
  const hasGerman = (page: Page): boolean => page.shows('Anmelden');

  /** Another tab of the same browser writes a cookie; this tab gets no event of it. */
  const writesElsewhere = (page: Page, text: string): void => {
    const { onCookies } = page.visitor;
    page.visitor.onCookies = null;
    page.visitor.writesCookie(text);
    page.visitor.onCookies = onCookies;
  };

  test(
    'is found by looking each 300 ms where no event says so, and by the event where one does [C-427]',
    async () => {
      const polled = await openPage(site, await site.visitor({ ofAge: true }), '/', { cookieEvents: false });
      await polled.idle();
      writesElsewhere(polled, 'locale=fr; Path=/');
      for (let tries = 0; document.documentElement.lang !== 'fr' && tries < 200; tries += 1) {
        await site.passes(300);
        await polled.idle();
      }
      writesElsewhere(polled, 'locale=de; Path=/');
      await site.passes(299);
      await polled.idle();
      expect(hasGerman(polled)).toBe(false);
      await site.passes(1);
      await polled.until(() => expect(hasGerman(polled)).toBe(true));
      polled.leave();
      const notified = await openPage(site, await site.visitor({ ofAge: true }), '/');
      for (let tries = 0; !hasGerman(notified) && tries < 200; tries += 1) {
        for (const locale of ['en', 'de']) {
          writesElsewhere(notified, `locale=${locale}; Path=/`);
          notified.visitor.onCookies?.();
          await notified.idle();
        }
      }
      writesElsewhere(notified, 'locale=fr; Path=/');
      await site.passes(3_000);
      await notified.idle();
      expect(hasGerman(notified)).toBe(true);
      notified.visitor.onCookies?.();
      await notified.until(() => expect(hasGerman(notified)).toBe(false));
    },
  );
});
