import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS } from '../../platform/time/units.ts';
import { updateProfile } from '../accounts/contract.ts';
import { endBroadcast, setDetails, setStudio } from '../broadcast/contract.ts';
import { follow, hidePerformer } from '../messaging/contract.ts';
import { saveListingProfile } from '../performers/contract.ts';
import { openPage } from '../testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '../testkit/site.ts';

let site: TestSite;
/** The first two match every listing of their gender, `plain` none; `viewer` hides `hidden`. */
let match: Member;
let couple: Member;
let plain: Member;
let hidden: Member;
let viewer: Member;

const TAGS = [
  'live-sex', 'live-sex-cams', 'sexwebcam', 'sexwebcam-cams', 'casa-salsa', 'jb-cams', 'julmodels', 'yoga',
];

/** Somebody live whom every listing of the gender shows. */
async function matching(username: string, gender: 'f' | 'c'): Promise<Member> {
  const performer = await site.performer({ username, gender });
  await performer.call(setDetails, { title: 'All of it', tags: TAGS });
  await performer.call(updateProfile, { languages: ['de', 'ro'] });
  await performer.call(saveListingProfile, {
    region: 'eastern-europe', country: 'RO', voyeur_room: 'kitchen', is_independent: true, private_price: 30,
    exclusive_price: 60, control_rate: 40, offers_cam2cam: true,
  });
  const admin = await site.admin();
  await admin.call(setStudio, { username, studio: 'northlight' });
  await performer.goesLive();
  return performer;
}

beforeAll(async () => {
  site = await createSite();
  plain = await site.performer({ username: 'plain_one', live: true });
  // Everybody else signed up within the month.
  site.clock.advance(31 * DAY_MS);
  await plain.goesLive();
  match = await matching('anna_match', 'f');
  couple = await matching('carla_and_max', 'c');
  hidden = await matching('hidden_one', 'f');
  const suspended = await matching('suspended_one', 'f');
  const away = await matching('away_one', 'f');
  await away.call(endBroadcast, {});
  viewer = await site.viewer();
  await viewer.call(hidePerformer, { username: hidden.username });
  const order = { suspended: true, actorId: null, reason: 'fraud' };
  await site.tx((tx) => site.services.accounts.suspend(tx, suspended.id, order));
  await site.settle();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;

/** Addresses of the tiles on the page. */
function tilesOn(page: Page): readonly string[] {
  const links = page.all('article').map((one) => one.querySelector('a')?.getAttribute('href') ?? '');
  return [...new Set(links)].sort();
}
const addressesOf = (people: readonly Member[]): string[] =>
  people.map(({ username }) => `/${username}`).sort();

/** Opens a listing and waits for its heading and its tiles: exactly these. */
async function opens(path: string, heading: string | RegExp, people: readonly Member[]): Promise<Page> {
  const page = await openPage(site, viewer, path);
  await page.find('heading', heading, { level: 1 });
  await page.until(() => expect(tilesOn(page)).toEqual(addressesOf(people)));
  expect(page.path).toBe(path);
  return page;
}

test.each([
  ['new', 'who are new here', '[B-031]'],
  ['control-her', 'whose toy you can control', '[B-026]'],
  ['language/german', 'who speak German', '[B-029]'],
  ['region/eastern-europe', 'from Eastern Europe', '[B-039]'],
  ['private-shows', 'who offer private shows', '[B-045]'],
  ['private-shows/cam2cam', 'who offer Cam2Cam', '[B-025]'],
] as const)('a listing of a gender has who matches it: %s, “%s” %s', async (path, heading, _id) => {
  await opens(`/girls/${path}`, `Girls ${heading}`, [match]);
  await opens(`/couples/${path}`, `Couples ${heading}`, [couple]);
});

test('private shows by price: from an amount to another, or of one amount alone [B-032]', async () => {
  await opens('/girls/private-shows/rate/12/60', /12–60 tokens a minute$/u, [match]);
  await opens('/couples/private-shows/rate/30', /30 tokens a minute$/u, [couple]);
  const page = await openPage(site, viewer, '/girls/private-shows/rate/60');
  await page.sees('No one is live here right now.');
  expect(await page.find('region', 'Live now, and maybe for you')).toBeTruthy();
});

test('exclusive shows that can begin now, under the title of the specification [B-048]', async () => {
  await opens('/girls/private-shows/exclusive-available-now', 'Exclusive Available Now', [match]);
  await opens('/couples/private-shows/exclusive-available-now', 'Exclusive Available Now', [couple]);
});

test('one tag, or two that must both be there [B-052]', async () => {
  await opens('/girls/tag/yoga', 'Girls tagged yoga', [match]);
  await opens('/couples/tag/yoga/live-sex', 'Couples tagged yoga + live sex', [couple]);
  const page = await openPage(site, viewer, '/girls/tag/yoga/chess');
  await page.sees('No one is live here right now.');
});

test.each([
  ['live-sex', '[C-030]'], ['live-sex-cams', '[C-031]'], ['sexwebcam', '[C-032]'],
  ['sexwebcam-cams', '[C-033]'],
])('girls by the tag %s %s', async (tag) => {
  await opens(`/girls/tag/${tag}`, `Girls tagged ${tag.replaceAll('-', ' ')}`, [match]);
});

test.each([
  ['/browse-role/independent', 'Models online with role independent', 'match couple', '[B-021]'],
  ['/browse-studio/northlight', 'Your online models', 'match couple', '[B-022]'],
  ['/independent-romanian', 'Independent performers from Romania', 'match couple', '[B-028]'],
  ['/casa-salsa', 'Casa Salsa', 'match couple', '[C-029]'],
  ['/voyeur-cams', 'Voyeur cams', 'match couple', '[B-058, C-034]'],
  ['/voyeur-cams/kitchen', 'Voyeur cams · Kitchen', 'match couple', '[B-060, C-035]'],
  ['/reallifecam', 'Voyeur cams', 'match couple', '[C-038]'],
  ['/voyeur-house', 'Voyeur cams', 'match couple', '[C-039]'],
  ['/top', 'Top performers', 'match couple plain', '[B-064, C-028]'],
  ['/girls/leaders', 'Girls most people are watching', 'match plain', '[B-065]'],
] as const)('%s has its listing under “%s”: %s %s', async (path, heading, names, _ids) => {
  await opens(path, heading, names.split(' ').map((name) => ({ match, couple, plain })[name] as Member));
});

test.each([
  ['bedroom', 'Bedroom', '[B-059, C-036]'], ['shower', 'Shower', '[B-061, C-037]'],
] as const)('voyeur cams in one kind of room: %s, %s %s', async (room, name, _ids) => {
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
    ['All', '/voyeur-cams'], ['Bedroom', '/voyeur-cams/bedroom'], ['Kitchen', '/voyeur-cams/kitchen'],
    ['Shower', '/voyeur-cams/shower'], ['JB Cams', '/jb-cams'], ['Julmodels', '/julmodels'],
  ]);
  await page.press('Kitchen', { role: 'link', in: tabs });
  await page.find('heading', 'Voyeur cams · Kitchen', { level: 1 });
  expect(page.path).toBe('/voyeur-cams/kitchen');
});

test.each([['JB Cams', '/jb-cams', '[B-036]'], ['Julmodels', '/julmodels', '[B-037]']] as const)(
  '%s is a tab of the voyeur cams and a listing of its own, %s %s', async (name, path, _id) => {
    const page = await opens('/voyeur-cams', 'Voyeur cams', [match, couple]);
    await page.press(name, { role: 'link', in: await page.find('navigation', 'Rooms') });
    await page.find('heading', name, { level: 1 });
    await page.until(() => expect(tilesOn(page)).toEqual(addressesOf([match, couple])));
    expect(page.path).toBe(path);
  });

test.each([
  ['RealLifeCam', '/reallifecam', '[B-035]'], ['Voyeur House', '/voyeur-house', '[B-063]'],
] as const)(
  'the link to %s opens a new tab: %s %s', async (name, path, _id) => {
    const page = await opens('/girls', 'Girls live now', [match, plain]);
    const link = await page.find('link', new RegExp(`^${name}`, 'u'));
    expect([link.getAttribute('href'), link.getAttribute('target')]).toEqual([path, '_blank']);
    expect(link.textContent).toContain('opens in a new tab');
    await opens(path, 'Voyeur cams', [match, couple]);
  });

test('whom a viewer follows, live or not, and nobody else [B-027]', async () => {
  const offline = await site.performer({ username: 'followed_away' });
  const fan = await site.viewer();
  for (const { username } of [match, offline]) await fan.call(follow, { username });
  await site.settle();
  const page = await openPage(site, fan, '/followed');
  await page.find('heading', 'Performers you follow', { level: 1 });
  await page.until(() => expect(tilesOn(page)).toEqual(addressesOf([match, offline])));
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
