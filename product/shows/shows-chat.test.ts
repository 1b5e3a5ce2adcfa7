import { authorize, authorizeSuccess } from '#platform/contract/sockets/lobby.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
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
import { endsPrivate, mediaPasses, runsPrivate } from '#product/testkit/shows/private-show.ts';
import { spiedShow, spies, stopsSpying } from '#product/testkit/shows/spying.ts';
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
import { getSaid } from './contract/said.ts';
import { saveShowSettings } from './contract/settings.ts';
import { buyTicket, endTicketShow } from './contract/ticket-show.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  site.data.start();
});
afterAll(() => site.close());

const SECRET = 'this is between us';
let marks = 0;

/** The state of a show's chat as somebody who joins now receives it; null without one. */
async function stateOf(socket: TestSocket) {
  await socket.waitFor(userCount);
  return socket.received(showChatState).at(-1) ?? { chat: null, messages: [] };
}
/** The key of the chat that somebody is in. */
async function keyOf(socket: TestSocket): Promise<string> {
  const { chat } = await socket.waitFor(showChatState, (state) => state.chat !== null);
  return chat?.key ?? '';
}
/** Rejoins as a client that has received everything up to a sequence number. */
async function returns(viewer: Member, performer: Member, seq: number): Promise<TestSocket> {
  const socket = await site.openSocket(viewer, `/ws/room/${performer.username}`);
  const { node_token: token } = await viewer.call(getCurrentUser, {});
  socket.send(authorize, { token, version: 'test', seq });
  await socket.waitFor(authorizeSuccess);
  await socket.waitFor(userCount);
  return socket;
}
const everythingOf = (socket: TestSocket): string => JSON.stringify(socket.events);
/** Sends a public message: everything sent before it has arrived by then. */
async function marked(by: TestSocket, ...sockets: readonly TestSocket[]): Promise<void> {
  marks += 1;
  const mark = `mark ${marks}`;
  by.send(sayInChat, { message: mark, chat: 'public' });
  for (const socket of sockets) await socket.waitFor(chatMessage, ({ message }) => message === mark);
}
async function saysInShow(socket: TestSocket, chat: string, message: string, replyTo?: number) {
  socket.send(sayInShow, { chat, message, ...(replyTo === undefined ? {} : { reply_to: replyTo }) });
  return (await socket.waitFor(showMessage, (said) => said.message.message === message)).message;
}
/** A person's copy of their own data, which includes their messages in shows while these are stored. */
async function copyOf(who: Member): Promise<string> {
  const { ticket } = await who.call(askForCopy, {});
  const url = `/api/v1/user/data.json?ticket=${encodeURIComponent(ticket)}`;
  return (await who.request({ method: 'GET', url })).body;
}
/** A running private show, with a socket for each of the two people. */
async function two(exclusive = false) {
  const { performer, viewer } = await spiedShow(site, { exclusive });
  const [own, theirs] = [await performer.joins(performer), await viewer.joins(performer)];
  return { performer, viewer, own, theirs, key: await keyOf(theirs) };
}

/**
 * The secret was said while the spy could not read the chat. A message that quotes it reaches the spy without
 * the quote, and a message that quotes something they read keeps the quote: live, in a tab that rejoins, and
 * in the stored messages. The viewer has the secret each time.
 */
async function expectsQuotes({ spy, viewer, performer, socket, theirs, key }: {
  readonly spy: Member;
  readonly viewer: Member;
  readonly performer: Member;
  readonly socket: TestSocket;
  readonly theirs: TestSocket;
  readonly key: string;
}): Promise<void> {
  await socket.waitFor(showMessage, ({ message }) => message.message === 'an answer to that');
  const show = Number(key.split(':')[1]);
  const quotesOf = async (who: Member, live: TestSocket) => {
    const back = await returns(who, performer, 1);
    const said = await who.call(getSaid, { kind: 'private', show });
    const ways = [
      live.received(showMessage).map(({ message }) => message),
      back.received(showChatState).at(-1)?.messages ?? [],
      said.messages,
    ];
    return {
      quotes: ways.map((messages) =>
        messages.filter(({ message }) => message.startsWith('an answer'))
          .map(({ reply, subject_username: to }) => [reply?.excerpt ?? null, to])
      ),
      all: everythingOf(live) + everythingOf(back) + JSON.stringify(said),
    };
  };
  const { username } = viewer;
  const spied = await quotesOf(spy, socket);
  const ofSpy = [[null, null], ['for all three', username]];
  expect(spied.quotes).toEqual([ofSpy, ofSpy, ofSpy]);
  expect(spied.all).not.toContain(SECRET);
  const ofViewer = [[SECRET, username], ['for all three', username]];
  expect((await quotesOf(viewer, theirs)).quotes).toEqual([ofViewer, ofViewer, ofViewer]);
}

describe('the chat of a private show', () => {
  it('is read by the two in every tab, and by nobody else in the room', async () => {
    const { performer, viewer, own, theirs, key } = await two();
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
    expect(await stateOf(secondTab)).toMatchObject({ chat: { key, kind: 'private', may_write: true } });
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
    const { performer, viewer, own, theirs, key } = await two();
    const other = await site.viewer();
    const before = await other.joins(performer);
    const { seq } = await before.waitFor(chatHistory);
    await saysInShow(theirs, key, SECRET);
    await marked(own, before);
    const returned = await returns(viewer, performer, seq);
    expect((await stateOf(returned)).messages.map(({ message }) => message)).toEqual([SECRET]);
    for (const at of [1, seq]) {
      expect(everythingOf(await returns(other, performer, at))).not.toContain(SECRET);
    }
    await endsPrivate(viewer, performer);
    await site.settle();
    await theirs.waitFor(showChatState, ({ chat }) => chat === null);
    for (const who of [viewer, performer, other]) {
      const socket = await returns(who, performer, seq);
      expect(everythingOf(socket)).not.toContain(SECRET);
      expect((await stateOf(socket)).chat).toBeNull();
    }
  });

  it('takes what names no chat, and nothing from anybody else', async () => {
    const { performer, own, theirs, key } = await two();
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
    const { performer, viewer, own, theirs, key } = await two();
    const other = await (await site.viewer()).joins(performer);
    await endsPrivate(viewer, performer);
    theirs.send(sayInShow, { chat: key, message: SECRET });
    expect((await theirs.waitFor(showMessage)).message).toMatchObject({ error: true, action: 'show_over' });
    await marked(own, own, other);
    expect(everythingOf(other) + everythingOf(own)).not.toContain(SECRET);
  });

  it('refuses commands and quotes nothing of the room; links and blocked words wait for nobody', async () => {
    const { performer, own, theirs, key } = await two();
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
    const { performer, viewer, own, theirs, key } = await two();
    const { id } = await saysInShow(theirs, key, SECRET);
    await performer.moderates('ban', viewer);
    await site.settle();
    expect(await own.waitFor(showMessagesRemoved)).toEqual({ chat: key, ids: [id] });
    await own.waitFor(showChatState, ({ chat }) => chat === null);
    await theirs.closing();
    expect(everythingOf(await performer.joins(performer))).not.toContain(SECRET);
  });
});

describe('whoever spies', () => {
  it('reads what is said since they pay, writes nothing, and reads nothing afterwards', async () => {
    const { performer, own, theirs, key } = await two();
    await saysInShow(theirs, key, 'before anybody spied');
    const { spy } = await spies(site, performer);
    const socket = await spy.joins(performer);
    expect((await stateOf(socket)).chat).toBeNull();
    await saysInShow(theirs, key, 'in the free preview');
    await mediaPasses(site, performer, 13);
    const { chat, messages } = await socket.waitFor(showChatState, (state) => state.chat !== null);
    expect([chat, messages]).toMatchObject([{ key, kind: 'private', may_write: false }, []]);
    await saysInShow(theirs, key, 'while they spy');
    await socket.waitFor(showMessage, ({ message }) => message.message === 'while they spy');
    socket.send(sayInShow, { chat: key, message: 'hello you two' });
    const { message } = await socket.waitFor(showMessage, (said) => said.message.error);
    expect(message.action).toBe('show_read_only');
    await stopsSpying(spy, performer);
    await site.settle();
    await socket.waitFor(showChatState, (state) =>
      state.chat === null && state !== undefined
      && socket.received(showChatState).length > 2);
    await saysInShow(theirs, key, SECRET);
    await marked(own, own, socket);
    const known = everythingOf(socket) + everythingOf(await returns(spy, performer, 1));
    for (const text of ['before anybody spied', 'in the free preview', SECRET]) {
      expect(known).not.toContain(text);
    }
    expect(everythingOf(own)).not.toContain('hello you two');
  });

  it('reads nothing while their picture is away, not even later, and reads again with it', async () => {
    const { performer, own, theirs, key } = await two();
    const { spy, session } = await spies(site, performer);
    const socket = await spy.joins(performer);
    await mediaPasses(site, performer, 13);
    await socket.waitFor(showChatState, ({ chat }) => chat !== null);
    site.engine.sends(session, 0);
    await mediaPasses(site, performer, 3);
    await saysInShow(theirs, key, SECRET);
    await marked(own, own, socket);
    expect(socket.received(showChatState).at(-1)?.chat).toBeNull();
    site.engine.sends(session, 1);
    await mediaPasses(site, performer, 2);
    await marked(own, socket);
    expect(socket.received(showChatState).at(-1)).toMatchObject({ chat: { key }, messages: [] });
    await saysInShow(theirs, key, 'in the picture again');
    await socket.waitFor(showMessage, ({ message }) => message.message === 'in the picture again');
    expect(everythingOf(socket) + everythingOf(await returns(spy, performer, 1))).not.toContain(SECRET);
  });

  it('reads no quote of what was said before they paid, and one of what they read', async () => {
    const { performer, viewer, own, theirs, key } = await two();
    const before = await saysInShow(theirs, key, SECRET);
    const { spy } = await spies(site, performer);
    const socket = await spy.joins(performer);
    await mediaPasses(site, performer, 13);
    await socket.waitFor(showChatState, (state) => state.chat !== null);
    await saysInShow(own, key, 'an answer to it', before.id);
    const read = await saysInShow(theirs, key, 'for all three');
    await saysInShow(own, key, 'an answer to that', read.id);
    await expectsQuotes({ spy, viewer, performer, socket, theirs, key });
  });

  it('reads no quote of what was said while their picture was away', async () => {
    const { performer, viewer, own, theirs, key } = await two();
    const { spy, session } = await spies(site, performer);
    const socket = await spy.joins(performer);
    await mediaPasses(site, performer, 13);
    await socket.waitFor(showChatState, ({ chat }) => chat !== null);
    site.engine.sends(session, 0);
    await mediaPasses(site, performer, 3);
    const away = await saysInShow(theirs, key, SECRET);
    await marked(own, own, socket);
    site.engine.sends(session, 1);
    await mediaPasses(site, performer, 2);
    await marked(own, socket);
    await saysInShow(own, key, 'an answer to it', away.id);
    const read = await saysInShow(theirs, key, 'for all three');
    await saysInShow(own, key, 'an answer to that', read.id);
    await expectsQuotes({ spy, viewer, performer, socket, theirs, key });
  });

  it('is in the words of both from when somebody may, or does, to the last who reads', async () => {
    const { performer, own, theirs } = await two();
    const overheard = (): unknown[] =>
      [own, theirs].map((socket) => socket.received(showChatState).at(-1)?.chat?.is_overheard);
    const offers = async (isEnabled: boolean): Promise<void> => {
      await performer.call(saveShowSettings, { spy: { isEnabled } });
      await site.settle();
      await marked(own, own, theirs);
    };
    await offers(false);
    expect(overheard()).toEqual([false, false]);
    await offers(true);
    expect(overheard()).toEqual([true, true]);
    const { spy } = await spies(site, performer);
    await mediaPasses(site, performer, 13);
    await offers(false);
    // A spy who is already reading may continue.
    expect(overheard()).toEqual([true, true]);
    await stopsSpying(spy, performer);
    await site.settle();
    await marked(own, own, theirs);
    expect(overheard()).toEqual([false, false]);
  });

  it('tips in the room, not in the show; nobody reads along in an exclusive one', async () => {
    const { performer, own } = await two();
    const { spy } = await spies(site, performer);
    await mediaPasses(site, performer, 13);
    await spy.call(sendTip, { username: performer.username, amount: 5, comment: 'hi from outside' }, {
      idempotencyKey: 'spy-tip',
    });
    await site.settle();
    await own.waitFor(chatMessage, ({ message }) => message === 'hi from outside');
    const alone = await two(true);
    expect(alone.own.received(showChatState).at(-1)?.chat).toMatchObject({
      kind: 'exclusive',
      is_overheard: false,
    });
  });
});

describe('what goes with a show', () => {
  it('a tip of the viewer: its line and its words are for the two', async () => {
    const { performer, viewer, own, theirs, key } = await two();
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
    const { performer, viewer, own, theirs } = await two();
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
    const { performer, viewer, theirs, key } = await two();
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
    expect((await stateOf(theirs)).chat).toBeNull();
    await startsTicketShow(performer);
    const key = await keyOf(theirs);
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
    expect((await stateOf(await holder.joins(performer))).chat).toBeNull();
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
    await saysInShow(socket, await keyOf(socket), text);
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
  expect((await stateOf(own)).chat?.key).toBe(await keyOf(theirs));
});
