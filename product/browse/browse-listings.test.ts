import { DAY_MS } from '#platform/time/units.ts';
import { updateProfile } from '#product/accounts/contract.ts';
import { setDetails } from '#product/broadcast/contract.ts';
import { setStudio } from '#product/broadcast/contract/settings.ts';
import { decideClearance, declareAge } from '#product/compliance/contract.ts';
import { follow, hidePerformer, unhidePerformer } from '#product/messaging/contract.ts';
import { saveListingProfile, type ListingProfileView } from '#product/performers/contract.ts';
import { DEMO_LISTING_NAMES } from '#product/testkit/demo/cast.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { addGoal } from '#product/tips/contract/goals.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browseLive, browseMore, type BrowseDataView } from './contract.ts';

/** Everything a performer can set, and every tag that has a listing. */
const EVERYTHING = {
  region: 'eastern-europe',
  country: 'RO',
  age_range: '23-29',
  ethnicity: 'latin',
  voyeur_room: 'kitchen',
  is_independent: true,
  private_price: 30,
  exclusive_price: 60,
  spy_price: 12,
  control_rate: 40,
  offers_cam2cam: true,
} as const satisfies Partial<ListingProfileView>;
const TAGS = ['dance', 'red-hair', 'casa-salsa', 'jb-cams', 'julmodels'];

let site: TestSite;
let guest: Visitor;
let viewer: Member;
/** Has set everything, and is not new. */
let ana: Member;
/** In a private show that can be watched. */
let cora: Member;
/** Like Ana, but revoked, suspended, blocking the viewer's region, or never cleared. */
let secret: readonly Member[] = [];

const listing = (path = '', more: object = {}, who: Visitor = guest): Promise<BrowseDataView> =>
  who.call(browseLive, { path, ...more });
const namesIn = async (path = '', more: object = {}, who: Visitor = guest): Promise<string[]> =>
  (await listing(path, more, who)).userList.map(({ username }) => username);

async function saysEverything(performer: Member, more: Partial<ListingProfileView> = {}): Promise<void> {
  await performer.call(saveListingProfile, { ...EVERYTHING, ...more });
  await performer.call(setDetails, { title: 'All of it', tags: TAGS });
  await performer.call(updateProfile, { languages: ['de', 'ro'] });
  await performer.call(addGoal, { title: 'A song', target: 500 });
}

beforeAll(async () => {
  site = await createSite({ settings: { controlsToys: true } });
  await site.tx((tx) => site.services.site.nameListings(tx, site.scope.siteId, DEMO_LISTING_NAMES));
  const long = await Promise.all(
    ['ana', 'revoked', 'suspended', 'elsewhere', 'cora'].map((username) => site.performer({ username })),
  );
  await site.passes(31 * DAY_MS);
  const [first, revoked, suspended, elsewhere, last] = await Promise.all(
    long.map((member) => site.anotherTabOf(member)),
  ) as [Member, Member, Member, Member, Member];
  [ana, cora] = [first, last];
  const admin = await site.admin();
  const never = await site.performer({ cleared: false, username: 'never' });
  secret = [revoked, suspended, elsewhere, never];
  for (const one of [ana, ...secret]) {
    // Nobody can request a private show in a voyeur room, so two of the secret ones have no such room.
    await saysEverything(one, one === revoked || one === never ? { voyeur_room: null } : {});
    await admin.call(setStudio, { username: one.username, studio: 'north-light' });
    if (one !== never) await one.goesLive();
  }
  // Has set prices only, and is new.
  const bea = await site.performer({ username: 'bea', live: true });
  await bea.call(saveListingProfile, { private_price: 30, exclusive_price: 60, offers_cam2cam: true });
  await cora.call(saveListingProfile, { spy_price: 6, private_price: 90 });
  await cora.goesLive();
  await site.services.broadcast.move(site.scope, cora.id, 'private');
  await admin.call(decideClearance, { username: 'revoked', decision: 'revoke', reason: 'a test' });
  await site.tx(async (tx) => {
    await site.services.accounts.suspend(tx, suspended.id, {
      suspended: true,
      actorId: admin.id,
      reason: 'a test',
    });
    await site.services.compliance.blockRegions(tx, elsewhere.id, ['BR']);
  });
  await site.settle();
  guest = await site.visitor({ region: 'BR', ofAge: true });
  viewer = await site.viewer();
});
afterAll(() => site.close());

/** Listings, and which of Ana, Bea and Cora each contains. */
const LISTINGS: readonly [string, readonly string[]][] = [
  ['', ['ana', 'bea', 'cora']],
  ['girls', ['ana', 'bea', 'cora']],
  ['top', ['ana', 'bea', 'cora']],
  ['girls/leaders', ['ana', 'bea', 'cora']],
  ['men', []],
  ['couples', []],
  ['trans', []],
  ['girls/new', ['bea']],
  ['girls/top-rated', []],
  ['girls/language/german', ['ana']],
  ['girls/language/romanian', ['ana']],
  ['girls/language/french', []],
  ['girls/region/eastern-europe', ['ana']],
  ['girls/region/usa', []],
  ['girls/tag/dance', ['ana']],
  ['girls/tag/dance/red-hair', ['ana']],
  ['girls/tag/dance/other', []],
  ['girls/private-shows', ['bea', 'cora']],
  ['girls/private-shows/rate/18', []],
  ['girls/private-shows/rate/30', ['bea']],
  ['girls/private-shows/rate/60', ['bea']],
  ['girls/private-shows/rate/90', ['bea', 'cora']],
  ['girls/private-shows/rate/30/120', ['bea', 'cora']],
  ['girls/private-shows/rate/60/120', ['cora']],
  ['girls/private-shows/rate/6/18', []],
  ['girls/private-shows/spy-cam-shows', ['cora']],
  ['girls/private-shows/ticket-cam-shows', []],
  ['girls/private-shows/exclusive-available-now', ['bea']],
  ['girls/private-shows/cam2cam', ['bea']],
  ['girls/private-shows/top-rated', []],
  ['girls/private-shows/cam2cam/top-rated', []],
  ['girls/control-her', ['ana']],
  ['voyeur-cams', ['ana']],
  ['voyeur-cams/kitchen', ['ana']],
  ['voyeur-cams/bedroom', []],
  ['voyeur-cams/shower', []],
  ['reallifecam', ['ana']],
  ['voyeur-house', ['ana']],
  ['browse-role/voyeur', ['ana']],
  ['browse-role/independent', ['ana']],
  ['browse-role/admin', []],
  ['browse-studio/north-light', ['ana']],
  ['browse-studio/south-light', []],
  ['independent-romanian', ['ana']],
  ['casa-salsa', ['ana']],
  ['jb-cams', ['ana']],
  ['julmodels', ['ana']],
];

describe('every listing', () => {
  it.each(LISTINGS)('%s shows who belongs in it, counts only them, and hides whom nobody may see', async (
    path,
    names,
  ) => {
    for (const call of [browseLive, browseMore]) {
      const answer = await guest.call(call, { path });
      const shown = answer.userList.map(({ username }) => username);
      expect(shown.toSorted()).toEqual(names);
      expect(answer).toMatchObject({ totalCount: names.length, isSearchEmpty: names.length === 0 });
      for (const { username } of secret) expect(JSON.stringify(answer)).not.toContain(`"${username}"`);
    }
  });

  it('shows somebody else where it is empty: of its own gender alone', async () => {
    const { alternativeUserList: girls } = await listing('girls/region/usa');
    expect(girls.map(({ username }) => username).toSorted()).toEqual(['ana', 'bea', 'cora']);
    expect((await listing('men')).alternativeUserList).toEqual([]);
    expect((await listing('girls')).alternativeUserList).toEqual([]);
    const { alternativeUserList: rooms } = await listing('voyeur-cams/shower');
    expect(rooms).toHaveLength(3);
  });

  it('leads to listings that somebody is in, and to no empty one', async () => {
    const leads = new Set<string>();
    for (const path of ['', 'girls', 'men', 'trans', 'girls/language/german', 'voyeur-cams', 'top']) {
      const { exploreList, seo, kind } = await listing(path);
      const led = exploreList ?? seo.relatedLinks.map((link) => link.path);
      if (kind === 'home' || path === 'girls') expect(led).toContain('/girls/leaders');
      for (const to of led) leads.add(to);
    }
    expect([...leads]).not.toContain('/girls/language/korean');
    // Another visitor each time: one may not read this many listings in a minute.
    const other = await site.visitor({ region: 'BR', ofAge: true });
    for (const to of leads) {
      expect([to, (await listing(to.slice(1), {}, other)).totalCount > 0]).toEqual([to, true]);
    }
  });

  it('leads whoever hides everybody of a listing to no empty one', async () => {
    const leads = async (who: Visitor): Promise<readonly string[]> => {
      const { exploreList, seo } = await listing('girls', {}, who);
      return exploreList ?? seo.relatedLinks.map(({ path }) => path);
    };
    const member = await site.viewer();
    // Other viewers see the links before and after.
    expect(await leads(member)).toContain('/girls/language/german');
    for (const username of ['ana', 'elsewhere']) await member.call(hidePerformer, { username });
    await site.settle();
    const led = await leads(member);
    expect(led).not.toContain('/girls/language/german');
    expect(led.length).toBeGreaterThan(3);
    for (const to of led) {
      expect([to, (await listing(to.slice(1), {}, member)).totalCount > 0]).toEqual([to, true]);
    }
    expect(await leads(await site.viewer())).toContain('/girls/language/german');
  });

  it('is not there for nobody’s address', async () => {
    for (const call of [browseLive, browseMore]) {
      expect(await guest.refused(call, { path: 'girls/old' })).toMatchObject({
        status: 404,
        errorType: 'listing_unknown',
      });
    }
  });

  it('is shown with every field of its tiles', async () => {
    const [tile] = (await listing('girls/language/german')).userList;
    expect(tile).toMatchObject({
      username: 'ana',
      region: 'eastern-europe',
      country: 'RO',
      ageRange: '23-29',
      ethnicity: 'latin',
      voyeur: 'kitchen',
      privatePrice: 30,
      spyPrice: 12,
      languages: ['de', 'ro'],
      tagList: TAGS,
      flagList: ['voyeur', 'cam2cam', 'control', 'goal', 'independent'],
      isNew: false,
      followers: 0,
      rating: null,
      lastLiveAt: null,
    });
  });

  it('is hidden whole behind the gate', async () => {
    const outside = await site.visitor();
    for (const [path] of LISTINGS) {
      expect(await listing(path, {}, outside)).toMatchObject({
        userList: [],
        totalCount: 0,
        alternativeUserList: [],
      });
    }
  });
});

describe('what an address adds to a listing', () => {
  it('narrows it, by each part and by all of them', async () => {
    const all: readonly [object, readonly string[]][] = [
      [{ lang: 'german' }, ['ana']],
      [{ lang: 'fr' }, []],
      [{ region: 'usa,eastern-europe' }, ['ana']],
      [{ tag: 'dance' }, ['ana']],
      [{ tag: 'dance,other' }, []],
      [{ age: '23-29' }, ['ana']],
      [{ age: '18-22' }, []],
      [{ ethnicity: 'latin,white' }, ['ana']],
      [{ rate: '60-120' }, ['cora']],
      [{ rate: '20-120' }, ['ana', 'bea', 'cora']],
      [{ rate: '20-120', lang: 'de' }, ['ana']],
      [{ rate: '60-120', lang: 'de' }, []],
    ];
    for (const [query, names] of all) {
      const answer = await listing('girls', query);
      const shown = answer.userList.map(({ username }) => username).toSorted();
      expect(shown, JSON.stringify(query)).toEqual(names);
      expect(answer.totalCount).toBe(names.length);
    }
    // Both must match: the languages here are German and Romanian.
    expect(await namesIn('girls/language/german', { lang: 'ro' })).toEqual(['ana']);
    expect(await namesIn('girls/language/german', { lang: 'en' })).toEqual([]);
  });

  it('is left out where nobody knows it', async () => {
    const names = await namesIn('girls', { lang: 'klingon', region: 'mars', rate: 'much', age: '12' });
    expect(names.length).toBe(3);
  });

  it('orders it', async () => {
    expect(await namesIn('girls/private-shows', { sort: 'cheapest' })).toEqual(['bea', 'cora']);
    expect((await namesIn('girls', { sort: 'newest' }))[0]).toBe('bea');
    const random = async (seed: number): Promise<string> =>
      (await namesIn('girls', { sort: 'random', seed })).join(' ');
    const orders = await Promise.all(Array.from({ length: 12 }, (_, seed) => random(seed)));
    expect(new Set(orders).size).toBeGreaterThan(2);
    expect(await random(5)).toBe(orders[5]);
    expect((await guest.refused(browseLive, { path: '', sort: 'richest' })).errorType).toBe('invalid_input');
  });

  it('says why somebody is where they are, in the published ranking alone', async () => {
    const of = async (more: object): Promise<readonly string[] | undefined> =>
      (await listing('girls', more)).userList.find(({ username }) => username === 'bea')?.reasons;
    expect((await of({}))?.[0]).toBe('newcomer');
    expect(await of({ sort: 'newest' })).toEqual([]);
  });
});

describe('tabs', () => {
  it('lead through the voyeur rooms, in the language of the visitor', async () => {
    const { tabList } = await listing('voyeur-cams/kitchen');
    expect(tabList).toEqual([
      { name: 'All', path: '/voyeur-cams', isCurrent: false },
      { name: 'Bedroom', path: '/voyeur-cams/bedroom', isCurrent: false },
      { name: 'Kitchen', path: '/voyeur-cams/kitchen', isCurrent: true },
      { name: 'Shower', path: '/voyeur-cams/shower', isCurrent: false },
      { name: 'JB Cams', path: '/jb-cams', isCurrent: false },
      { name: 'Julmodels', path: '/julmodels', isCurrent: false },
    ]);
    const german = await site.visitor({ language: 'de', ofAge: true });
    expect((await listing('voyeur-cams', {}, german)).tabList.map(({ name }) => name).slice(0, 4))
      .toEqual(['Alle', 'Schlafzimmer', 'Küche', 'Dusche']);
    expect((await listing('girls')).tabList).toEqual([]);
  });
});

describe('personal listings', () => {
  it('need a log-in', async () => {
    for (const path of ['followed', 'for-you', 'view-history']) {
      for (const call of [browseLive, browseMore]) {
        expect(await guest.refused(call, { path })).toMatchObject({
          status: 403,
          errorType: 'personal_listing',
        });
      }
      expect(await listing(path, {}, viewer)).toMatchObject({ totalCount: path === 'for-you' ? 4 : 0 });
    }
  });

  it('of followed performers show them online and offline, of any gender, and nobody hidden', async () => {
    const fan = await site.viewer();
    const [man, away] = [await site.performer({ gender: 'm', live: true }), await site.performer()];
    for (const one of [ana, man, away]) await fan.call(follow, { username: one.username });
    await site.settle();
    const followed = await listing('followed', {}, fan);
    expect(followed.userList.map(({ username, status }) => `${username} ${status}`).toSorted()).toEqual([
      'ana online',
      `${away.username} offline`,
      `${man.username} online`,
    ].toSorted());
    expect(followed.userList.at(-1)?.username).toBe(away.username);
    await fan.call(hidePerformer, { username: 'ana' });
    await site.settle();
    expect(await namesIn('followed', {}, fan)).toEqual([man.username, away.username]);
    const admin = await site.admin();
    await admin.call(decideClearance, { username: man.username, decision: 'revoke', reason: 'a test' });
    await site.settle();
    expect(await listing('followed', {}, fan)).toMatchObject({ totalCount: 1 });
  });

  it('for somebody begin with whom they follow and who is like them, and say so', async () => {
    const fan = await site.viewer({ region: 'BR' });
    await fan.call(declareAge, { of_age: true });
    const like = await site.performer({ live: true });
    await like.call(setDetails, { title: '', tags: ['dance', 'red-hair', 'casa-salsa'] });
    await fan.call(follow, { username: 'ana' });
    await site.settle();
    const { userList } = await listing('for-you', {}, fan);
    expect(userList.slice(0, 2).map(({ username, because }) => [username, because?.[0]])).toEqual([
      ['ana', { kind: 'followed', value: null }],
      [like.username, { kind: 'likeFollowed', value: 'ana' }],
    ]);
    expect(userList.map(({ username }) => username)).toContain('bea');
    expect(userList.find(({ username }) => username === 'bea')?.because).toEqual([]);
  });

  it('leave out whom somebody hides, in every listing and count, until they show them again', async () => {
    const fan = await site.viewer();
    const before = await listing('girls', {}, fan);
    await fan.call(hidePerformer, { username: 'ana' });
    await site.settle();
    for (const [path] of LISTINGS) {
      const answer = await listing(path, {}, fan);
      expect(JSON.stringify(answer), path).not.toContain('"ana"');
    }
    expect((await listing('girls', {}, fan)).totalCount).toBe(before.totalCount - 1);
    expect(await namesIn('girls')).toContain('ana');
    await fan.call(unhidePerformer, { username: 'ana' });
    await site.settle();
    expect((await listing('girls', {}, fan)).totalCount).toBe(before.totalCount);
  });
});

it('logs no errors', () => expect(site.log).toEqual([]));
