import { endBroadcast } from '#product/broadcast/contract.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chatMessage } from './contract.ts';
import { saveRoomSettings, setInvisibleMode } from './contract/controls.ts';

type Page = Awaited<ReturnType<typeof openPage>>;

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const LOCKED = 'This room is password-protected';
const named = ({ username }: Member): RegExp => new RegExp(username, 'u');
const opens = ({ username }: Member, who: Visitor, query = ''): Promise<Page> =>
  openPage(site, who, `/${username}${query}`);

/** The stream status that the video panel of a page shows. */
const panelOf = (page: Page): string | undefined =>
  page.all('main')
    .map((main) => main.querySelector<HTMLElement>('[data-stream-status]')?.dataset['streamStatus'])[0];
const panelBecomes = (page: Page, status: string): Promise<void> =>
  page.until(() => expect(panelOf(page)).toBe(status));
/** Whether the player of a page requests the video. */
const playerOf = (page: Page): readonly string[] =>
  page.all('group', 'Player')
    .map(({ dataset }) => (dataset['phase'] === 'idle' ? 'idle' : 'asks'));

/** Opens a tab of the room's column. */
const part = (page: Page, name: string) => page.press(new RegExp(`^${name}\\b`, 'u'));

/** Opens the user list, and waits for the people in it. */
async function usersOf(page: Page, ...people: readonly Member[]): Promise<HTMLElement> {
  await part(page, 'Users');
  await page.find('list', 'In this room');
  // The user list is updated at most every 5 s.
  await site.passes(5_000);
  const users = await page.find('list', 'In this room');
  for (const who of people) await page.find('button', named(who), { in: users });
  return users;
}

test('the address of a room is that of its chat: it shows its own lines and no others [B-072]', async () => {
  const [one, other] = [await site.performer({ live: true }), await site.performer({ live: true })];
  const visitor = await site.visitor({ ofAge: true });
  for (const performer of [one, other]) {
    await site.says(await performer.joins(performer), `here speaks ${performer.username}`);
  }
  for (const [shown, hidden] of [[one, other], [other, one]] as const) {
    const page = await opens(shown, visitor);
    const list = await page.find('list', 'Chat');
    await page.sees(new RegExp(`here speaks ${shown.username}`, 'u'), { in: list });
    await site.says(await hidden.joins(hidden), `and again ${hidden.username}`);
    await site.says(await shown.joins(shown), `and again ${shown.username}`);
    await page.sees(new RegExp(`and again ${shown.username}`, 'u'), { in: list });
    expect([page.path, page.shows(new RegExp(`(speaks|again) ${hidden.username}`, 'u'))])
      .toEqual([`/${shown.username}`, false]);
  }
});

test(
  'what a viewer writes is read by themselves, the performer and everybody else in the room [B-005]',
  async () => {
    const [performer, other] = [await site.performer({ live: true }), await site.viewer()];
    const [owner, watcher] = [await performer.joins(performer), await other.joins(performer)];
    const viewer = await site.viewer();
    const page = await openRoom(site, viewer, performer);
    await page.fill('Message', 'Good evening');
    (await page.field('Message')).focus();
    await page.keys('{Enter}');
    // The name opens the card of the person.
    const line = new RegExp(`${viewer.person.displayName} ?: Good evening`, 'u');
    await page.sees(line, { in: await page.find('list', 'Chat') });
    for (const socket of [owner, watcher]) {
      expect((await socket.waitFor(chatMessage, ({ message }) => message === 'Good evening')).username)
        .toBe(viewer.username);
    }
    const theirs = await openRoom(site, await site.visitor({ ofAge: true }), performer);
    await theirs.sees(line, { in: await theirs.find('list', 'Chat') });
  },
);

test('the video of who broadcasts is in their own room, and in nobody else’s [B-003]', async () => {
  const [performer, other] = [await site.performer(), await site.performer()];
  const viewer = await site.viewer();
  await performer.goesLive();
  const page = await opens(performer, viewer);
  await page.until(() => expect(playerOf(page)).toEqual(['asks']));
  expect(panelOf(page)).toBe('online');
  const elsewhere = await opens(other, viewer);
  await panelBecomes(elsewhere, 'offline');
  expect(playerOf(elsewhere)).toEqual(['idle']);
});

test(
  'a room is offline by itself, online with its performer, and offline after her [B-190, B-214]',
  async () => {
    const performer = await site.performer();
    const page = await openRoom(site, await site.viewer(), performer);
    await page.sees(`${performer.username} is offline`);
    expect([panelOf(page), ...playerOf(page)]).toEqual(['offline', 'idle']);
    await performer.goesLive();
    await panelBecomes(page, 'online');
    await page.until(() => expect(playerOf(page)).toEqual(['asks']));
    expect(page.shows(/is offline$|is on standby$|password-protected/u)).toBe(false);
    await performer.call(endBroadcast, {});
    await panelBecomes(page, 'offline');
    await page.sees(`${performer.username} is offline`);
  },
);

test('offline comes before the overlay of guests [B-207]', async () => {
  const performer = await site.performer({ live: true });
  const guest = await site.visitor({ ofAge: true });
  const page = await opens(performer, guest, '?vidstop=now');
  await page.sees(/in the room/u);
  await site.passes(0);
  await panelBecomes(page, 'guest_overlay');
  await performer.call(endBroadcast, {});
  await panelBecomes(page, 'offline');
  expect(page.shows(/^Watch .* for free$/u)).toBe(false);
});

test(
  'a password is asked for before a room is called offline, except of site moderators [B-206]',
  async () => {
    const performer = await site.performer();
    const moderator = await site.viewer();
    await performer.moderates('moderator', moderator);
    await performer.call(saveRoomSettings, { username: performer.username, camPassword: 'candle light' });
    for (const who of [await site.viewer(), moderator]) {
      const page = await opens(performer, who);
      await page.sees(LOCKED);
      expect([panelOf(page), page.shows(/is offline$/u)]).toEqual(['password_required', false]);
    }
    const page = await opens(performer, await site.viewer({ roles: ['site_mod'] }));
    await page.sees(`${performer.username} is offline`);
    expect([panelOf(page), page.shows(LOCKED)]).toEqual(['offline', false]);
  },
);

test('a room whose data does not come is user_error, until it comes [B-204]', async () => {
  const performer = await site.performer({ live: true });
  const page = await openPage(site, await site.viewer(), '/girls');
  const release = page.network.holds(/\/chat\/react\//u);
  await page.press(named(performer), { role: 'link', in: await page.find('main') });
  await page.find('status', 'Loading room');
  page.network.goesDown(true);
  release();
  await panelBecomes(page, 'user_error');
  expect(page.all('status', 'Loading room')).toEqual([]);
  page.network.goesDown(false);
  await page.press('Try again');
  await panelBecomes(page, 'online');
});

test.each([['the performer'], ['a viewer']] as const)(
  'a ban and a kick take somebody from the list of users that %s sees [B-229, B-230]',
  async (reader) => {
    const performer = await site.performer({ live: true });
    await performer.call(saveRoomSettings, { username: performer.username, isUserListVisible: true });
    const people = [await site.viewer(), await site.viewer(), await site.viewer()] as const;
    const [banned, kicked, stays] = people;
    for (const one of people) await site.says(await one.joins(performer), `by ${one.username}`);
    const who = reader === 'a viewer' ? await site.viewer() : performer;
    const page = await openRoom(site, who, performer);
    const users = await usersOf(page, ...people);
    for (const [action, one] of [['ban', banned], ['kick', kicked]] as const) {
      await performer.moderates(action, one);
      // A viewer who may know the name needs no new list.
      if (who === performer) await page.gone('button', named(one), { in: users });
      await site.passes(5_000);
      await page.gone('button', named(one), { in: users });
    }
    expect(page.all('button', named(stays), { in: users })).toHaveLength(1);
    await part(page, 'Chat');
    const list = await page.find('list', 'Chat');
    await page.sees(/has been kicked\.$/u, { in: list });
    expect(people.map(({ username }) => page.shows(new RegExp(`by ${username}`, 'u'), { in: list })))
      .toEqual([false, true, true]);
  },
);

test.each(
  [
    ['ban', 'Too loud', 'Too loud', '[B-358]'],
    ['ban', '', 'You have been banned from this room.', '[B-358]'],
    ['kick', 'Too loud', 'Too loud', '[B-359]'],
    ['kick', '', 'You have been kicked from this room.', '[B-359]'],
  ] as const,
)('a %s with the reason “%s” puts a viewer out of the room, who reads: %s %s', async (
  action,
  reason,
  words,
  _id,
) => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  const page = await openRoom(site, viewer, performer);
  await performer.moderates(action, viewer, reason === '' ? {} : { reason });
  // A toast, which can be dismissed.
  await page.until(() => {
    const toasts = page.all('alert').filter((item) => page.all('button', 'Dismiss', { in: item }).length > 0);
    expect(toasts.map((toast) => page.shows(words, { in: toast }))).toEqual([true]);
  });
  await page.until(() => expect(page.path).toBe('/'));
  await page.goto(`/${performer.username}`);
  await page.find(
    'heading',
    action === 'ban'
      ? 'You’re banned from this room'
      : 'You were kicked from this room',
  );
  expect(page.all('textbox', 'Message')).toEqual([]);
});

test.each(
  [
    ['moderator', 'Moderators', 'This room has no moderators yet.', '[B-231]'],
    ['silence', 'Silenced', 'No one is silenced.', '[B-232]'],
  ] as const,
)('a %s is in the list %s until removed, then it says: %s %s', async (
  action,
  name,
  nobody,
  _id,
) => {
  const performer = await site.performer({ live: true });
  const [marco, other, admin] = [await site.viewer(), await site.viewer(), await site.admin()];
  const page = await openRoom(site, performer, performer);
  await part(page, 'Moderate');
  await page.sees('No messages to review.');
  await page.idle();
  await page.press('People', { role: 'tab' });
  await page.choose('List', name);
  await page.sees(nobody);
  // Somebody else changes it: the page follows.
  for (const who of [marco, other]) await admin.moderates(action, who, { room: performer });
  const list = await page.find('list', name);
  for (const who of [marco, other]) await page.sees(named(who), { in: list });
  await admin.moderates(`un${action}`, marco, { room: performer });
  await page.until(() => expect(page.shows(named(marco), { in: list })).toBe(false));
  expect(page.shows(named(other), { in: list })).toBe(true);
  await admin.moderates(`un${action}`, other, { room: performer });
  await page.sees(nobody);
});

/** People who have a moderator's view of a room, and people who lack it. */
const VIEWS: readonly [who: string, has: 'has' | 'lacks', of: (room: Member) => Promise<Visitor>][] = [
  ['a moderator of the room', 'has', async (performer) => {
    const moderator = await site.viewer();
    await performer.moderates('moderator', moderator);
    return moderator;
  }],
  ['a site moderator', 'has', () => site.viewer({ roles: ['site_mod'] })],
  ['a model admin', 'has', () => site.viewer({ roles: ['model_admin'] })],
  ['another performer', 'lacks', () => site.performer()],
  ['a moderator of another room', 'lacks', async () => {
    const moderator = await site.viewer();
    await (await site.performer()).moderates('moderator', moderator);
    return moderator;
  }],
];
test.each(VIEWS)('%s %s the view of a moderator [B-287, B-305]', async (_who, has, memberOf) => {
  const performer = await site.performer({ live: true });
  const page = await openRoom(site, await memberOf(performer), performer);
  await page.field('Message');
  if (has === 'has') {
    await part(page, 'Moderate');
    await page.sees('No messages to review.');
  } else expect(page.all('button', /^Moderate/u)).toEqual([]);
});

test(
  'who becomes a moderator of the room has that view at once, until they are one no longer [B-305]',
  async () => {
    const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
    const page = await openRoom(site, viewer, performer);
    await page.field('Message');
    expect(page.all('button', /^Moderate/u)).toEqual([]);
    await performer.moderates('moderator', viewer);
    await page.find('button', /^Moderate/u);
    await performer.moderates('unmoderator', viewer);
    await page.gone('button', /^Moderate/u);
    await page.field('Message');
  },
);

test('a performer in somebody else’s room reads a note, has a badge, and nobody else [B-306]', async () => {
  const [performer, colleague] = [await site.performer({ live: true }), await site.performer()];
  const NOTE = 'You’re here as a performer. Others can see your badge.';
  const page = await openRoom(site, colleague, performer);
  await page.sees(NOTE);
  const viewer = await site.viewer();
  for (const who of [colleague, viewer]) {
    await site.says(await who.joins(performer), `I am ${who.username}`);
  }
  for (const [who, room] of [[colleague, colleague], [viewer, performer]] as const) {
    const other = await openRoom(site, who, room);
    await other.find('heading', new RegExp(`^About ${room.username}`, 'u'));
    expect(other.shows(NOTE)).toBe(false);
    if (who === colleague) continue;
    const list = await other.find('list', 'Chat');
    const badgeOf = async (sender: Member): Promise<boolean> => {
      const line = (await other.sees(new RegExp(`I am ${sender.username}`, 'u'), { in: list })).closest('li');
      return other.shows('Performer', { in: line ?? undefined });
    };
    expect([await badgeOf(colleague), await badgeOf(viewer)]).toEqual([true, false]);
  }
});

test('the list of users follows how hidden somebody is [B-356]', async () => {
  const performer = await site.performer({ live: true });
  const roles = ['site_mod'] as const;
  const [shy, staff, other] = [
    await site.viewer({ roles }),
    await site.viewer({ roles }),
    await site.viewer(),
  ];
  for (const who of [shy, other]) await who.joins(performer);
  const hides = async (level: number): Promise<void> => {
    await shy.call(setInvisibleMode, { level });
    await site.passes(5_000);
  };
  const page = await openRoom(site, performer, performer);
  const users = await usersOf(page, shy, other);
  const lineOf = async (who: Member) => page.find('button', named(who), { in: users });
  expect(page.shows(/^Hidden/u, { in: users })).toBe(false);
  await hides(1);
  await page.sees('Hidden from viewers', { in: await lineOf(shy) });
  expect(page.shows(/^Hidden/u, { in: await lineOf(other) })).toBe(false);
  expect(await page.problems()).toEqual([]);
  await hides(0);
  await page.until(() => expect(page.shows(/^Hidden/u, { in: users })).toBe(false));
  await lineOf(shy);
  await hides(2);
  await page.gone('button', named(shy), { in: users });
  const theirs = await openRoom(site, staff, performer);
  const known = await usersOf(theirs, shy, other);
  const line = await theirs.find('button', named(shy), { in: known });
  await theirs.sees('Hidden from viewers and the performer', { in: line });
});

test(
  'the list of users is started when it is opened and stopped when it is closed [B-338, B-339]',
  async () => {
    const performer = await site.performer({ live: true });
    const page = await openRoom(site, performer, performer);
    const textsOf = (from: 'page' | 'site', words: string): readonly string[] =>
      page.network.texts
        .filter((item) => item.from === from && item.text.includes(words)).map(({ text }) => text);
    const sent = () => textsOf('page', 'v3.chat.userlist.');
    /** Somebody joins; a running feed has reported that when this resolves. */
    const comes = async (): Promise<Member> => {
      const other = await site.viewer();
      const socket = await other.joins(performer);
      await site.passes(5_000);
      await socket.leaves();
      return other;
    };
    const speaker = await (await site.viewer()).joins(performer);
    const early = await comes();
    expect([sent(), textsOf('site', early.username)]).toEqual([[], []]);
    await part(page, 'Users');
    await page.find('list', 'In this room');
    const started = '["v3.chat.userlist.start",{}]';
    expect(sent()).toEqual([started]);
    const here = await site.viewer();
    await here.joins(performer);
    await site.passes(5_000);
    await page.find('button', named(here));
    expect(textsOf('site', here.username)).toHaveLength(1);
    await part(page, 'Chat');
    await page.until(() => expect(sent()).toEqual([started, '["v3.chat.userlist.stop",{}]']));
    const late = await comes();
    await site.says(speaker, 'Who is here?');
    await page.sees(/Who is here\?/u);
    expect(textsOf('site', late.username)).toEqual([]);
  },
);

test('what a test user writes is read by nobody, and by them no more [B-284]', async () => {
  const performer = await site.performer({ live: true });
  const other = await (await site.viewer()).joins(performer);
  const page = await openRoom(site, await site.viewer({ roles: ['test_user'] }), performer);
  await page.fill('Message', 'does it work?');
  (await page.field('Message')).focus();
  await page.keys('{Enter}');
  await page.until(() =>
    expect(page.network.texts.filter(({ from, text }) => from === 'page' && text.includes('does it work?')))
      .toHaveLength(1)
  );
  await site.says(other, 'it does');
  await page.sees(/it does/u, { in: await page.find('list', 'Chat') });
  expect(page.all('listitem', undefined, { in: await page.find('list', 'Chat') })).toHaveLength(1);
});
