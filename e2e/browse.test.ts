import { publishPost } from '#product/fanclubs/contract/posts.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from './client.ts';
import { ALL_LIVE, openStage, type Stage, type Visit } from './stage.ts';

/** Key presses from the home page into the room. */
const MAX_KEYS = 10;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ live: ALL_LIVE });
});
afterAll(() => stage.close());

/** Links of the tiles, in the order shown. */
const tilesOf = (page: Page): Promise<readonly string[]> =>
  page.locator('main [data-tile]').evaluateAll((tiles) =>
    tiles.map((tile) => tile.getAttribute('href') ?? '')
  );

/** Clicks a filter's chip, then one of its values. */
async function choose(page: Page, chip: string, value: string): Promise<void> {
  const filters = page.getByRole('group', { name: 'Filters' });
  const button = filters.getByRole('button', { name: chip, exact: true });
  // A list closes when its chip scrolls. On a phone a script can click before its own scrolling is reported.
  await button.evaluate(async (element) => {
    element.scrollIntoView({ block: 'nearest', inline: 'center' });
    for (let frame = 0; frame < 2; frame += 1) {
      await new Promise((drawn) => {
        requestAnimationFrame(drawn);
      });
    }
  });
  await button.click();
  await page.getByRole('menuitemradio', { name: value, exact: true }).click();
  await filters.getByRole('button', { name: `${chip}: ${value}` }).waitFor();
  // The focus returns to the chip when the list closes.
  await page.getByRole('menu').waitFor({ state: 'hidden' });
}

/** Waits until the page of a performer's room is open. */
const inRoom = async (page: Page, path: string, name: string): Promise<void> => {
  await page.waitForURL(`**${path}`);
  await page.getByRole('heading', { name, level: 1 }).waitFor();
};

describe.each([['a desktop', false], ['a phone', true]] as const)('on %s', (_name, phone) => {
  let visit: Visit;
  beforeAll(async () => {
    visit = await stage.visit({ phone });
  });
  afterAll(() => visit.context.close());

  it('somebody finds a room by language and price', async () => {
    const { page } = visit;
    await page.goto('/girls');
    await choose(page, 'Language', 'German');
    await choose(page, 'Private price', 'Up to 30 tokens a minute');
    expect(new URL(page.url()).search).toBe('?language=de&rate=1-30');
    await expect.poll(() => tilesOf(page)).toEqual(['/mara_lind']);
    await page.getByRole('link', { name: /Mara Lind/u }).click();
    await inRoom(page, '/mara_lind', 'Mara Lind');
  });

  it('somebody finds a performer by a misspelt name, with the keyboard alone', async () => {
    const { page } = visit;
    await page.goto('/');
    await page.getByRole('heading', { name: 'Live now' }).waitFor();
    const keys = ['/', ...'verra', 'ArrowDown', 'Enter'];
    expect(keys.length).toBeLessThanOrEqual(MAX_KEYS);
    for (const key of keys) {
      if (key === 'ArrowDown') await page.getByRole('option', { name: /Vera Klein/u }).waitFor();
      await page.keyboard.press(key);
    }
    await inRoom(page, '/vera_klein', 'Vera Klein');
  });

  it('somebody finds a room by a tag', async () => {
    const { page } = visit;
    await page.goto('/tags');
    await page.getByRole('main').getByRole('link', { name: /salsa|dance/u }).first().click();
    await expect.poll(() => tilesOf(page)).toContain('/jade_orlo');
    for (const tile of await page.locator('main [data-tile]').all()) {
      // Shown on hover.
      expect(await tile.textContent()).toContain('#dance');
    }
    await page.getByRole('link', { name: /Jade Orlo/u }).click();
    await inRoom(page, '/jade_orlo', 'Jade Orlo');
  });

  it('somebody finds a room by a section of the home page', async () => {
    const { page } = visit;
    await page.goto('/');
    const section = page.getByRole('region', { name: 'New and trending' });
    const first = section.getByRole('link', { name: /^Live/u }).first();
    const [path, text] = [await first.getAttribute('href') ?? '', await first.innerText()];
    await first.click();
    await page.waitForURL(`**${path}`);
    const heading = page.getByRole('heading', { level: 1 });
    await expect.poll(async () => text.includes(await heading.innerText())).toBe(true);
  });

  it('the top performers stand in a grid [B-064]', async () => {
    const { page } = visit;
    await page.goto('/top');
    await page.getByRole('heading', { name: 'Top performers', level: 1 }).waitFor();
    const places = () =>
      page.locator('main [data-tile]').evaluateAll((tiles) =>
        tiles.map((tile) => {
          const { left, top } = tile.getBoundingClientRect();
          return { left: Math.round(left), top: Math.round(top) };
        })
      );
    await expect.poll(async () => (await places()).length).toBeGreaterThan(2);
    const [first, second, ...others] = await places();
    expect(second?.top).toBe(first?.top);
    expect(second?.left).toBeGreaterThan(first?.left ?? 0);
    // A phone shows two tiles side by side.
    if (phone) expect(others[0]).toMatchObject({ left: first?.left });
  });

  it('whoever comes back from a room is where they were [A-117]', async () => {
    const { page } = visit;
    // So low that the listing scrolls even on a desktop.
    if (!phone) await page.setViewportSize({ width: 1440, height: 500 });
    await page.goto('/girls');
    const tile = page.locator('main [data-tile]').last();
    // In the middle, where no bar of the page covers it: then a click does not scroll further.
    await tile.evaluate((element) => {
      element.scrollIntoView({ block: 'center' });
      element.addEventListener('click', () => {
        Object.assign(globalThis, { clickedAt: element.getBoundingClientRect().top, scrolledTo: scrollY });
      });
    });
    const path = await tile.getAttribute('href') ?? '';
    await tile.click();
    await page.waitForURL(`**${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const { clickedAt, scrolledTo } = await page.evaluate(() => {
      const { clickedAt: top, scrolledTo: y } = globalThis as unknown as Record<string, number>;
      return { clickedAt: top ?? Number.NaN, scrolledTo: y ?? 0 };
    });
    expect(scrolledTo).toBeGreaterThan(20);
    await page.goBack();
    const again = page.locator(`main [data-tile][href="${path}"]`);
    await again.waitFor();
    await expect.poll(() => again.evaluate((element) => element.getBoundingClientRect().top))
      .toBeCloseTo(clickedAt, 0);
    // The same going forward, to a page that was left further down.
    await page.setViewportSize({ width: phone ? 390 : 1440, height: 420 });
    await page.getByRole('contentinfo').getByRole('link', { name: 'All tags' }).click();
    const tags = page.getByRole('heading', { name: 'Tags', level: 1 });
    await tags.waitFor();
    const scrolled = () => page.evaluate(() => scrollY);
    await expect.poll(scrolled).toBe(0);
    await page.evaluate(() => scrollTo(0, 40));
    await expect.poll(scrolled).toBe(40);
    await page.goBack();
    await again.waitFor();
    await expect.poll(scrolled).toBeGreaterThan(40);
    await page.goForward();
    await tags.waitFor();
    await expect.poll(scrolled).toBe(40);
  });

  it('a link leads to the top of its page, a filter leaves the page where it is [A-116, A-118]', async () => {
    const { page } = visit;
    await page.setViewportSize({ width: phone ? 390 : 1440, height: 420 });
    await page.goto('/girls');
    const scrolled = () => page.evaluate(() => scrollY);
    const room = () => page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
    await page.locator('main [data-tile]').first().waitFor();
    const filters = page.getByRole('group', { name: 'Filters' });
    await page.evaluate(() => scrollTo(0, 60));
    await filters.getByRole('button', { name: 'Language', exact: true }).click();
    const before = await scrolled();
    expect(before).toBeGreaterThan(0);
    await page.getByRole('menuitemradio', { name: 'English', exact: true }).click();
    await page.waitForURL('**/girls?language=en');
    await page.getByRole('menu').waitFor({ state: 'hidden' });
    await filters.getByRole('button', { name: 'Language: English' }).waitFor();
    expect(await scrolled()).toBe(before);
    await page.getByRole('contentinfo').getByRole('link', { name: 'All tags' }).click();
    await page.waitForURL('**/tags');
    await page.getByRole('heading', { name: 'Tags', level: 1 }).waitFor();
    expect(await room()).toBeGreaterThan(before);
    await expect.poll(scrolled).toBe(0);
  });
});

it.each([390, 1_440])('at %i px a tile shows its tags and its price to who points at it alone', async (
  width,
) => {
  const { page, context } = await stage.visit({ path: '/girls' });
  await page.setViewportSize({ width, height: 900 });
  const tile = page.locator('main [data-tile][href="/jade_orlo"]');
  await tile.scrollIntoViewIfNeeded();
  const shown = (): Promise<readonly boolean[]> =>
    Promise.all([tile.getByText(/#dance/u), tile.getByText(/^60\/min$/u)].map((text) => text.isVisible()));
  // They are in the document although neither pointer nor focus is on the tile.
  expect(await tile.textContent()).toMatch(/#dance.*60\/min/u);
  await page.mouse.move(0, 0);
  expect(await shown()).toEqual([false, false]);
  await tile.hover();
  await expect.poll(shown).toEqual([true, true]);
  await page.mouse.move(0, 0);
  await expect.poll(shown).toEqual([false, false]);
  await context.close();
});

it('somebody scrolls through a feed, whose end adds its next page [C-069]', async () => {
  const performer = await Client.logIn(stage.origin, 'luna_vale');
  // These give the feed more than one page, whoever else is live.
  for (let nth = 1; nth <= 20; nth += 1) {
    await performer.call(publishPost, { body: `News ${nth}`, audience: 'everyone' });
  }
  const { page, context, complaints } = await stage.visit({ phone: true, path: '/girls/feed' });
  const items = page.getByRole('list', { name: 'News' }).getByRole('listitem');
  await expect.poll(() => items.count()).toBe(20);
  // No click is needed: the browser's own observer notices that the end is near.
  await items.last().scrollIntoViewIfNeeded();
  await expect.poll(() => items.count()).toBeGreaterThan(20);
  expect(complaints).toEqual([]);
  await context.close();
});
