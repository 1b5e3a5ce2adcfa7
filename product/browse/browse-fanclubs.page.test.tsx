import { saveOwnClub, type ClubView } from '#product/fanclubs/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const CLUB: ClubView = {
  enabled: true,
  description: '',
  prices: { supporter: 100, insider: 250, legend: 500 },
  perks: { supporter: [], insider: [], legend: [] },
};
const SECTIONS = [['girls', 'f'], ['couples', 'c'], ['men', 'm'], ['trans', 't']] as const;

test('all with a fan club are listed by gender, and those who are online [B-069, B-070]', async () => {
  const made: (readonly [string, Member, Member, Member])[] = [];
  for (const [slug, gender] of SECTIONS) {
    const live = await site.performer({ gender, live: true });
    const away = await site.performer({ gender });
    const without = await site.performer({ gender, live: true });
    for (const one of [live, away]) await one.call(saveOwnClub, CLUB);
    made.push([slug, live, away, without]);
  }
  await site.settle();
  const viewer = await site.viewer();
  const everybody = made.flatMap(([, ...people]) => people);
  for (const [slug, live, away] of made) {
    for (const [which, listed] of [['all', [live, away]], ['online', [live]]] as const) {
      const page = await openPage(site, viewer, `/${slug}/fanclub/${which}`);
      const main = await page.find('main');
      const named = ({ username }: Member): RegExp => new RegExp(`${username}(?!\\d)`, 'u');
      for (const one of listed) await page.find('link', named(one), { in: main });
      await page.idle();
      const shown = everybody.filter((member) => page.all('link', named(member), { in: main }).length > 0);
      expect([slug, which, shown.map(({ username }) => username).toSorted()])
        .toEqual([slug, which, listed.map(({ username }) => username).toSorted()]);
    }
  }
  // A closed club is no longer listed.
  const [, live] = made[0] as (typeof made)[number];
  await live.call(saveOwnClub, { ...CLUB, enabled: false });
  await site.settle();
  const page = await openPage(site, viewer, '/girls/fanclub/online');
  await page.find('main');
  await page.idle();
  expect(page.all('heading', /fan club/u)).not.toEqual([]);
  expect(page.shows(/No one is live here right now\./u)).toBe(true);
});
