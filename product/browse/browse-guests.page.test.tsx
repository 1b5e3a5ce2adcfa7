import { setDetails } from '#product/broadcast/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('a guest browses: all who are live, those of a gender, and into a room [A-306]', async () => {
  const [woman, couple] = [
    await site.performer({ live: true }),
    await site.performer({ live: true, gender: 'c' }),
  ];
  const man = await site.performer({ live: true, gender: 'm' });
  const away = await site.performer();
  await woman.call(setDetails, { title: 'Hello there', tags: [] });
  await site.settle();
  const named = ({ username }: { readonly username: string }): RegExp => new RegExp(username, 'u');
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/');
  const main = await page.find('main');
  const has = (who: typeof woman) =>
    page.until(() => expect(page.all('link', named(who), { in: main }).length).toBeGreaterThan(0));
  await has(woman);
  await page.sees('Hello there', { in: main });
  await has(couple);
  expect(page.all('link', named(away), { in: main })).toEqual([]);
  await page.press('Men', { role: 'link' });
  await page.find('link', named(man));
  expect([page.path, page.all('link', named(woman))]).toEqual(['/men', []]);
  await page.press('Girls', { role: 'link' });
  await page.gone('link', named(man));
  expect([page.path, page.all('link', named(couple))]).toEqual(['/girls', []]);
  await page.press(named(woman), { role: 'link', in: await page.find('main') });
  await page.sees(/in the room/u);
  expect(page.path).toBe(`/${woman.username}`);
  expect(await page.problems()).toEqual([]);
});
