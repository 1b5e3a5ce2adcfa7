import { askForCopy } from '#product/accounts/contract/life/own-data.ts';
import { getHeld, getModeration } from '#product/room-moderation/contract.ts';
import { chatHistory, chatMessage, getRoom, sayInChat, userCount } from '#product/rooms/contract.ts';
import { sendNotice } from '#product/rooms/contract/controls.ts';
import {
  sayInShow,
  showChatState,
  showMessage,
  showMessagesRemoved,
} from '#product/rooms/contract/show-chat.ts';
import type { TestSocket } from '#product/testkit/rooms/room-socket.ts';
import { endsPrivate, runsPrivate } from '#product/testkit/shows/private-show.ts';
import {
  chatKeyOf,
  chatStateOf,
  marked,
  privateChat,
  returns,
  saysInShow,
} from '#product/testkit/shows/show-chat.ts';
import {
  offersTickets,
  sellsTickets,
  startsTicketShow,
  ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sendTip } from '#product/tips/contract.ts';
import { saveTipMenu } from '#product/tips/contract/menu.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buyTicket, endTicketShow } from './contract/ticket-show.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  site.data.start();
});
afterAll(() => site.close());

const SECRET = 'this is between us';

const everythingOf = (socket: TestSocket): string => JSON.stringify(socket.events);
/** A person's copy of their own data, which includes their messages in shows while these are stored. */
async function copyOf(who: Member): Promise<string> {
  const { ticket } = await who.call(askForCopy, {});
  const url = `/api/v1/user/data.json?ticket=${encodeURIComponent(ticket)}`;
  return (await who.request({ method: 'GET', url })).body;
}

describe('the chat of a private show', () => {
  it('is read by the two in every tab, and by nobody else in the room', async () => {
    const { performer, viewer, own, theirs, key } = await privateChat(site);
    const moderator = await site.viewer();
    await performer.moderates('moderator', moderator);
    const outsiders = await Promise.all([
      await site.viewer(),
      await site.visitor({ ofAge: true }),
      moderator,
      await site.admin(),
      await site.viewer({ roles: ['site_mod'] }),
      await site.viewer({ roles: ['super_admin'] }),
    ].map((who) => site.socketOf(who, performer.username)));
    const secondTab = await viewer.joins(performer);
    expect(await chatStateOf(secondTab)).toMatchObject({ chat: { key, kind: 'private', may_write: true } });
    await saysInShow(theirs, key, SECRET);
    for (const tab of [own, secondTab]) {
      await tab.waitFor(showMessage, ({ message }) => message.message === SECRET);
    }
    await saysInShow(own, key, `${SECRET}, answered`);
    await marked(own, ...outsiders, own);
    for (const socket of outsiders) {
      expect(everythingOf(socket)).not.toContain(SECRET);
      expect(socket.received(showChatState).filter(({ chat }) => chat !== null)).toEqual([]);
    }
    // Nor is it in the moderation queue and log, the room's data, or its history.
    const { username } = performer;
    const seen = [
      await moderator.call(getHeld, { username }),
      await moderator.call(getModeration, { username, list: 'actions' }),
    ];
    expect(JSON.stringify(seen)).not.toContain(SECRET);
    expect(JSON.stringify(await viewer.call(getRoom, { username }))).not.toContain(SECRET);
    const late = await moderator.joins(performer);
    await late.waitFor(userCount);
    expect(everythingOf(late)).not.toContain(SECRET);
    expect(late.received(chatHistory)).toHaveLength(1);
  });

  it('comes back to the two whole, and to nobody with an old sequence number on either', async () => {
    const { performer, viewer, own, theirs, key } = await privateChat(site);
    const other = await site.viewer();
    const before = await other.joins(performer);
    const { seq } = await before.waitFor(chatHistory);
    await saysInShow(theirs, key, SECRET);
    await marked(own, before);
    const returned = await returns(viewer, performer, seq);
    expect((await chatStateOf(returned)).messages.map(({ message }) => message)).toEqual([SECRET]);
    for (const at of [1, seq]) {
      expect(everythingOf(await returns(other, performer, at))).not.toContain(SECRET);
    }
    await endsPrivate(viewer, performer);
    await site.settle();
    await theirs.waitFor(showChatState, ({ chat }) => chat === null);
    for (const who of [viewer, performer, other]) {
      const socket = await returns(who, performer, seq);
      expect(everythingOf(socket)).not.toContain(SECRET);
      expect((await chatStateOf(socket)).chat).toBeNull();
    }
  });

  it('takes what names no chat, and nothing from anybody else', async () => {
    const { performer, own, theirs, key } = await privateChat(site);
    const other = await (await site.viewer()).joins(performer);
    theirs.send(sayInChat, { message: SECRET });
    await own.waitFor(showMessage, ({ message }) => message.message === SECRET);
    other.send(sayInShow, { chat: key, message: 'let me in' });
    const { message } = await other.waitFor(showMessage);
    expect(message).toMatchObject({ error: true, action: 'show_over', message: 'let me in' });
    const guest = await site.socketOf(await site.visitor({ ofAge: true }), performer.username);
    guest.send(sayInShow, { chat: key, message: 'me too' });
    expect((await guest.waitFor(showMessage)).message).toMatchObject({ error: true, action: 'log_in' });
    await marked(own, own, other, theirs);
    expect(everythingOf(other)).not.toContain(SECRET);
    expect(everythingOf(own)).not.toContain('let me in');
  });

  it('is over with the show: what was meant for it returns and is shown to nobody', async () => {
    const { performer, viewer, own, theirs, key } = await privateChat(site);
    const other = await (await site.viewer()).joins(performer);
    await endsPrivate(viewer, performer);
    theirs.send(sayInShow, { chat: key, message: SECRET });
    expect((await theirs.waitFor(showMessage)).message).toMatchObject({ error: true, action: 'show_over' });
    await marked(own, own, other);
    expect(everythingOf(other) + everythingOf(own)).not.toContain(SECRET);
  });

  it('refuses commands and quotes nothing of the room; links and blocked words wait for nobody', async () => {
    const { performer, own, theirs, key } = await privateChat(site);
    own.send(sayInChat, { message: 'in the room', chat: 'public' });
    const { id } = await own.waitFor(chatMessage, ({ message }) => message === 'in the room');
    theirs.send(sayInShow, { chat: key, message: 'a reply', reply_to: id });
    expect((await own.waitFor(showMessage)).message.reply).toBeNull();
    own.send(sayInShow, { chat: key, message: '/setmode limited' });
    const { message } = await own.waitFor(showMessage, (said) => said.message.error);
    expect(message.action).toBe('show_command');
    theirs.send(sayInShow, { chat: key, message: 'see https://example.com/x' });
    await theirs.waitFor(showMessage, (said) => said.message.message.startsWith('see'));
    expect((await performer.call(getHeld, { username: performer.username })).held).toEqual([]);
  });

  it('loses whoever is banned while it runs, with what they said', async () => {
    const { performer, viewer, own, theirs, key } = await privateChat(site);
    const { id } = await saysInShow(theirs, key, SECRET);
    await performer.moderates('ban', viewer);
    await site.settle();
    expect(await own.waitFor(showMessagesRemoved)).toEqual({ chat: key, ids: [id] });
    await own.waitFor(showChatState, ({ chat }) => chat === null);
    await theirs.closing();
    expect(everythingOf(await performer.joins(performer))).not.toContain(SECRET);
  });
});

describe('what goes with a show', () => {
  it('a tip of the viewer: its line and its words are for the two', async () => {
    const { performer, viewer, own, theirs, key } = await privateChat(site);
    const other = await (await site.viewer()).joins(performer);
    await viewer.call(sendTip, { username: performer.username, amount: 25, comment: SECRET }, {
      idempotencyKey: 'private-tip',
    });
    await site.settle();
    const { message } = await own.waitFor(showMessage, (said) => said.message.is_tip);
    expect(message).toMatchObject({ message: SECRET, value: 25, username: viewer.username });
    await marked(own, other, theirs);
    expect(everythingOf(other)).not.toContain(SECRET);
    expect(everythingOf(other)).not.toContain(viewer.username);
    expect(key).toMatch(/^private:\d+$/u);
  });

  it('an order of the viewer from the menu: its tip and its line are for the two', async () => {
    const { performer, viewer, own, theirs } = await privateChat(site);
    const outsiders = [
      await (await site.viewer()).joins(performer),
      await site.socketOf(await site.visitor({ ofAge: true }), performer.username),
    ];
    const title = 'A dance for us';
    const { items: [item] } = await performer.call(saveTipMenu, { items: [{ title, price: 50 }] });
    await viewer.call(sendTip, {
      username: performer.username,
      amount: 50,
      type: 'menu',
      app_data: { item: item?.id ?? 0 },
    }, { idempotencyKey: 'private-order' });
    await site.settle();
    // As on an overlay, which others see, it names nobody.
    const line = `Someone ordered “${title}” for 50 tokens.`;
    await marked(own, own, theirs, ...outsiders);
    for (const socket of outsiders) {
      expect(everythingOf(socket)).not.toContain(viewer.username);
      // The menu is the room's; the line is not.
      expect(everythingOf(socket)).not.toContain('ordered');
    }
    for (const socket of [own, theirs]) {
      const lines = socket.received(showMessage).map(({ message }) => message);
      expect(lines.map(({ type, value, message }) => [type, value, message]))
        .toEqual([['tip', 50, ''], ['notice', 0, line]]);
      expect(JSON.stringify(socket.received(chatMessage))).not.toContain('ordered');
    }
  });

  it('a notice is the room\'s; the copy of own data has what oneself said alone', async () => {
    const { performer, viewer, theirs, key } = await privateChat(site);
    const other = await (await site.viewer()).joins(performer);
    await saysInShow(theirs, key, SECRET);
    await performer.call(sendNotice, { username: performer.username, message: 'Back soon' });
    await other.waitFor(chatMessage, ({ message }) => message === 'Back soon');
    expect(await copyOf(viewer)).toContain(SECRET);
    expect(await copyOf(performer)).not.toContain(SECRET);
  });
});

describe('the chat of a ticket show', () => {
  it('is for holders, from the purchase on, until the ticket is given back or the show ends', async () => {
    const performer = await ticketPerformer(site);
    const [holder, late, refunded, outsider] = await Promise.all(
      ['a', 'b', 'c', 'd'].map(() => site.viewer({ tokens: 1_000 })),
    ) as [Member, Member, Member, Member];
    await offersTickets(performer);
    await sellsTickets(performer, holder, refunded);
    const [own, theirs, gone, out] = [
      await performer.joins(performer),
      await holder.joins(performer),
      await refunded.joins(performer),
      await outsider.joins(performer),
    ];
    expect((await chatStateOf(theirs)).chat).toBeNull();
    await startsTicketShow(performer);
    const key = await chatKeyOf(theirs);
    expect((await gone.waitFor(showChatState, ({ chat }) => chat !== null)).chat?.kind).toBe('ticket');
    await saysInShow(own, key, 'welcome in');
    await gone.waitFor(showMessage);
    await performer.moderates('kick', refunded);
    await site.settle();
    const lateTab = await late.joins(performer);
    await late.call(buyTicket, { username: performer.username, price: 100 });
    await site.settle();
    const { messages } = await lateTab.waitFor(showChatState, ({ chat }) => chat !== null);
    expect(messages.map(({ message }) => message)).toEqual(['welcome in']);
    await saysInShow(lateTab, key, SECRET);
    await theirs.waitFor(showMessage, ({ message }) => message.message === SECRET);
    out.send(sayInShow, { chat: key, message: 'no ticket' });
    expect((await out.waitFor(showMessage)).message.action).toBe('show_over');
    await marked(own, out);
    expect(everythingOf(out) + everythingOf(gone)).not.toContain(SECRET);
    expect(everythingOf(out)).not.toContain('welcome in');
    await performer.call(endTicketShow, {});
    await site.settle();
    await theirs.waitFor(showChatState, ({ chat }) =>
      chat === null
      && theirs.received(showChatState).length > 2);
    expect((await chatStateOf(await holder.joins(performer))).chat).toBeNull();
  });
});

it('is deleted a day after each line was said, though no other show follows', async () => {
  const performer = await ticketPerformer(site);
  const holder = await site.viewer({ tokens: 1_000 });
  await offersTickets(performer, { minutes: 180 });
  await sellsTickets(performer, holder);
  await startsTicketShow(performer);
  const says = async (text: string): Promise<void> => {
    const socket = await holder.joins(performer);
    await saysInShow(socket, await chatKeyOf(socket), text);
  };
  const lines = ['the first line', 'the second line', 'the third line'];
  for (const line of lines) {
    await says(line);
    await site.passes(3_600_000);
  }
  await performer.call(endTicketShow, {});
  await site.settle();
  const left = async () => {
    const copy = await copyOf(await site.memberOf(holder.username));
    const due = await site.tx((tx) =>
      sql`select from platform.due
      where kind = 'rooms.showChatOld' and key = ${String(performer.id)}`.execute(tx.sql())
    );
    return [...lines.map((line) => copy.includes(line)), due.rows.length];
  };
  await site.passes(86_400_000 - 3 * 3_600_000 - 1_000);
  expect(await left()).toEqual([true, true, true, 1]);
  await site.passes(2_000);
  expect(await left()).toEqual([false, true, true, 1]);
  await site.passes(3_600_000 - 2_000);
  expect(await left()).toEqual([false, true, true, 1]);
  await site.passes(2_000);
  expect(await left()).toEqual([false, false, true, 1]);
  await site.passes(3_600_000);
  expect(await left()).toEqual([false, false, false, 0]);
});

it('begins with the acceptance: both are in it before the first picture', async () => {
  const { performer, viewer } = await runsPrivate(site);
  const [own, theirs] = [await performer.joins(performer), await viewer.joins(performer)];
  expect((await chatStateOf(own)).chat?.key).toBe(await chatKeyOf(theirs));
});
