import { openRoom, type openPage } from '#product/testkit/pages/open-page.tsx';
import { openCard, openPart as part, roomWithMessage } from '#product/testkit/pages/room-column.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;

const roomWith = (message: string) => roomWithMessage(site, message);

/** Waits for an error toast with exactly this text: an alert that can be dismissed. */
const errorToast = (page: Page, words: string) =>
  page.until(() => {
    const toasts = page.all('alert').filter((item) => page.all('button', 'Dismiss', { in: item }).length > 0);
    expect(toasts.map((toast) => page.shows(words, { in: toast }))).toContain(true);
  });

test('a kicked viewer reads it, lands on the listing, and finds the room closed [B-226, B-391]', async () => {
  const { performer, marco } = await roomWith('hello');
  const viewer = await site.viewer();
  const first = await openRoom(site, viewer, performer);
  await performer.moderates('kick', viewer, { reason: 'Calm down first' });
  await errorToast(first, 'Calm down first');
  expect(first.shows('You have been kicked from this room.')).toBe(false);
  const page = await openRoom(site, marco, performer);
  await performer.moderates('kick', marco);
  await errorToast(page, 'You have been kicked from this room.');
  await page.until(() => expect(page.path).toBe('/'));
  await page.goto(`/${performer.username}`);
  await page.find('heading', 'You were kicked from this room');
  await page.sees(/You can come back/u);
  expect(await page.problems()).toEqual([]);
});

/** The parts of a room on its page: chat, message field, tip form. */
const roomIn = (
  page: Page,
): readonly HTMLElement[] => [
  ...page.all('list', 'Chat'),
  ...page.all('textbox', 'Message'),
  ...page.all('form', /^Tip /u),
];

/**
 * Opens a room again after its viewer was banned or kicked. The page has dropped everything of the room and
 * its performer, so it shows nothing until it has read the room again.
 */
async function opensAgain(page: Page, { username, person }: Member): Promise<void> {
  const answers = page.network.holds(new RegExp(`/chat/react/${username}`, 'u'));
  await page.press('Girls', { role: 'link', in: await page.find('banner') });
  await page.press(new RegExp(person.displayName, 'u'), { role: 'link', in: await page.find('main') });
  await page.find('status', 'Loading room');
  expect([roomIn(page), page.all('heading', /this room$/u)]).toEqual([[], []]);
  expect(page.shows(new RegExp(`@${username}|About`, 'u'))).toBe(false);
  answers();
  await page.find('heading', /this room$/u);
}

test.each(
  [
    ['ban', 'a ban takes the room and its user from the page, which asks anew for both [B-221, B-222]'],
    ['kick', 'a kick takes the room and its user from the page, which asks anew for both [B-224, B-225]'],
  ] as const,
)('%s: %s', async (action, _title) => {
  const { performer, marco } = await roomWith('hello');
  await site.says(await (await site.viewer()).joins(performer), 'a line of before');
  const page = await openRoom(site, marco, performer);
  await page.sees(/a line of before/u);
  expect(roomIn(page)).toHaveLength(3);
  const asked = () => page.network.sent.filter((sent) => sent.includes(`/chat/react/${performer.username}`));
  const before = asked().length;
  await performer.moderates(action, marco, action === 'ban' ? { minutes: 60 } : {});
  await page.until(() => expect(page.path).toBe('/'));
  expect([roomIn(page), page.shows('hello')]).toEqual([[], false]);
  await opensAgain(page, performer);
  expect(asked().length).toBeGreaterThan(before);
  expect([roomIn(page), page.shows('hello')]).toEqual([[], false]);
  // The viewer is let in again, but the page has no chat until its socket delivers it.
  if (action === 'ban') await performer.moderates('unban', marco);
  else await site.passes(10 * 60_000);
  const joins = page.network.stalls(`/ws/room/${performer.username}`);
  await page.press('Try again');
  await page.field('Message');
  await page.idle();
  expect(page.shows(/a line of before/u)).toBe(false);
  joins();
  await page.sees(/a line of before/u);
});

test.each(
  [
    ['ban', 'a ban from a room that is open elsewhere takes it and its user, too [B-221, B-222]'],
    ['kick', 'a kick from a room that is open elsewhere takes it and its user, too [B-224, B-225]'],
  ] as const,
)('%s: %s', async (action, _title) => {
  const { performer, marco } = await roomWith('hello');
  const page = await openRoom(site, marco, performer);
  await page.press('Keep this room open while you browse');
  await page.press('Girls', { role: 'link' });
  const dock = await page.find('navigation', 'Open rooms');
  await site.says(await (await site.viewer()).joins(performer), 'Where did you go?');
  await page.sees(/1 new message/u, { in: dock });
  await performer.moderates(action, marco);
  await page.gone('navigation', 'Open rooms');
  await opensAgain(page, performer);
});

test('a room that does not let its open tab in again goes from the page, with all it showed', async () => {
  const { performer, marco } = await roomWith('hello');
  const page = await openRoom(site, marco, performer);
  await page.press('Keep this room open while you browse');
  const mends = page.network.cuts(`/ws/room/${performer.username}`);
  await page.press('Girls', { role: 'link' });
  await page.find('navigation', 'Open rooms');
  await performer.moderates('ban', marco);
  mends();
  await page.gone('navigation', 'Open rooms');
  await opensAgain(page, performer);
  await page.find('heading', 'You’re banned from this room');
});

test('a banned viewer reads why, there and at the door, until it is lifted [B-223, B-390]', async () => {
  const { performer, marco } = await roomWith('hello');
  const viewer = await site.viewer();
  const first = await openRoom(site, viewer, performer);
  await performer.moderates('ban', viewer);
  await errorToast(first, 'You have been banned from this room.');
  const page = await openRoom(site, marco, performer);
  await performer.moderates('ban', marco, { minutes: 1_440, reason: 'Be kind next time' });
  await errorToast(page, 'Be kind next time');
  expect(page.shows('You have been banned from this room.')).toBe(false);
  await page.until(() => expect(page.path).toBe('/'));
  await page.goto(`/${performer.username}`);
  await page.find('heading', 'You’re banned from this room');
  await page.sees('Reason: Be kind next time');
  expect(await page.problems()).toEqual([]);
  await performer.moderates('unban', marco);
  await page.press('Try again');
  await page.field('Message');
});

test('the performer bans from a card, with a time and a reason, and lifts the ban in the panel', async () => {
  const { performer, marco } = await roomWith('hello');
  const page = await openRoom(site, performer, performer);
  const card = await openCard(page, marco);
  await page.press('Ban', { in: card });
  const dialog = (await page.field('Reason')).closest('dialog') as HTMLElement;
  await page.press('1 day', { in: dialog });
  await page.fill('Reason', 'Be kind next time', { in: dialog });
  await page.press('Ban', { in: dialog });
  await page.gone('dialog');
  await part(page, 'Moderate');
  await page.press('People', { role: 'tab' });
  const bans = await page.find('list', 'Bans');
  await page.sees(/Be kind next time/u, { in: bans });
  await page.press('Lift ban', { in: bans });
  await page.gone('button', 'Lift ban');
  const marcos = await openRoom(site, marco, performer);
  await marcos.field('Message');
});

/** Bans or kicks a viewer who is in the room, and another who keeps the room open while they browse. */
async function putsOut(action: 'ban' | 'kick', words: string): Promise<void> {
  const { performer, marco } = await roomWith('I may speak');
  const other = await site.viewer();
  const here = await openRoom(site, other, performer);
  expect(here.path).toBe(`/${performer.username}`);
  await performer.moderates(action, other);
  await here.until(() => expect(here.path).toBe('/'));
  const viewer = await site.viewer();
  const page = await openRoom(site, viewer, performer);
  await page.sees(/I may speak/u);
  await page.press('Keep this room open while you browse');
  await page.press('Girls', { role: 'link' });
  const dock = await page.find('navigation', 'Open rooms');
  await site.says(await marco.joins(performer), 'Where did you go?');
  await page.sees(/1 new message/u, { in: dock });
  expect(await page.problems()).toEqual([]);
  await performer.moderates(action, viewer);
  await errorToast(page, words);
  await page.gone('navigation', 'Open rooms');
  // The page does not navigate again.
  await site.passes(5_000);
  await page.idle();
  expect(page.path).toBe('/girls');
}

test('a ban leads from the room to the listing, and nowhere from another page [B-187, B-227]', () =>
  putsOut('ban', 'You have been banned from this room.'));

test('a kick leads from the room to the listing, and nowhere from another page [B-227, B-391]', () =>
  putsOut('kick', 'You have been kicked from this room.'));
