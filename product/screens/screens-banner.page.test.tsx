import type { InputOf } from '#platform/contract/call.ts';
import { changeBanner, getBanner, removeBanner } from '#product/site/contract/banner.ts';
import { servesDocuments } from '#product/testkit/pages/documents.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import type { Member } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

type Page = Awaited<ReturnType<typeof openPage>>;

let shop: Shop;
let admin: Member;
const HER = 'marina';
const HIM = 'marco';
const BANNER: Omit<InputOf<typeof changeBanner>, 'reason'> = {
  text: 'Summer nights: new shows every Friday',
  image_path: null,
  link: '/girls/new',
  from: null,
  until: null,
};
beforeAll(async () => {
  shop = await createShop();
  await servesDocuments(shop.site);
  admin = await shop.site.admin();
  await shop.site.performer({ username: HER, gender: 'f', live: true });
  await shop.site.performer({ username: HIM, gender: 'm', live: true });
  await shop.site.settle();
});
afterAll(() => shop.close());

const guest = () => shop.site.visitor({ ofAge: true });
const shows = async (change: Partial<typeof BANNER> = {}) =>
  admin.call(changeBanner, { ...BANNER, ...change, reason: 'a campaign' });
const region = 'From this site';
/** Opens a page. The document is rendered too, which logs an error about a file that only a build has. */
const opens = (visitor: Visitor, path: string) =>
  openPage(shop.site, visitor, path, { mayPrint: /An empty string \(""\) was passed/u });
/** Whether the page shows the banner, once everything it loads is there. */
async function has(page: Page): Promise<boolean> {
  await page.find('main');
  for (let look = 0; look < 3; look += 1) await page.idle();
  return page.all('complementary', region).length === 1 && page.shows(BANNER.text);
}
/** Whether the document contains the banner before any script runs. */
async function inDocument(visitor: Visitor, url: string): Promise<boolean> {
  const { statusCode, body } = await visitor.request({ method: 'GET', url });
  expect([url, statusCode]).toEqual([url, 200]);
  return body.replace(/<script[\s\S]*?<\/script>/gu, '').includes(BANNER.text);
}

describe('the banner of a site', () => {
  test(
    'is set by an admin in the back office, shows on the home page, listings and rooms, and leads on',
    async () => {
      const page = await opens(admin, '/admin');
      await page.press('Sites', { role: 'link', in: await page.find('navigation', 'Back office') });
      const form = await page.find('region', 'Banner of Candela');
      await page.sees('No banner yet.', { in: form });
      await page.fill('Text', BANNER.text, { in: form });
      await page.fill('Link', 'girls', { in: form });
      await page.fill('Reason', 'a campaign', { in: form });
      await page.press('Save banner', { in: form });
      await page.sees('Enter a path such as /girls/new, or an address that begins with https://.');
      await page.fill('Link', BANNER.link, { in: form });
      await page.press('Save banner', { in: form });
      await page.sees('On pages now.');
      expect(await page.problems()).toEqual([]);
      for (const path of ['/', '/girls', '/models', '/voyeur-cams', `/${HER}`]) {
        const shown = await opens(await guest(), path);
        await shown.find('complementary', region);
        expect([path, await has(shown)]).toEqual([path, true]);
        expect(await inDocument(await guest(), path)).toBe(true);
      }
      for (const path of ['/login', '/tags', '/legal', '/account/settings']) {
        expect([path, await has(await opens(await shop.site.viewer(), path))])
          .toEqual([path, false]);
      }
      const home = await opens(await guest(), '/');
      await home.press(BANNER.text, { role: 'link' });
      await home.until(() => expect(home.path).toBe('/girls/new'));
      expect(await home.problems()).toEqual([]);
    },
  );

  test('is hidden from premium, vip and super_vip members [A-312]', async () => {
    await shows();
    const viewer = await shop.site.viewer();
    expect(await has(await opens(viewer, '/girls'))).toBe(true);
    for (const membership of ['membership_premium', 'membership_vip', 'membership_super_vip']) {
      const member = await shop.site.viewer();
      await shop.buys(member, membership);
      for (const path of ['/', '/girls', `/${HER}`]) {
        expect([membership, path, await has(await opens(member, path))])
          .toEqual([membership, path, false]);
        expect(await inDocument(member, path)).toBe(false);
      }
    }
  });

  test('is hidden from models [A-313]', async () => {
    await shows();
    const model = await shop.site.performer({ gender: 'f' });
    for (const path of ['/', '/girls', `/${HER}`, `/${model.username}`]) {
      expect([path, await has(await opens(model, path))]).toEqual([path, false]);
      expect(await inDocument(model, path)).toBe(false);
    }
    expect(await has(await opens(await guest(), '/girls'))).toBe(true);
  });

  test('is hidden on routes of the men section, in documents and when one goes there [A-314]', async () => {
    await shows();
    const visitor = await guest();
    for (const path of [
      '/men',
      '/men/new',
      '/men/tag/aikido',
      '/men/language/german',
      '/men/feed',
      '/MEN/anything',
    ]) {
      expect([path, await inDocument(visitor, path)]).toEqual([path, false]);
      expect([path, await has(await opens(visitor, path))]).toEqual([path, false]);
    }
    const page = await opens(visitor, '/girls');
    expect(await has(page)).toBe(true);
    await page.press('Men', { role: 'link', in: await page.find('banner') });
    await page.find('heading', 'Men live now', { level: 1 });
    expect(await has(page)).toBe(false);
    await page.press('Girls', { role: 'link', in: await page.find('banner') });
    await page.find('heading', 'Girls live now', { level: 1 });
    expect(await has(page)).toBe(true);
  });

  test('is hidden in rooms of male performers, in documents and when one goes there [A-315]', async () => {
    await shows();
    const visitor = await guest();
    for (const path of [`/${HIM}`, `/${HIM.toUpperCase()}`]) {
      const { body, statusCode } = await visitor.request({ method: 'GET', url: path });
      const drawn = body.replace(/<script[\s\S]*?<\/script>/gu, '');
      expect([statusCode, drawn.includes('<h1'), drawn.includes(BANNER.text)]).toEqual([200, true, false]);
    }
    expect(await inDocument(visitor, `/${HER}`)).toBe(true);
    const page = await opens(visitor, '/models');
    const main = await page.find('main');
    await page.until(() => expect(main.querySelector(`a[href="/${HER}"]`)).not.toBeNull());
    await page.click(main.querySelector(`a[href="/${HER}"]`) as HTMLElement);
    await page.until(async () => expect(page.path).toBe(`/${HER}`));
    await page.find('heading', new RegExp(HER, 'u'), { level: 1 });
    expect(await has(page)).toBe(true);
    const him = await opens(visitor, '/men');
    const list = await him.find('main');
    await him.until(() => expect(list.querySelector(`a[href="/${HIM}"]`)).not.toBeNull());
    await him.click(list.querySelector(`a[href="/${HIM}"]`) as HTMLElement);
    await him.find('heading', new RegExp(HIM, 'u'), { level: 1 });
    expect(await has(him)).toBe(false);
  });

  test('closes for who closes it, in documents too, until there is another', async () => {
    await shows();
    const visitor = await guest();
    const page = await opens(visitor, '/girls');
    await page.press('Hide this banner');
    await page.gone('complementary', region);
    expect(await has(await opens(visitor, '/'))).toBe(false);
    expect(await inDocument(visitor, '/')).toBe(false);
    expect(await inDocument(await guest(), '/')).toBe(true);
    shop.site.clock.advance(60_000);
    await shows();
    expect(await inDocument(visitor, '/')).toBe(true);
  });

  test('has its time, may be a picture, and can be removed', async () => {
    // Documents cached before the change have expired by then.
    await shop.site.passes(20_000);
    const now = shop.site.clock.now().getTime();
    const at = (ms: number) => new Date(now + ms).toISOString();
    await shows({ from: at(60_000), until: at(120_000) });
    expect((await admin.call(getBanner, {})).is_shown).toBe(false);
    expect(await inDocument(await guest(), '/')).toBe(false);
    await shop.site.passes(60_000);
    expect(await inDocument(await guest(), '/')).toBe(true);
    await shop.site.passes(60_000);
    expect(await inDocument(await guest(), '/')).toBe(false);
    await shows({ image_path: '/images/casa-salsa-1.svg' });
    const page = await opens(await guest(), '/girls');
    expect((await page.find('img', BANNER.text)).getAttribute('src')).toBe('/images/casa-salsa-1.svg');
    const back = await opens(admin, '/admin/site');
    const form = await back.find('region', 'Banner of Candela');
    await back.press('Remove banner', { in: form });
    const dialog = await back.find('dialog', 'Remove this banner?');
    await back.fill('Reason', 'summer is over', { in: dialog });
    await back.press('Remove banner', { in: dialog });
    await back.sees('No banner yet.');
    shop.site.clock.advance(20_000);
    expect(await has(await opens(await guest(), '/girls'))).toBe(false);
  });

  test('is changed by admins alone, and leads to no script', async () => {
    const given = { ...BANNER, reason: 'mine' };
    for (const who of [
      await shop.site.viewer(),
      await shop.site.performer(),
      await shop.site.viewer({ roles: ['site_mod'] }),
    ]) {
      for (const call of [changeBanner, removeBanner, getBanner]) {
        expect((await who.refused(call, call === getBanner ? {} : given)).status).toBe(403);
      }
    }
    for (const call of [changeBanner, removeBanner, getBanner]) {
      expect((await (await guest()).refused(call, call === getBanner ? {} : given)).status).toBe(401);
    }
    const links = ['javascript:alert(1)', '//evil.example', '/\\evil.example', 'http://evil.example', ''];
    for (const link of links) {
      expect(await admin.refused(changeBanner, { ...given, link })).toMatchObject({ status: 422 });
    }
    for (const image_path of ['https://evil.example/x.png', '//evil.example/x.png', 'data:image/png,x']) {
      expect(await admin.refused(changeBanner, { ...given, image_path })).toMatchObject({ status: 422 });
    }
    const late = { from: '2030-01-02T00:00:00Z', until: '2030-01-01T00:00:00Z' };
    expect(await admin.refused(changeBanner, { ...given, ...late }))
      .toMatchObject({ errorType: 'banner_order' });
  });
});
