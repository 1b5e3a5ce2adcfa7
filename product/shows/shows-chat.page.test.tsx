import { updateSettings } from '#product/accounts/contract/settings.ts';
import { listReports } from '#product/moderation/contract.ts';
import { highlightMessage } from '#product/rooms/contract/controls.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { countsTones } from '#product/testkit/pages/window/tones.ts';
import type { TestSocket } from '#product/testkit/rooms/room-socket.ts';
import {
  endsPrivate,
  mediaPasses,
  privatePerformer,
  startsPrivate,
} from '#product/testkit/shows/private-show.ts';
import { spiedShow, spies, stopsSpying } from '#product/testkit/shows/spying.ts';
import {
  offersTickets,
  sellsTickets,
  startsTicketShow,
  ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sendTip } from '#product/tips/contract.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

type Page = Awaited<ReturnType<typeof openRoom>>;
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const says = async (page: Page, text: string): Promise<void> => {
  await page.fill('Message', text);
  await page.press('Send');
};
const reads = async (page: Page, text: string): Promise<HTMLElement> =>
  page.until(async () => {
    const list = await page.find('list', 'Chat');
    return list.textContent?.includes(text) ? list : false as never;
  });

test('in a private show one writes to the performer alone, and to the room by choosing so', async () => {
  const performer = await privatePerformer(site);
  const [viewer, other] = [await site.viewer({ tokens: 500 }), await site.viewer()];
  const crowd = await other.joins(performer);
  await startsPrivate(viewer, performer);
  const page = await openRoom(site, viewer, performer, { width: 390 });
  const chats = await page.find('group', 'Which chat');
  expect(page.all('button', undefined, { in: chats }).map((element) => element.getAttribute('aria-pressed')))
    .toEqual(['true', 'false']);
  const name = performer.person.displayName;
  await page.sees(`Only you and ${name} can read this chat.`);
  await says(page, 'between us');
  await reads(page, 'between us');
  await page.press('Public chat', { in: chats });
  await page.sees('Everyone in the room can read this chat.');
  await says(page, 'hello everybody');
  const list = await reads(page, 'hello everybody');
  expect(list.textContent).not.toContain('between us');
  // The room received the message addressed to it, and nothing else.
  await expect.poll(() => JSON.stringify(crowd.events)).toContain('hello everybody');
  expect(JSON.stringify(crowd.events)).not.toContain('between us');
  await page.press('Private chat', { in: chats });
  await reads(page, 'between us');
  expect(await page.problems()).toEqual([]);
});

test('both read that spies may read along, and a spy reads and writes nothing', async () => {
  const { performer, viewer } = await spiedShow(site);
  const page = await openRoom(site, viewer, performer);
  const name = performer.person.displayName;
  const overheard = `You and ${name} can read this chat, and so can viewers who spy on the show.`;
  await page.sees(overheard);
  const { spy } = await spies(site, performer);
  await mediaPasses(site, performer, 30);
  await says(page, 'who is there');
  await reads(page, 'who is there');
  const theirs = await openRoom(site, spy, performer);
  await theirs.sees('You’re watching along: you can read what’s said from now on, but not write here.');
  await theirs.fill('Message', 'hello you two');
  await theirs.keys('{Enter}');
  await theirs.sees('You can only read here');
  await site.settle();
  expect(theirs.network.texts.some(({ text }) => text.includes('hello you two'))).toBe(false);
  await stopsSpying(spy, performer);
  await theirs.until(() => expect(theirs.all('group', 'Which chat')).toEqual([]));
});

/** Tips shown over the video, as their tokens. */
const overVideo = (): readonly number[] =>
  [...document.querySelectorAll('[data-tip-seen]')].map((tip) => Number(tip.getAttribute('data-tip-seen')));

const tipsWithWords = (from: Member, performer: Member, amount: number) =>
  from.call(
    sendTip,
    { username: performer.username, amount, comment: 'between us' },
    { idempotencyKey: `words-${performer.username}-${amount}` },
  );

/** Checks how a tip of this many tokens appears on the page of somebody in the show. */
async function seesTip(page: Page, from: Member, performer: Member, tokens: number): Promise<void> {
  await tipsWithWords(from, performer, tokens);
  const list = await page.find('list', 'Chat');
  await page.sees(new RegExp(`tipped ${tokens} tokens`, 'u'), { in: list });
  await page.sees('between us', { in: list });
}

test(
  'a tip within a show has its line, its sound and its flight for those who are in it, calm mode none',
  async () => {
    const tones = countsTones();
    const performer = await privatePerformer(site);
    const viewer = await site.viewer({ tokens: 2_000 });
    await startsPrivate(viewer, performer);
    for (const [who, tokens] of [[viewer, 31], [performer, 32]] as const) {
      const page = await openRoom(site, who, performer);
      await page.find('group', 'Which chat');
      const before = tones.count;
      await seesTip(page, viewer, performer, tokens);
      await page.until(() => expect(overVideo()).toEqual([tokens]));
      expect(tones.count).toBeGreaterThan(before);
    }
    await viewer.call(updateSettings, { calm_mode: true });
    const calm = await openRoom(site, viewer, performer);
    await calm.find('group', 'Which chat');
    const before = tones.count;
    await seesTip(calm, viewer, performer, 33);
    await calm.idle();
    expect([overVideo(), tones.count > before]).toEqual([[], true]);
  },
);

test('a guest and a member in the public room have nothing of a tip in the show', async () => {
  const tones = countsTones();
  const performer = await privatePerformer(site);
  const [viewer, tipper] = [await site.viewer({ tokens: 2_000 }), await site.viewer({ tokens: 100 })];
  await startsPrivate(viewer, performer);
  const others = [[await site.visitor({ ofAge: true }), 41], [await site.viewer(), 42]] as const;
  for (const [who, tokens] of others) {
    const page = await openRoom(site, who, performer);
    const list = await page.find('list', 'Chat');
    const theirs = await site.socketOf(who, performer.username);
    await tipsWithWords(viewer, performer, tokens);
    const before = tones.count;
    // A later public tip is shown: by then the private tip would have been shown too.
    await tipper.tips(performer, 10);
    await page.until(() => expect(overVideo()).toEqual([10]));
    await page.sees(/tipped 10 tokens/u, { in: list });
    expect(tones.count - before).toBe(1);
    for (const text of [`${tokens} tokens`, 'between us', viewer.person.displayName]) {
      expect(document.body.textContent).not.toContain(text);
    }
    const everything = JSON.stringify(theirs.events);
    for (const secret of ['between us', viewer.username, `:${tokens},`, `:${tokens}}`]) {
      expect(everything).not.toContain(secret);
    }
    await theirs.leaves();
  }
});

/** Names of the two chats, each with whether it is the selected one. */
async function chatsOf(page: Page): Promise<(readonly [string, string | null])[]> {
  const chats = await page.find('group', 'Which chat');
  return page.all('button', undefined, { in: chats }).map((element) =>
    [
      element.querySelector('span')?.textContent ?? '',
      element.getAttribute('aria-pressed'),
    ] as const
  );
}

/** Waits until a socket has received a text. */
const gets = (page: Page, { events }: TestSocket, text: string): Promise<void> =>
  page.until(() => expect(JSON.stringify(events)).toContain(text));

/** A running private show, and another person in the room. */
async function runs(performer: Member) {
  const viewer = await site.viewer({ tokens: 500 });
  const outsider = await site.viewer();
  await startsPrivate(viewer, performer);
  return { viewer, crowd: await outsider.joins(performer), theirs: await viewer.joins(performer) };
}

test.each([390, 1440])(
  'at %i px a performer in a private show reads and writes its chat, and the room’s on request only',
  async (width) => {
    const performer = await privatePerformer(site);
    const { viewer, crowd, theirs } = await runs(performer);
    const page = await openPage(site, performer, '/go-live', { width });
    await page.sees('Only you and your viewer can read this chat.');
    expect(await chatsOf(page)).toEqual([['Private chat', 'true'], ['Public chat', 'false']]);
    await site.says(crowd, 'what is going on?');
    await page.sees('1 new message');
    expect((await page.find('list', 'Chat')).textContent).not.toContain('what is going on?');
    await says(page, 'only for you');
    await gets(page, theirs, 'only for you');
    await page.press(/^Public chat/u);
    const list = await reads(page, 'what is going on?');
    expect(list.textContent).not.toContain('only for you');
    expect(page.shows('1 new message')).toBe(false);
    await says(page, 'back soon');
    await gets(page, crowd, 'back soon');
    expect(JSON.stringify(crowd.events)).not.toContain('only for you');
    await page.press('Private chat');
    expect((await reads(page, 'only for you')).textContent).not.toContain('back soon');
    expect(await page.problems()).toEqual([]);
    await endsPrivate(viewer, performer);
    await page.until(() => expect(page.all('group', 'Which chat')).toEqual([]));
    await reads(page, 'what is going on?');
  },
);

test('a performer reads that spies may read along, where they may', async () => {
  const { performer } = await spiedShow(site);
  const page = await openPage(site, performer, '/go-live');
  await page.sees('You and your viewer can read this chat, and so can viewers who spy on the show.');
  expect(page.shows('Only you and your viewer can read this chat.')).toBe(false);
});

test('what was written for a show that ends meanwhile is not sent to the room by mistake', async () => {
  const performer = await privatePerformer(site);
  const { viewer, crowd } = await runs(performer);
  const page = await openPage(site, performer, '/go-live');
  await page.find('group', 'Which chat');
  await page.fill('Message', 'I want you alone');
  await endsPrivate(viewer, performer);
  await page.until(() => expect(page.all('group', 'Which chat')).toEqual([]));
  await page.press('Send');
  await page.sees('The chat has changed since you wrote this. Send again to post it here: Public chat.');
  expect(page.network.texts.filter(({ text }) => text.includes('I want you alone'))).toEqual([]);
  expect(await page.field('Message')).toHaveProperty('value', 'I want you alone');
  // Sending the message again confirms it.
  await page.press('Send');
  await gets(page, crowd, 'I want you alone');
});

test('a holder of a ticket writes to everybody with a ticket, and nobody else', async () => {
  const performer = await ticketPerformer(site);
  const [holder, second] = [await site.viewer({ tokens: 300 }), await site.viewer({ tokens: 300 })];
  await offersTickets(performer);
  await sellsTickets(performer, holder, second);
  const [crowd, theirs] = [await (await site.viewer()).joins(performer), await second.joins(performer)];
  const page = await openRoom(site, holder, performer);
  expect(page.all('group', 'Which chat')).toEqual([]);
  await startsTicketShow(performer);
  await page.sees('Everyone with a ticket to this show can read this chat, and nobody else.');
  expect(await chatsOf(page)).toEqual([['Ticket chat', 'true'], ['Public chat', 'false']]);
  await says(page, 'front row');
  await gets(page, theirs, 'front row');
  await page.press('Public chat');
  await says(page, 'you should see this');
  await gets(page, crowd, 'you should see this');
  expect(JSON.stringify(crowd.events)).not.toContain('front row');
  expect(await page.problems()).toEqual([]);
});

test('a line of an ignored holder of a ticket collapses in the chat of the show, too', async () => {
  const performer = await ticketPerformer(site);
  const [reader, loud] = [await site.viewer({ tokens: 300 }), await site.viewer({ tokens: 300 })];
  await offersTickets(performer);
  await sellsTickets(performer, reader, loud);
  await startsTicketShow(performer);
  const theirs = await openRoom(site, loud, performer);
  await theirs.find('group', 'Which chat');
  await says(theirs, 'me, me, me');
  await reads(theirs, 'me, me, me');
  const page = await openRoom(site, reader, performer);
  expect(await chatsOf(page)).toEqual([['Ticket chat', 'true'], ['Public chat', 'false']]);
  await reads(page, 'me, me, me');
  const { displayName: name } = loud.person;
  await page.press(`Actions for ${name}’s message`);
  await page.press(`Ignore ${name}`, { role: 'menuitem' });
  const list = await reads(page, '1 message from somebody you ignore');
  expect(list.textContent).not.toContain('me, me, me');
});

test('an alert to the whole room waits for a performer in a show; one to them alone does not', async () => {
  const performer = await privatePerformer(site);
  const staff = await site.viewer({ roles: ['site_mod'] });
  const { crowd } = await runs(performer);
  const page = await openPage(site, performer, '/go-live');
  await page.find('group', 'Which chat');
  const alerts = async (message: string, to?: string): Promise<void> => {
    await staff.call(highlightMessage, { username: performer.username, message, ...(to ? { to } : {}) });
  };
  await alerts('Welcome, everybody');
  await alerts('Mind the music', performer.username);
  await site.says(crowd, 'thank you');
  // What was sent before has arrived.
  await page.sees('1 new message');
  const title = `Message from "${staff.person.displayName}"`;
  const alert = await page.find('alertdialog', title);
  await page.sees('Mind the music', { in: alert });
  await page.press('OK', { in: alert });
  await page.gone('alertdialog');
  await page.press(/^Public chat/u);
  await page.sees('Welcome, everybody', { in: await page.find('alertdialog', title) });
});

/** Opens the menu of a performer's message and reports it; the menu offers nothing else. */
async function reportsLine(page: Page, name: string): Promise<void> {
  await page.press(`Actions for ${name}’s message`);
  await page.find('menuitem', `Report ${name}’s message`);
  expect(page.all('menuitem').map(({ textContent }) => textContent).join()).not.toContain('Remove');
  await page.press(`Report ${name}’s message`, { role: 'menuitem' });
  const dialog = await page.find('dialog', `Report ${name}’s message`);
  await page.choose('What’s wrong?', 'Spam or a scam', { in: dialog });
  await page.press('Send report', { in: dialog });
  await page.sees(/^We’ve received your report\./u);
}

test(
  'who is in a show reports what was said in it, and not the line of the room with the same number',
  async () => {
    const shows = [
      async () => {
        const performer = await privatePerformer(site);
        const crowd = await (await site.viewer()).joins(performer);
        await site.says(crowd, 'a stranger’s first words');
        await site.says(crowd, 'a stranger’s second words');
        const viewer = await site.viewer({ tokens: 500 });
        await startsPrivate(viewer, performer);
        return { performer, viewer, within: /^(?:private|exclusive):\d+$/u };
      },
      async () => {
        const performer = await ticketPerformer(site);
        const crowd = await (await site.viewer()).joins(performer);
        await site.says(crowd, 'a stranger’s first words');
        await site.says(crowd, 'a stranger’s second words');
        const viewer = await site.viewer({ tokens: 300 });
        await offersTickets(performer);
        await sellsTickets(performer, viewer);
        await startsTicketShow(performer);
        return { performer, viewer, within: /^ticket:\d+$/u };
      },
    ];
    const admin = await site.admin();
    for (const starts of shows) {
      const { performer, viewer, within } = await starts();
      const console = await openPage(site, performer, '/go-live');
      await console.find('group', 'Which chat');
      await says(console, 'send money elsewhere');
      await reads(console, 'send money elsewhere');
      const page = await openRoom(site, viewer, performer);
      await reads(page, 'send money elsewhere');
      await reportsLine(page, performer.person.displayName);
      const [report] = (await admin.call(listReports, {})).reports;
      expect(report).toMatchObject({
        kind: 'message',
        username: performer.username,
        snapshot: 'send money elsewhere',
      });
      expect(report?.within).toMatch(within);
    }
  },
);

test('a performer removes no line of the room from the chat of a show', async () => {
  const performer = await privatePerformer(site);
  const { viewer, crowd, theirs } = await runs(performer);
  await site.says(crowd, 'a stranger’s words');
  const own = await openRoom(site, viewer, performer);
  await says(own, 'between us');
  await reads(own, 'between us');
  const page = await openPage(site, performer, '/go-live');
  await reads(page, 'between us');
  const { displayName: name } = viewer.person;
  await page.press(`Actions for ${name}’s message`);
  await page.find('menuitem', `Report ${name}’s message`);
  expect(page.all('menuitem').map(({ textContent }) => textContent).join()).not.toContain('Remove');
  expect(JSON.stringify(theirs.events)).toContain('between us');
});
