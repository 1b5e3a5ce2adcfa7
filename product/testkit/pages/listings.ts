import { DAY_MS } from '#platform/time/units.ts';
import { updateProfile } from '#product/accounts/contract.ts';
import { endBroadcast, setDetails } from '#product/broadcast/contract.ts';
import { setStudio } from '#product/broadcast/contract/settings.ts';
import { hidePerformer } from '#product/messaging/contract.ts';
import { saveListingProfile } from '#product/performers/contract.ts';
import { expect } from 'vitest';
import type { Member, TestSite } from '../site.ts';
import { openPage } from './open-page.tsx';

/** A live performer whom every listing of the gender shows, except those of most tags. */
export async function matchingOn(
  site: TestSite,
  username: string,
  gender: 'f' | 'c' | 'm' | 't',
  room: 'kitchen' | null = 'kitchen',
): Promise<Member> {
  const performer = await site.performer({ username, gender });
  await performer.call(setDetails, { title: 'All of it', tags: ['yoga', 'dance'] });
  await performer.call(updateProfile, { languages: ['de', 'ro'] });
  await performer.call(saveListingProfile, {
    region: 'eastern-europe',
    country: 'RO',
    voyeur_room: room,
    is_independent: true,
    private_price: 30,
    exclusive_price: 60,
    control_rate: 40,
    offers_cam2cam: true,
  });
  const admin = await site.admin();
  await admin.call(setStudio, { username, studio: 'northlight' });
  await performer.goesLive();
  return performer;
}

/**
 * After a month in which only `plain` signed up: two live performers who match every listing of their gender,
 * others who are hidden from the viewer, suspended or not live, and the viewer.
 */
export async function castOfListings(
  site: TestSite,
  plain: Member,
): Promise<{ readonly match: Member; readonly couple: Member; readonly viewer: Member }> {
  // Everybody else signed up within the month.
  site.clock.advance(31 * DAY_MS);
  await plain.goesLive();
  const match = await matchingOn(site, 'anna_match', 'f');
  const couple = await matchingOn(site, 'carla_and_max', 'c');
  const hidden = await matchingOn(site, 'hidden_one', 'f');
  const suspended = await matchingOn(site, 'suspended_one', 'f');
  const away = await matchingOn(site, 'away_one', 'f');
  await away.call(endBroadcast, {});
  const viewer = await site.viewer();
  await viewer.call(hidePerformer, { username: hidden.username });
  const order = { suspended: true, actorId: null, reason: 'fraud' };
  await site.tx((tx) => site.services.accounts.suspend(tx, suspended.id, order));
  await site.settle();
  return { match, couple, viewer };
}

type Page = Awaited<ReturnType<typeof openPage>>;

/** Addresses of the tiles on the page, in their order. */
export const inOrder = (page: Page): readonly string[] => [
  ...new Set(
    page.all('article').map((tile) => tile.querySelector('a')?.getAttribute('href') ?? ''),
  ),
];
export const tilesOn = (page: Page): readonly string[] => inOrder(page).toSorted();
export const addressesOf = (people: readonly Member[]): string[] =>
  people.map(({ username }) => `/${username}`).sort();

/** Opens a listing and waits for its heading and its tiles: exactly these. */
export async function opensListing(
  site: TestSite,
  viewer: Member,
  path: string,
  heading: string | RegExp,
  people: readonly Member[],
): Promise<Page> {
  const page = await openPage(site, viewer, path);
  await page.find('heading', heading, { level: 1 });
  await page.until(() => expect(tilesOn(page)).toEqual(addressesOf(people)));
  expect(page.path).toBe(path);
  return page;
}

/** Ends broadcasts in new browsers: log-ins of a month ago have expired. */
export async function endsBroadcasts(site: TestSite, people: readonly Member[]): Promise<void> {
  for (const each of people) await (await site.anotherTabOf(each)).call(endBroadcast, {});
  await site.settle();
}
