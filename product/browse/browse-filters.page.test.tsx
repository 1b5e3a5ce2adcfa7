import { updateProfile } from '#product/accounts/contract.ts';
import { endBroadcast, setDetails } from '#product/broadcast/contract.ts';
import { saveListingProfile } from '#product/performers/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;

/** A performer who passes every filter below, except where the arguments say otherwise. */
async function performer(
  username: string,
  { gender = 'f', language = 'de', tag = 'tango', ...profile }: {
    gender?: 'f' | 'm';
    language?: string;
    tag?: string;
    region?: 'asia';
    private_price?: number;
    age_range?: '30-39';
    ethnicity?: 'asian';
    country?: string;
  } = {},
): Promise<Member> {
  const one = await site.performer({ username, gender });
  await one.call(updateProfile, { languages: [language] });
  await one.call(setDetails, { title: 'Hello', tags: [tag] });
  await one.call(saveListingProfile, {
    region: 'europe',
    private_price: 12,
    age_range: '18-22',
    ethnicity: 'latin',
    country: 'RO',
    ...profile,
  });
  await one.goesLive();
  return one;
}

beforeAll(async () => {
  site = await createSite();
  await performer('matches');
  await performer('a_man', { gender: 'm' });
  await performer('other_tag', { tag: 'opera' });
  await performer('other_language', { language: 'fr' });
  await performer('other_region', { region: 'asia' });
  await performer('other_rate', { private_price: 90 });
  await performer('other_age', { age_range: '30-39' });
  await performer('other_ethnicity', { ethnicity: 'asian' });
  await performer('other_country', { country: 'CO' });
  await (await performer('is_offline')).call(endBroadcast, {});
  await site.settle();
  await site.services.browse.settled();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;
const WOMEN = [
  'matches',
  'other_age',
  'other_country',
  'other_ethnicity',
  'other_language',
  'other_rate',
  'other_region',
  'other_tag',
];
/** Waits until exactly these women are listed, besides those whom only other filters leave out. */
const lists = (page: Page, names: readonly string[]): Promise<void> =>
  page.until(() => {
    const links = page.all('article').map((tile) => tile.querySelector('a')?.getAttribute('href'));
    expect(links.toSorted()).toEqual(names.map((name) => `/${name}`));
  });
const without = (...names: string[]): string[] => WOMEN.filter((name) => !names.includes(name));

test('pages list who is online by gender, tag, language, region, rate and others [B-016]', async () => {
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/');
  await page.press('Men', { role: 'link', in: await page.find('banner') });
  await lists(page, ['a_man']);
  await page.press('Girls', { role: 'link', in: await page.find('banner') });
  await lists(page, WOMEN);
  const left: string[] = [];
  for (const [chip, choice, name] of [
    ['Tag', '#tango', 'other_tag'],
    ['Language', 'German', 'other_language'],
    ['Region', 'Europe', 'other_region'],
    ['Private price', 'Up to 30 tokens a minute', 'other_rate'],
    ['Age', '18–22', 'other_age'],
  ] as const) {
    const filters = await page.find('group', 'Filters');
    await page.press(chip, { in: filters });
    await page.press(choice, { role: 'menuitemradio' });
    left.push(name);
    await lists(page, without(...left));
  }
  // The other filters have links that set them.
  for (const [query, name] of [
    ['ethnicity=latin', 'other_ethnicity'],
    ['country=ro', 'other_country'],
  ] as const) {
    await page.goto(`/girls?${query}`);
    await lists(page, without(name));
  }
  await page.goto('/girls?goal=1');
  await page.sees('No one who is live matches these filters.');
});
