import {
  chatMessage,
  chatUpdate,
  getRoom,
  sayInChat,
  soundPlayed,
  startUserList,
  userList,
} from '#product/rooms/contract.ts';
import {
  getRoomSettings,
  highlightedMessage,
  highlightMessage,
  sendNotice,
  setSubject,
} from '#product/rooms/contract/controls.ts';
import { chatKicked, messagesRemoved, moderated } from '#product/rooms/contract/moderation.ts';
import { EMPTY_LIVE_ROOM, isRoomEvent, reduceRoom, type LiveRoom } from '#product/rooms/rules/live-room.ts';
import type { TestSocket } from '#product/testkit/rooms/room-socket.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moderate, removeMessages } from './contract.ts';
import type { ModerationAction } from './rules.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  site.data.start();
});
afterAll(() => site.close());

const codeOf = ({ errorType }: { readonly errorType: string }): string => errorType;

/** A live room with its moderator, a site moderator, an ordinary viewer and the moderator of another room. */
async function stage() {
  const performer = await site.performer({ live: true });
  const [moderator, viewer, stranger] = [await site.viewer(), await site.viewer(), await site.viewer()];
  const siteModerator = await site.viewer({ roles: ['site_mod'] });
  await performer.moderates('moderator', moderator);
  await (await site.performer()).moderates('moderator', stranger);
  await site.settle();
  return { performer, moderator, siteModerator, viewer, stranger };
}

describe('moderators of a room and of the site', () => {
  it('remove, silence, kick, ban, set topic and mode, play sounds; viewers do not [B-004]', async () => {
    const { performer, moderator, siteModerator, viewer, stranger } = await stage();
    const { username } = performer;
    const watcher = await viewer.joins(performer);
    const lines = async (socket: TestSocket, text: string): Promise<number> => {
      socket.send(sayInChat, { message: text });
      return (await socket.waitFor(chatMessage, ({ message }) => message === text)).id;
    };
    for (const [nth, who] of [moderator, siteModerator].entries()) {
      const subject = await site.viewer();
      const [own, socket] = [await who.joins(performer), await subject.joins(performer)];
      const rude = await lines(socket, `rude ${nth}`);
      await who.call(removeMessages, { username, ids: [rude] });
      await watcher.waitFor(messagesRemoved, ({ ids }) => ids.includes(rude));
      for (const action of ['silence', 'unsilence', 'kick', 'ban', 'unban'] as const) {
        await who.moderates(action, subject, { room: performer });
        if (action === 'silence') {
          expect(await site.says(socket, 'not any more')).toMatchObject({ error: true });
        }
        if (action === 'kick') await socket.waitFor(chatKicked);
        if (action === 'ban') {
          expect((await subject.refused(getRoom, { username })).errorType).toBe('room_banned');
        }
      }
      await who.call(setSubject, { username, subject: `Topic ${nth}` });
      expect((await viewer.call(getRoom, { username })).chat.subjectText).toBe(`Topic ${nth}`);
      own.send(sayInChat, { message: '/setmode limited' });
      await own.waitFor(chatUpdate, ({ mode }) => mode === 'limited');
      own.send(sayInChat, { message: '/setmode public' });
      own.send(sayInChat, { message: '/play_sound bell' });
      await watcher.waitFor(soundPlayed, ({ username: by }) => by === who.username);
    }
    const before = await viewer.call(getRoom, { username });
    const victim = await site.viewer();
    const id = await lines(await victim.joins(performer), 'an ordinary line');
    for (const who of [viewer, stranger, await site.performer()]) {
      expect(codeOf(await who.refused(removeMessages, { username, ids: [id] }))).toBe('moderation_forbidden');
      for (const action of ['silence', 'kick', 'ban', 'moderator'] as const) {
        expect(await refusedTo(who, action, victim, performer)).toBe('moderation_forbidden');
      }
      expect(codeOf(await who.refused(setSubject, { username, subject: 'Mine' }))).toBe('not_your_room');
      const socket = await who.joins(performer);
      for (const message of ['/setmode limited', '/play_sound bell']) {
        expect(await site.says(socket, message)).toMatchObject({ error: true, action: 'not_for_you' });
      }
    }
    const after = await viewer.call(getRoom, { username });
    expect([after.mode, after.chat.subjectText]).toEqual([before.mode, 'Topic 1']);
    // Moderators have no rights over the performer, nor room moderators over site moderators.
    expect(await refusedTo(moderator, 'ban', performer, performer)).toBe('subject_protected');
    expect(await refusedTo(moderator, 'ban', siteModerator, performer)).toBe('subject_protected');
  });
});

async function refusedTo(
  who: Member,
  action: ModerationAction,
  subject: Member,
  room: Member,
): Promise<string> {
  return who.moderates(action, subject, { room }).then(
    () => 'done',
    (error: unknown) => codeOf((error as { problem: { errorType: string } }).problem),
  );
}

describe('the admin of a room', () => {
  it('is its streamer, a MODEL_ADMIN or a SITE_MOD, and nobody else [B-304]', async () => {
    const { performer, moderator, siteModerator, viewer, stranger } = await stage();
    const { username } = performer;
    const modelAdmin = await site.viewer({ roles: ['model_admin'] });
    const watcher = await viewer.joins(performer);
    const isAdmin = async (who: Visitor): Promise<boolean> =>
      (await who.call(getRoom, { username })).auth.isRoomAdmin;
    for (const who of [performer, modelAdmin, siteModerator]) {
      expect(await isAdmin(who)).toBe(true);
      expect((await who.call(getRoomSettings, { username })).followEnabled).toBe(true);
      await who.call(sendNotice, { username, message: `Notice of ${who.username}` });
      await watcher.waitFor(chatMessage, ({ message }) => message === `Notice of ${who.username}`);
      await who.call(highlightMessage, { username, message: 'Hello', to: viewer.username });
      await watcher.waitFor(highlightedMessage, ({ username: by }) => by === who.username);
    }
    const others = [
      moderator,
      viewer,
      stranger,
      await site.performer(),
      await site.viewer({
        roles: ['test_user'],
      }),
    ];
    for (const who of others) {
      expect(await isAdmin(who)).toBe(false);
      for (const refused of [
        await who.refused(getRoomSettings, { username }),
        await who.refused(sendNotice, { username, message: 'Mine' }),
        await who.refused(highlightMessage, { username, message: 'Mine' }),
      ]) expect(refused).toMatchObject({ status: 403, errorType: 'not_your_room' });
    }
    const guest = await site.visitor({ ofAge: true });
    expect(await isAdmin(guest)).toBe(false);
    expect(await guest.refused(getRoomSettings, { username })).toMatchObject({ status: 401 });
    // The admin of one room has no rights in another.
    const other = await site.performer({ live: true });
    expect((await performer.call(getRoom, { username: other.username })).auth.isRoomAdmin).toBe(false);
  });
});

describe('moderating', () => {
  it('is for the admins of a room and its moderators, and for nobody else [B-305]', async () => {
    const { performer, moderator, siteModerator, viewer, stranger } = await stage();
    const { username } = performer;
    const modelAdmin = await site.viewer({ roles: ['model_admin'] });
    const subject = await site.viewer();
    const silenced = async (): Promise<readonly string[]> =>
      (await performer.call(getRoom, { username })).chat.silencedUsernameList;
    for (const who of [performer, modelAdmin, siteModerator, moderator]) {
      expect((await who.call(getRoom, { username })).auth.canModerate).toBe(true);
      await who.moderates('silence', subject, { room: performer });
      expect(await silenced()).toEqual([subject.username]);
      await who.moderates('unsilence', subject, { room: performer });
      expect(await silenced()).toEqual([]);
    }
    const ask = { username, subject: subject.username, action: 'silence' as const };
    for (const who of [viewer, stranger, await site.performer({ live: true })]) {
      expect((await who.call(getRoom, { username })).auth.canModerate).toBe(false);
      expect(codeOf(await who.refused(moderate, ask))).toBe('moderation_forbidden');
    }
    const guest = await site.visitor({ ofAge: true });
    expect((await guest.call(getRoom, { username })).auth.canModerate).toBe(false);
    expect((await guest.refused(moderate, ask)).status).toBe(401);
    expect(await silenced()).toEqual([]);
  });
});

/** The live room of a page, from everything its socket received. */
const pageOf = (socket: TestSocket): LiveRoom =>
  socket.events.reduce(
    (room, { name, payload, seq }) => (isRoomEvent(name) ? reduceRoom(room, { name, payload, seq }) : room),
    EMPTY_LIVE_ROOM,
  );

/** Waits for the next moderation of a person at a socket, and checks how many messages it removes. */
function moderationsAt(socket: TestSocket) {
  const counts = new Map<Member, number>();
  return async (who: Member, type: string, action: string, removed: number): Promise<unknown> => {
    // Moderator names are sent both to everybody and to moderators, under the same sequence number.
    const own = () => [...new Map(
      socket.received(moderated)
        .filter(({ username }) => username === who.username).map((item) => [item.id, item]),
    ).values()];
    const count = (counts.get(who) ?? 0) + 1;
    counts.set(who, count);
    await expect.poll(() => own().length).toBe(count);
    const event = own().at(-1);
    expect(event).toEqual({
      id: expect.any(Number),
      type,
      action,
      username: who.username,
      display_name: who.person.displayName,
      removed: expect.any(Array),
    });
    expect(event?.removed).toHaveLength(removed);
    return event;
  };
}

describe('v3.chat.moderate', () => {
  it('bans, kicks, names moderators and silences, with type, action and username [B-362]', async () => {
    const { performer, viewer, stranger: subject } = await stage();
    const rude = await site.viewer();
    const owner = await performer.joins(performer);
    const speaks = await subject.joins(performer);
    const rants = await rude.joins(performer);
    await viewer.joins(performer);
    const page = (): LiveRoom => pageOf(owner);
    const texts = (): string[] => page().messages.map(({ message }) => message);
    const listed = (room = page()): string[] => Object.keys(room.users).toSorted();
    const names = (...people: Member[]): string[] => people.map(({ username }) => username).toSorted();
    /** Waits for another complete list that names exactly these people. */
    const lists = async (...people: Member[]): Promise<void> => {
      const before = owner.received(userList).length;
      owner.send(startUserList, {});
      await expect.poll(() => {
        site.clock.advance(5_000);
        return owner.received(userList).length;
      }).toBeGreaterThan(before);
      expect(listed()).toEqual(names(...people));
    };
    const said = async (socket: TestSocket, message: string): Promise<void> => {
      socket.send(sayInChat, { message });
      await owner.waitFor(chatMessage, (line) => line.message === message);
    };
    const receives = moderationsAt(owner);
    await lists(subject, rude, viewer);
    await said(speaks, 'first');

    await performer.moderates('silence', subject);
    await receives(subject, 'silenced', 'add', 1);
    expect([texts(), page().silenced]).toEqual([[], [subject.username]]);
    expect(listed()).toEqual(names(subject, rude, viewer));
    await performer.moderates('unsilence', subject);
    await receives(subject, 'silenced', 'remove', 0);
    expect(page().silenced).toEqual([]);

    await performer.moderates('moderator', subject);
    await receives(subject, 'moderator', 'add', 0);
    expect(page().moderators).toContain(subject.username);
    await performer.moderates('unmoderator', subject);
    await receives(subject, 'moderator', 'remove', 0);
    expect(page().moderators).not.toContain(subject.username);

    const again = await subject.joins(performer);
    await said(again, 'second');
    await said(rants, 'rude');
    await lists(subject, rude, viewer);
    /** The people listed on a page after only this moderation: an event for their leaving may follow soon. */
    const after = async (before: LiveRoom, moderation: Promise<unknown>): Promise<string[]> =>
      listed(reduceRoom(before, { name: 'v3.chat.moderate', payload: await moderation, seq: null }));
    let before = page();
    await performer.moderates('kick', subject);
    expect(await after(before, receives(subject, 'kicked', 'add', 0))).toEqual(names(rude, viewer));
    expect([texts(), listed()]).toEqual([['second', 'rude'], names(rude, viewer)]);

    before = page();
    await performer.moderates('ban', rude);
    expect(await after(before, receives(rude, 'banned', 'add', 1))).toEqual(names(viewer));
    expect([texts(), listed()]).toEqual([['second'], names(viewer)]);
  });
});
