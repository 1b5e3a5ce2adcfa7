import { MINUTE_MS } from '#platform/time/units.ts';
import { updateProfile } from '#product/accounts/contract.ts';
import { endBroadcast, setDetails } from '#product/broadcast/contract.ts';
import { setStudio } from '#product/broadcast/contract/settings.ts';
import { follow, unfollow } from '#product/messaging/contract.ts';
import { saveListingProfile, type ListingProfileView } from '#product/performers/contract.ts';
import { saveShowSettings } from '#product/shows/contract/settings.ts';
import { cancelTicketShow, offerTicketShow } from '#product/shows/contract/ticket-show.ts';
import { DEMO_LISTING_NAMES } from '#product/testkit/demo/cast.ts';
import {
  addressesOf,
  castOfListings,
  endsBroadcasts,
  matchingOn,
  opensListing,
  tilesOn,
} from '#product/testkit/pages/listings.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let site: TestSite;
/** The first two match every listing of their gender, `plain` matches none. */
let match: Member;
let couple: Member;
let plain: Member;
let viewer: Member;

/** Each has one property, is not new, and is live only in the tests that look for that property. */
const ONE_THING = {
  control: { control_rate: 40 },
  region: { region: 'eastern-europe' },
  german: {},
  private: { private_price: 30 },
  cam2cam: { offers_cam2cam: true },
  exclusive: { exclusive_price: 60 },
  camera: { private_price: 30, offers_cam2cam: true },
  alone: { private_price: 30, exclusive_price: 60 },
  independent: { is_independent: true },
  romanian: { country: 'RO' },
  kitchen: { voyeur_room: 'kitchen' },
  bedroom: { voyeur_room: 'bedroom' },
  other: { voyeur_room: 'other' },
  shower: { voyeur_room: 'shower' },
  studio: {},
} as const satisfies Record<string, Partial<ListingProfileView>>;
type OneThing = keyof typeof ONE_THING;
/** One of each other gender without any property. */
const silent: Member[] = [];
let one: Record<OneThing, Member>;

async function saysOneThing(thing: OneThing): Promise<readonly [OneThing, Member]> {
  const performer = await site.performer({ username: `only_${thing}` });
  await performer.call(saveListingProfile, ONE_THING[thing]);
  if (thing === 'german') await performer.call(updateProfile, { languages: ['de'] });
  return [thing, performer];
}

beforeAll(async () => {
  site = await createSite({ settings: { controlsToys: true } });
  await site.tx((tx) => site.services.site.nameListings(tx, site.scope.siteId, DEMO_LISTING_NAMES));
  plain = await site.performer({ username: 'plain_one', live: true });
  const things = Object.keys(ONE_THING) as OneThing[];
  one = Object.fromEntries(await Promise.all(things.map(saysOneThing))) as typeof one;
  await (await site.admin()).call(setStudio, { username: one.studio.username, studio: 'northlight' });
  for (const gender of ['c', 'm', 't'] as const) {
    silent.push(await site.performer({ username: `silent_${gender}`, gender }));
  }
  ({ match, couple, viewer } = await castOfListings(site, plain));
});
afterAll(() => site.close());

const matching = (username: string, gender: 'f' | 'c' | 'm' | 't', room?: null) =>
  matchingOn(site, username, gender, room);
const opens = (path: string, heading: string | RegExp, people: readonly Member[]) =>
  opensListing(site, viewer, path, heading, people);
const end = (people: readonly Member[]) => endsBroadcasts(site, people);

const ROOMS = ['kitchen', 'bedroom', 'other', 'shower'] as const;

describe('among performers who say one thing each', () => {
  let man: Member;
  let trans: Member;
  beforeAll(async () => {
    for (const each of [...Object.values(one), ...silent]) await each.goesLive();
    man = await matching('speaking_man', 'm');
    trans = await matching('speaking_trans', 't');
    await site.settle();
  });
  afterAll(() => end([...Object.values(one), ...silent, man, trans]));

  test.each(
    [
      ['new', 'who are new here', [], '[B-031]'],
      ['control-her', 'with interactive toys', ['control'], '[B-026]'],
      ['language/german', 'who speak German', ['german'], '[B-029]'],
      ['region/eastern-europe', 'from Eastern Europe', ['region'], '[B-039]'],
    ] as const,
  )('a listing of a gender has who matches it: %s, “%s” %j %s', async (
    path,
    heading,
    things,
    _id,
  ) => {
    await opens(`/girls/${path}`, `Girls ${heading}`, [match, ...things.map((thing) => one[thing])]);
    await opens(`/couples/${path}`, `Couples ${heading}`, [couple]);
    await opens(`/men/${path}`, `Men ${heading}`, [man]);
    await opens(`/trans/${path}`, `Trans performers ${heading}`, [trans]);
    // More pages than a viewer may read in a minute.
    await site.passes(MINUTE_MS);
  });

  test.each(
    [
      ['/browse-role/independent', 'Models online with role independent', ['independent'], '[B-021]'],
      ['/browse-studio/northlight', 'Your online models', ['studio'], '[B-022]'],
      ['/independent-romanian', 'Independent performers from Romania', [], '[B-028]'],
      ['/voyeur-cams', 'Voyeur cams', ROOMS, '[B-058, C-034]'],
      ['/voyeur-cams/kitchen', 'Voyeur cams · Kitchen', ['kitchen'], '[B-060, C-035]'],
      ['/voyeur-cams/bedroom', 'Voyeur cams · Bedroom', ['bedroom'], '[B-059, C-036]'],
      ['/voyeur-cams/shower', 'Voyeur cams · Shower', ['shower'], '[B-061, C-037]'],
      ['/browse-role/voyeur', 'Models online with role voyeur', ROOMS, '[B-021]'],
      ['/reallifecam', 'Voyeur cams', ROOMS, '[C-038]'],
      ['/voyeur-house', 'Voyeur cams', ROOMS, '[C-039]'],
    ] as const,
  )('%s has its listing under “%s”: both, %j %s', async (path, heading, things, _ids) => {
    const those = things.map((thing) => one[thing]);
    // The two who match all else are in a kitchen.
    const isOther = path === '/voyeur-cams/bedroom' || path === '/voyeur-cams/shower';
    await opens(path, heading, isOther ? those : [match, couple, ...those]);
  });

  test('the role of an account has its listing, too [B-021]', async () => {
    const tester = await site.performer({ username: 'only_role', roles: ['test_user'], live: true });
    await site.settle();
    for (const role of ['test-user', 'test_user']) {
      await opens(`/browse-role/${role}`, `Models online with role ${role}`, [tester]);
    }
    await end([tester]);
  });
});

describe('among performers whom a viewer asks for a private show, and who are in no voyeur room', () => {
  const who = ['private', 'cam2cam', 'exclusive', 'camera', 'alone'] as const;
  let asked: Member;
  let couples: Member;
  let man: Member;
  let trans: Member;
  beforeAll(async () => {
    for (const thing of who) await (await site.anotherTabOf(one[thing])).goesLive();
    asked = await matching('asked_one', 'f', null);
    couples = await matching('asked_couple', 'c', null);
    man = await matching('asked_man', 'm', null);
    trans = await matching('asked_trans', 't', null);
    const away = await matching('asked_away', 'f', null);
    await away.call(endBroadcast, {});
    await site.settle();
  });
  afterAll(() => end([...who.map((thing) => one[thing]), asked, couples, man, trans]));

  test.each(
    [
      ['private-shows', 'who offer private shows', ['private', 'camera', 'alone'], '[B-045]'],
      ['private-shows/cam2cam', 'who offer Cam2Cam', ['camera'], '[B-025]'],
    ] as const,
  )('a listing of a gender has who can be asked: %s, “%s” %j %s', async (
    path,
    heading,
    things,
    _id,
  ) => {
    await opens(`/girls/${path}`, `Girls ${heading}`, [asked, ...things.map((thing) => one[thing])]);
    await opens(`/couples/${path}`, `Couples ${heading}`, [couples]);
    await opens(`/men/${path}`, `Men ${heading}`, [man]);
    await opens(`/trans/${path}`, `Trans performers ${heading}`, [trans]);
    // More pages than a viewer may read in a minute.
    await site.passes(MINUTE_MS);
  });

  test('cameras in private shows, and not of who takes them in public alone [B-025]', async () => {
    const camera = await site.anotherTabOf(asked);
    await camera.call(saveShowSettings, { sharecam: { isAllowedInPrivate: false, isAllowedInPublic: true } });
    await site.settle();
    await opens('/girls/private-shows/cam2cam', 'Girls who offer Cam2Cam', [one.camera]);
    await camera.call(saveShowSettings, { sharecam: { isAllowedInPrivate: true } });
    await site.settle();
    await opens('/girls/private-shows/cam2cam', 'Girls who offer Cam2Cam', [asked, one.camera]);
  });

  test('exclusive shows that can begin now, under the title of the specification [B-048]', async () => {
    const path = 'private-shows/exclusive-available-now';
    await opens(`/girls/${path}`, 'Exclusive Available Now', [asked, one.alone]);
    await opens(`/couples/${path}`, 'Exclusive Available Now', [couples]);
    await opens(`/men/${path}`, 'Exclusive Available Now', [man]);
    await opens(`/trans/${path}`, 'Exclusive Available Now', [trans]);
    // Not now: a ticket show is offered.
    await (await site.anotherTabOf(asked)).call(offerTicketShow, {
      message: 'Tonight',
      ticket_price: 50,
      minimum_tickets: 1,
      starts_in_minutes: 60,
      minutes: 30,
      refund_joined_minute_before_end: 5,
    });
    await site.settle();
    await opens(`/girls/${path}`, 'Exclusive Available Now', [one.alone]);
    await (await site.anotherTabOf(asked)).call(cancelTicketShow, {});
    await site.settle();
    await opens(`/girls/${path}`, 'Exclusive Available Now', [asked, one.alone]);
    // Not now: the performer is in a private show.
    await site.services.broadcast.move(site.scope, one.alone.id, 'private');
    await site.settle();
    await opens(`/girls/${path}`, 'Exclusive Available Now', [asked]);
  });
});

test('private shows by price: up to an amount, or from one amount to another [B-032]', async () => {
  const priced = async (price: number): Promise<Member> => {
    const performer = await site.performer({ username: `asks_${price}` });
    await performer.call(saveListingProfile, { private_price: price });
    await performer.goesLive();
    return performer;
  };
  const [cheap, middle, dear] = [await priced(6), await priced(30), await priced(90)];
  const path = '/girls/private-shows/rate';
  await opens(`${path}/30`, 'Girls with private shows up to 30 tokens a minute', [cheap, middle]);
  await opens(`${path}/90`, 'Girls with private shows up to 90 tokens a minute', [cheap, middle, dear]);
  await opens(`${path}/30/60`, 'Girls with private shows at 30–60 tokens a minute', [middle]);
  await opens(`${path}/60/120`, 'Girls with private shows at 60–120 tokens a minute', [dear]);
  const pair = await matching('asks_as_two', 'c', null);
  const couples = '/couples/private-shows/rate';
  await opens(`${couples}/30`, 'Couples with private shows up to 30 tokens a minute', [pair]);
  const page = await openPage(site, viewer, `${couples}/18`);
  await page.sees('No one is live here right now.');
  expect(await page.find('region', 'Live now, and maybe for you')).toBeTruthy();
  await opens(`${couples}/30/60`, 'Couples with private shows at 30–60 tokens a minute', [pair]);
  const none = await openPage(site, viewer, `${couples}/60/120`);
  await none.sees('No one is live here right now.');
  const [man, trans] = [
    await matching('asks_as_man', 'm', null),
    await matching('asks_as_trans', 't', null),
  ];
  for (const [section, name, who] of [['men', 'Men', man], ['trans', 'Trans performers', trans]] as const) {
    const rate = `/${section}/private-shows/rate`;
    await opens(`${rate}/30`, `${name} with private shows up to 30 tokens a minute`, [who]);
    await opens(`${rate}/30/60`, `${name} with private shows at 30–60 tokens a minute`, [who]);
    for (const other of ['18', '60/120']) {
      const empty = await openPage(site, viewer, `${rate}/${other}`);
      await empty.sees('No one is live here right now.');
    }
    // More pages than a viewer may read in a minute.
    await site.passes(MINUTE_MS);
  }
  await end([cheap, middle, dear, pair, man, trans]);
});

test('one tag, or two that must both be there [B-052]', async () => {
  await opens('/girls/tag/yoga', 'Girls tagged yoga', [match]);
  await opens('/couples/tag/yoga/dance', 'Couples tagged yoga + dance', [couple]);
  const tagged = async (username: string, ...tags: string[]): Promise<Member> => {
    const performer = await site.performer({ username, live: true });
    await performer.call(setDetails, { title: '', tags });
    return performer;
  };
  const [dances, stretches] = [await tagged('only_dance', 'dance'), await tagged('only_yoga', 'yoga')];
  const [man, trans] = [
    await matching('tagged_man', 'm', null),
    await matching('tagged_trans', 't', null),
  ];
  await site.settle();
  for (const [path, words] of [['yoga/dance', 'yoga + dance'], ['dance/yoga', 'dance + yoga']] as const) {
    await opens(`/girls/tag/${path}`, `Girls tagged ${words}`, [match]);
  }
  for (const [section, name, who] of [['men', 'Men', man], ['trans', 'Trans performers', trans]] as const) {
    await opens(`/${section}/tag/yoga`, `${name} tagged yoga`, [who]);
    await opens(`/${section}/tag/yoga/dance`, `${name} tagged yoga + dance`, [who]);
  }
  await end([dances, stretches, man, trans]);
  const page = await openPage(site, viewer, '/girls/tag/yoga/chess');
  await page.sees('No one is live here right now.');
});

describe('among performers with one tag each', () => {
  const tagged = new Map<string, Member>();
  beforeAll(async () => {
    for (const tag of [
      'live-sex',
      'live-sex-cams',
      'sexwebcam',
      'sexwebcam-cams',
      'casa-salsa',
      'jb-cams',
      'julmodels',
    ]) {
      const performer = await site.performer({ username: `tagged_${tag.replaceAll('-', '_')}` });
      await performer.call(setDetails, { title: '', tags: [tag] });
      await performer.goesLive();
      tagged.set(tag, performer);
    }
  });
  afterAll(() => end([...tagged.values()]));
  const withTag = (tag: string): Member[] => [...tagged].flatMap(([its, who]) => (its === tag ? [who] : []));

  test.each([
    ['live-sex', 'Live sex', '[C-030]'],
    ['live-sex-cams', 'Live sex cams', '[C-031]'],
    ['sexwebcam', 'Live sex on webcam', '[C-032]'],
    ['sexwebcam-cams', 'Live sex webcam shows', '[C-033]'],
  ])('girls by a tag: %s, “%s” %s', async (tag, heading) => {
    const page = await opens(`/girls/tag/${tag}`, heading, withTag(tag));
    // The heading has the tag's words, not its spelling in the address.
    await page.sees(new RegExp(`live right now with the tag ${heading}`, 'u'));
  });

  test('Casa Salsa has who is live with its tag [C-029, A-143]', async () => {
    await opens('/casa-salsa', 'Casa Salsa', withTag('casa-salsa'));
  });

  test.each(
    [
      ['JB Cams', '/jb-cams', 'jb-cams', '[B-036]'],
      ['Julmodels', '/julmodels', 'julmodels', '[B-037]'],
    ] as const,
  )('%s is a tab of the voyeur cams and a listing of its own: %s, %s %s', async (
    name,
    path,
    tag,
    _id,
  ) => {
    const page = await opens('/voyeur-cams', 'Voyeur cams', [match, couple]);
    await page.press(name, { role: 'link', in: await page.find('navigation', 'Rooms') });
    await page.find('heading', name, { level: 1 });
    await page.until(() => expect(tilesOn(page)).toEqual(addressesOf(withTag(tag))));
    expect(page.path).toBe(path);
  });
});

test.each(
  [
    ['bedroom', 'Bedroom', '[B-059, C-036]'],
    ['shower', 'Shower', '[B-061, C-037]'],
  ] as const,
)('voyeur cams in one kind of room: %s, %s %s', async (room, name, _ids) => {
  await match.call(saveListingProfile, { voyeur_room: room });
  await site.settle();
  await opens(`/voyeur-cams/${room}`, `Voyeur cams · ${name}`, [match]);
  await opens('/voyeur-cams/kitchen', 'Voyeur cams · Kitchen', [couple]);
  await match.call(saveListingProfile, { voyeur_room: 'kitchen' });
  await site.settle();
});

test('the voyeur cams have tabs for rooms and two houses [B-062]', async () => {
  const page = await opens('/voyeur-cams', 'Voyeur cams', [match, couple]);
  const tabs = await page.find('navigation', 'Rooms');
  const links = page.all('link', undefined, { in: tabs });
  expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['All', '/voyeur-cams'],
    ['Bedroom', '/voyeur-cams/bedroom'],
    ['Kitchen', '/voyeur-cams/kitchen'],
    ['Shower', '/voyeur-cams/shower'],
    ['JB Cams', '/jb-cams'],
    ['Julmodels', '/julmodels'],
  ]);
  await page.press('Kitchen', { role: 'link', in: tabs });
  await page.find('heading', 'Voyeur cams · Kitchen', { level: 1 });
  expect(page.path).toBe('/voyeur-cams/kitchen');
});

test.each(
  [
    ['RealLifeCam', '/reallifecam', '[B-035]'],
    ['Voyeur House', '/voyeur-house', '[B-063, A-142]'],
  ] as const,
)(
  'the link to %s opens a new tab: %s %s',
  async (name, path, _id) => {
    const page = await opens('/girls', 'Girls live now', [match, plain]);
    const link = await page.find('link', new RegExp(`^${name}`, 'u'));
    expect([link.getAttribute('href'), link.getAttribute('target')]).toEqual([path, '_blank']);
    expect(link.textContent).toContain('opens in a new tab');
    await opens(path, 'Voyeur cams', [match, couple]);
  },
);

test('whom a viewer follows, live or not, and nobody else [B-027]', async () => {
  const offline = await site.performer({ username: 'followed_away' });
  const [other, fan] = [await site.viewer(), await site.viewer()];
  for (const { username } of [plain, couple]) await other.call(follow, { username });
  for (const { username } of [match, offline]) await fan.call(follow, { username });
  await site.settle();
  const page = await openPage(site, fan, '/followed');
  await page.find('heading', 'Performers you follow', { level: 1 });
  await page.until(() => expect(tilesOn(page)).toEqual(addressesOf([match, offline])));
  // Any gender, and always up to date.
  const man = await site.performer({ username: 'followed_man', gender: 'm', live: true });
  await fan.call(follow, { username: man.username });
  await fan.call(unfollow, { username: match.username });
  await site.settle();
  await page.goto('/followed');
  await page.until(() => expect(tilesOn(page)).toEqual(addressesOf([man, offline])));
  await end([man]);
});

test('performers for somebody by whom they follow [B-038]', async () => {
  const fan = await site.viewer();
  await fan.call(follow, { username: match.username });
  await site.settle();
  const page = await openPage(site, fan, '/for-you');
  await page.find('heading', 'For you', { level: 1 });
  await page.until(() => expect(tilesOn(page)).toContain(`/${couple.username}`));
  expect(tilesOn(page)).not.toContain('/suspended_one');
});

test.each(['/followed', '/for-you'])('guests are asked to log in at %s, and come back', async (path) => {
  const page = await openPage(site, await site.visitor({ ofAge: true }), path);
  const main = await page.find('main');
  expect(page.all('alert', undefined, { in: main })).toEqual([]);
  await page.press('Log in', { role: 'link', in: main });
  await page.until(() => expect(page.path).toBe(`/login?next=${encodeURIComponent(path)}`));
});
