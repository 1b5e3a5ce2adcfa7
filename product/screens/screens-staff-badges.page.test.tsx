/** Wherever a staff member is named, the badge stands beside them, and never beside a namesake. */
import { topicChannel } from '#platform/contract/event.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import { updateProfile } from '#product/accounts/contract.ts';
import { setRole } from '#product/accounts/contract/staff-roles.ts';
import { joinFanclub, saveOwnClub } from '#product/fanclubs/contract.ts';
import { ignorePerson } from '#product/messaging/contract/ignores.ts';
import { sayInChat } from '#product/rooms/contract.ts';
import { highlightMessage } from '#product/rooms/contract/controls.ts';
import { messageWithheld } from '#product/rooms/contract/moderation.ts';
import { moderatorsTopic } from '#product/rooms/rules.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sendTip } from '#product/tips/contract.ts';
import { saveTipMenu } from '#product/tips/contract/menu.ts';
import { startSplit } from '#product/tips/contract/splits.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

const NAME = 'Anna Staffel';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** Two people with the same display name: the first is staff. */
async function namesakes(kind: 'viewer' | 'performer'): Promise<readonly [Member, Member]> {
  const make = (
    roles: readonly 'site_mod'[],
  ): Promise<
    Member
  > => (kind === 'viewer' ? site.viewer({ roles, tokens: 200 }) : site.performer({ roles, live: true }));
  const both = [await make(['site_mod']), await make([])] as const;
  for (const who of both) await who.call(updateProfile, { display_name: NAME });
  await site.settle();
  return both;
}

/** How many badges a part of a page has. */
const badgesOf = (part: Element): number => part.querySelectorAll('[data-staff]').length;
/** The badges of each row that contains these words: one row, so one number. */
const badgesAt = (rows: readonly Element[], words: string): number[] =>
  rows.filter(({ textContent }) => (textContent ?? '').includes(words)).map(badgesOf);

test('the bar of a room, what it says of its performer, and their bio', async () => {
  const viewer = await site.viewer();
  for (const [nth, performer] of (await namesakes('performer')).entries()) {
    const badges = nth === 0 ? 1 : 0;
    const page = await openRoom(site, viewer, performer);
    const about = await page.find('region', `About ${NAME}`);
    await page.sees(new RegExp(`@${performer.username}$`, 'u'), { in: about });
    expect(badgesOf(about)).toBe(badges);
    const bar = await page.until(() => {
      const found = about.ownerDocument.querySelector('[data-room-name]');
      expect(found?.textContent).toContain(NAME);
      return found as Element;
    });
    expect(badgesOf(bar)).toBe(badges);
    const bio = await openPage(site, viewer, `/${performer.username}/bio`);
    const main = await bio.find('main');
    await bio.find('heading', NAME, { in: main });
    expect(badgesOf(main)).toBe(badges);
  }
});

test('the message that a reply quotes', async () => {
  const [performer, [staff, other], reader] = [
    await site.performer({ live: true }),
    await namesakes('viewer'),
    await site.viewer(),
  ];
  const socket = await reader.joins(performer);
  for (const [who, answer] of [[staff, 'to the first'], [other, 'to the second']] as const) {
    const { id } = await site.says(await who.joins(performer), `of ${who.username}`);
    socket.send(sayInChat, { message: answer, reply_to: id });
    await site.settle();
  }
  const page = await openRoom(site, performer, performer);
  const chat = await page.find('list', 'Chat');
  await page.sees(/to the second/u, { in: chat });
  const rows = page.all('listitem', undefined, { in: chat });
  expect([badgesAt(rows, 'to the first'), badgesAt(rows, 'to the second')]).toEqual([[1], [0]]);
});

test('the alert of a highlighted message, which has the username too', async () => {
  const [staff, , viewer] = [...await namesakes('viewer'), await site.viewer()];
  const [, performer] = await namesakes('performer');
  const page = await openRoom(site, viewer, performer);
  for (const [who, badges] of [[staff, 1], [performer, 0]] as const) {
    await who.call(highlightMessage, { username: performer.username, message: `of ${who.username}` });
    const alert = await page.find('alertdialog', `Message from "${NAME}"`);
    await page.sees(new RegExp(`@${who.username}$`, 'u'), { in: alert });
    expect(badgesOf(alert)).toBe(badges);
    await page.press('OK');
    await page.gone('alertdialog');
  }
});

test('the card that a name alone opens, of an order and of a split', async () => {
  const reader = await site.viewer();
  for (const [nth, who] of (await namesakes('viewer')).entries()) {
    const performer = await site.performer({ live: true });
    const { items } = await performer.call(saveTipMenu, { items: [{ title: 'Dance', price: 50 }] });
    const { username } = performer;
    await who.call(sendTip, {
      username,
      amount: 50,
      type: 'menu',
      app_data: { item: items[0]?.id ?? 0 },
    }, { idempotencyKey: uuidV4() });
    const console = await openPage(site, performer, '/go-live');
    await console.press(who.username, { in: await console.find('region', 'Tips and orders') });
    const room = await openRoom(site, reader, performer);
    await who.call(startSplit, { username, amount: 20, people: 2 });
    await room.press(`${who.username} wants to split a tip of 20 tokens.`);
    for (const page of [console, room]) {
      const card = await page.find('dialog');
      await page.sees(new RegExp(`@${who.username}$`, 'u'), { in: card });
      expect(badgesOf(card)).toBe(nth === 0 ? 1 : 0);
    }
  }
});

test('members of a fan club, and people whom one ignores', async () => {
  const [performer, both] = [await site.performer({ live: true }), await namesakes('viewer')];
  const { username } = performer;
  await performer.call(saveOwnClub, {
    enabled: true,
    description: '',
    prices: { supporter: 100, insider: 250, legend: 501 },
    perks: { supporter: [], insider: [], legend: [] },
  });
  for (const who of both) {
    const key = { idempotencyKey: uuidV4() };
    await who.call(joinFanclub, { username, level: 'supporter', price: 100 }, key);
    await performer.call(ignorePerson, { username: who.username });
  }
  for (const [path, role] of [['/account/fanclub', 'row'], ['/account/ignored', 'listitem']] as const) {
    const page = await openPage(site, performer, path);
    for (const { username: name } of both) await page.sees(new RegExp(`@${name}`, 'u'));
    const rows = page.all(role);
    expect([path, ...both.map(({ username: name }) => badgesAt(rows, `@${name}`))])
      .toEqual([path, [1], [0]]);
  }
});

test('accounts that an admin finds, and the one that is opened', async () => {
  const [admin, both] = [await site.admin(), await namesakes('viewer')];
  const page = await openPage(site, admin, `/admin/people?q=${encodeURIComponent(NAME)}`);
  const rows = page.all('listitem', undefined, { in: await page.find('list', 'Accounts found') });
  expect(both.map(({ username }) => badgesAt(rows, `@${username}`))).toEqual([[1], [0]]);
  for (const [nth, { username }] of both.entries()) {
    const one = await openPage(site, admin, `/admin/people?username=${username}`);
    const heading = await one.find('heading', new RegExp(NAME, 'u'));
    expect(badgesOf(heading)).toBe(nth === 0 ? 1 : 0);
  }
});

/** Two people of one display name; the first becomes staff when the returned function is called. */
async function laterNamesakes(): Promise<{
  readonly both: readonly [Member, Member];
  readonly becomesStaff: () => Promise<void>;
}> {
  const [admin, both] = [await site.admin(), [await site.viewer(), await site.viewer()] as const];
  for (const who of both) await who.call(updateProfile, { display_name: NAME });
  const change = { username: both[0].username, role: 'model_admin', on: true, reason: 'a test' } as const;
  return {
    both,
    becomesStaff: async () => {
      await admin.call(setRole, change);
    },
  };
}

// Staff cannot be restricted, so the role comes later.
test('messages that are held', async () => {
  const [performer, { both, becomesStaff }] = [await site.performer({ live: true }), await laterNamesakes()];
  await performer.changesChatRules({ preset: 'open', links: 'hold' });
  for (const who of both) await site.says(await who.joins(performer), `see ${who.username}.com`);
  await becomesStaff();
  const page = await openRoom(site, performer, performer);
  await page.press(/^Moderate\b/u);
  for (const { username } of both) await page.sees(`see ${username}.com`);
  const rows = page.all('listitem');
  expect(both.map(({ username }) => badgesAt(rows, `@${username}`))).toEqual([[1], [0]]);
});

test('people whom a room’s moderators silenced', async () => {
  const [performer, { both, becomesStaff }] = [await site.performer({ live: true }), await laterNamesakes()];
  for (const who of both) await performer.moderates('silence', who);
  await becomesStaff();
  const page = await openRoom(site, performer, performer);
  await page.press(/^Moderate\b/u);
  await page.press('People', { role: 'tab' });
  await page.choose('List', 'Silenced');
  const list = await page.find('list', 'Silenced');
  const rows = page.all('listitem', undefined, { in: list });
  expect(both.map(({ username }) => badgesAt(rows, `@${username}`))).toEqual([[1], [0]]);
});

test('messages that only their senders and moderators see', async () => {
  const [performer, [, other]] = [await site.performer({ live: true }), await namesakes('viewer')];
  await performer.changesChatRules({ preset: 'open' });
  const page = await openRoom(site, performer, performer);
  const owner = await performer.joins(performer);
  const spam = 'come to my wonderful new show it is free tonight';
  for (const who of [await site.viewer(), await site.viewer(), other]) {
    await site.says(await who.joins(performer), spam);
  }
  const { message } = await owner.waitFor(messageWithheld);
  expect(message.is_staff).toBeUndefined();
  // A message whose sender became staff while it was on its way.
  const raced = { ...message, id: message.id + 1_000, message: 'of staff', is_staff: true };
  await site.tx((tx) =>
    tx.send(topicChannel(moderatorsTopic(performer.id)), messageWithheld, {
      verdict: 'shadow',
      heldId: null,
      message: raced,
    })
  );
  await site.settle();
  await page.press(/^Moderate\b/u);
  await page.sees('of staff');
  const part = await page.find('region', 'Visible only to the sender');
  const rows = page.all('listitem', undefined, { in: part });
  expect([badgesAt(rows, 'of staff'), badgesAt(rows, spam)]).toEqual([[1], [0]]);
});
