import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestSocket } from '../testkit/rooms/room-socket.ts';
import { createShop, type Shop } from '../testkit/payments/payments.ts';
import { tokensOf } from '../testkit/payments/wallet.ts';
import type { Member, TestSite } from '../testkit/site.ts';
import type { Visitor } from '../testkit/visitor.ts';
import {
  getRoom, invisibleMode, saveRoomSettings, setInvisibleMode, startUserList,
  stopUserList, userJoined, userLeft, userList,
} from './contract.ts';
import { COUNT_THROTTLE_MS } from './rules.ts';

let site: TestSite;
let shop: Shop;
let marks = 0;
beforeAll(async () => {
  shop = await createShop();
  site = shop.site;
  site.data.start();
});
afterAll(() => shop.close());

const roomOf = (visitor: Visitor, { username }: Member) => visitor.call(getRoom, { username });
const refusedAs = (problem: { readonly errorType: string }): string => problem.errorType;

async function stage() {
  return { performer: await site.performer({ live: true }), viewer: await site.viewer() };
}

/** Waits until everything sent before has arrived: what has not arrived by then never will. */
async function settled(speaker: TestSocket, ...listeners: TestSocket[]): Promise<void> {
  marks += 1;
  await speaker.settles(`mark ${marks}`, ...listeners);
}

/** Advances by throttle intervals until a count is reached. */
const throttled = (count: () => number, least = 1) => expect.poll(() => {
  site.clock.advance(COUNT_THROTTLE_MS);
  return count();
}).toBeGreaterThanOrEqual(least);

async function listAt(socket: TestSocket) {
  await throttled(() => socket.received(userList).length);
  return socket.waitFor(userList);
}

/** Joins a room and starts its user list. */
const feedOf = async (who: Member, performer: Member): Promise<TestSocket> => {
  const socket = await who.joins(performer);
  socket.send(startUserList, {});
  return socket;
};

describe('the user list', () => {
  it('names the members, without private fields [B-161, B-354, C-108, C-347]', async () => {
    const { performer, viewer } = await stage();
    await shop.buys(viewer, 'membership_vip');
    // A membership includes tokens: they are spent elsewhere.
    await viewer.tips(await site.performer(), await tokensOf(viewer));
    await viewer.joins(performer);
    const owner = await feedOf(performer, performer);
    expect(await listAt(owner)).toMatchObject({ count: 1, users: [{
      username: viewer.username, is_model: false, is_vip: true, is_super_vip: false, has_tokens: false,
      is_guest: false, recentTips: 0, tokens: null, email_confirmed: null, has_cc: null, has_purchase: null,
      recent_purchases: null, socket_id: null, invisible_mode_level: 0,
    }] });
  });

  it('sends joins and leaves after the first list [B-352, B-353, C-348, C-349]', async () => {
    const { performer, viewer } = await stage();
    const watcher = await viewer.joins(performer);
    const owner = await feedOf(performer, performer);
    await listAt(owner);
    const rich = await site.viewer({ tokens: 50 });
    await rich.joins(performer);
    await throttled(() => owner.received(userJoined).length);
    expect((await owner.waitFor(userJoined)).user)
      .toMatchObject({ username: rich.username, has_tokens: true, tokens: null });
    await watcher.leaves();
    await throttled(() => owner.received(userLeft).length);
    expect(owner.received(userLeft))
      .toEqual([{ room: performer.username, user: { username: viewer.username } }]);
  });

  it('opens to everybody when the performer opens it, and closes again [B-301, B-308]', async () => {
    const { performer, viewer } = await stage();
    const { username } = performer;
    const watcher = await feedOf(viewer, performer);
    const guest = await site.socketOf(await site.visitor({ ofAge: true }), username);
    guest.send(startUserList, {});
    await settled(watcher);
    expect((await roomOf(viewer, performer)).chatUserList).toEqual({});
    await performer.call(saveRoomSettings, { username, isUserListVisible: true });
    for (const socket of [watcher, guest]) socket.send(startUserList, {});
    expect((await listAt(watcher)).users).toMatchObject([{ username: viewer.username, tokens: 0 }]);
    expect((await listAt(guest)).users).toMatchObject([{ username: viewer.username, tokens: null }]);
    expect((await roomOf(viewer, performer)).chatUserList)
      .toEqual({ [viewer.username]: { tokens: 0, recentTips: 0, invisible_mode_level: 0 } });
    await performer.call(saveRoomSettings, { username, isUserListVisible: false });
    const before = guest.events.length;
    await (await site.viewer()).joins(performer);
    site.clock.advance(COUNT_THROTTLE_MS);
    await settled(watcher, guest);
    const after = guest.events.slice(before).map(({ name }) => name);
    expect(after).not.toContain(userList.name);
    expect(after).not.toContain(userJoined.name);
  });

  it('is sent every 5 s at most, from its start to its stop [B-252, C-168, C-169]', async () => {
    const { performer } = await stage();
    const owner = await feedOf(performer, performer);
    await listAt(owner);
    const news = (): number =>
      [userList, userJoined, userLeft].flatMap((event) => owner.received(event)).length;
    // After an interval without changes the first is sent at once, and later ones wait.
    site.clock.advance(COUNT_THROTTLE_MS);
    site.clock.advance(COUNT_THROTTLE_MS);
    await (await site.viewer()).joins(performer);
    await expect.poll(news).toBe(2);
    for (let nth = 1; nth <= 2; nth += 1) await (await site.viewer()).joins(performer);
    site.clock.advance(COUNT_THROTTLE_MS - 1);
    await settled(owner);
    expect(news()).toBe(2);
    await throttled(news, 4);
    owner.send(stopUserList, {});
    await settled(owner);
    await (await site.viewer()).joins(performer);
    site.clock.advance(2 * COUNT_THROTTLE_MS);
    await settled(owner);
    expect(news()).toBe(4);
  });

  it('is sent at once when first opened, and throttled when opened again [C-168]', async () => {
    const { performer } = await stage();
    const owner = await feedOf(performer, performer);
    await listAt(owner);
    // Joining starts a throttle interval.
    const staff = await feedOf(await site.viewer({ roles: ['site_mod'] }), performer);
    expect((await staff.waitFor(userList)).count).toBeGreaterThan(0);
    staff.send(stopUserList, {});
    staff.send(startUserList, {});
    await settled(staff);
    expect(staff.received(userList)).toHaveLength(1);
    await throttled(() => staff.received(userList).length, 2);
  });

  it('leaves out hidden people: from viewers, or from the performer too [B-356, C-170]', async () => {
    const { performer, viewer } = await stage();
    const staff = await site.viewer({ roles: ['site_mod'] });
    await shop.buys(viewer, 'membership_vip');
    for (const who of [staff, viewer]) await who.joins(performer);
    const [owner, mod] = [await feedOf(performer, performer), await feedOf(staff, performer)];
    await throttled(() => Math.max(0, ...owner.received(userList).map(({ count }) => count)), 2);
    const tab = await site.socketOf(staff);
    await staff.call(setInvisibleMode, { level: 2 });
    expect(await tab.waitFor(invisibleMode)).toEqual({ username: staff.username, invisible_mode_level: 2 });
    await throttled(() => owner.received(userLeft).length);
    expect(owner.received(userLeft).map(({ user }) => user.username)).toEqual([staff.username]);
    await mod.waitFor(invisibleMode, ({ invisible_mode_level }) => invisible_mode_level === 2);
    await viewer.call(setInvisibleMode, { level: 1 });
    await throttled(() => owner.received(invisibleMode).length);
    expect(owner.received(invisibleMode)).toEqual([{ username: viewer.username, invisible_mode_level: 1 }]);
    expect(refusedAs(await viewer.refused(setInvisibleMode, { level: 2 }))).toBe('may_not_hide');
    const nobody = await site.viewer();
    expect(refusedAs(await nobody.refused(setInvisibleMode, { level: 1 }))).toBe('may_not_hide');
    await staff.call(setInvisibleMode, { level: 0 });
    await throttled(() =>
      owner.received(userJoined).filter(({ user }) => user.username === staff.username).length);
  });
});
