import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize, authorizeFailed } from '../../platform/contract/sockets/lobby.ts';
import { closeCodes } from '../../platform/contract/sockets/wire.ts';
import { getCurrentUser } from '../accounts/contract.ts';
import { getPlayback } from '../broadcast/contract.ts';
import type { TestSocket } from '../testkit/rooms/room-socket.ts';
import { createSite, type Member, type TestSite } from '../testkit/site.ts';
import {
  chatBanned, chatHistory, chatKicked, chatMessage, getRoom, heldBack, messagesRemoved, moderated, reseated,
  sayInChat, setSubject, startUserList, userList,
} from './contract.ts';
import { DEVICE_COOKIE, type Restriction } from './rules.ts';
import { roomGuard } from './server.ts';
import type { Speaker, Verdict, Visitor } from './server/chat/guard.ts';
import type { ModerationOrder } from './server/chat/moderation.ts';

let site: TestSite;
/** What the slice that keeps order will say, by performer. */
let barred: Map<string, { kind: 'banned' | 'kicked'; reason: string | null; until: Date | null }>;
let moderators: Set<string>;
let verdicts: (speaker: Speaker, body: string) => Verdict;
let visitors: Visitor[];
beforeAll(async () => {
  barred = new Map();
  moderators = new Set();
  verdicts = () => ({ kind: 'show' });
  visitors = [];
  site = await createSite({
    fill: (slots) => slots.fill(roomGuard, {
      bars: async (_tx, visitor, performerId) => {
        visitors.push(visitor);
        const { personId, sessionId } = visitor.caller;
        return barred.get(`${personId ?? sessionId} ${performerId}`) ?? null;
      },
      barsSome: async () => () => true,
      judge: async (_tx, speaker, body) => verdicts(speaker, body),
      standings: async () => ({ moderatorIds: [], silencedIds: [] }),
      isModerator: async (_tx, personId, performerId) => moderators.has(`${personId} ${performerId}`),
    }),
  });
  site.data.start();
});
afterAll(() => site.close());

/** Everybody who may hear of a moderation: each as seen by one socket. */
async function stage() {
  const performer = await site.performer({ live: true });
  const [moderator, subject, viewer] = [await site.viewer(), await site.viewer(), await site.viewer()];
  moderators.add(`${moderator.id} ${performer.id}`);
  const staff = await site.viewer({ roles: ['site_mod'] });
  const elsewhere = await site.viewer();
  moderators.add(`${elsewhere.id} ${(await site.performer()).id}`);
  const sockets = {
    desk: await performer.joins(performer), mod: await moderator.joins(performer),
    staff: await staff.joins(performer), subject: await subject.joins(performer),
    viewer: await viewer.joins(performer), elsewhere: await elsewhere.joins(performer),
    guest: await site.socketOf(await site.visitor({ ofAge: true }), performer.username),
  };
  return { performer, moderator, subject, viewer, elsewhere, sockets };
}

const order = (performer: Member, subject: Member, type: Restriction, more: Partial<ModerationOrder> = {}) =>
  site.tx((tx) => site.services.rooms.moderate(tx, {
    performerId: performer.id, type, action: 'add', subjectId: subject.id, sessionId: null, reason: null,
    until: type === 'kicked' ? new Date(site.clock.now().getTime() + 60_000) : null, byId: performer.id,
    ...more,
  }));

async function says(socket: TestSocket, message: string): Promise<number> {
  socket.send(sayInChat, { message });
  return (await socket.waitFor(chatMessage, (heard) => heard.message === message)).id;
}

describe('names of the moderated', () => {
  it('are for subject, performer, admins and moderators; the room hears none [B-234, B-235]', async () => {
    const { performer, subject, sockets } = await stage();
    await order(performer, subject, 'silenced');
    const named = { type: 'silenced', action: 'add', username: subject.username };
    for (const socket of [sockets.desk, sockets.mod, sockets.staff, sockets.subject]) {
      expect(await socket.waitFor(moderated, ({ username }) => username !== null)).toMatchObject(named);
    }
    for (const socket of [sockets.viewer, sockets.elsewhere, sockets.guest]) {
      const told = await socket.waitFor(moderated);
      expect(told).toMatchObject({ type: 'silenced', action: 'add', username: null, display_name: null });
      await says(sockets.desk, `after ${socket.events.length}`);
      expect(JSON.stringify(socket.events)).not.toContain(subject.username);
    }
    // Both ways of telling are one place in the log.
    const ids = sockets.desk.heard(moderated).map(({ id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
  });

  it('stay theirs for who comes back and is told what they missed', async () => {
    const { performer, subject, moderator, viewer, sockets } = await stage();
    const known = await says(sockets.desk, 'before');
    await order(performer, subject, 'silenced');
    const returning = async (who: Member): Promise<TestSocket> => {
      const socket = await site.openSocket(who, `/ws/room/${performer.username}`);
      const { node_token: token } = await who.call(getCurrentUser, {});
      socket.send(authorize, { token, version: 'test', seq: known });
      await socket.waitFor(moderated);
      return socket;
    };
    for (const who of [performer, moderator, subject]) {
      expect((await (await returning(who)).waitFor(moderated)).username).toBe(subject.username);
    }
    const plain = await returning(viewer);
    expect(JSON.stringify(plain.events)).not.toContain(subject.username);
  });

  it('of moderators are no secret: their badge shows [B-231]', async () => {
    const { performer, subject, sockets } = await stage();
    await order(performer, subject, 'moderator');
    expect(await sockets.viewer.waitFor(moderated))
      .toMatchObject({ type: 'moderator', username: subject.username });
  });
});

describe('a ban', () => {
  it('takes messages, room and picture away, with the reason [B-228, B-358, B-362]', async () => {
    const { performer, subject, viewer, sockets } = await stage();
    const ids = [await says(sockets.subject, 'rude'), await says(sockets.subject, 'ruder')];
    const other = await says(sockets.viewer, 'nice');
    barred.set(`${subject.id} ${performer.id}`, { kind: 'banned', reason: 'Rude', until: null });
    await order(performer, subject, 'banned', { reason: 'Rude' });
    expect(await sockets.subject.waitFor(chatBanned))
      .toEqual({ room: performer.username, reason: 'Rude', until: null });
    expect(await sockets.subject.closing()).toBe(closeCodes.refused);
    expect((await sockets.viewer.waitFor(moderated)).removed).toEqual(ids);
    const { messages } = await (await viewer.joins(performer)).waitFor(chatHistory);
    expect(messages.map(({ id }) => id)).toEqual([other]);

    const problem = await subject.refused(getRoom, { username: performer.username });
    expect(problem).toMatchObject({
      status: 403, errorType: 'room_banned', error: 'You have been banned from this room.', reason: 'Rude',
      until: null,
    });
    const playback = await subject.refused(getPlayback, { username: performer.username });
    expect(playback.errorType).toBe('stream_offline');
    const again = await site.openSocket(subject, `/ws/room/${performer.username}`);
    const { node_token: token } = await subject.call(getCurrentUser, {});
    again.send(authorize, { token, version: 'test' });
    expect((await again.waitFor(authorizeFailed)).code).toBe('room_banned');
    expect(await again.closing()).toBe(closeCodes.refused);
    // The rooms of others, and every other call upon rooms, stand as before.
    await subject.joins(await site.performer());
    const subjectOf = { username: performer.username, subject: 'x' };
    expect((await subject.refused(setSubject, subjectOf)).errorType).toBe('room_banned');
  });

  it('of a guest puts that session out, and no other', async () => {
    const { performer, sockets } = await stage();
    const visitor = await site.visitor({ ofAge: true });
    const guest = await site.socketOf(visitor, performer.username);
    // Guests have no name in rooms; their session is what the guard saw at the door.
    const { caller } = visitors.at(-1) as Visitor;
    await site.tx((tx) => site.services.rooms.moderate(tx, {
      performerId: performer.id, type: 'banned', action: 'add', subjectId: null, sessionId: caller.sessionId,
      reason: null, until: null, byId: performer.id,
    }));
    await guest.waitFor(chatBanned);
    expect(await guest.closing()).toBe(closeCodes.refused);
    await says(sockets.desk, 'still here?');
    await sockets.guest.waitFor(chatMessage, ({ message }) => message === 'still here?');
  });

  it('cannot keep the performer or staff out', async () => {
    const { performer } = await stage();
    const staff = await site.viewer({ roles: ['site_mod'] });
    for (const who of [performer, staff]) {
      barred.set(`${who.id} ${performer.id}`, { kind: 'banned', reason: null, until: null });
      expect((await who.call(getRoom, { username: performer.username })).streamStatus).toBe('online');
    }
  });
});

describe('a kick, a silence, a moderator', () => {
  it('a kick puts out for a while and keeps what was said [B-230, B-359]', async () => {
    const { performer, subject, viewer, sockets } = await stage();
    const id = await says(sockets.subject, 'mild');
    const until = new Date(site.clock.now().getTime() + 600_000);
    barred.set(`${subject.id} ${performer.id}`, { kind: 'kicked', reason: null, until });
    await order(performer, subject, 'kicked', { until });
    expect(await sockets.subject.waitFor(chatKicked))
      .toEqual({ room: performer.username, reason: null, until: until.toISOString() });
    expect(await sockets.subject.closing()).toBe(closeCodes.refused);
    expect((await sockets.viewer.waitFor(moderated)).removed).toEqual([]);
    const { messages } = await (await viewer.joins(performer)).waitFor(chatHistory);
    expect(messages.map((message) => message.id)).toEqual([id]);
    expect(await subject.refused(getRoom, { username: performer.username }))
      .toMatchObject({ errorType: 'room_kicked', until: until.toISOString() });
  });

  it('a silence takes messages away and lets stay; its end brings none back [B-233]', async () => {
    const { performer, subject, sockets } = await stage();
    const id = await says(sockets.subject, 'loud');
    await order(performer, subject, 'silenced');
    expect((await sockets.viewer.waitFor(moderated)).removed).toEqual([id]);
    const later = await says(sockets.viewer, 'quiet now');
    await order(performer, subject, 'silenced', { action: 'remove' });
    const freed = await sockets.viewer.waitFor(moderated, ({ action }) => action === 'remove');
    expect(freed.removed).toEqual([]);
    expect(later).toBeLessThan(freed.id);
    expect(sockets.subject.closeCode).toBeNull();
  });

  it('becoming or ceasing to be a moderator comes back to another seat', async () => {
    const { performer, subject, sockets } = await stage();
    moderators.add(`${subject.id} ${performer.id}`);
    await order(performer, subject, 'moderator');
    await sockets.subject.waitFor(reseated);
    expect(await sockets.subject.closing()).toBe(closeCodes.reseat);
    const seat = await subject.joins(performer);
    await order(performer, await site.viewer(), 'silenced');
    await seat.waitFor(moderated, ({ username }) => username !== null);
    expect((await subject.call(getRoom, { username: performer.username })).auth)
      .toMatchObject({ isModerator: true, canModerate: true, isRoomAdmin: false });
    expect(await says(seat, 'hello')).toBeGreaterThan(0);
    expect(seat.heard(chatMessage).at(-1)?.is_moderator).toBe(true);
  });
});

describe('verdicts', () => {
  it('keep a message for the desk, show it to its sender alone, or send it back', async () => {
    const { performer, subject, sockets } = await stage();
    verdicts = ({ person }, body) => {
      if (person.id !== subject.id) return { kind: 'show' };
      if (body === 'held') return { kind: 'hold', heldId: 7 };
      if (body === 'ghost') return { kind: 'shadow', heldId: 8 };
      return { kind: 'refuse', key: 'rooms:errors.too_fast' };
    };
    for (const message of ['held', 'ghost', 'no']) sockets.subject.send(sayInChat, { message });
    const isSaid = (text: string) => ({ message }: { message: string }) => message === text;
    expect(await sockets.subject.waitFor(chatMessage, isSaid('held')))
      .toMatchObject({ id: 0, error: true, errorMessage: 'Your message is waiting for moderator approval.' });
    const ghost = await sockets.subject.waitFor(chatMessage, isSaid('ghost'));
    expect(ghost).toMatchObject({ error: false, username: subject.username });
    expect((await sockets.subject.waitFor(chatMessage, isSaid('no'))).errorMessage).toContain('too fast');
    for (const socket of [sockets.desk, sockets.mod, sockets.staff]) {
      expect(await socket.waitFor(heldBack, ({ verdict }) => verdict === 'hold'))
        .toMatchObject({ heldId: 7, message: { id: 0, message: 'held', username: subject.username } });
      await socket.waitFor(heldBack, ({ heldId, verdict }) => heldId === 8 && verdict === 'shadow');
    }
    // For the others its place is empty: no word, no name, no gap.
    expect((await sockets.viewer.waitFor(messagesRemoved)).ids).toEqual([]);
    await says(sockets.viewer, 'anybody?');
    for (const socket of [sockets.viewer, sockets.elsewhere, sockets.guest]) {
      await socket.waitFor(chatMessage, isSaid('anybody?'));
      expect(JSON.stringify(socket.events)).not.toMatch(new RegExp(`ghost|held|${subject.username}`, 'u'));
      const places = socket.events.flatMap(({ seq }) => seq ?? []);
      expect(places).toEqual(places.map((_, at) => (places[0] ?? 0) + at));
    }
    // A moderator lets it through.
    const id = await site.tx((tx) => site.services.rooms.showHeld(tx, {
      performerId: performer.id, senderId: subject.id, body: 'held', recentTips: 0, language: 'en',
    }));
    expect(await sockets.guest.waitFor(chatMessage, isSaid('held'))).toMatchObject({ id, error: false });
    verdicts = () => ({ kind: 'show' });
  });
});

describe('the guard', () => {
  it('sees address and device of who comes, at the page and at the socket', async () => {
    const performer = await site.performer();
    const viewer = await site.viewer({ address: '127.5.5.5' });
    viewer.setCookie(DEVICE_COOKIE, 'mark-of-a-device');
    visitors = [];
    await viewer.call(getRoom, { username: performer.username });
    expect(visitors).toMatchObject([{ address: '127.5.5.5', device: 'mark-of-a-device' }]);
    await viewer.joins(performer);
    expect(visitors.at(-1)).toMatchObject({ device: 'mark-of-a-device', caller: { personId: viewer.id } });
  });

  it('moderators of another room, guests and forged events get nothing of the desk', async () => {
    const { performer, subject, sockets } = await stage();
    for (const socket of [sockets.elsewhere, sockets.guest, sockets.viewer]) {
      socket.send(startUserList, {});
      for (const [name, payload] of [
        ['v3.chat.moderate', { type: 'banned', action: 'add', username: subject.username }],
        ['v3.chat.removed', { ids: [1] }], ['v3.chat.banned', { room: performer.username }],
      ]) socket.sendRaw(JSON.stringify([name, payload]));
    }
    await says(sockets.viewer, 'nothing happened');
    for (const socket of [sockets.elsewhere, sockets.guest, sockets.viewer, sockets.subject]) {
      await socket.waitFor(chatMessage, ({ message }) => message === 'nothing happened');
      expect([socket.heard(moderated), socket.heard(userList), socket.heard(heldBack)]).toEqual([[], [], []]);
      expect(socket.closeCode).toBeNull();
    }
  });
});
