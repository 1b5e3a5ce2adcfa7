import { saveRoomSettings } from '#product/rooms/contract/controls.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { openCard, openPart as part, roomWithMessage } from '#product/testkit/pages/room-column.ts';
import { payloads, received } from '#product/testkit/pages/room-sockets.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getChatRules, removeMessages } from './contract.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const roomWith = (message: string) => roomWithMessage(site, message);

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
