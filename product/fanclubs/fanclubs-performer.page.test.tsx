import { uuidV4 } from '#platform/data/ids.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeAnnouncement, getAnnouncement, getFans, joinFanclub, saveOwnClub } from './contract.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

describe('the announcement of fan clubs', () => {
  test(
    'is seen by a performer one time only, in whichever browser, and by no viewer [A-276, A-319]',
    async () => {
      const performer = await site.performer();
      const seen = async (browser: Member): Promise<boolean> => {
        const page = await openPage(site, browser, '/tags');
        await page.find('heading', /tags/iu);
        await page.idle();
        return page.all('region', 'Fan clubs are here.').length > 0;
      };
      const first = await openPage(site, performer, '/tags');
      const notice = await first.find('region', 'Fan clubs are here.');
      await first.find('link', 'Set up your fan club', { in: notice });
      expect(await first.problems()).toEqual([]);
      // The notice was seen, and nobody closed it.
      await first.idle();
      for (const browser of [performer, await site.anotherTabOf(performer)]) {
        expect(await seen(browser)).toBe(false);
      }
      await site.passes(30 * 86_400_000);
      expect(await seen(await site.anotherTabOf(performer))).toBe(false);
      // Each performer sees it once, and may close it at once.
      const other = await site.performer();
      const own = await openPage(site, other, '/tags');
      await own.find('region', 'Fan clubs are here.');
      await own.press('Close announcement');
      await own.gone('region', 'Fan clubs are here.');
      expect(await seen(other)).toBe(false);
      expect(await (await site.performer()).call(getAnnouncement, {}))
        .toEqual({ is_new: true, share_percent: 80 });
      const viewer = await site.viewer();
      expect(await seen(viewer)).toBe(false);
      for (const call of [getAnnouncement, closeAnnouncement]) {
        expect((await viewer.refused(call, {})).status).toBe(403);
      }
    },
  );

  test('says that the performer receives 80% of what fans spend [A-320]', async () => {
    const performer = await site.performer();
    const page = await openPage(site, performer, '/tags');
    const notice = await page.find('region', 'Fan clubs are here.');
    await page.sees(/You receive 80% of what they spend\./u, { in: notice });
    // And the performer does receive that share.
    await performer.call(saveOwnClub, {
      enabled: true,
      description: '',
      prices: { supporter: 110, insider: 250, legend: 500 },
      perks: { supporter: [], insider: [], legend: [] },
    });
    const viewer = await site.viewer({ tokens: 110 });
    const { username } = performer;
    const input = { username, level: 'supporter', price: 110 } as const;
    await viewer.call(joinFanclub, input, { idempotencyKey: uuidV4() });
    const { rows } = await site.tx((tx) =>
      sql<{ sum: number }>`select sum(tokens)::bigint as sum
      from ledger.postings where account = 'earnings' and person_id = ${performer.id}`.execute(tx.sql())
    );
    expect(rows[0]?.sum).toBe(88);
  });
});

describe('the settings of a fan club', () => {
  test('open it with words, prices and promises, and list its members [A-017]', async () => {
    const performer = await site.performer();
    const { username } = performer;
    const page = await openPage(site, performer, '/account/fanclub');
    await page.sees('Your members will be listed here.');
    await page.press('Fans can join my club', { role: 'checkbox' });
    await page.fill('About your club', 'Hello there.');
    const prices = page.all('textbox', /^Tokens a month/u);
    expect(prices.map((field) => (field as HTMLInputElement).value)).toEqual(['100', '250', '500']);
    const promises = page.all('textbox', /^What you promise/u);
    expect(promises).toHaveLength(3);
    expect(await page.problems()).toEqual([]);
    await page.fill(/^Tokens a month/u, '600', { in: prices[0]?.parentElement as HTMLElement });
    await page.press('Save fan club');
    await page.sees('Each level has to cost more than the one below it.');
    await page.fill(/^Tokens a month/u, '100', { in: prices[0]?.parentElement as HTMLElement });
    await page.press('Save fan club');
    await page.sees('Your fan club is open');
    const viewer = await site.viewer({ tokens: 500 });
    expect((await viewer.call(getFans, { username, profile: '1' })).profile)
      .toMatchObject({ enabled: true, description: 'Hello there.' });
    await viewer.call(joinFanclub, { username, level: 'insider', price: 250 }, { idempotencyKey: uuidV4() });
    const again = await openPage(site, performer, '/account/fanclub');
    const members = await again.find('table', 'Members');
    await again.sees(`@${viewer.username}`, { in: members });
    await again.sees('Insider', { in: members });
    expect(await again.problems()).toEqual([]);
  });
});
