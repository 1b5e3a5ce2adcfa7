import { openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chatMessage } from './contract.ts';
import { highlightMessage } from './contract/controls.ts';

type Page = Awaited<ReturnType<typeof openRoom>>;

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** Types a message and sends it with Enter. */
async function says(page: Page, message: string): Promise<void> {
  await page.fill('Message', message);
  (await page.field('Message')).focus();
  await page.keys('{Enter}');
}

/** Waits for a toast with a text: a message that can be dismissed. */
const toast = (page: Page, text: string) =>
  page.until(() => {
    const toasts = ['alert', 'status'].flatMap((role) => page.all(role))
      .filter((region) => page.all('button', 'Dismiss', { in: region }).length > 0);
    expect(toasts.map((region) => page.shows(text, { in: region }))).toContain(true);
  });

test('a message that is refused comes back into its field, with the reason in a toast', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  const page = await openRoom(site, viewer, performer);
  await says(page, '/no_such_thing');
  await toast(page, 'Unknown command.');
  const field = await page.field('Message');
  await page.until(() => expect(field).toHaveProperty('value', '/no_such_thing'));
});

/**
 * Moves the counter of a room's log: with a counter behind the last line, the database stores no more lines.
 */
const movesCounter = async ({ id }: Member, by: number): Promise<void> =>
  void await site.tx((tx) =>
    sql`
  update rooms.rooms set last_message_id = last_message_id + ${by} where performer_id = ${id}`
      .execute(tx.sql())
  );

test('a returned message says why in a toast, or that the site failed to send it [B-392]', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  const other = await (await site.viewer()).joins(performer);
  const page = await openRoom(site, viewer, performer);
  await says(page, 'The first line');
  await page.sees(/: The first line$/u, { in: await page.find('list', 'Chat') });
  await says(page, '/no_such_thing');
  await toast(page, 'Unknown command.');
  expect([page.shows('Error sending message'), site.log]).toEqual([false, []]);
  await movesCounter(performer, -1);
  await says(page, 'A line that is lost');
  await toast(page, 'Error sending message');
  const field = await page.field('Message');
  await page.until(() => expect(field).toHaveProperty('value', 'A line that is lost'));
  // Another client of the sender receives the same; the site's operator finds the error in the log.
  await site.passes(10_000);
  expect(await site.says(await viewer.joins(performer), 'Lost as well')).toMatchObject({
    id: 0,
    username: viewer.username,
    message: 'Lost as well',
    error: true,
    errorMessage: null,
    action: null,
  });
  expect(site.log.map((line) => [line.includes('gateway.v3.chat.message'), /\blost\b/iu.test(line)]))
    .toEqual([[true, false], [true, false]]);
  await movesCounter(performer, 1);
  await site.passes(10_000);
  await says(page, 'A line that is sent');
  await page.sees(/: A line that is sent$/u, { in: await page.find('list', 'Chat') });
  await other.waitFor(chatMessage, ({ message }) => message === 'A line that is sent');
  expect(other.received(chatMessage).map(({ message, error }) => [message, error]))
    .toEqual([['The first line', false], ['A line that is sent', false]]);
});

test('a highlighted message opens an alert with the name of who says it [B-130, B-400]', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  const page = await openRoom(site, viewer, performer);
  const { username, person: { displayName } } = performer;
  for (const message of ['The goal is reached', 'Thank you all']) {
    await performer.call(highlightMessage, { username, message });
  }
  const alert = await page.find('alertdialog', `Message from "${displayName}"`);
  await page.sees('The goal is reached', { in: alert });
  expect([page.focused?.textContent, await page.problems()]).toEqual(['OK', []]);
  // The username in it opens the card, over the alert.
  await page.press(`@${username}`, { in: alert });
  const card = await page.find('dialog', displayName);
  await page.sees(`@${username}`, { in: card });
  await page.press('Close', { in: card });
  await page.press('OK', { in: alert });
  await page.sees('Thank you all', { in: await page.find('alertdialog', `Message from "${displayName}"`) });
  await page.keys('{Escape}');
  await page.gone('alertdialog');
});

test('a highlighted message to one viewer alerts nobody else, and names who sends it [B-355]', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  const staff = await site.viewer({ roles: ['site_mod'] });
  const { username, person: { displayName } } = performer;
  await (await site.viewer()).joins(performer);
  const page = await openRoom(site, viewer, performer);
  await staff.call(highlightMessage, { username, message: 'Just you', to: viewer.username });
  const alert = await page.find('alertdialog', `Message from "${staff.person.displayName}"`);
  await page.sees('Just you', { in: alert });
  const other = await openRoom(site, await site.viewer(), performer);
  await performer.call(highlightMessage, { username, message: 'Not you', to: viewer.username });
  await performer.call(highlightMessage, { username, message: 'All of you' });
  await other.sees('All of you', { in: await other.find('alertdialog', `Message from "${displayName}"`) });
  await other.press('OK');
  await other.gone('alertdialog');
});

/** Whether a person's page names the silenced person, and whether it shows "A user" instead. */
async function namesSilenced(
  performer: Member,
  who: Visitor,
  subject: Member,
): Promise<{ readonly name: boolean; readonly aUser: boolean }> {
  const page = await openRoom(site, who, performer);
  await performer.moderates('silence', subject);
  const list = await page.find('list', 'Chat');
  await page.sees(/has been silenced\./u, { in: list });
  await arrives(page, list, performer);
  return {
    name: page.shows(`${subject.person.displayName} has been silenced.`, { in: list }),
    aUser: page.shows('A user has been silenced.', { in: list }),
  };
}

/** Number of lines the performer has sent: each line is different, so that an old one is not taken for it. */
let said = 0;

/** Sends a line as the performer and waits until it is shown: everything sent before it has then arrived. */
async function arrives(page: Page, list: HTMLElement, performer: Member): Promise<void> {
  const socket = await performer.joins(performer);
  said += 1;
  await site.says(socket, `Be kind, all ${said} of you`);
  await page.sees(new RegExp(`Be kind, all ${said} of you`, 'u'), { in: list });
  await socket.leaves();
}

/** Moderations, and the verb that the chat shows for each. */
const DONE = [
  ['ban', 'banned'],
  ['unban', 'unbanned'],
  ['kick', 'kicked'],
  ['silence', 'silenced'],
  ['unsilence', 'unsilenced'],
  ['moderator', 'made a moderator'],
  ['unmoderator', 'removed as a moderator'],
] as const;

const RIGHTS: Readonly<Record<string, (performer: Member) => Promise<Member>>> = {
  'the performer': async (performer) => performer,
  'a moderator of the room': async (performer) => {
    const moderator = await site.viewer();
    await performer.moderates('moderator', moderator);
    return moderator;
  },
  'an admin': () => site.admin(),
  'a site moderator': () => site.viewer({ roles: ['site_mod'] }),
  'a model admin': () => site.viewer({ roles: ['model_admin'] }),
};
test.each(Object.entries(RIGHTS))('%s reads the name in a moderation [B-234]', async (_name, memberOf) => {
  const performer = await site.performer({ live: true });
  const who = await memberOf(performer);
  expect(await namesSilenced(performer, who, await site.viewer())).toEqual({ name: true, aUser: false });
});

test('the subject of a moderation reads their own name, and nobody else does [B-234, B-235]', async () => {
  const performer = await site.performer({ live: true });
  const subject = await site.viewer();
  expect(await namesSilenced(performer, subject, subject)).toEqual({ name: true, aUser: false });
  const guest = await site.visitor({ ofAge: true });
  for (const who of [await site.viewer(), await site.performer(), guest]) {
    expect(await namesSilenced(performer, who, await site.viewer())).toEqual({ name: false, aUser: true });
  }
});

test('every moderation reads A user has been … to everybody else, without the name [B-235]', async () => {
  const performer = await site.performer({ live: true });
  const page = await openRoom(site, await site.viewer(), performer);
  const list = await page.find('list', 'Chat');
  const subject = await site.viewer();
  for (const [action, done] of DONE) {
    await performer.moderates(action, subject);
    await page.sees(`A user has been ${done}.`, { in: list });
  }
  await arrives(page, list, performer);
  expect(page.shows(new RegExp(subject.username, 'u'))).toBe(false);
  expect(page.shows(new RegExp(subject.person.displayName, 'u'))).toBe(false);
});

test('every moderation reads the name on the page of the performer [B-234]', async () => {
  const performer = await site.performer({ live: true });
  const page = await openRoom(site, performer, performer);
  const list = await page.find('list', 'Chat');
  const subject = await site.viewer();
  for (const [action, done] of DONE) {
    await performer.moderates(action, subject);
    await page.sees(`${subject.person.displayName} has been ${done}.`, { in: list });
  }
  await arrives(page, list, performer);
  expect(page.shows(/A user has been/u, { in: list })).toBe(false);
});

test('a message is answered by keys alone, and who is called by name is offered', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  const marco = await site.viewer({ username: 'marco_polo' });
  const page = await openRoom(site, viewer, performer);
  await site.says(await marco.joins(performer), 'is that lamp new?');
  const list = await page.find('list', 'Chat');
  await page.sees(/is that lamp new\?/u, { in: list });
  const opener = await page.until(() => {
    const buttons = list.querySelectorAll('[data-line-menu]');
    return buttons.item(buttons.length - 1) ?? false;
  });
  const isAtOpener = () => page.until(() => expect(document.activeElement).toBe(opener));
  list.focus();
  await page.keys('{ArrowUp}');
  // The code of the first menu is fetched; the second menu opens at once.
  for (const key of ['{Enter}', ' ']) {
    await isAtOpener();
    await page.keys(key);
    const item = await page.find('menuitem', 'Reply');
    await page.until(() => expect(document.activeElement).toBe(item));
    await page.keys('{Escape}');
    await page.gone('menuitem', 'Reply');
  }
  await isAtOpener();
  await page.keys('{Enter}');
  const item = await page.find('menuitem', 'Reply');
  await page.until(() => expect(document.activeElement).toBe(item));
  await page.keys('{Enter}');
  await page.sees(`Reply to ${marco.person.displayName}:`);
  (await page.field('Message')).focus();
  await page.keys('ask @marc');
  await page.find('option', 'marco_polo');
  await page.keys('{Tab}');
  const field = await page.field('Message');
  await page.until(() => expect(field).toHaveProperty('value', 'ask @marco_polo '));
  await page.keys('{Escape}');
  await page.until(() => expect(page.shows(/^Reply to/u)).toBe(false));
});
