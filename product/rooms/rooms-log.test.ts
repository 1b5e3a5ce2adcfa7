import { authorize, authorizeSuccess } from '#platform/contract/sockets/lobby.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
import { setDetails } from '#product/broadcast/contract.ts';
import type { TestSocket } from '#product/testkit/rooms/room-socket.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatHistory, chatMessage, chatUpdate, sayInChat, userCount } from './contract.ts';
import { messagesRemoved } from './contract/moderation.ts';
import { CHAT_HISTORY_LIMIT, ROOM_LOG_LIMIT } from './rules.ts';
import { EMPTY_LIVE_ROOM, reduceRoom, type LiveRoom } from './rules/live-room.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  site.data.start();
});
afterAll(() => site.close());

/** Joins as a client that has received everything up to a sequence number, or nothing yet. */
async function comes(viewer: Member, performer: Member, seq?: number): Promise<TestSocket> {
  const socket = await site.openSocket(viewer, `/ws/room/${performer.username}`);
  const { node_token: token } = await viewer.call(getCurrentUser, {});
  socket.send(authorize, { token, version: 'test', ...(seq === undefined ? {} : { seq }) });
  await socket.waitFor(authorizeSuccess);
  // The last event that is sent about the past.
  await socket.waitFor(userCount);
  return socket;
}

/** The live room of a page after the frames of its sockets. */
const heldBy = (sockets: readonly TestSocket[]): LiveRoom =>
  sockets.flatMap(({ events }) => events).reduce<LiveRoom>(
    (room, { name, payload, seq }) => reduceRoom(room, { name, payload, seq: seq ?? null }),
    EMPTY_LIVE_ROOM,
  );
const says = (performer: Member, text: string): Promise<number> =>
  site.tx((tx) => site.services.rooms.notice(tx, performer.id, text));
const placesOf = (socket: TestSocket): number[] => socket.events.flatMap(({ seq }) => seq ?? []);

describe('the log of a room', () => {
  it('numbers every lasting event without gaps, in the frames too', async () => {
    const performer = await site.performer();
    const viewer = await site.viewer();
    const socket = await comes(viewer, performer);
    const first = (await socket.waitFor(chatHistory)).seq;
    socket.send(sayInChat, { message: 'one' });
    await performer.call(setDetails, { title: 'Two', tags: [] });
    await performer.goesLive();
    await socket.waitFor(chatUpdate, ({ status }) => status === 'online');
    const last = await says(performer, 'four');
    await socket.waitFor(chatMessage, ({ message }) => message === 'four');
    expect(placesOf(socket)).toEqual(Array.from({ length: last - first }, (_, at) => first + 1 + at));
    for (const { name, payload, seq } of socket.events) {
      if (name === chatMessage.name) expect((payload as { id: number }).id).toBe(seq);
    }
  });

  it('sends missed entries to a returning client, once and in order, under their numbers', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const before = await comes(viewer, performer);
    const known = await says(performer, 'seen');
    await before.waitFor(chatMessage, ({ id }) => id === known);
    await before.leaves();
    await says(performer, 'missed');
    await performer.call(setDetails, { title: 'Missed too', tags: [] });
    await site.settle();
    const last = await says(performer, 'missed as well');
    const after = await comes(viewer, performer, known);
    expect(after.received(chatHistory)).toEqual([]);
    expect(placesOf(after)).toEqual([known + 1, known + 2, known + 3]);
    expect(last).toBe(known + 3);
    const held = heldBy([before, after]);
    expect(held.messages.map(({ message }) => message)).toEqual(['seen', 'missed', 'missed as well']);
    expect(held.subject).toBe('Missed too');
    expect(held).toMatchObject(pictureOf(heldBy([await comes(await site.viewer(), performer)])));
  });

  it('sends the history to a new client, after a long absence, or for a false number', async () => {
    const performer = await site.performer();
    const viewer = await site.viewer();
    const early = await says(performer, 'early');
    const lies = await comes(viewer, performer, 1_000_000);
    expect((await lies.waitFor(chatHistory)).seq).toBe(early);
    expect(placesOf(lies)).toEqual([]);
    await site.tx(async (tx) => {
      for (let nth = 0; nth < ROOM_LOG_LIMIT; nth += 1) {
        await site.services.rooms.removeMessages(tx, performer.id, []);
      }
    });
    const returned = await comes(viewer, performer, early);
    expect(returned.received(chatHistory)).toEqual([]);
    // What the gateway sends meanwhile follows, with sequence numbers that this client has by then.
    const caughtUp = placesOf(returned).slice(0, ROOM_LOG_LIMIT);
    expect(caughtUp).toEqual(caughtUp.map((_, at) => early + 1 + at));
    expect(new Set(placesOf(returned)).size).toBe(ROOM_LOG_LIMIT);
    await says(performer, 'one more');
    const late = await comes(viewer, performer, early);
    const { messages, seq } = await late.waitFor(chatHistory);
    expect([messages.map(({ message }) => message), seq]).toEqual([['early', 'one more'], early + 1_001]);
    // Events sent after the history was read arrive with their number, and are dropped.
    expect(heldBy([late]).messages).toHaveLength(2);
  });

  it('misses and repeats nothing for a client that reconnects while everybody writes', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const stays = await comes(await site.viewer(), performer);
    const gone = [await comes(viewer, performer)];
    const LINES = 60;
    const speaking = (async () => {
      const said: number[] = [];
      for (let nth = 1; nth <= LINES; nth += 1) {
        said.push(await says(performer, `line ${nth}`));
        if (nth % 9 === 0) {
          await site.tx((tx) => site.services.rooms.removeMessages(tx, performer.id, said.slice(-2)));
        }
      }
    })();
    for (let nth = 0; nth < 6; nth += 1) {
      await gone.at(-1)?.leaves();
      gone.push(await comes(viewer, performer, heldBy(gone).seq || undefined));
    }
    await speaking;
    const isLast = ({ message }: { message: string }): boolean => message === `line ${LINES}`;
    await stays.waitFor(chatMessage, isLast);
    await expect.poll(() => heldBy(gone).seq).toBe(heldBy([stays]).seq);
    expect(pictureOf(heldBy(gone))).toEqual(pictureOf(heldBy([stays])));
    expect(heldBy(gone).messages.some(isLast)).toBe(true);
    // Events sent during a reconnect arrive twice and are dropped the second time; the rest has no gaps.
    let known = 0;
    for (const { name, payload, seq } of gone.flatMap(({ events }) => events)) {
      if (name === chatHistory.name) known = (payload as { seq: number }).seq;
      if (seq === null || seq <= known) continue;
      expect(seq).toBe(known + 1);
      known = seq;
    }
  });

  it('never sends removed messages again, nor replies that quote them', async () => {
    const performer = await site.performer({ live: true });
    const [viewer, other] = [await site.viewer(), await site.viewer()];
    const socket = await comes(viewer, performer);
    const { seq: start } = await socket.waitFor(chatHistory);
    socket.send(sayInChat, { message: 'a terrible word' });
    const { id } = await socket.waitFor(chatMessage, ({ message }) => message === 'a terrible word');
    const second = await comes(other, performer);
    second.send(sayInChat, { message: 'how rude', reply_to: id });
    const answer = await socket.waitFor(chatMessage, ({ message }) => message === 'how rude');
    expect(answer.reply).toEqual({ id, display_name: viewer.person.displayName, excerpt: 'a terrible word' });
    expect(answer.subject_username).toBe(viewer.username);
    second.send(sayInChat, { message: 'to nobody', reply_to: 99_999 });
    expect((await socket.waitFor(chatMessage, ({ message }) => message === 'to nobody')).reply).toBeNull();
    const removed = await site.tx((tx) => site.services.rooms.removeMessages(tx, performer.id, [id, 4_711]));
    expect(removed).toEqual([id]);
    expect((await socket.waitFor(messagesRemoved)).ids).toEqual([id]);
    const fresh = await site.viewer();
    for (const late of [await comes(fresh, performer), await comes(fresh, performer, start || undefined)]) {
      expect(JSON.stringify(late.events)).not.toContain('terrible');
      expect(heldBy([late]).messages.map((item) => [item.message, item.reply, item.subject_username]))
        .toEqual([['how rude', null, null], ['to nobody', null, null]]);
    }
  });
});

describe('a removed message', () => {
  it('is nowhere in the log, further back than the history too', async () => {
    const performer = await site.performer();
    const [rude, viewer] = [await site.viewer(), await site.viewer()];
    const start = await says(performer, 'start');
    const socket = await comes(rude, performer);
    socket.send(sayInChat, { message: 'a terrible word' });
    await socket.waitFor(chatMessage, ({ message }) => message === 'a terrible word');
    await site.tx(async (tx) => {
      for (let nth = 0; nth < CHAT_HISTORY_LIMIT; nth += 1) {
        await site.services.rooms.notice(tx, performer.id, `line ${nth}`);
      }
    });
    await site.tx((tx) =>
      site.services.rooms.moderate(tx, {
        performerId: performer.id,
        type: 'silenced',
        action: 'add',
        subjectId: rude.id,
        sessionId: null,
        reason: null,
        until: null,
        byId: performer.id,
      })
    );
    const back = await comes(viewer, performer, start);
    expect(placesOf(back).length).toBeGreaterThan(CHAT_HISTORY_LIMIT);
    expect(JSON.stringify(back.events)).not.toContain('terrible');
  });
});

/** What two pages of one room must agree on: the logged state, without presence. */
function pictureOf({ messages, status, stream, subject, mode, settings, seq }: LiveRoom) {
  return { messages, status, stream, subject, mode, settings: settings ?? null, seq };
}
