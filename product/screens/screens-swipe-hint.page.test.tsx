import { playbackOf } from '#product/testkit/media/media-client.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

const HINT = 'Swipe up to see who’s next';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  for (const performer of [await site.performer({ live: true }), await site.performer({ live: true })]) {
    site.outputs.photograph((await playbackOf(performer, performer)).stream);
  }
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;
const opens = async (width: number): Promise<Page> => {
  localStorage.clear();
  return openPage(site, await site.visitor({ ofAge: true }), '/swipe', { width });
};
const nameOn = async (page: Page): Promise<string> =>
  (await page.find('heading', undefined, { level: 2 })).textContent;

test('the first time on a phone a hint over a preview says how to swipe, of 240x320 [B-433]', async () => {
  for (const width of [320, 390]) {
    const page = await opens(width);
    const hint = await page.find('note', HINT);
    expect([hint.style.width, hint.style.height]).toEqual(['240px', '320px']);
    const [first, preview] = [await nameOn(page), hint.querySelector('img')?.getAttribute('src')];
    expect(preview).toMatch(/^\/thumbs\/t\//u);
    expect(await page.problems()).toEqual([]);
    // A viewer who moves on has understood the hint.
    await page.press('Next');
    await page.gone('note', HINT);
    const second = await nameOn(page);
    expect(second).not.toBe(first);
    expect(preview).toContain(`/thumbs/t/${second.toLowerCase()}?`);
    await page.goto('/girls');
    await page.goto('/swipe');
    await page.find('feed', 'Swipe through live rooms');
    await page.idle();
    expect(page.all('note', HINT)).toEqual([]);
  }
});

test('the hint can be closed, and is not for wide windows', async () => {
  const page = await opens(390);
  await page.press('Got it', { in: await page.find('note', HINT) });
  await page.gone('note', HINT);
  const wide = await opens(1280);
  await wide.find('feed', 'Swipe through live rooms');
  await wide.idle();
  expect(wide.all('note', HINT)).toEqual([]);
});
