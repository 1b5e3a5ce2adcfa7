import { HOUR_MS } from '#platform/time/units.ts';
import { endBroadcast } from '#product/broadcast/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
let couple: Member;
let woman: Member;
let man: Member;
let trans: Member;
beforeAll(async () => {
  site = await createSite();
  [couple, woman] = [await site.performer({ gender: 'c' }), await site.performer({ gender: 'f' })];
  [man, trans] = [await site.performer({ gender: 'm' }), await site.performer({ gender: 't' })];
  for (let more = 0; more < 21; more += 1) {
    await site.passes(HOUR_MS);
    await woman.goesLive();
    await woman.call(endBroadcast, {});
    await site.settle();
  }
  for (const performer of [couple, man, trans]) await performer.goesLive();
});
afterAll(() => site.close());

/** Opens a feed and checks its performers in order. */
async function namesAt(path: string, title: string): Promise<string[]> {
  const page = await openPage(site, await site.visitor({ ofAge: true }), path);
  await page.find('heading', title);
  const list = await page.find('list', 'News');
  expect(page.path).toBe(path);
  expect(await page.problems()).toEqual([]);
  return page.all('link', undefined, { in: list }).map((link) => link.getAttribute('href') ?? '');
}

test('couples and girls have a feed of their own [A-129, A-130]', async () => {
  expect(await namesAt('/couples/feed', 'Couples: what’s new')).toEqual([`/${couple.username}`]);
  const girls = await namesAt('/girls/feed', 'Girls: what’s new');
  expect(new Set(girls)).toEqual(new Set([`/${woman.username}`]));
});

test('men and trans performers have a feed of their own [A-131, A-132]', async () => {
  expect(await namesAt('/men/feed', 'Men: what’s new')).toEqual([`/${man.username}`]);
  expect(await namesAt('/trans/feed', 'Trans performers: what’s new')).toEqual([`/${trans.username}`]);
});

test.each(
  [
    ['girls', 'Girls'],
    ['couples', 'Couples'],
    ['men', 'Men'],
    ['trans', 'Trans performers'],
  ] as const,
)('the feed of %s is a screen, “%s: what’s new”, with who went live [C-011]', async (
  section,
  name,
) => {
  const who = { girls: woman, couples: couple, men: man, trans }[section];
  expect(new Set(await namesAt(`/${section}/feed`, `${name}: what’s new`)))
    .toEqual(new Set([`/${who.username}`]));
});

test('the end of a feed that is seen adds its next page', async () => {
  const open = new Set<{ seen: IntersectionObserverCallback; margin: string | undefined }>();
  const native = globalThis.IntersectionObserver;
  globalThis.IntersectionObserver = class {
    readonly #own: { seen: IntersectionObserverCallback; margin: string | undefined };
    constructor(seen: IntersectionObserverCallback, options?: IntersectionObserverInit) {
      this.#own = { seen, margin: options?.rootMargin };
    }
    observe(): void {
      open.add(this.#own);
    }
    disconnect(): void {
      open.delete(this.#own);
    }
  } as unknown as typeof IntersectionObserver;
  try {
    const page = await openPage(site, await site.visitor({ ofAge: true }), '/couples/feed');
    await page.press('Girls', { role: 'link', in: await page.find('navigation', 'Feeds') });
    await page.find('heading', 'Girls: what’s new');
    const items = () => page.all('link', /went live/u).length;
    await page.until(() => expect(items()).toBe(20));
    // The next page waits while the list is being read again.
    const end = () => [...open].findLast(({ margin }) => margin?.endsWith('600px 0px'));
    await page.until(() => expect(end()).toBeDefined());
    end()?.seen([{ isIntersecting: true } as IntersectionObserverEntry], undefined as never);
    await page.sees('That’s all of the last 30 days.');
    expect(items()).toBe(21);
    expect(page.all('button', 'Show more')).toEqual([]);
  } finally {
    globalThis.IntersectionObserver = native;
  }
});
