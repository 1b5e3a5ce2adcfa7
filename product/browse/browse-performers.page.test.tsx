import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  await site.performer({ username: 'away-one', gender: 'f' });
  await site.performer({ username: 'here-one', gender: 'f', live: true });
  await site.performer({ username: 'away-two', gender: 'c' });
  await site.performer({ username: 'hidden-one', gender: 'f', cleared: false });
  await site.settle();
});
afterAll(() => site.close());

test('/models is the page of performers: who is live first, then everybody else [A-039]', async () => {
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/girls');
  await page.press('All performers', {
    role: 'link',
    in: await page.find('navigation', 'More of this site'),
  });
  await page.find('heading', 'Performers', { level: 1 });
  expect(page.path).toBe('/models');
  const main = await page.find('main');
  const names = () => [...main.querySelectorAll('a[data-tile]')].map((tile) => tile.getAttribute('href'));
  await page.until(() => expect(names()).toHaveLength(3));
  expect(names()[0]).toBe('/here-one');
  expect(names().slice(1).sort()).toEqual(['/away-one', '/away-two']);
  await page.sees('3 performers');
  expect(await page.problems()).toEqual([]);
  await page.click(main.querySelector('a[href="/away-one"]') as HTMLElement);
  await page.until(() => expect(page.path).toBe('/away-one'));
});
