import { getCurrentUser, updateProfile } from '#product/accounts/contract.ts';
import { updateSettings } from '#product/accounts/contract/settings.ts';
import { setDetails } from '#product/broadcast/contract.ts';
import { listFollowed } from '#product/messaging/contract.ts';
import { saveListingProfile } from '#product/performers/contract.ts';
import { servesDocuments } from '#product/testkit/pages/documents.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ABOUT = 'I sing <b>jazz</b>.\n\nAsk "me" & listen.';

let site: TestSite;
let lena: Member;
beforeAll(async () => {
  site = await createSite();
  await servesDocuments(site);
  lena = await site.performer({ username: 'lena_b' });
  await lena.call(updateProfile, { display_name: 'Lena & Co', about: ABOUT, languages: ['ro', 'en'] });
  await lena.call(setDetails, { title: 'Evening songs', tags: ['jazz'] });
  await lena.call(saveListingProfile, {
    region: 'eastern-europe',
    country: 'RO',
    age_range: '23-29',
    private_price: 60,
    exclusive_price: 90,
    spy_price: 12,
    control_rate: 40,
    offers_cam2cam: true,
    time_zone: 'Europe/Bucharest',
    schedule: [{ day: 4, fromMinute: 1_320, minutes: 300 }],
  });
  await lena.goesLive();
  await settled();
});
afterAll(() => site.close());

async function settled(): Promise<void> {
  await site.settle();
  await site.services.browse.settled();
}

/** Opens the bio from the tile of a listing. */
async function opensFromListing(who: Visitor) {
  const page = await openPage(site, who, '/girls');
  await page.press('More about Lena & Co');
  const panel = await page.find('dialog', 'Lena & Co');
  await page.press('Profile', { role: 'link', in: panel });
  await page.find('heading', 'Lena & Co', { level: 1 });
  return page;
}

describe('the bio page', () => {
  it('is reached from a listing and from the room, and says what a performer says [B-071]', async () => {
    const viewer = await site.viewer();
    const page = await opensFromListing(viewer);
    expect(page.path).toBe('/lena_b/bio');
    await page.sees(/I sing <b>jazz<\/b>\./u);
    await page.sees('Romanian, English');
    await page.sees('Romania, Eastern Europe');
    await page.sees('23–29');
    for (const said of [
      '60 tokens per minute',
      '90 tokens per minute',
      '12 tokens per minute',
      /Cam2Cam/u,
      'Live',
      /^By your clock \(/u,
    ]) await page.sees(said);
    // Toys cannot be controlled yet, so their price is not shown.
    expect(page.shows('40 tokens per minute')).toBe(false);
    const schedule = (await page.find('heading', 'When to come by')).parentElement;
    const times = [...schedule?.querySelectorAll('time') ?? []].map((time) => time.getAttribute('datetime'));
    expect(times).toEqual(['2026-01-16T20:00:00.000Z']);
    expect(await page.problems()).toEqual([]);

    await page.press('Follow');
    await page.sees('You follow Lena & Co.');
    expect((await viewer.call(listFollowed, {})).performers.map(({ username }) => username))
      .toEqual(['lena_b']);

    await page.press('Watch now', { role: 'link' });
    await page.press('All about Lena & Co', { role: 'link' });
    await page.find('heading', 'Lena & Co', { level: 1 });
    expect(page.path).toBe('/lena_b/bio');
  });

  it('says by the minute what the settings private_cost and spy_cost ask [A-188, A-189]', async () => {
    const performer = await site.performer({ username: 'spied_on', live: true });
    const SAID = [
      [12, '12 tokens per minute', 30],
      [999, '999 tokens per minute', 45],
      [null, null, 60],
    ] as const;
    const spyCost = async () => (await performer.call(getCurrentUser, {})).settings.spy_cost;
    expect(await spyCost()).toBeNull();
    await performer.call(saveListingProfile, { private_price: 30 });
    for (const [cost, said, price] of SAID) {
      await performer.call(updateSettings, { spy_cost: cost, private_cost: price });
      expect(await spyCost()).toBe(cost);
      await site.settle();
      await site.services.browse.settled();
      const page = await openPage(site, await site.viewer(), '/spied_on/bio');
      await page.find('heading', 'In their own words');
      const asked = ['Private show', 'Spying on a private show'].map((name) => {
        const row = page.all('term').find(({ textContent }) => textContent === name);
        return row?.nextElementSibling?.textContent ?? null;
      });
      expect(asked).toEqual([`${price} tokens per minute`, said]);
    }
  });

  it('of nobody, and of whoever may not be shown, is one page of what is missing', async () => {
    const blocked = await site.performer({ username: 'blocks_home' });
    await site.tx((tx) => site.services.compliance.blockRegions(tx, blocked.id, ['RO']));
    await settled();
    const romanian = await site.visitor({ region: 'RO', ofAge: true });
    const answers = [];
    for (const username of ['nobody_at_all', blocked.username]) {
      const { statusCode, body } = await romanian.request({
        url: `/${username}/bio`,
        headers: { accept: 'text/html', 'accept-language': 'en' },
      });
      answers.push([statusCode, /<h1[^>]*>([^<]*)/u.exec(body)?.[1], /<title>([^<]*)/u.exec(body)?.[1]]);
    }
    expect(answers[0]?.slice(0, 2)).toEqual([404, 'Profile not found']);
    expect(answers[1]).toEqual(answers[0]);
  });

  it('has a head of its own, and its card alone before the entry gate', async () => {
    const read = async (who: Visitor): Promise<string> =>
      (await who.request({
        url: '/lena_b/bio',
        headers: { accept: 'text/html', 'accept-language': 'en' },
      })).body;
    const html = await read(await site.visitor({ ofAge: true }));
    expect(html).toContain('<title>About Lena &amp; Co · Candela Free Live Cams</title>');
    expect(html).toContain('<link rel="canonical" href="http://localhost/lena_b/bio"');
    expect(/<meta name="description" content="([^"]*)"/u.exec(html)?.[1])
      .toBe('I sing &lt;b&gt;jazz&lt;/b&gt;. Ask &quot;me&quot; &amp; listen.');
    const structured = [...html.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gu)]
      .map(([, json]) => JSON.parse(json ?? '') as Record<string, unknown>);
    expect(structured.map((item) => item['@type'])).toEqual(
      expect.arrayContaining(['ProfilePage', 'BreadcrumbList']),
    );
    const before = await read(await site.visitor());
    expect(before).not.toMatch(/jazz|thumbs|portraits/u);
    expect(before).toContain('<meta property="og:title" content="About Lena &amp; Co');
    expect(before).toContain('<meta property="og:image" content="http://localhost/share/lena_b.png"');
  });
});
