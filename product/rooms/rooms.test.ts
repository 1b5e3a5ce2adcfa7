import { authorize, authorizeFailed, authorizeSuccess } from '#platform/contract/sockets/lobby.ts';
import { closeCodes } from '#platform/contract/sockets/wire.ts';
import { getCurrentUser, loggedOut, logout } from '#product/accounts/contract.ts';
import { endBroadcast, setDetails } from '#product/broadcast/contract.ts';
import type { TestSocket } from '#product/testkit/rooms/room-socket.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  chatHistory,
  chatMessage,
  chatSubject,
  chatUpdate,
  getRoom,
  startUserList,
  stopUserList,
  userCount,
  userJoined,
  userLeft,
  userList,
} from './contract.ts';
import { saveRoomSettings } from './contract/controls.ts';
import { withEvent } from './rules/room-data.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  // Delivers facts and events in the background.
  site.data.start();
});
afterAll(() => site.close());

const says = (socket: TestSocket, message: string) => socket.settles(message);

const texts = (socket: TestSocket): string[] => socket.received(chatMessage).map(({ message }) => message);

/** Usernames for which a room page is refused, and why. */
async function namesRefused(): Promise<[why: string, username: string][]> {
  const uncleared = await site.performer({ cleared: false });
  const viewer = await site.viewer();
  return [
    ['nobody', 'nobody-has-this'],
    ['no performer', viewer.username],
    ['not cleared', uncleared.username],
  ];
}

describe('room data', () => {
  it('answers GET chat/react/{username} with the room, its stream and rights [B-320]', async () => {
    const performer = await site.performer({ live: true });
    await performer.call(setDetails, { title: 'Good evening', tags: ['music'] });
    const viewer = await site.viewer();
    for (const query of ['', `?username=${viewer.username}&gender-hide=m,t`]) {
      const url = `/api/v1/chat/react/${performer.username}${query}`;
      const response = await viewer.request({ method: 'GET', url });
      expect(response.statusCode).toBe(200);
      expect(response.json()).toMatchObject({
        user: {
          id: performer.id,
          username: performer.username,
          gender: 'f',
          tagListNew: ['music'],
          roleList: [],
        },
        chat: { status: 'online', mode: 'public', subjectText: 'Good evening', userCount: 0 },
        stream: { stream_name: expect.any(String), token: expect.any(String) },
        auth: { isStreamer: false, isModerator: false, isBanned: false },
        seo: { h1: performer.person.displayName },
      });
    }
  });

  it('reads gender-hide as a list, and never believes the query who is logged in [B-320]', async () => {
    const [man, trans] = [
      await site.performer({ live: true, gender: 'm' }),
      await site.performer({ live: true, gender: 't' }),
    ];
    const viewer = await site.viewer();
    const ask = async (who: Member, username: string, query: string) =>
      (await who.request({ method: 'GET', url: `/api/v1/chat/react/${username}?${query}` })).json<{
        readonly user: { readonly id: number };
        readonly suggestions: readonly string[];
        readonly auth: { readonly isStreamer: boolean; readonly canModerate: boolean };
      }>();
    const suggested = async (hidden: string): Promise<readonly string[]> =>
      (await ask(viewer, 'nobody-has-this', `username=${viewer.username}&gender-hide=${hidden}`)).suggestions;
    expect(await suggested('f,t')).toEqual([man.username]);
    expect(await suggested('m,f')).toEqual([trans.username]);
    expect((await suggested('f')).toSorted()).toEqual([man.username, trans.username].toSorted());
    for (const [who, named, isStreamer] of [[viewer, man, false], [man, viewer, true]] as const) {
      const { user, auth } = await ask(who, man.username, `username=${named.username}`);
      expect([user.id, auth.isStreamer, auth.canModerate]).toEqual([man.id, isStreamer, isStreamer]);
    }
    for (const performer of [man, trans]) await performer.call(endBroadcast, {});
  });

  it('lower-cases and trims the username of the video panel [B-288]', async () => {
    const performer = await site.performer({ username: 'Velvet' });
    const viewer = await site.viewer();
    for (const username of ['velvet', ' VELVET ', 'vElVeT']) {
      expect((await viewer.call(getRoom, { username })).user.id).toBe(performer.id);
    }
  });

  it('identifies the streamer of a room by the account only [B-300]', async () => {
    const [owner, other] = [await site.performer(), await site.performer()];
    const streamerFor = async (visitor: Pick<Member, 'call'>) =>
      (await visitor.call(getRoom, { username: owner.username })).auth.isStreamer;
    expect(await streamerFor(owner)).toBe(true);
    expect(await streamerFor(await site.anotherTabOf(owner))).toBe(true);
    for (const who of [other, await site.viewer()]) expect(await streamerFor(who)).toBe(false);
    for (const role of ['admin', 'site_mod', 'model_admin'] as const) {
      expect(await streamerFor(await site.viewer({ roles: [role] }))).toBe(false);
    }
    expect(await streamerFor(await site.visitor({ ofAge: true }))).toBe(false);
    const tab = await site.anotherTabOf(owner);
    await tab.call(logout, {});
    expect(await streamerFor(tab)).toBe(false);
  });

  it('refuses with status, error and suggestions of live rooms, by gender [B-321]', async () => {
    const [live, offline] = [await site.performer({ live: true }), await site.performer()];
    const viewer = await site.viewer();
    const problem = await viewer.refused(getRoom, { username: 'nobody-has-this' });
    expect(problem)
      .toMatchObject({ status: 404, error: 'This room does not exist.', errorType: 'room_unknown' });
    expect(problem['suggestions']).toContain(live.username);
    expect(problem['suggestions']).not.toContain(offline.username);
    const without = await viewer.refused(getRoom, { username: 'nobody-has-this', 'gender-hide': 'f' });
    expect(without['suggestions']).toEqual([]);
    // A person who is banned from a room is sent to other rooms.
    const barring = await site.performer({ live: true });
    await barring.moderates('ban', viewer);
    const banned = await viewer.refused(getRoom, { username: barring.username });
    expect(banned).toMatchObject({
      status: 403,
      error: 'You have been banned from this room.',
      errorType: 'room_banned',
    });
    expect(banned['suggestions']).toContain(live.username);
    expect(banned['suggestions']).not.toContain(barring.username);
  });

  it('refuses hidden and unknown rooms alike, on the page and on the socket', async () => {
    const viewer = await site.viewer();
    const names = await namesRefused();
    const answers = await Promise.all(
      names.map(async ([, username]) => JSON.stringify(await viewer.refused(getRoom, { username }))),
    );
    expect(new Set(answers).size).toBe(1);
    for (const [why, username] of names) {
      const socket = await site.openSocket(viewer, `/ws/room/${username}`);
      await expect(authorizes(viewer, socket), why).rejects.toThrow('v3.authorize.failed');
      expect(await socket.closing(), why).toBe(closeCodes.refused);
      expect(socket.events, why).toMatchObject([{ payload: { code: 'room_unknown' } }]);
    }
  });

  it('admits nobody before the entry gate, and does not reveal there what exists', async () => {
    const performer = await site.performer({ live: true });
    const visitor = await site.visitor();
    const [there, nowhere] = await Promise.all(
      [performer.username, 'nobody-has-this'].map((username) => visitor.refused(getRoom, { username })),
    );
    expect(there).toMatchObject({ status: 403, errorType: 'room_forbidden', suggestions: [] });
    expect(nowhere).toEqual(there);
    const socket = await site.openSocket(visitor, `/ws/room/${performer.username}`);
    await expect(authorizes(visitor, socket)).rejects.toThrow('v3.authorize.failed');
    expect(await socket.closing()).toBe(closeCodes.refused);
  });
});

/** Waits for authorization; throws with the names of the events received instead. */
async function authorizes(visitor: Parameters<TestSite['openSocket']>[0], socket: TestSocket): Promise<void> {
  const { node_token: token } = await visitor.call(getCurrentUser, {});
  socket.send(authorize, { token, version: 'test' });
  await Promise.race([
    socket.waitFor(authorizeSuccess),
    socket.waitFor(authorizeFailed).then(({ code }) => {
      throw new Error(`v3.authorize.failed: ${code}`);
    }),
  ]);
}

describe('presence', () => {
  it('counts people, not tabs, nor the performer, and sends it every 5 s [B-253]', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const owner = await performer.joins(performer);
    await owner.waitFor(userCount);
    const first = await viewer.joins(performer);
    await viewer.joins(performer);
    await site.socketOf(await site.visitor({ ofAge: true }), performer.username);
    await first.waitFor(chatHistory);
    const counts = (): number[] => owner.received(userCount).map(({ user_count: count }) => count);
    site.clock.advance(4_999);
    await says(first, 'now');
    await owner.waitFor(chatMessage);
    expect(new Set(counts())).toEqual(new Set([0]));
    site.clock.advance(1);
    await owner.waitFor(userCount, ({ user_count: count }) => count === 2);
    // Three more people join within the next interval: one count is sent, at its end.
    const before = counts().length;
    for (let nth = 1; nth <= 3; nth += 1) await (await site.viewer()).joins(performer);
    site.clock.advance(4_999);
    await says(first, 'and now');
    await owner.waitFor(chatMessage, ({ message }) => message === 'and now');
    expect(counts().slice(before)).toEqual([]);
    site.clock.advance(1);
    await owner.waitFor(userCount, ({ user_count: count }) => count === 5);
    expect(counts().slice(before)).toEqual([5]);
    expect((await viewer.call(getRoom, { username: performer.username })).chat.userCount).toBe(5);
    await first.leaves();
    const status = await site.tx((tx) => site.services.rooms.statusOf(tx, [performer.id]));
    expect(status.get(performer.id)).toEqual({ status: 'online', viewerCount: 5, isLocked: false });
  });

  it('is a number that the page of a room takes over: v3.chat.user_count [C-353]', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const socket = await viewer.joins(performer);
    let room = await viewer.call(getRoom, { username: performer.username });
    expect([room.chatUserCount, room.chat.userCount]).toEqual([1, 1]);
    await (await site.viewer()).joins(performer);
    site.clock.advance(5_000);
    const payload = await socket.waitFor(userCount, ({ user_count: count }) => count === 2);
    expect(payload).toEqual({ user_count: 2 });
    room = withEvent(room, { name: 'v3.chat.user_count', payload });
    expect([room.chatUserCount, room.chat.userCount]).toEqual([2, 2]);
    expect((await viewer.call(getRoom, { username: performer.username })).chatUserCount).toBe(2);
  });

  it('is a list that the streamer and viewers who may see it start and stop [B-254]', async () => {
    const performer = await site.performer({ live: true });
    const { username } = performer;
    const [viewer, guest] = [await site.viewer(), await site.visitor({ ofAge: true })];
    const owner = await performer.joins(performer);
    const named = await site.viewer();
    await performer.moderates('moderator', named);
    const others = [
      viewer,
      await site.performer({ live: true }),
      named,
      await site.viewer({ roles: ['model_admin'] }),
    ];
    const sockets = [await site.socketOf(guest, username)];
    for (const who of others) sockets.push(await who.joins(performer));
    const feedOf = (socket: TestSocket): number =>
      socket.received(userList).length + socket.received(userJoined).length;
    /** Somebody joins, which the feed reports within 5 s. */
    const comes = async (): Promise<string> => {
      const other = await site.viewer();
      await other.joins(performer);
      site.clock.advance(5_000);
      return other.username;
    };
    for (const socket of [owner, ...sockets]) socket.send(startUserList, {});
    await owner.waitFor(userList);
    const first = await comes();
    await owner.waitFor(userJoined, ({ user }) => user.username === first);
    await says(owner, 'now');
    for (const socket of sockets) {
      await socket.waitFor(chatMessage, ({ message }) => message === 'now');
      expect(feedOf(socket)).toBe(0);
    }
    await performer.call(saveRoomSettings, { username, isUserListVisible: true });
    for (const socket of sockets) {
      socket.send(startUserList, {});
      await socket.waitFor(userList);
    }
    const second = await comes();
    for (const socket of sockets) await socket.waitFor(userJoined, ({ user }) => user.username === second);
    const everybody = [owner, ...sockets];
    for (const socket of everybody) socket.send(stopUserList, {});
    await says(owner, 'stopped');
    const before = everybody.map(feedOf);
    await comes();
    await says(owner, 'the end');
    for (const socket of everybody) await socket.waitFor(chatMessage, ({ message }) => message === 'the end');
    expect(everybody.map(feedOf)).toEqual(before);
  });

  it('sends the list to streamer and SITE_MOD, until stopped [B-338, B-339]', async () => {
    const performer = await site.performer({ live: true });
    const [viewer, moderator] = [await site.viewer(), await site.viewer({ roles: ['site_mod'] })];
    const [owner, watcher, mod] = [
      await performer.joins(performer),
      await viewer.joins(performer),
      await moderator.joins(performer),
    ];
    // A socket that receives the count is included in it.
    for (const socket of [owner, watcher, mod]) await socket.waitFor(userCount);
    for (const socket of [owner, watcher, mod]) socket.send(startUserList, {});
    await says(watcher, 'asked');
    site.clock.advance(5_000);
    for (const socket of [owner, mod]) {
      const { count, users } = await socket.waitFor(userList);
      expect(count).toBe(2);
      const names = new Set(users.map(({ username }) => username));
      expect(names).toEqual(new Set([viewer.username, moderator.username]));
      expect(users[0]).toMatchObject({ tokens: null, is_guest: false });
    }
    const feedOf = (socket: TestSocket): number =>
      [userList, userJoined, userLeft].flatMap((event) => socket.received(event)).length;
    /** Somebody joins, which the feed of `reader` reports. */
    const comes = async (reader: TestSocket): Promise<void> => {
      const other = await site.viewer();
      await other.joins(performer);
      site.clock.advance(5_000);
      await expect.poll(() => [
        ...reader.received(userJoined).map(({ user }) => user.username),
        ...reader.received(userList).flatMap(({ users }) => users.map(({ username }) => username)),
      ]).toContain(other.username);
      await watcher.settles(`${other.username} is here`, owner, mod);
    };
    owner.send(stopUserList, {});
    await says(owner, 'stopped');
    const before = feedOf(owner);
    await comes(mod);
    expect(feedOf(owner)).toBe(before);
    // One of them stops and the other starts again.
    mod.send(stopUserList, {});
    await says(mod, 'stopped too');
    owner.send(startUserList, {});
    const last = feedOf(mod);
    await comes(owner);
    expect(feedOf(mod)).toBe(last);
    expect(feedOf(watcher)).toBe(0);
  });
});

describe('the state of a room', () => {
  it('follows the broadcast, and is sent to everybody in the room', async () => {
    const performer = await site.performer();
    const socket = await (await site.viewer()).joins(performer);
    expect(await socket.waitFor(chatUpdate)).toMatchObject({ status: 'offline', stream_name: null });
    await performer.goesLive();
    const online = await socket.waitFor(chatUpdate, ({ status }) => status === 'online');
    expect(online).toEqual({
      id: performer.id,
      status: 'online',
      mode: 'public',
      stream_name: expect.any(String),
      private_exclusive: false,
      origin_server: null,
      module_ids: [],
      app_ids: [],
      cam2cam: false,
      thumb_small: null,
    });
    const stream = online.stream_name ?? '';
    const statuses = (): string[] => socket.received(chatUpdate).map(({ status }) => status);
    site.engine.drop(stream, 'silent');
    await expect.poll(statuses).toEqual(['offline', 'online', 'reconnecting']);
    await performer.goesLive();
    await expect.poll(statuses).toEqual(['offline', 'online', 'reconnecting', 'online']);
    await performer.call(endBroadcast, {});
    await expect.poll(statuses).toEqual(['offline', 'online', 'reconnecting', 'online', 'offline']);
    expect((await performer.call(getRoom, { username: performer.username })).chat.status).toBe('offline');
  });

  it('sends a new subject', async () => {
    const performer = await site.performer({ live: true });
    const socket = await (await site.viewer()).joins(performer);
    await performer.call(setDetails, { title: 'Rainy day', tags: [] });
    const rainy = await socket.waitFor(chatSubject, ({ subject }) => subject === 'Rainy day');
    expect(rainy).toEqual({ subject: 'Rainy day', subject_color: null });
  });

  it('ends with the session: v3.logout on every socket, and nothing after it [A-385]', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const [lobby, room] = [await site.socketOf(viewer), await viewer.joins(performer)];
    await viewer.call(logout, {});
    for (const socket of [lobby, room]) {
      expect(await socket.waitFor(loggedOut)).toEqual({});
      expect(await socket.closing()).toBe(closeCodes.loggedOut);
    }
    const other = await (await site.viewer()).joins(performer);
    await says(other, 'who is there?');
    expect(texts(room)).toEqual([]);
  });
});
