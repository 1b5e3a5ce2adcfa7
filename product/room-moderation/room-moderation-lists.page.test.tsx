import { openRoom } from '#product/testkit/pages/open-page.tsx';
import { inRoom } from '#product/testkit/pages/room-sockets.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decideHeld, getHeld } from './contract.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openRoom>>;

const named = ({ username }: Member): RegExp => new RegExp(username, 'u');
const part = (page: Page, name: string) => page.press(new RegExp(`^${name}\\b`, 'u'));

/** Opens the user list and waits for a member in it: the list is sent every 5 s at most. */
async function opensUsers(page: Page, who: Member): Promise<void> {
  await part(page, 'Users');
  await expect.poll(async () => {
    await site.passes(5_000);
    return page.all('list', 'In this room').flatMap((list) => page.all('button', named(who), { in: list }));
  }).toHaveLength(1);
}

/** A performer's page with an open user list that contains a viewer. */
async function pageWith(): Promise<{ page: Page; performer: Member; marco: Member }> {
  const [performer, marco] = [await site.performer({ live: true }), await site.viewer()];
  await site.says(await marco.joins(performer), 'hello');
  const page = await openRoom(site, performer, performer);
  await opensUsers(page, marco);
  return { page, performer, marco };
}

/** The actions that a member's card offers when opened from the user list, after they join the room. */
async function offers(page: Page, performer: Member, who: Member): Promise<readonly string[]> {
  await who.joins(performer);
  await opensUsers(page, who);
  await page.press(named(who), { in: await page.find('list', 'In this room') });
  const card = await page.find('dialog');
  await page.sees(`@${who.username}`, { in: card });
  const names = page.all('button', undefined, { in: card }).map(({ textContent }) => textContent ?? '');
  await page.keys('{Escape}');
  await page.gone('dialog');
  return names.filter((name) => /ilence|oderator/u.test(name));
}

/** The text of one list of the moderation panel; null when the panel shows that the list is empty. */
async function listed(page: Page, list: 'Moderators' | 'Silenced', empty: string): Promise<string | null> {
  await part(page, 'Moderate');
  await page.press('People', { role: 'tab' });
  await page.choose('List', list);
  await page.until(() => {
    expect(page.shows(empty) || page.all('list', list).length > 0).toBe(true);
  });
  await page.idle();
  return page.all('list', list)[0]?.textContent ?? null;
}

test.each(
  [
    ['ban', 'a ban takes somebody from the list of users at once [B-229, B-362]'],
    ['kick', 'a kick takes somebody from the list of users at once [B-230, B-362]'],
  ] as const,
)('%s: %s', async (action, _title) => {
  const { page, performer, marco } = await pageWith();
  await performer.moderates(action, marco);
  // The clock stands still: the user list itself would report a leave only 5 s later.
  await page.gone('button', named(marco), { in: await page.find('list', 'In this room') });
  await page.sees('No members are here yet.');
});

test('a named moderator is on the list of moderators, until that is undone [B-231, B-362]', async () => {
  const { page, performer, marco } = await pageWith();
  expect(await offers(page, performer, marco)).toEqual(['Silence', 'Make moderator']);
  expect(await listed(page, 'Moderators', 'This room has no moderators yet.')).toBeNull();
  const names = async (action: 'moderator' | 'unmoderator', done: string): Promise<void> => {
    await performer.moderates(action, marco);
    await part(page, 'Chat');
    await page.sees(`${marco.person.displayName} has been ${done}.`);
  };
  await names('moderator', 'made a moderator');
  expect(await offers(page, performer, marco)).toEqual(['Silence', 'Remove as moderator']);
  expect(await listed(page, 'Moderators', 'This room has no moderators yet.'))
    .toContain(`${marco.person.displayName} is now a moderator.`);
  await names('unmoderator', 'removed as a moderator');
  expect(await offers(page, performer, marco)).toEqual(['Silence', 'Make moderator']);
  expect(await listed(page, 'Moderators', 'This room has no moderators yet.')).toBeNull();
});

test('the panel and list that are open stay so when the connection is lost and comes back', async () => {
  const [performer, marco] = [await site.performer({ live: true }), await site.viewer()];
  const page = await openRoom(site, performer, performer);
  expect(await listed(page, 'Silenced', 'No one is silenced.')).toBeNull();
  const path = `/ws/room/${performer.username}`;
  const mends = page.network.cuts(path);
  await page.until(() => expect(page.network.openAt(path)).toBe(0));
  mends();
  await page.until(() => expect(page.network.openAt(path)).toBe(1));
  await page.idle();
  await performer.moderates('silence', marco);
  await page.sees(named(marco), { in: await page.find('list', 'Silenced') });
});

test('who is silenced is on the list of the silenced, until that is lifted [B-232, B-362]', async () => {
  const { page, performer, marco } = await pageWith();
  expect(await offers(page, performer, marco)).toContain('Silence');
  expect(await listed(page, 'Silenced', 'No one is silenced.')).toBeNull();
  for (const [action, done, offered] of [
    ['silence', 'silenced', 'Lift silence'],
    ['unsilence', 'unsilenced', 'Silence'],
  ] as const) {
    await performer.moderates(action, marco);
    await part(page, 'Chat');
    await page.sees(`${marco.person.displayName} has been ${done}.`);
    expect((await offers(page, performer, marco))[0]).toBe(offered);
    const names = await listed(page, 'Silenced', 'No one is silenced.');
    if (action === 'silence') expect(names).toContain(`${marco.person.displayName} was silenced.`);
    else expect(names).toBeNull();
  }
});

test('whoever the rules of a room silence reads why in a toast on their page of it [A-373]', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  await performer.changesChatRules({ preset: 'open', links: 'refuse' });
  const page = await openRoom(site, viewer, performer);
  const socket = await viewer.joins(performer);
  for (let strike = 1; strike <= 5; strike += 1) await site.says(socket, `buy at spam${strike}.com`);
  await page.until(() => {
    const toasts = page.all('alert').filter((item) => page.all('button', 'Dismiss', { in: item }).length > 0);
    const why = 'You broke the room’s chat rules too often, so you can’t chat for 5 min.';
    expect(toasts.map((toast) => page.shows(why, { in: toast }))).toEqual([true]);
  });
});

test('names in the lists of the panel open the card of who was banned and who banned them', async () => {
  const [performer, marco, moderator] = [
    await site.performer({ live: true }),
    await site.viewer(),
    await site.viewer(),
  ];
  await performer.moderates('moderator', moderator);
  await moderator.joins(performer);
  await moderator.moderates('ban', marco, { room: performer });
  const page = await openRoom(site, performer, performer);
  await part(page, 'Moderate');
  await page.press('People', { role: 'tab' });
  const bans = await page.find('list', 'Bans');
  // The banned member is not in the room.
  await page.press(`${marco.person.displayName} was banned.`, { in: bans });
  const card = await page.find('dialog', marco.person.displayName);
  await page.sees(`@${marco.username}`, { in: card });
  await page.press('Close', { in: card });
  await page.press(new RegExp(`${moderator.username}$`, 'u'), { in: bans });
  await page.sees(`@${moderator.username}`, { in: await page.find('dialog', moderator.person.displayName) });
  expect(await page.problems()).toEqual([]);
});

test('the name beside a held message opens the card, of who left as well', async () => {
  const [performer, marco] = [await site.performer({ live: true }), await site.viewer()];
  const socket = await marco.joins(performer);
  await site.says(socket, 'look at www.example.com');
  const page = await openRoom(site, performer, performer);
  await part(page, 'Moderate');
  const held = await page.find('list', 'Pending');
  const seesCard = async (isHere: boolean): Promise<void> => {
    await page.press(marco.person.displayName, { in: held });
    const card = await page.find('dialog', marco.person.displayName);
    await page.sees(`@${marco.username}`, { in: card });
    expect(page.shows('Member', { in: card })).toBe(isHere);
    await page.press('Close', { in: card });
  };
  await seesCard(true);
  await socket.leaves();
  await seesCard(false);
});

test(
  'what was held and decided while the page had no socket of the room is counted when it has one again',
  async () => {
    const [performer, marco] = [await site.performer({ live: true }), await site.viewer()];
    const moderator = await site.viewer();
    await performer.moderates('moderator', moderator);
    const socket = await marco.joins(performer);
    const { page, room, waits, lost, joined } = await inRoom(site, performer, performer);
    const counted = async (times: number, tab: RegExp): Promise<void> => {
      await joined(room, times);
      await page.find('button', tab);
    };
    await counted(1, /^Moderate$/u);
    const whileAway = async (happens: () => Promise<unknown>): Promise<void> => {
      await page.idle();
      const letIn = page.network.cuts(room);
      await lost(room);
      await happens();
      letIn();
      waits();
    };
    await whileAway(() => site.says(socket, 'look at www.example.com'));
    await counted(2, /^Moderate\s*1$/u);
    await whileAway(async () => {
      const { held: [message] } = await moderator.call(getHeld, { username: performer.username });
      await moderator.call(decideHeld, {
        username: performer.username,
        id: message?.id ?? 0,
        decision: 'drop',
      });
    });
    await counted(3, /^Moderate$/u);
  },
);

const REJECTIONS = ['drop', 'silence'] as const;
test.each(REJECTIONS)('whoever wrote what a moderator rejects reads that: %s', async (decision) => {
  const [performer, marco] = [await site.performer({ live: true }), await site.viewer()];
  const { username } = performer;
  const page = await openRoom(site, marco, performer);
  await page.idle();
  await page.fill('Message', 'look at www.example.com');
  await page.keys('{Enter}');
  await page.sees('Waiting for moderator approval: look at www.example.com');
  const { held: [message] } = await performer.call(getHeld, { username });
  await performer.call(decideHeld, { username, id: message?.id ?? 0, decision });
  await page.sees('A moderator rejected your message: look at www.example.com');
  expect(page.shows(/^Waiting for moderator approval/u)).toBe(false);
});

test('whoever wrote what a moderator shows reads of no rejection', async () => {
  const [performer, marco] = [await site.performer({ live: true }), await site.viewer()];
  const { username } = performer;
  const page = await openRoom(site, marco, performer);
  await page.idle();
  await page.fill('Message', 'look at www.example.com');
  await page.keys('{Enter}');
  await page.sees(/^Waiting for moderator approval/u);
  const { held: [message] } = await performer.call(getHeld, { username });
  await performer.call(decideHeld, { username, id: message?.id ?? 0, decision: 'show' });
  await page.until(() => expect(page.shows(/^Waiting for moderator approval/u)).toBe(false));
  await page.sees(/look at www\.example\.com/u, { in: await page.find('list', 'Chat') });
  await page.idle();
  expect(page.shows(/^A moderator rejected/u)).toBe(false);
});
