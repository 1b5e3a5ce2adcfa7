import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openPage } from '../testkit/pages/open-page.tsx';
import { pageLoads } from '../testkit/pages/window/page-loads.ts';
import { createSite, type TestSite } from '../testkit/site.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;

/** Goes to the settings of notices as people do. */
async function opensPreferences(): Promise<Page> {
  const page = await openPage(site, await site.viewer(), '/account/settings', { mayPrint: /./u });
  await page.press('All notification settings', { role: 'link' });
  await page.until(() => expect(page.path).toBe('/notifications/settings'));
  return page;
}
/** What else stands there still works. */
async function works(page: Page): Promise<void> {
  await page.sees(/^This browser can’t receive push messages/u);
  expect(page.all('heading', 'Oops')).toEqual([]);
  await page.press('Discreet push messages', { role: 'checkbox' });
  await page.idle();
  expect(await page.problems()).toEqual([]);
}

test('a page whose push could not be loaded says so, and all else on it works [C-358]', async () => {
  pageLoads().spoilt.set(/push\/sdk/u, new TypeError('Failed to fetch'));
  onTestFinished(() => pageLoads().spoilt.clear());
  await works(await opensPreferences());
});

test('so does that of a browser without push', async () => {
  await works(await opensPreferences());
});
