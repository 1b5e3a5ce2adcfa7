import { authorize, authorizeFailed } from '#platform/contract/sockets/lobby.ts';
import { closeCodes } from '#platform/contract/sockets/wire.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
import { getPlayback } from '#product/broadcast/contract.ts';
import { declareAge } from '#product/compliance/contract.ts';
import type { TestSocket } from '#product/testkit/rooms/room-socket.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  chatHistory,
  chatMessage,
  getRoom,
  reconnectRequired,
  sayInChat,
  startUserList,
  userList,
} from './contract.ts';
import { setSubject } from './contract/controls.ts';
import {
  chatBanned,
  chatKicked,
  messagesRemoved,
  messageWithheld,
  moderated,
} from './contract/moderation.ts';
import { DEVICE_COOKIE } from './rules.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  site.data.start();
});
afterAll(() => site.close());

/** One socket of each audience of a moderation. */
async function stage() {
  const performer = await site.performer({ live: true });
  const [moderator, viewer] = [await site.viewer(), await site.viewer()];
  const subject = await site.viewer({ tokens: 50 });
  await performer.moderates('moderator', moderator);
  const staff = await site.viewer({ roles: ['site_mod'] });
  const manager = await site.viewer({ roles: ['model_admin'] });
  const elsewhere = await site.viewer();
  await (await site.performer()).moderates('moderator', elsewhere);
  const sockets = {
    owner: await performer.joins(performer),
    mod: await moderator.joins(performer),
    staff: await staff.joins(performer),
    manager: await manager.joins(performer),
    admin: await (await site.admin()).joins(performer),
    subject: await subject.joins(performer),
    viewer: await viewer.joins(performer),
    elsewhere: await elsewhere.joins(performer),
    guest: await site.socketOf(await site.visitor({ ofAge: true }), performer.username),
  };
  return { performer, moderator, subject, viewer, elsewhere, sockets };
}

async function says(socket: TestSocket, message: string): Promise<number> {
  socket.send(sayInChat, { message });
  return (await socket.waitFor(chatMessage, (received) => received.message === message)).id;
}

describe('names of the moderated', () => {
  it('are sent to subject, performer, admins and moderators, not to the room [B-234, B-235]', async () => {
    const { performer, subject, sockets } = await stage();
    await performer.moderates('silence', subject);
    const named = {
      type: 'silenced',
      action: 'add',
      username: subject.username,
      display_name: subject.person.displayName,
    };
    const { owner, mod, staff, manager, admin } = sockets;
    for (const socket of [owner, mod, staff, manager, admin, sockets.subject]) {
      expect(await socket.waitFor(moderated, ({ username }) => username !== null)).toMatchObject(named);
    }
    for (const socket of [sockets.viewer, sockets.elsewhere, sockets.guest]) {
      const received = await socket.waitFor(moderated);
      expect(received).toMatchObject({ type: 'silenced', action: 'add', username: null, display_name: null });
      await says(sockets.owner, `after ${socket.events.length}`);
      expect(JSON.stringify(socket.events)).not.toContain(subject.username);
    }
    // Both variants have the same sequence number.
    const ids = sockets.owner.received(moderated).map(({ id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
  });

  it('stay hidden in the missed entries of a returning client [B-235]', async () => {
    const { performer, subject, moderator, viewer, sockets } = await stage();
    const known = await says(sockets.owner, 'before');
    await performer.moderates('silence', subject);
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

  it('of moderators are sent to those who moderate, and not to the room [B-231]', async () => {
    const { performer, moderator, subject, sockets } = await stage();
    for (const [does, action] of [['moderator', 'add'], ['unmoderator', 'remove']] as const) {
      await performer.moderates(does, subject);
      const { owner, mod, staff, manager, admin } = sockets;
      for (const socket of [owner, mod, staff, manager, admin]) {
        await socket.waitFor(
          moderated,
          (item) => item.type === 'moderator' && item.action === action && item.username === subject.username,
        );
      }
      const names = (action === 'add' ? [moderator, subject] : [moderator]).map(({ username }) => username);
      for (const who of [performer, moderator]) {
        const { chat } = await who.call(getRoom, { username: performer.username });
        expect(chat.moderatorUsernameList).toEqual(names.toSorted());
      }
      for (const socket of [sockets.viewer, sockets.elsewhere, sockets.guest]) {
        expect(await socket.waitFor(moderated, (item) => item.type === 'moderator' && item.action === action))
          .toMatchObject({ username: null, display_name: null });
      }
    }
  });
});

describe('a ban', () => {
  it('removes messages, access and video, with the reason [B-228, B-358]', async () => {
    const { performer, subject, viewer, sockets } = await stage();
    const ids = [await says(sockets.subject, 'rude'), await says(sockets.subject, 'ruder')];
    const other = await says(sockets.viewer, 'nice');
    await performer.moderates('ban', subject, { reason: 'Rude' });
    expect(await sockets.subject.waitFor(chatBanned))
      .toEqual({ room: performer.username, reason: 'Rude', until: null });
    expect(await sockets.subject.closing()).toBe(closeCodes.refused);
    expect((await sockets.viewer.waitFor(moderated)).removed).toEqual(ids);
    const { messages } = await (await viewer.joins(performer)).waitFor(chatHistory);
    expect(messages.map(({ id }) => id)).toEqual([other]);

    const problem = await subject.refused(getRoom, { username: performer.username });
    expect(problem).toMatchObject({
      status: 403,
      errorType: 'room_banned',
      error: 'You have been banned from this room.',
      reason: 'Rude',
      until: null,
    });
    const playback = await subject.refused(getPlayback, { username: performer.username });
    expect(playback.errorType).toBe('stream_offline');
    const again = await site.openSocket(subject, `/ws/room/${performer.username}`);
    const { node_token: token } = await subject.call(getCurrentUser, {});
    again.send(authorize, { token, version: 'test' });
    expect((await again.waitFor(authorizeFailed)).code).toBe('room_banned');
    expect(await again.closing()).toBe(closeCodes.refused);
    // Other rooms are not affected; every call on this one is refused.
    await subject.joins(await site.performer());
    const subjectOf = { username: performer.username, subject: 'x' };
    expect((await subject.refused(setSubject, subjectOf)).errorType).toBe('room_banned');
  });

  it('of a guest removes that session, and no other', async () => {
    const { performer, sockets } = await stage();
    const visitor = await site.visitor({ ofAge: true });
    const guest = await site.socketOf(visitor, performer.username);
    const { user: { username } } = await visitor.call(getCurrentUser, {});
    await performer.moderates('ban', { username });
    await guest.waitFor(chatBanned);
    expect(await guest.closing()).toBe(closeCodes.refused);
    await says(sockets.owner, 'still here?');
    await sockets.guest.waitFor(chatMessage, ({ message }) => message === 'still here?');
  });

  it('cannot exclude the performer or room admins', async () => {
    const { performer, subject } = await stage();
    const staff = await site.viewer({ roles: ['site_mod'] });
    const viewer = await site.viewer();
    await site.opensRoom(subject, performer);
    await performer.moderates('ban', subject);
    // The device of a banned viewer excludes other viewers.
    for (const who of [performer, staff, viewer]) {
      who.setCookie(DEVICE_COOKIE, subject.cookie(DEVICE_COOKIE) ?? '');
    }
    expect((await viewer.refused(getRoom, { username: performer.username })).errorType).toBe('room_banned');
    for (const who of [performer, staff]) {
      expect((await who.call(getRoom, { username: performer.username })).streamStatus).toBe('online');
    }
  });
});

describe('a kick, a silence, a moderator', () => {
  it('a kick removes for a time and leaves messages in the chat [B-230, B-359]', async () => {
    const { performer, subject, viewer, sockets } = await stage();
    const id = await says(sockets.subject, 'mild');
    const until = new Date(site.clock.now().getTime() + 600_000);
    await performer.moderates('kick', subject);
    expect(await sockets.subject.waitFor(chatKicked))
      .toEqual({ room: performer.username, reason: null, until: until.toISOString() });
    expect(await sockets.subject.closing()).toBe(closeCodes.refused);
    expect((await sockets.viewer.waitFor(moderated)).removed).toEqual([]);
    const { messages } = await (await viewer.joins(performer)).waitFor(chatHistory);
    expect(messages.map((message) => message.id)).toEqual([id]);
    expect(await subject.refused(getRoom, { username: performer.username }))
      .toMatchObject({ errorType: 'room_kicked', until: until.toISOString() });
  });

  it('a silence removes messages but not the viewer; its end removes and restores none [B-233]', async () => {
    const { performer, subject, sockets } = await stage();
    const id = await says(sockets.subject, 'loud');
    await performer.moderates('silence', subject);
    expect((await sockets.viewer.waitFor(moderated)).removed).toEqual([id]);
    const later = await says(sockets.viewer, 'quiet now');
    // A silenced member may tip without a comment; the line of that tip stays when the silence ends.
    await subject.tips(performer, 7);
    const tip = await sockets.viewer.waitFor(chatMessage, ({ is_tip }) => is_tip);
    expect(tip).toMatchObject({ username: subject.username, value: 7, message: '' });
    await performer.moderates('unsilence', subject);
    const freed = await sockets.viewer.waitFor(moderated, ({ action }) => action === 'remove');
    expect(freed.removed).toEqual([]);
    expect(Math.max(later, tip.id)).toBeLessThan(freed.id);
    const { messages } = await (await (await site.viewer()).joins(performer)).waitFor(chatHistory);
    expect(messages.map((message) => message.id)).toEqual([later, tip.id]);
    expect(sockets.viewer.received(messagesRemoved)).toEqual([]);
    expect(sockets.subject.closeCode).toBeNull();
  });

  it('a new or former moderator reconnects with other rights', async () => {
    const { performer, subject, sockets } = await stage();
    await performer.moderates('moderator', subject);
    await sockets.subject.waitFor(reconnectRequired);
    expect(await sockets.subject.closing()).toBe(closeCodes.reseat);
    const subjectSocket = await subject.joins(performer);
    await performer.moderates('silence', await site.viewer());
    await subjectSocket.waitFor(moderated, ({ username }) => username !== null);
    expect((await subject.call(getRoom, { username: performer.username })).auth)
      .toMatchObject({ isModerator: true, canModerate: true, isRoomAdmin: false });
    expect(await says(subjectSocket, 'hello')).toBeGreaterThan(0);
    expect(subjectSocket.received(chatMessage).at(-1)?.is_moderator).toBe(true);
  });
});

describe('verdicts', () => {
  it('hold a message for moderators, show it to its sender only, or return it', async () => {
    const { performer, subject, sockets } = await stage();
    await performer.changesChatRules({ links: 'hold', blocked_words: ['forbidden'] });
    // A text that several accounts repeat is shown only to its sender.
    const crowd = 'everybody should read what I have to say';
    await says(sockets.viewer, crowd);
    const other = await site.viewer();
    const otherSocket = await other.joins(performer);
    otherSocket.send(sayInChat, { message: crowd });
    await otherSocket.waitFor(chatMessage, ({ username, id }) => username === other.username && id > 0);
    for (const message of ['held example.com', crowd, 'forbidden']) {
      sockets.subject.send(sayInChat, { message });
    }
    const isSaid = (text: string) => ({ message }: { message: string }) => message === text;
    const isOwn = ({ message, username }: { message: string; username: string }) =>
      message === crowd && username === subject.username;
    expect(await sockets.subject.waitFor(chatMessage, isSaid('held example.com')))
      .toMatchObject({ id: 0, error: true, errorMessage: 'Your message is waiting for moderator approval.' });
    expect(await sockets.subject.waitFor(chatMessage, isOwn)).toMatchObject({ error: false });
    expect((await sockets.subject.waitFor(chatMessage, isSaid('forbidden'))).errorMessage)
      .toContain('isn’t allowed here');
    for (const socket of [sockets.owner, sockets.mod, sockets.staff]) {
      expect(await socket.waitFor(messageWithheld, ({ verdict }) => verdict === 'hold')).toMatchObject({
        heldId: expect.any(Number) as number,
        message: { id: 0, message: 'held example.com', username: subject.username },
      });
      expect(await socket.waitFor(messageWithheld, ({ verdict }) => verdict === 'shadow'))
        .toMatchObject({ message: { message: crowd, username: subject.username } });
    }
    const { heldId } = await sockets.owner.waitFor(messageWithheld, ({ verdict }) => verdict === 'hold');
    // For everybody else its log entry is empty: no text, no name, no gap.
    expect((await sockets.viewer.waitFor(messagesRemoved)).ids).toEqual([]);
    await says(sockets.viewer, 'anybody?');
    for (const socket of [sockets.viewer, sockets.elsewhere, sockets.guest]) {
      await socket.waitFor(chatMessage, isSaid('anybody?'));
      const unseen = new RegExp(`held|forbidden|${subject.username}`, 'u');
      expect(JSON.stringify(socket.events)).not.toMatch(unseen);
      const places = socket.events.flatMap(({ seq }) => seq ?? []);
      expect(places).toEqual(places.map((_, at) => (places[0] ?? 0) + at));
    }
    // A moderator approves it.
    await performer.showsHeld(heldId ?? 0);
    expect(await sockets.guest.waitFor(chatMessage, isSaid('held example.com')))
      .toMatchObject({ username: subject.username, error: false });
  });
});

describe('the guard', () => {
  it('receives address and device of a viewer, from the page and the socket', async () => {
    const performer = await site.performer();
    const subject = await site.viewer({ address: '203.0.113.5', region: 'demo' });
    await subject.call(declareAge, { of_age: true });
    await site.opensRoom(subject, performer);
    await performer.moderates('ban', subject);
    const refusalAt = async (who: Member): Promise<readonly string[]> => {
      const socket = await site.openSocket(who, `/ws/room/${performer.username}`);
      const { node_token: token } = await who.call(getCurrentUser, {});
      socket.send(authorize, { token, version: 'test' });
      const page = await who.refused(getRoom, { username: performer.username });
      return [page.errorType, (await socket.waitFor(authorizeFailed)).code];
    };
    const sameDevice = await site.viewer();
    sameDevice.setCookie(DEVICE_COOKIE, subject.cookie(DEVICE_COOKIE) ?? '');
    expect(await refusalAt(sameDevice)).toEqual(['room_banned', 'room_banned']);
    const sameAddress = await site.visitor({ address: '203.0.113.5', region: 'demo', ofAge: true });
    expect((await sameAddress.refused(getRoom, { username: performer.username })).errorType)
      .toBe('room_banned');
  });

  it('sends nothing of the moderators to those of another room, guests and forged events', async () => {
    const { performer, subject, sockets } = await stage();
    for (const socket of [sockets.elsewhere, sockets.guest, sockets.viewer]) {
      socket.send(startUserList, {});
      for (const [name, payload] of [
        ['v3.chat.moderate', { type: 'banned', action: 'add', username: subject.username }],
        ['v3.chat.removed', { ids: [1] }],
        ['v3.chat.banned', { room: performer.username }],
      ]) socket.sendRaw(JSON.stringify([name, payload]));
    }
    await says(sockets.viewer, 'nothing happened');
    for (const socket of [sockets.elsewhere, sockets.guest, sockets.viewer, sockets.subject]) {
      await socket.waitFor(chatMessage, ({ message }) => message === 'nothing happened');
      expect([socket.received(moderated), socket.received(userList), socket.received(messageWithheld)])
        .toEqual([[], [], []]);
      expect(socket.closeCode).toBeNull();
    }
  });
});
