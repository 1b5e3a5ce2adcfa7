import { settling, type TestSocket } from '#product/testkit/rooms/room-socket.ts';
import { feedOf, firstListOf, throttledOn } from '#product/testkit/rooms/user-list.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startUserList, stopUserList, userCount, userJoined, userLeft, userList } from './contract.ts';
import { MAX_LIST_CHANGES } from './rules.ts';
import { EMPTY_LIVE_ROOM, isRoomEvent, reduceRoom, type LiveRoom } from './rules/live-room.ts';

const settled = settling();
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  site.data.start();
});
afterAll(() => site.close());

async function stage() {
  return { performer: await site.performer({ live: true }), viewer: await site.viewer() };
}

const throttled = (count: () => number, least = 1) => throttledOn(site, count, least);
const listAt = (socket: TestSocket) => firstListOf(site, socket);

describe('the user list', () => {
  it('sets the list of a page: v3.chat.user_list, 5 s after a change and not earlier [B-354]', async () => {
    const { performer, viewer } = await stage();
    const owner = await feedOf(performer, performer);
    await listAt(owner);
    site.clock.advance(5_000);
    // The list is sent at once after a quiet interval; sending it starts the next interval.
    owner.send(stopUserList, {});
    owner.send(startUserList, {});
    await expect.poll(() => owner.received(userList).length).toBe(2);
    await viewer.joins(performer);
    owner.send(stopUserList, {});
    owner.send(startUserList, {});
    site.clock.advance(4_999);
    await settled(owner);
    expect(owner.received(userList)).toHaveLength(2);
    site.clock.advance(1);
    await expect.poll(() => owner.received(userList).length).toBe(3);
    const payload = owner.received(userList)[2];
    expect(payload).toMatchObject({ count: 1, users: [{ username: viewer.username }] });
    // Of the people in the previous list, only those in the new list stay.
    const [user] = payload?.users ?? [];
    const gone = { ...user, username: 'gone' };
    const before = { ...EMPTY_LIVE_ROOM, users: { gone, [viewer.username]: { ...user, has_tokens: true } } };
    for (const room of [EMPTY_LIVE_ROOM, before as LiveRoom]) {
      const page = reduceRoom(room, { name: 'v3.chat.user_list', payload, seq: null });
      expect(page.users).toEqual({ [viewer.username]: user });
    }
  });

  it('is sent whole again, without who left, when more than 10 came and went in 5 s [B-354]', async () => {
    const { performer, viewer } = await stage();
    const tab = await viewer.joins(performer);
    const owner = await feedOf(performer, performer);
    const page = (): readonly string[] =>
      Object.keys(
        owner.events.reduce(
          (
            room,
            { name, payload },
          ) => (isRoomEvent(name) ? reduceRoom(room, { name, payload, seq: null }) : room),
          EMPTY_LIVE_ROOM,
        ).users,
      );
    expect((await listAt(owner)).users.map(({ username }) => username)).toEqual([viewer.username]);
    for (let nth = 1; nth <= 2; nth += 1) site.clock.advance(5_000);
    // The first change after a quiet interval is sent at once, and the others wait.
    const first = await site.viewer();
    const firstTab = await first.joins(performer);
    await expect.poll(() => page().length).toBe(2);
    const many = await Promise.all(Array.from({ length: MAX_LIST_CHANGES }, () => site.viewer()));
    for (const who of many) await who.joins(performer);
    for (const one of [tab, firstTab]) await one.leaves();
    site.clock.advance(4_999);
    await settled(owner);
    expect([owner.received(userList).length, page().length]).toEqual([1, 2]);
    site.clock.advance(1);
    await expect.poll(() => owner.received(userList).length).toBe(2);
    expect(page().toSorted()).toEqual(many.map(({ username }) => username).toSorted());
    expect([owner.received(userJoined).length, owner.received(userLeft).length]).toEqual([1, 0]);
  });

  it.each([
    ['a change soon after it is sent to others first', 0, 8_000],
    ['a change 3 s after it is sent to all together', 3_000, 5_000],
  ])(
    'keeps 5 s from a first list that is sent between two others: %s [B-354]',
    async (_title, changesAfterMs, sentAfterMs) => {
      const { performer, viewer } = await stage();
      const late = await (await site.viewer({ roles: ['site_mod'] })).joins(performer);
      const owner = await feedOf(performer, performer);
      await listAt(owner);
      for (let nth = 1; nth <= 2; nth += 1) site.clock.advance(5_000);
      await viewer.joins(performer);
      await owner.waitFor(userJoined, ({ user }) => user.username === viewer.username);
      site.clock.advance(2_000);
      late.send(startUserList, {});
      expect((await late.waitFor(userList)).count).toBe(2);
      site.clock.advance(changesAfterMs);
      const another = await site.viewer();
      await another.joins(performer);
      const isSent = (socket: TestSocket): boolean =>
        socket.received(userJoined).some(({ user }) => user.username === another.username);
      site.clock.advance(sentAfterMs - changesAfterMs - 1);
      await settled(owner, late);
      expect([isSent(owner), isSent(late)]).toEqual([changesAfterMs === 0, false]);
      site.clock.advance(1);
      await expect.poll(() => [isSent(owner), isSent(late)]).toEqual([true, true]);
      // The other socket received nothing else, and nobody received anything twice.
      await settled(owner, late);
      expect([late, owner].map((socket) => socket.received(userJoined).length)).toEqual([1, 2]);
      expect([late, owner].map((socket) => socket.received(userList).length)).toEqual([1, 1]);
    },
  );

  it('is sent every 5 s at most, until it is stopped [B-252, C-169]', async () => {
    const { performer } = await stage();
    const owner = await feedOf(performer, performer);
    await listAt(owner);
    const news = (): number =>
      [userList, userJoined, userLeft].flatMap((event) => owner.received(event)).length;
    // After an interval without changes the first is sent at once, and later ones wait.
    site.clock.advance(5_000);
    site.clock.advance(5_000);
    const first = await (await site.viewer()).joins(performer);
    await expect.poll(news).toBe(2);
    await first.leaves();
    for (let nth = 1; nth <= 2; nth += 1) await (await site.viewer()).joins(performer);
    site.clock.advance(4_999);
    await settled(owner);
    expect(news()).toBe(2);
    site.clock.advance(1);
    await expect.poll(news).toBe(5);
    owner.send(stopUserList, {});
    await settled(owner);
    await (await site.viewer()).joins(performer);
    site.clock.advance(10_000);
    await settled(owner);
    expect(news()).toBe(5);
  });

  it('follows a change after 5 s and no sooner, as the count does [B-402]', async () => {
    const { performer } = await stage();
    const owner = await feedOf(performer, performer);
    await listAt(owner);
    site.clock.advance(10_000);
    const [first, second] = [await site.viewer(), await site.viewer()];
    await first.joins(performer);
    await owner.waitFor(userJoined, ({ user }) => user.username === first.username);
    await second.joins(performer);
    const said = () => [
      owner.received(userJoined).some(({ user }) => user.username === second.username),
      owner.received(userCount).some(({ user_count: count }) => count === 2),
    ];
    site.clock.advance(4_999);
    await settled(owner);
    expect(said()).toEqual([false, false]);
    site.clock.advance(1);
    await expect.poll(said).toEqual([true, true]);
  });

  it('is sent at once when first opened, and throttled when opened again [B-252, C-168]', async () => {
    const { performer, viewer } = await stage();
    const owner = await performer.joins(performer);
    const watcher = await viewer.joins(performer);
    for (let nth = 1; nth <= 2; nth += 1) site.clock.advance(5_000);
    await settled(owner, watcher);
    // Nothing is sent to a socket that has not started the list.
    expect([owner, watcher].flatMap((socket) => socket.received(userList))).toEqual([]);
    owner.send(startUserList, {});
    await owner.waitFor(userList);
    // Joining starts a throttle interval.
    const staff = await feedOf(await site.viewer({ roles: ['site_mod'] }), performer);
    expect((await staff.waitFor(userList)).count).toBeGreaterThan(0);
    staff.send(stopUserList, {});
    staff.send(startUserList, {});
    await settled(staff);
    expect(staff.received(userList)).toHaveLength(1);
    await throttled(() => staff.received(userList).length, 2);
    // The feed goes on: a member who joins now is reported.
    const late = await site.viewer();
    await late.joins(performer);
    await throttled(() =>
      staff.received(userJoined)
        .filter(({ user }) => user.username === late.username).length
    );
  });
});
