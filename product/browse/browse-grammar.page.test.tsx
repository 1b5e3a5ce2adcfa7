import { afterAll, beforeAll, expect, test } from 'vitest';
import { updateProfile } from '../accounts/contract.ts';
import { setDetails } from '../broadcast/contract.ts';
import { saveListingProfile } from '../performers/contract.ts';
import { openPage } from '../testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '../testkit/site.ts';

let site: TestSite;
let performer: Member;
beforeAll(async () => {
  site = await createSite();
  performer = await site.performer({ live: true });
});
afterAll(() => site.close());

/** A new browser each time: documents of one are limited, and no time passes here. */
const opens = async (path: string): Promise<Page> =>
  openPage(site, await site.visitor({ ofAge: true }), path);

type Page = Awaited<ReturnType<typeof openPage>>;

/** Waits for the listing at `path`, which has the performer. */
async function listed(page: Page, path: string): Promise<void> {
  await page.until(() => {
    expect(page.path).toBe(path);
    expect(page.all('article').map((one) => one.querySelector('a')?.getAttribute('href')))
      .toEqual([`/${performer.username}`]);
  });
}

/** Opens every one of the addresses, whose listings have the performer; the others are no pages. */
async function accepts(accepted: readonly string[], refused: readonly string[]): Promise<void> {
  for (const path of accepted) await listed(await opens(path), path);
  for (const path of refused) await (await opens(path)).find('heading', 'Page not found');
}

/** ISO 639-1, eight at a time: nobody says they speak more. */
const LANGUAGES = [
  [['arabic', 'ar'], ['chinese', 'zh'], ['dutch', 'nl'], ['english', 'en'], ['french', 'fr'],
    ['german', 'de'], ['italian', 'it'], ['japanese', 'ja']],
  [['korean', 'ko'], ['polish', 'pl'], ['portuguese', 'pt'], ['romanian', 'ro'], ['russian', 'ru'],
    ['spanish', 'es'], ['ukrainian', 'uk']],
] as const;

test('listings of languages are of these fifteen and no others [B-030]', async () => {
  for (const spoken of LANGUAGES) {
    await performer.call(updateProfile, { languages: spoken.map(([, code]) => code) });
    await site.settle();
    await accepts(spoken.map(([slug]) => `/girls/language/${slug}`), []);
  }
  await accepts([], ['klingon', 'swedish', 'de', 'germany', 'english/british'].map((slug) =>
    `/girls/language/${slug}`));
});

test('listings of regions are of these six and no others [B-040]', async () => {
  const regions = ['africa', 'asia', 'central-south-america', 'eastern-europe', 'europe', 'usa'] as const;
  for (const region of regions) {
    await performer.call(saveListingProfile, { region });
    await site.settle();
    await accepts([`/girls/region/${region}`], []);
  }
  await accepts([], ['oceania', 'south-america', 'germany', 'eu'].map((region) => `/girls/region/${region}`));
});

test('listings of private prices begin at these amounts and no others [B-033]', async () => {
  for (const amount of [6, 12, 18, 30, 60, 90, 120]) {
    await performer.call(saveListingProfile, { private_price: amount });
    await site.settle();
    await accepts([`/girls/private-shows/rate/${amount}`], []);
  }
  await accepts([], ['5', '7', '24', '121', '999', '06', 'free', ''].map((amount) =>
    `/girls/private-shows/rate/${amount}`));
});

test('listings of private prices end at these amounts and no others [B-034]', async () => {
  for (const [from, to] of [[6, 18], [18, 60], [60, 120], [120, 999]] as const) {
    await performer.call(saveListingProfile, { private_price: to });
    await site.settle();
    await accepts([`/girls/private-shows/rate/${from}/${to}`], []);
  }
  await accepts([], ['6/17', '6/30', '12/90', '6/998', '6/1000', '60/18'].map((range) =>
    `/girls/private-shows/rate/${range}`));
});

/** Opens the section, finds the link, follows it, and is in its listing. */
async function follows(path: string, from = '/girls'): Promise<void> {
  const page = await opens(from);
  const nav = await page.find('navigation', 'All listings');
  const link = page.all('link', undefined, { in: nav }).find((one) => one.getAttribute('href') === path);
  if (!link) throw new Error(`no link leads to ${path}`);
  await page.click(link);
  await page.until(() => expect(page.path).toBe(path));
  expect(page.all('heading', 'Page not found')).toEqual([]);
  await page.find('heading', link.textContent ?? '', { level: 1 });
}

test.each([
  ['africa', '[B-074]'], ['asia', '[B-075]'], ['eastern-europe', '[B-076]'], ['usa', '[B-077]'],
  ['central-south-america', '[B-078]'],
] as const)('a link leads to the girls of a region: %s %s', async (region, _id) => {
  await performer.call(saveListingProfile, { region });
  await site.settle();
  await follows(`/girls/region/${region}`);
  await listed(await opens(`/girls/region/${region}`), `/girls/region/${region}`);
});

test.each([
  ['canadian-cams', '[B-079]'], ['colombian-cams', '[B-080]'], ['romanian-cams', '[B-081]'],
  ['ukrainian-cams', '[B-082]'], ['south-african-cams', '[B-083]'],
] as const)('a link leads to the girls with a tag: %s %s', async (tag, _id) => {
  await performer.call(setDetails, { title: '', tags: [tag] });
  await site.settle();
  await follows(`/girls/tag/${tag}`);
  await listed(await opens(`/girls/tag/${tag}`), `/girls/tag/${tag}`);
});

test('links lead to the girls of each language [B-084]', async () => {
  const slugs = LANGUAGES.flat().map(([slug]) => slug);
  for (const slug of slugs) await follows(`/girls/language/${slug}`);
});

test('links lead to the new, in every section [B-085]', async () => {
  for (const slug of ['girls', 'couples', 'men', 'trans']) await follows(`/${slug}/new`, `/${slug}`);
});
test('links lead to the top rated, in every section [B-086]', async () => {
  for (const slug of ['girls', 'couples', 'men', 'trans']) await follows(`/${slug}/top-rated`, `/${slug}`);
});
test('links lead to the top rated private shows, in every section [B-087]', async () => {
  for (const slug of ['girls', 'couples', 'men', 'trans']) {
    await follows(`/${slug}/private-shows/top-rated`, `/${slug}`);
  }
});
