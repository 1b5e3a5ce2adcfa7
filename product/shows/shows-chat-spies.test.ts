import { chatMessage } from '#product/rooms/contract.ts';
import { sayInShow, showChatState, showMessage } from '#product/rooms/contract/show-chat.ts';
import type { TestSocket } from '#product/testkit/rooms/room-socket.ts';
import { mediaPasses } from '#product/testkit/shows/private-show.ts';
import { chatStateOf, marked, privateChat, returns, saysInShow } from '#product/testkit/shows/show-chat.ts';
import { spies, stopsSpying } from '#product/testkit/shows/spying.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sendTip } from '#product/tips/contract.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getSaid } from './contract/said.ts';
import { saveShowSettings } from './contract/settings.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  site.data.start();
});
afterAll(() => site.close());

const SECRET = 'this is between us';

const everythingOf = (socket: TestSocket): string => JSON.stringify(socket.events);

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

describe('whoever spies', () => {
  it('reads what is said since they pay, writes nothing, and reads nothing afterwards', async () => {
    const { performer, own, theirs, key } = await privateChat(site);
    await saysInShow(theirs, key, 'before anybody spied');
    const { spy } = await spies(site, performer);
    const socket = await spy.joins(performer);
    expect((await chatStateOf(socket)).chat).toBeNull();
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
    const { performer, own, theirs, key } = await privateChat(site);
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
    const { performer, viewer, own, theirs, key } = await privateChat(site);
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
    const { performer, viewer, own, theirs, key } = await privateChat(site);
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
    const { performer, own, theirs } = await privateChat(site);
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
    const { performer, own } = await privateChat(site);
    const { spy } = await spies(site, performer);
    await mediaPasses(site, performer, 13);
    await spy.call(sendTip, { username: performer.username, amount: 5, comment: 'hi from outside' }, {
      idempotencyKey: 'spy-tip',
    });
    await site.settle();
    await own.waitFor(chatMessage, ({ message }) => message === 'hi from outside');
    const alone = await privateChat(site, true);
    expect(alone.own.received(showChatState).at(-1)?.chat).toMatchObject({
      kind: 'exclusive',
      is_overheard: false,
    });
  });
});
