import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { updateProfile } from '#product/accounts/contract.ts';
import { setDetails } from '#product/broadcast/contract.ts';
import { follow } from '#product/messaging/contract.ts';
import { saveListingProfile } from '#product/performers/contract.ts';
import { ratePerformer } from '#product/shows/contract/ratings.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { crowdOf } from '#product/testkit/store/live-crowd.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { addGoal } from '#product/tips/contract/goals.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { saveHome } from './contract/home.ts';
import type { HomeSectionId } from './rules/home.ts';

let site: TestSite;
beforeEach(async () => {
  site = await createSite();
});
afterEach(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;

/** The home page by sections, in a browser that chose that layout. */
async function openSections(who?: Visitor): Promise<Page> {
  const visitor = who ?? await site.visitor({ ofAge: true });
  visitor.setCookie('home_layout', 'section');
  return openPage(site, visitor, '/');
}
/** Usernames of the tiles in a row, in order. */
async function namesIn(page: Page, title: string): Promise<(string | undefined)[]> {
  const row = await page.find('region', title);
  return page.all('listitem', undefined, { in: row })
    .map((item) => item.querySelector('a')?.getAttribute('href')?.slice(1));
}
const live = async (prepare: (one: Member) => Promise<unknown>): Promise<Member> => {
  const performer = await site.performer({ live: true });
  await prepare(performer);
  await site.settle();
  return performer;
};

test('favorites and history: whom one follows, then whose room one was in [B-089]', async () => {
  const [followed, watched] = [await live(async () => undefined), await live(async () => undefined)];
  await live(async () => undefined);
  const viewer = await site.viewer();
  await viewer.call(follow, { username: followed.username });
  await openRoom(site, viewer, watched);
  await site.settle();
  const page = await openSections(viewer);
  expect(await namesIn(page, 'Favorites and history')).toEqual([followed.username, watched.username]);
  const other = await openSections();
  await other.find('region', 'New and trending');
  expect(other.all('region', 'Favorites and history')).toEqual([]);
});

test('new and trending: who signed up less than thirty days ago, by the ranking [B-090]', async () => {
  const early = await site.performer();
  await site.passes(31 * DAY_MS);
  await early.goesLive();
  const [quiet, busy] = [await live(async () => undefined), await live(async () => undefined)];
  await site.socketOf(await site.visitor({ ofAge: true }), busy.username);
  await site.settle();
  const page = await openSections();
  expect(await namesIn(page, 'New and trending')).toEqual([busy.username, quiet.username]);
});

test('top rated models: who is live and has votes of three, the best first [B-093, B-102]', async () => {
  const [good, better, unrated] = await Promise.all(Array.from({ length: 3 }, () => live(async () => null)));
  const fans = [
    await site.viewer({ tokens: 90 }),
    await site.viewer({ tokens: 90 }),
    await site.viewer({ tokens: 90 }),
  ];
  const all = [good, better, unrated] as Member[];
  for (const fan of fans) for (const performer of all) await fan.tips(performer, 25);
  // Any other order would put the good one first.
  await (await site.viewer({ tokens: 600 })).tips(good as Member, 500);
  await site.settle();
  for (const [at, fan] of fans.entries()) {
    for (const performer of all) {
      if (performer === unrated && at === 2) continue;
      const vote = performer === good && at === 0 ? 'RATE_DOWN' : 'RATE_UP';
      await fan.call(ratePerformer, { username: performer.username, vote });
    }
  }
  await site.settle();
  const page = await openSections();
  expect(await namesIn(page, 'Top rated models')).toEqual([better?.username, good?.username]);
  const row = await page.find('region', 'Top rated models');
  expect(page.all('link', /^See more/u, { in: row })).toEqual([]);
});

test('age range and ethnicity: rows of what performers say of themselves [B-091, B-092]', async () => {
  const young = await live((one) => one.call(saveListingProfile, { age_range: '18-22', ethnicity: 'latin' }));
  const older = await live((member) => member.call(saveListingProfile, { age_range: '40-49' }));
  await live(async () => undefined);
  const page = await openSections();
  expect(await namesIn(page, 'Age range: 18–22')).toEqual([young.username]);
  expect(await namesIn(page, 'Age range: 40–49')).toEqual([older.username]);
  expect(await namesIn(page, 'Ethnicity: Latin')).toEqual([young.username]);
  expect(page.all('region', /^(?:Age range|Ethnicity)/u)).toHaveLength(3);
});

test('continent and country: rows of what performers say of themselves [B-095, B-096]', async () => {
  const romanian = await live((member) =>
    member.call(saveListingProfile, { region: 'eastern-europe', country: 'RO' })
  );
  const kenyan = await live((member) => member.call(saveListingProfile, { region: 'africa', country: 'KE' }));
  await live(async () => undefined);
  const page = await openSections();
  expect(await namesIn(page, 'Continent: Eastern Europe')).toEqual([romanian.username]);
  expect(await namesIn(page, 'Continent: Africa')).toEqual([kenyan.username]);
  expect(await namesIn(page, 'Country: Romania')).toEqual([romanian.username]);
  expect(await namesIn(page, 'Country: Kenya')).toEqual([kenyan.username]);
  expect(page.all('region', /^(?:Continent|Country)/u)).toHaveLength(4);
});

test('language and tags: rows of the profile and of the broadcast [B-097, B-098]', async () => {
  const german = await live((member) => member.call(updateProfile, { languages: ['de'] }));
  const both = await live((member) => member.call(updateProfile, { languages: ['fr', 'de'] }));
  const dancer = await live((member) => member.call(setDetails, { title: 'Slow evening', tags: ['dance'] }));
  const page = await openSections();
  expect((await namesIn(page, 'Language: German')).toSorted())
    .toEqual([both.username, german.username].toSorted());
  expect(await namesIn(page, 'Language: French')).toEqual([both.username]);
  expect(await namesIn(page, 'Tags: dance')).toEqual([dancer.username]);
  expect(page.all('region', /^(?:Language|Tags)/u)).toHaveLength(3);
});

test('models near goal, least left first; and voyeur cams of every room [B-099, B-100]', async () => {
  const far = await live((member) => member.call(addGoal, { title: 'A song', target: 300 }));
  const near = await live((member) => member.call(addGoal, { title: 'A dance', target: 400 }));
  const [kitchen, other] = [
    await live((member) => member.call(saveListingProfile, { voyeur_room: 'kitchen' })),
    await live((member) => member.call(saveListingProfile, { voyeur_room: 'other' })),
  ];
  const viewer = await site.viewer({ tokens: 1_000 });
  const page = await openSections();
  expect(await namesIn(page, 'Models near goal')).toEqual([far.username, near.username]);
  expect((await namesIn(page, 'Voyeur cams')).toSorted())
    .toEqual([kitchen.username, other.username].toSorted());
  await viewer.tips(near, 350);
  await site.settle();
  await page.goto('/');
  expect(await namesIn(page, 'Models near goal')).toEqual([near.username, far.username]);
});

/** Sections of five followed performers with the same profile; the expected link of each; their ids. */
const LINKS = [
  ['New and trending', '/girls/new', 'new_and_trending'],
  ['Models near goal', '/girls?goal=1', 'near_goal'],
  ['Language: German', '/girls/language/german', 'language'],
  ['Tags: dance', '/girls/tag/dance', 'tags'],
  ['Age range: 18–22', '/girls?age=18-22', 'age_range'],
  ['Ethnicity: Latin', '/girls?ethnicity=latin', 'ethnicity'],
  ['Continent: Europe', '/girls/region/europe', 'continent'],
  ['Country: Spain', '/girls?country=ES', 'country'],
  ['Voyeur cams', '/voyeur-cams', 'voyeur_cams'],
  ['Favorites and history', '/followed', 'favorites_and_history'],
] as const;

/** Fills in everything that sections are about. */
async function saysAll(performer: Member): Promise<void> {
  await performer.call(saveListingProfile, {
    age_range: '18-22',
    ethnicity: 'latin',
    region: 'europe',
    country: 'ES',
    voyeur_room: 'bedroom',
  });
  await performer.call(updateProfile, { languages: ['de'] });
  await performer.call(setDetails, { title: 'Evening', tags: ['dance'] });
  await performer.call(addGoal, { title: 'A song', target: 300 });
}

/** Usernames of the tiles of a listing. */
const tilesOn = (page: Page): (string | undefined)[] =>
  page.all('article').map((element) => element.querySelector('a')?.getAttribute('href')?.slice(1));
const namesOf = (...people: readonly { readonly username: string }[]): string[] =>
  people.map(({ username }) => username).toSorted();
const followedBy = async (viewer: Visitor, prepare = saysAll): Promise<Member> => {
  const performer = await live(prepare);
  await viewer.call(follow, { username: performer.username });
  await site.settle();
  return performer;
};

/** Three viewers who tipped rate a performer up. */
async function ratedUp(performer: Member): Promise<void> {
  for (let fan = 0; fan < 3; fan += 1) {
    const rater = await site.viewer({ tokens: 200 });
    await rater.tips(performer, 25);
    await site.settle();
    await rater.call(ratePerformer, { username: performer.username, vote: 'RATE_UP' });
  }
  await site.settle();
}

test('"see more" leads from a section of five models to the list of just these [B-101, B-102]', async () => {
  const viewer = await site.viewer();
  const five: Member[] = [];
  while (five.length < 5) five.push(await followedBy(viewer));
  const stranger = await live(async () => undefined);
  const [last] = five as [Member];
  for (const performer of five.slice(1)) await ratedUp(performer);
  // One section at a time, because nobody appears twice on the first screen.
  const chooses = (section: HomeSectionId): Promise<unknown> =>
    viewer.call(saveHome, { layout: 'custom', sectionList: [section] });
  await chooses('top_rated');
  const page = await openPage(site, viewer, '/');
  const rated = await page.find('region', 'Top rated models');
  expect((await namesIn(page, 'Top rated models')).length).toBeGreaterThan(0);
  expect(page.all('link', /^See more/u, { in: rated })).toEqual([]);
  await ratedUp(last);
  const all = [...LINKS, ['Top rated models', '/girls/top-rated', 'top_rated']] as const;
  for (const [title, path, section] of all) {
    await chooses(section);
    await page.goto('/');
    await page.press(/^See more/u, { role: 'link', in: await page.find('region', title) });
    await page.until(() => expect([title, page.path]).toEqual([title, path]));
    const expected = title === 'New and trending' ? namesOf(...five, stranger) : namesOf(...five);
    await page.find('heading', undefined, { level: 1 });
    await page.until(() => expect([title, ...tilesOn(page).toSorted()]).toEqual([title, ...expected]));
  }
  // A viewer who hides women sees men, and the links lead to men's listings.
  await crowdOf(site, 5, { gender: 'm', prefix: 'man' });
  await chooses('new_and_trending');
  page.visitor.setCookie('gender-hide', 'c,f,t');
  await page.goto('/');
  const row = await page.find('region', 'New and trending');
  await page.press(/^See more/u, { role: 'link', in: row });
  await page.until(() => expect(page.path).toBe('/men/new'));
});

test('"see more" leads to the gender of a row, and to the rooms one was in [B-101]', async () => {
  const pairs: Member[] = [];
  for (let at = 0; at < 5; at += 1) {
    const pair = await site.performer({ gender: 'c', live: true });
    await pair.call(setDetails, { title: '', tags: ['dance'] });
    pairs.push(pair);
  }
  await site.settle();
  const viewer = await site.viewer();
  for (const pair of pairs) {
    const room = await viewer.joins(pair);
    await site.passes(MINUTE_MS);
    await room.leaves();
  }
  await site.settle();
  const page = await openSections(viewer);
  for (const [title, path] of [
    ['Tags: dance', '/couples/tag/dance'],
    ['Favorites and history', '/view-history'],
  ] as const) {
    await page.press(/^See more/u, { role: 'link', in: await page.find('region', title) });
    await page.until(() => expect([title, page.path]).toEqual([title, path]));
    await page.until(() => expect(tilesOn(page).toSorted()).toEqual(namesOf(...pairs)));
    await page.goto('/');
  }
});

test('a section has "see more" from five models on, and not with four [B-102, B-438]', async () => {
  const viewer = await site.viewer();
  for (let count = 0; count < 4; count += 1) await followedBy(viewer);
  const page = await openSections(viewer);
  for (const [title] of LINKS) expect(await namesIn(page, title)).toHaveLength(4);
  expect(page.all('link', /^See more/u)).toEqual([]);
  await followedBy(viewer);
  await page.goto('/');
  for (const [title, path] of LINKS) {
    expect(await namesIn(page, title)).toHaveLength(5);
    const link = await page.find('link', /^See more/u, { in: await page.find('region', title) });
    expect(link.getAttribute('href')).toBe(path);
  }
});

test.each(['section', 'custom'] as const)(
  'nobody stands twice on the page by sections, layout %s, though all are new and speak one language',
  async (layout) => {
    const crowd = await crowdOf(site, 17, { languages: ['de'] });
    const viewer = await site.viewer();
    await viewer.call(saveHome, {
      layout,
      ...(layout === 'custom' ? { sectionList: ['language', 'new_and_trending'] } : {}),
    });
    const page = await openPage(site, viewer, '/');
    await page.find('region', 'Language: German');
    const shown = page.all('link', undefined, { in: page.all('main')[0] })
      .flatMap((link) => /^\/(crowd\d+)$/u.exec(link.getAttribute('href') ?? '')?.[1] ?? []);
    expect(shown.toSorted()).toEqual(crowd.map(({ username }) => username).toSorted());
  },
);
