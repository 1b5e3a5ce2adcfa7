import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPage } from '../testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '../testkit/site.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;

const fromMenu = (item: string) => async (page: Page): Promise<void> => {
  await page.press(/’s account$/u, { in: await page.find('banner') });
  await page.press(item, { role: 'menuitem' });
};
const fromFoot = (link: string) => async (page: Page): Promise<void> =>
  page.press(link, { role: 'link', in: await page.find('contentinfo') });

/** Small parts of pages: what each reads, and how a person comes to it. */
const PARTS = [
  ['promotions', /\/promo-wheel\/spins/u, fromMenu('Tokens')],
  ['the own tip limit', /\/tips\/limit/u, fromMenu('Tokens')],
  ['the telephone number of support', /\/support\/phone/u, fromFoot('Support')],
] as const;

test.each(PARTS)('%s: a read that fails is shown as failed beside the rest, and can be tried again',
  async (_part, path, leads) => {
    const page = await openPage(site, await site.viewer(), '/legal', { mayPrint: /Failed to fetch/u });
    const mends = page.network.fails(path);
    await leads(page);
    await page.find('heading', undefined, { level: 1 });
    const main = await page.find('main');
    const alert = await page.find('alert', undefined, { in: main });
    expect(alert.textContent).not.toBe('');
    expect(page.all('button', 'Try again', { in: main })).toHaveLength(1);
    expect(await page.problems()).toEqual([]);
    mends();
    page.network.forgets();
    await page.press('Try again', { in: main });
    await page.until(() => expect(page.all('button', 'Try again', { in: main })).toEqual([]));
    expect(page.network.sent.some((sent) => path.test(sent))).toBe(true);
  });
