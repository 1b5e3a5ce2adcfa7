import { saveRoomSettings } from '#product/rooms/contract/controls.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { payloads, received } from '#product/testkit/pages/room-sockets.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getChatRules, removeMessages } from './contract.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;

/** A live performer, and a viewer who has sent a message in the room. */
async function roomWith(message: string): Promise<{ performer: Member; marco: Member; id: number }> {
  const [performer, marco] = [await site.performer({ live: true }), await site.viewer()];
  const socket = await marco.joins(performer);
  const { id } = await site.says(socket, message);
  return { performer, marco, id };
}

/** Opens a tab of the room's column. */
const part = (page: Page, name: string) => page.press(new RegExp(`^${name}\\b`, 'u'));

/** Waits for an error toast with exactly this text: an alert that can be dismissed. */
const errorToast = (page: Page, words: string) =>
  page.until(() => {
    const toasts = page.all('alert').filter((item) => page.all('button', 'Dismiss', { in: item }).length > 0);
    expect(toasts.map((toast) => page.shows(words, { in: toast }))).toContain(true);
  });

/** Opens a person's card from the user list. */
async function openCard(page: Page, { username }: Member): Promise<HTMLElement> {
  await part(page, 'Users');
  await page.press(new RegExp(username, 'u'), { in: await page.find('list', 'In this room') });
  const dialog = await page.find('dialog');
  await page.sees(`@${username}`, { in: dialog });
  return dialog;
}

test('the performer silences from a message’s menu, and undoes it', async () => {
  const { performer, marco } = await roomWith('Silence is golden');
  const page = await openRoom(site, performer, performer);
  await page.press(/^Actions for/u);
  await page.press('Silence', { role: 'menuitem' });
  const dialog = await page.find('dialog');
  expect(await page.problems()).toEqual([]);
  await page.press('Silence', { in: dialog });
  await page.press('Undo');
  await page.sees('Undone.');
  const socket = await marco.joins(performer);
  expect(await site.says(socket, 'I may speak again')).toMatchObject({ error: false });
});

test('whoever is silenced reads so below the field before they write, and that they may again', async () => {
  const { performer, marco } = await roomWith('Silence is golden');
  const page = await openRoom(site, marco, performer);
  await page.idle();
  await performer.moderates('silence', marco, { minutes: 60 });
  await page.sees(/^You’re silenced in this room\. 60 min left$/u);
  await performer.moderates('unsilence', marco);
  await page.until(() => expect(page.shows(/^You’re silenced/u)).toBe(false));
});

test('whoever is silenced reads the reason that the dialog promises, set apart', async () => {
  const { performer, marco } = await roomWith('Silence is golden');
  const own = await openRoom(site, performer, performer);
  await own.press(/^Actions for/u);
  await own.press('Silence', { role: 'menuitem' });
  const dialog = await own.find('dialog');
  await own.sees('The user sees it, and it’s saved in the log.', { in: dialog });
  await own.fill('Reason (optional)', 'أعلانات 12', { in: dialog });
  await own.press('Silence', { in: dialog });
  await own.find('button', 'Undo');
  const other = await site.viewer();
  const speaking = async (who: Member) =>
    (await who.call(getChatRules, { username: performer.username })).speaking;
  expect(await speaking(marco)).toMatchObject({ allowed: false, why: 'silenced', reason: 'أعلانات 12' });
  expect(await speaking(other)).toMatchObject({ allowed: true, why: null, reason: null });
  const page = await openRoom(site, marco, performer);
  // Text that people typed is isolated: its direction does not reorder the text beside it.
  await page.sees(/^Reason: .*أعلانات 12/u);
  expect(await page.loose('أعلانات 12')).toEqual([]);
  await performer.moderates('unsilence', marco);
  await page.until(() => expect(page.shows(/^Reason:/u)).toBe(false));
});

test('a message that is removed goes from the pages of viewers, whose menus moderate nothing', async () => {
  const { performer, id } = await roomWith('Silence is golden');
  const page = await openRoom(site, await site.viewer(), performer);
  await page.press(/^Actions for/u);
  await page.find('menuitem', 'Reply');
  expect(page.all('menuitem', /Ban|Silence|Kick|Remove/u)).toEqual([]);
  await page.keys('{Escape}');
  await performer.call(removeMessages, { username: performer.username, ids: [id] });
  await page.until(() => expect(page.shows(/Silence is golden/u)).toBe(false));
});

test('the performer sees who is in the room, and searches them [B-108, B-301]', async () => {
  const { performer, marco } = await roomWith('hello');
  const viewer = await site.viewer();
  await viewer.joins(performer);
  const page = await openPage(site, performer, '/go-live');
  await part(page, 'Users');
  const list = await page.find('list', 'In this room');
  await site.passes(5_000);
  await page.find('button', new RegExp(viewer.username, 'u'), { in: list });
  await page.fill('Search users', marco.username.toUpperCase());
  await page.gone('button', new RegExp(viewer.username, 'u'), { in: list });
  await page.find('button', new RegExp(marco.username, 'u'), { in: list });
  expect(await page.problems()).toEqual([]);
  const room = await openRoom(site, performer, performer);
  await part(room, 'Users');
  const own = await room.find('list', 'In this room');
  await room.find('button', new RegExp(marco.username, 'u'), { in: own });
});

test('the list of users follows who comes and who goes [B-352, B-353]', async () => {
  const performer = await site.performer({ live: true });
  const page = await openPage(site, performer, '/go-live');
  await part(page, 'Users');
  await page.find('list', 'In this room');
  // The first list has arrived and is empty: people shown later joined by an event of their own.
  await page.until(() => expect(received(page, 'v3.chat.user_list')).toHaveLength(1));
  const viewer = await site.viewer();
  const socket = await viewer.joins(performer);
  const name = new RegExp(viewer.username, 'u');
  expect(page.all('button', name)).toEqual([]);
  await site.passes(5_000);
  await page.find('button', name, { in: await page.find('list', 'In this room') });
  expect(payloads(page, 'site', `/ws/room/${performer.username}`, 'v3.chat.user_joined'))
    .toEqual([{ user: expect.objectContaining({ username: viewer.username }) as unknown }]);
  await socket.leaves();
  await site.passes(5_000);
  await page.gone('button', name);
  const left = received(page, 'v3.chat.user_left');
  expect(left).toEqual([expect.stringContaining(performer.username)]);
  expect(left).toEqual([expect.stringContaining(viewer.username)]);
  expect(received(page, 'v3.chat.user_list')).toEqual([expect.not.stringContaining(viewer.username)]);
});

test('the list of users is hidden from all but the streamer and site moderators [B-108, B-308]', async () => {
  const { performer, marco } = await roomWith('hello');
  const moderator = await site.viewer();
  await performer.moderates('moderator', moderator);
  for (const who of [moderator, await site.performer(), await site.visitor({ ofAge: true })]) {
    const page = await openRoom(site, who, performer);
    expect(page.all('button', /^Users/u)).toEqual([]);
  }
  const staff = await openRoom(site, await site.viewer({ roles: ['site_mod'] }), performer);
  await marco.joins(performer);
  await part(staff, 'Users');
  // The user list is updated at most every 5 s.
  await site.passes(5_000);
  const list = await staff.find('list', 'In this room');
  await staff.find('button', new RegExp(marco.username, 'u'), { in: list });
  const own = await openRoom(site, performer, performer);
  await part(own, 'Users');
  await own.find('button', new RegExp(marco.username, 'u'), { in: await own.find('list', 'In this room') });
});

test('everybody sees the list of users while the performer shows it [B-108, B-308]', async () => {
  const { performer, marco } = await roomWith('hello');
  const viewer = await site.viewer();
  const before = await openRoom(site, viewer, performer);
  expect(before.all('button', /^Users/u)).toEqual([]);
  const page = await openPage(site, performer, '/go-live');
  await part(page, 'Room');
  await page.click(await page.field('Everyone can see who’s in the room'));
  await page.idle();
  const guests = await openRoom(site, await site.visitor({ ofAge: true }), performer);
  await part(guests, 'Users');
  await guests.find('list', 'In this room');
  const after = await openRoom(site, viewer, performer);
  await marco.joins(performer);
  await site.passes(5_000);
  const dialog = await openCard(after, marco);
  expect(after.all('button', 'Ban', { in: dialog })).toEqual([]);
  await after.press('Mention', { in: dialog });
  const field = await after.field('Message');
  await after.until(() => expect(field).toHaveProperty('value', `@${marco.username} `));
  await part(after, 'Users');
  await performer.call(saveRoomSettings, { username: performer.username, isUserListVisible: false });
  await after.gone('button', /^Users/u);
  const late = await openRoom(site, viewer, performer);
  expect(late.all('button', /^Users/u)).toEqual([]);
});

test('a moderator whom the performer names gets the tools, and names nobody [B-117]', async () => {
  const { performer, marco } = await roomWith('Take this away');
  const viewer = await site.viewer();
  await viewer.joins(performer);
  const page = await openPage(site, performer, '/go-live');
  await part(page, 'Room');
  await page.click(await page.field('Everyone can see who’s in the room'));
  await page.press('Make moderator', { in: await openCard(page, marco) });
  const other = await openRoom(site, viewer, performer);
  expect(other.all('button', /^Moderate/u)).toEqual([]);
  const marcos = await openRoom(site, marco, performer);
  await part(marcos, 'Moderate');
  await marcos.sees('No messages to review.');
  expect(await marcos.problems()).toEqual([]);
  await part(marcos, 'Chat');
  await marcos.press(/^Actions for/u);
  await marcos.press('Remove message', { role: 'menuitem' });
  await marcos.until(() => expect(marcos.shows(/Take this away/u)).toBe(false));
  await viewer.joins(performer);
  await site.passes(5_000);
  const dialog = await openCard(marcos, viewer);
  await marcos.find('button', 'Kick', { in: dialog });
  expect(marcos.all('button', 'Make moderator', { in: dialog })).toEqual([]);
});

/** People who moderate a room, by role. */
const MODERATES: Readonly<Record<string, (performer: Member) => Promise<Member>>> = {
  'the performer': async (performer) => performer,
  'a moderator of the room': async (performer) => {
    const moderator = await site.viewer();
    await performer.moderates('moderator', moderator);
    return moderator;
  },
  'a site moderator': () => site.viewer({ roles: ['site_mod'] }),
  'a model admin': () => site.viewer({ roles: ['model_admin'] }),
};

test.each(Object.keys(MODERATES))('%s has the panel and menu of moderators [B-117, B-287]', async (who) => {
  const { performer } = await roomWith('Take this away');
  const page = await openRoom(site, await MODERATES[who]?.(performer) as Member, performer);
  await page.press(/^Actions for/u);
  for (const name of ['Remove message', 'Ban', 'Kick', 'Silence']) await page.find('menuitem', name);
  await page.keys('{Escape}');
  await part(page, 'Moderate');
  await page.sees('No messages to review.');
  await page.press('People', { role: 'tab' });
  await page.sees('No one is banned.');
});

test(
  'viewers, guests, other performers and moderators of other rooms moderate nothing [B-117, B-287]',
  async () => {
    const { performer } = await roomWith('Take this away');
    const stranger = await site.viewer();
    const other = await site.performer();
    await other.moderates('moderator', stranger);
    for (const who of [await site.viewer(), stranger, other, await site.visitor({ ofAge: true })]) {
      const page = await openRoom(site, who, performer);
      await page.sees(/Take this away/u);
      expect(page.all('button', /^Moderate/u)).toEqual([]);
      const menu = page.all('button', /^Actions for/u);
      for (const button of menu) {
        await page.click(button);
        await page.find('menuitem', /^Report/u);
        expect(page.all('menuitem', /Ban|Silence|Kick|Remove/u)).toEqual([]);
        await page.keys('{Escape}');
      }
    }
  },
);

test('a link waits for a moderator, who shows it', async () => {
  const { performer, marco } = await roomWith('hello');
  const socket = await marco.joins(performer);
  await site.says(socket, 'look at www.example.com');
  const page = await openRoom(site, performer, performer);
  await part(page, 'Moderate');
  const waiting = await page.find('list', 'Pending');
  await page.sees(/look at www\.example\.com/u, { in: waiting });
  await page.press(`Approve ${marco.username}’s message`, { in: waiting });
  const viewers = await openRoom(site, await site.viewer(), performer);
  await viewers.sees(/look at www\.example\.com/u);
});

test('the strictest rules ask for tips, at once on the pages of viewers', async () => {
  const { performer } = await roomWith('hello');
  const viewer = await site.viewer();
  const page = await openRoom(site, performer, performer);
  await part(page, 'Moderate');
  await page.press('Rules', { role: 'tab' });
  await page.find('option', 'People who have ever tipped you');
  await page.press(/^Fans only\s?Only people who have tipped you can chat\.$/u);
  const viewers = await openRoom(site, viewer, performer);
  await viewers.sees(/Only people who have tipped here can chat\./u);
  await performer.changesChatRules({ preset: 'open' });
  await viewers.until(() => expect(viewers.shows(/Only people who have tipped/u)).toBe(false));
});

test('a site moderator reads of the performer where the performer reads “you”', async () => {
  const performer = await site.performer({ live: true });
  const page = await openRoom(site, await site.viewer({ roles: ['site_mod'] }), performer);
  await part(page, 'Moderate');
  await page.press('Rules', { role: 'tab' });
  await page.find('button', /^Fans only\s?Only people who have tipped the performer can chat\.$/u);
  await page.find('option', 'People who have ever tipped the performer');
  await page.find('option', 'People who tipped the performer in the last 24 hours');
  expect(page.shows(/tipped you/u)).toBe(false);
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

test('a room with a password says what is wrong, and opens to who knows it [B-206]', async () => {
  const performer = await site.performer({ live: true });
  const owner = await openPage(site, performer, '/go-live');
  await part(owner, 'Room');
  await owner.fill('Room password', 'open-sesame');
  await owner.press('Set password');
  await owner.sees(/Only people with the password see the video/u);
  const viewer = await site.viewer();
  const page = await openRoom(site, viewer, performer);
  await page.sees('This room is password-protected');
  await page.fill('Room password', 'a guess');
  await page.press('Enter room');
  await page.sees('Wrong password. Try again.');
  expect(await page.problems()).toEqual([]);
  await page.fill('Room password', 'open-sesame');
  await page.press('Enter room');
  await page.until(() => expect(page.shows('This room is password-protected')).toBe(false));
  const staff = await openRoom(site, await site.viewer({ roles: ['site_mod'] }), performer);
  await staff.field('Message');
  expect(staff.shows('This room is password-protected')).toBe(false);
});

test('a suspended performer is visible to staff alone, with a notice', async () => {
  const performer = await site.performer();
  const suspend = (suspended: boolean) =>
    site.tx((tx) =>
      site.services.accounts.suspend(tx, performer.id, { suspended, actorId: null, reason: 'a test' })
    );
  await suspend(true);
  const staff = await openPage(site, await site.admin(), `/${performer.username}`);
  await staff.sees('This account is suspended. Only its owner and admins can see this room.');
  const viewer = await site.viewer();
  const page = await openPage(site, viewer, `/${performer.username}`);
  await page.find('heading', 'Page not found');
  await suspend(false);
  await page.goto(`/${performer.username}`);
  await page.find('heading', new RegExp(`^About ${performer.username}`, 'u'));
});
