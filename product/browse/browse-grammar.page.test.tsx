import { DAY_MS } from '#platform/time/units.ts';
import { updateProfile } from '#product/accounts/contract.ts';
import { setDetails } from '#product/broadcast/contract.ts';
import { saveListingProfile } from '#product/performers/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { browseLive, browseMore } from './contract.ts';

/** Languages with their ISO 639-1 codes and names. */
const LANGUAGES = [
  ['arabic', 'ar', 'Arabic'],
  ['chinese', 'zh', 'Chinese'],
  ['dutch', 'nl', 'Dutch'],
  ['english', 'en', 'English'],
  ['french', 'fr', 'French'],
  ['german', 'de', 'German'],
  ['italian', 'it', 'Italian'],
  ['japanese', 'ja', 'Japanese'],
  ['korean', 'ko', 'Korean'],
  ['polish', 'pl', 'Polish'],
  ['portuguese', 'pt', 'Portuguese'],
  ['romanian', 'ro', 'Romanian'],
  ['russian', 'ru', 'Russian'],
  ['spanish', 'es', 'Spanish'],
  ['ukrainian', 'uk', 'Ukrainian'],
] as const;
/** Four girls speak eight of the fifteen languages each; no two languages have the same speakers. */
const speaks = (girl: number, language: number): boolean => (((language + 1) >> girl) & 1) === 1;
const SPEAKERS = [0, 1, 2, 3];
const REGIONS = ['africa', 'asia', 'central-south-america', 'eastern-europe', 'europe', 'usa'] as const;
const PRICES = [6, 12, 18, 30, 60, 90, 120, 999];
const TAGS = ['canadian-cams', 'colombian-cams', 'romanian-cams', 'ukrainian-cams', 'south-african-cams'];

let site: TestSite;
/** Eight girls who are not new: each has a different price, six a different region, five a different tag. */
let girls: Member[];
/** A new performer of each gender; all but the girl offer private shows, as the other girls do. */
let fresh: Record<'girls' | 'couples' | 'men' | 'trans', Member>;

const namesOf = (people: readonly (Member | undefined)[]): string[] =>
  people.map((person) => person?.username ?? '').sort();
const speakersOf = (language: number): string[] =>
  namesOf(SPEAKERS.filter((girl) => speaks(girl, language)).map((girl) => girls[girl]));
const pricedWithin = (from: number, to: number): string[] =>
  namesOf(girls.filter((_, at) => (PRICES[at] as number) >= from && (PRICES[at] as number) <= to));

beforeAll(async () => {
  site = await createSite();
  girls = await Promise.all(PRICES.map(async (price, at) => {
    const girl = await site.performer({ username: `girl_${price}` });
    const region = REGIONS[at];
    await girl.call(saveListingProfile, { private_price: price, ...(region ? { region } : {}) });
    if (SPEAKERS.includes(at)) {
      const spoken = LANGUAGES.filter((_, language) => speaks(at, language));
      await girl.call(updateProfile, { languages: spoken.map(([, code]) => code) });
    }
    const tag = TAGS[at];
    if (tag) await girl.call(setDetails, { title: '', tags: [tag] });
    return girl;
  }));
  const old = await Promise.all(
    (['c', 'm', 't'] as const).map((gender) => site.performer({ gender, username: `old_${gender}` })),
  );
  site.clock.advance(31 * DAY_MS);
  for (const one of [...girls, ...old]) await one.goesLive();
  const isNew = async (gender: 'f' | 'c' | 'm' | 't'): Promise<Member> => {
    const one = await site.performer({ gender, username: `new_${gender}` });
    if (gender !== 'f') await one.call(saveListingProfile, { private_price: 30 });
    await one.goesLive();
    return one;
  };
  fresh = {
    girls: await isNew('f'),
    couples: await isNew('c'),
    men: await isNew('m'),
    trans: await isNew('t'),
  };
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;

/** A new browser each time: documents per browser are limited, and the clock stands still here. */
const opens = async (path: string): Promise<Page> =>
  openPage(site, await site.visitor({ ofAge: true }), path);

/** Waits for the listing at `path` under its heading: exactly these. */
async function listed(page: Page, path: string, heading: string, names: readonly string[]): Promise<void> {
  await page.find('heading', heading, { level: 1 });
  expect(page.path).toBe(path);
  await page.until(() => {
    const links = page.all('article').map((element) => element.querySelector('a')?.getAttribute('href'));
    expect(links.sort()).toEqual(names.map((name) => `/${name}`));
  });
}

/** Who is listed at an address, as pages read it: page by page, and while scrolling. */
async function answered(guest: Visitor, path: string): Promise<string[]> {
  const [paged, scrolled] = [await guest.call(browseLive, { path }), await guest.call(browseMore, { path })];
  const names = paged.userList.map(({ username }) => username).sort();
  expect(scrolled.userList.map(({ username }) => username).sort(), path).toEqual(names);
  return names;
}

/** All addresses below this one that the section links to. */
async function offered(below: string): Promise<string[]> {
  const page = await opens('/girls');
  const nav = await page.find('navigation', 'All listings');
  return page.all('link', undefined, { in: nav }).map((link) => link.getAttribute('href') ?? '')
    .filter((href) => href.startsWith(below)).sort();
}

/** Nothing is listed at these addresses. The first of them are opened, and there is no such page. */
async function refuses(paths: readonly string[], opened = 1): Promise<void> {
  const guest = await site.visitor({ ofAge: true });
  for (const path of paths) {
    for (const call of [browseLive, browseMore]) {
      expect(await guest.refused(call, { path }), path).toMatchObject({
        status: 404,
        errorType: 'listing_unknown',
      });
    }
  }
  for (const path of paths.slice(0, opened)) {
    await (await opens(`/${path}`)).find('heading', 'Page not found');
  }
}

test('listings of languages are of these fifteen and no others [B-029, B-030]', async () => {
  const guest = await site.visitor({ ofAge: true });
  for (const [at, [slug]] of LANGUAGES.entries()) {
    expect(await answered(guest, `girls/language/${slug}`), slug).toEqual(speakersOf(at));
  }
  expect(await offered('/girls/language/'))
    .toEqual(LANGUAGES.map(([slug]) => `/girls/language/${slug}`).sort());
  await refuses(
    ['klingon', 'swedish', 'de', 'germany', 'english/british'].map((slug) => `girls/language/${slug}`),
    2,
  );
});

test('listings of regions are of these six and no others [B-039, B-040]', async () => {
  const guest = await site.visitor({ ofAge: true });
  for (const [at, region] of REGIONS.entries()) {
    expect(await answered(guest, `girls/region/${region}`), region).toEqual(namesOf([girls[at]]));
  }
  // The links lead to the other five.
  await listed(await opens('/girls/region/europe'), '/girls/region/europe', 'Girls from Europe', ['girl_60']);
  expect(await offered('/girls/region/')).toEqual(REGIONS.map((region) => `/girls/region/${region}`));
  await refuses(['oceania', 'south-america', 'germany', 'eu'].map((region) => `girls/region/${region}`), 2);
});

const AMOUNTS = [6, 12, 18, 30, 60, 90, 120];
const ENDS = [18, 60, 120, 999];

test('listings of private prices begin at these amounts and no others [B-033]', async () => {
  const guest = await site.visitor({ ofAge: true });
  const page = await opens('/girls');
  for (const amount of AMOUNTS) {
    const path = `girls/private-shows/rate/${amount}`;
    expect(await answered(guest, path), path).toEqual(pricedWithin(0, amount));
    await page.goto(`/${path}`);
    await listed(
      page,
      `/${path}`,
      `Girls with private shows up to ${amount} tokens a minute`,
      pricedWithin(0, amount),
    );
  }
  await refuses(
    ['7', '5', '24', '121', '999', '06', 'free', ''].map((amount) => `girls/private-shows/rate/${amount}`),
    2,
  );
});

test('listings of private prices end at these amounts and no others [B-033, B-034]', async () => {
  const guest = await site.visitor({ ofAge: true });
  for (const from of AMOUNTS) {
    for (const to of ENDS) {
      const path = `girls/private-shows/rate/${from}/${to}`;
      if (from <= to) expect(await answered(guest, path), path).toEqual(pricedWithin(from, to));
      else await refuses([path], 0);
    }
  }
  const page = await opens('/girls');
  for (const [from, to] of [[6, 18], [18, 60], [60, 120], [120, 999]] as const) {
    const path = `girls/private-shows/rate/${from}/${to}`;
    await page.goto(`/${path}`);
    await listed(
      page,
      `/${path}`,
      `Girls with private shows at ${from}–${to} tokens a minute`,
      pricedWithin(from, to),
    );
  }
  await refuses(
    [
      '6/30',
      '6/17',
      '12/90',
      '6/998',
      '6/1000',
      '6/018',
      '6/free',
      '7/18',
      '24/60',
      '121/999',
      '06/18',
    ].map((range) => `girls/private-shows/rate/${range}`),
    2,
  );
});

/** Finds the link to `path` among all listings of a section, and follows it to its listing. */
async function follows(page: Page, path: string, heading: string): Promise<void> {
  const nav = await page.find('navigation', 'All listings');
  await page.press(heading, { role: 'link', in: nav });
  await page.find('heading', heading, { level: 1 });
  expect(page.path).toBe(path);
}

test.each(
  [
    ['africa', 'Girls from Africa', 0, '[B-074]'],
    ['asia', 'Girls from Asia', 1, '[B-075]'],
    ['eastern-europe', 'Girls from Eastern Europe', 3, '[B-076]'],
    ['usa', 'Girls from the USA', 5, '[B-077]'],
    ['central-south-america', 'Girls from Central and South America', 2, '[B-078]'],
  ] as const,
)('a link leads to the girls of a region: %s, “%s”, %i %s', async (
  region,
  heading,
  girl,
  _id,
) => {
  const page = await opens('/girls');
  const path = `/girls/region/${region}`;
  await follows(page, path, heading);
  await listed(page, path, heading, namesOf([girls[girl]]));
});

test.each(
  [
    ['canadian-cams', 'Canadian cams', 0, '[B-079]'],
    ['colombian-cams', 'Colombian cams', 1, '[B-080]'],
    ['romanian-cams', 'Romanian cams', 2, '[B-081]'],
    ['ukrainian-cams', 'Ukrainian cams', 3, '[B-082]'],
    ['south-african-cams', 'South African cams', 4, '[B-083]'],
  ] as const,
)('a link leads to the girls with a tag: %s, “%s”, %i %s', async (tag, heading, girl, _id) => {
  const page = await opens('/girls');
  const path = `/girls/tag/${tag}`;
  await follows(page, path, heading);
  await listed(page, path, heading, namesOf([girls[girl]]));
});

test('links lead to the girls of each language [B-084]', async () => {
  const page = await opens('/girls');
  for (const [at, [slug, , name]] of LANGUAGES.entries()) {
    await follows(page, `/girls/language/${slug}`, `Girls who speak ${name}`);
    await listed(page, `/girls/language/${slug}`, `Girls who speak ${name}`, speakersOf(at));
    await page.press('Girls live now', { role: 'link' });
  }
});

const SECTIONS = [
  ['girls', 'Girls'],
  ['couples', 'Couples'],
  ['men', 'Men'],
  ['trans', 'Trans performers'],
] as const;

test('links lead to the new, in every section [B-031, B-085]', async () => {
  for (const [slug, who] of SECTIONS) {
    const page = await opens(`/${slug}`);
    await follows(page, `/${slug}/new`, `${who} who are new here`);
    await listed(page, `/${slug}/new`, `${who} who are new here`, [fresh[slug].username]);
  }
});

// Nobody is rated: the live performers, who all have private shows, appear only as alternatives.
test.each([
  ['top-rated', 'with the best ratings'],
  ['private-shows/top-rated', 'with the best-rated private shows'],
])('the top rated of a section have an address, and no link while there are none: %s, “%s”', async (
  path,
  heading,
) => {
  for (const [slug, who] of SECTIONS) {
    const page = await opens(`/${slug}`);
    const nav = await page.find('navigation', 'All listings');
    expect(page.all('link', `${who} ${heading}`, { in: nav })).toEqual([]);
    await page.goto(`/${slug}/${path}`);
    await page.find('heading', `${who} ${heading}`, { level: 1 });
    await page.sees('No one is live here right now.');
    const others = await page.find('region', 'Live now, and maybe for you');
    const shown = page.all('article').map((element) => element.querySelector('a')?.getAttribute('href'));
    expect(shown).toContain(`/${fresh[slug].username}`);
    expect(page.all('article', undefined, { in: others })).toHaveLength(shown.length);
  }
});
