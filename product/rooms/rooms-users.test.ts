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

/** Waits until everything said before has arrived: what did not come by then is not coming. */
async function settled(speaker: TestSocket, ...listeners: TestSocket[]): Promise<void> {
  marks += 1;
  await speaker.settles(`mark ${marks}`, ...listeners);
}

/** Lets pauses of the feed go by until so many were heard. */
const throttled = (heard: () => number, least = 1) => expect.poll(() => {
  site.clock.advance(COUNT_THROTTLE_MS);
  return heard();
}).toBeGreaterThanOrEqual(least);

async function listAt(socket: TestSocket) {
  await throttled(() => socket.heard(userList).length);
  return socket.waitFor(userList);
}

/** The user list of a room, as somebody follows it. */
const feedOf = async (who: Member, performer: Member): Promise<TestSocket> => {
  const socket = await who.joins(performer);
  socket.send(startUserList, {});
  return socket;
};

describe('the user list', () => {
  it('names the members, and nothing of what they own [B-161, B-354, C-108, C-347]', async () => {
    const { performer, viewer } = await stage();
    await shop.buys(viewer, 'membership_vip');
    // A membership comes with tokens: they are spent elsewhere.
    await viewer.tips(await site.performer(), await tokensOf(viewer));
    await viewer.joins(performer);
    const desk = await feedOf(performer, performer);
    expect(await listAt(desk)).toMatchObject({ count: 1, users: [{
      username: viewer.username, is_model: false, is_vip: true, is_super_vip: false, has_tokens: false,
      is_guest: false, recentTips: 0, tokens: null, email_confirmed: null, has_cc: null, has_purchase: null,
      recent_purchases: null, socket_id: null, invisible_mode_level: 0,
    }] });
  });

  it('tells who came and left after the first list [B-352, B-353, C-348, C-349]', async () => {
    const { performer, viewer } = await stage();
    const seat = await viewer.joins(performer);
    const desk = await feedOf(performer, performer);
    await listAt(desk);
    const rich = await site.viewer({ tokens: 50 });
    await rich.joins(performer);
    await throttled(() => desk.heard(userJoined).length);
    expect((await desk.waitFor(userJoined)).user)
      .toMatchObject({ username: rich.username, has_tokens: true, tokens: null });
    await seat.leaves();
    await throttled(() => desk.heard(userLeft).length);
    expect(desk.heard(userLeft)).toEqual([{ room: performer.username, user: { username: viewer.username } }]);
  });

  it('opens to everybody when she says so, and closes again [B-301, B-308]', async () => {
    const { performer, viewer } = await stage();
    const { username } = performer;
    const seat = await feedOf(viewer, performer);
    const guest = await site.socketOf(await site.visitor({ ofAge: true }), username);
    guest.send(startUserList, {});
    await settled(seat);
    expect((await roomOf(viewer, performer)).chatUserList).toEqual({});
    await performer.call(saveRoomSettings, { username, isUserListVisible: true });
    for (const socket of [seat, guest]) socket.send(startUserList, {});
    expect((await listAt(seat)).users).toMatchObject([{ username: viewer.username, tokens: 0 }]);
    expect((await listAt(guest)).users).toMatchObject([{ username: viewer.username, tokens: null }]);
    expect((await roomOf(viewer, performer)).chatUserList)
      .toEqual({ [viewer.username]: { tokens: 0, recentTips: 0, invisible_mode_level: 0 } });
    await performer.call(saveRoomSettings, { username, isUserListVisible: false });
    const told = guest.events.length;
    await (await site.viewer()).joins(performer);
    site.clock.advance(COUNT_THROTTLE_MS);
    await settled(seat, guest);
    const after = guest.events.slice(told).map(({ name }) => name);
    expect(after).not.toContain(userList.name);
    expect(after).not.toContain(userJoined.name);
  });

  it('goes out every 5 s at most, from its start to its stop [B-252, C-168, C-169]', async () => {
    const { performer } = await stage();
    const desk = await feedOf(performer, performer);
    await listAt(desk);
    const news = (): number => [userList, userJoined, userLeft].flatMap((event) => desk.heard(event)).length;
    // After a pause in which nothing happened the first is told at once, and those after it wait.
    site.clock.advance(COUNT_THROTTLE_MS);
    site.clock.advance(COUNT_THROTTLE_MS);
    await (await site.viewer()).joins(performer);
    await expect.poll(news).toBe(2);
    for (let nth = 1; nth <= 2; nth += 1) await (await site.viewer()).joins(performer);
    site.clock.advance(COUNT_THROTTLE_MS - 1);
    await settled(desk);
    expect(news()).toBe(2);
    await throttled(news, 4);
    desk.send(stopUserList, {});
    await settled(desk);
    await (await site.viewer()).joins(performer);
    site.clock.advance(2 * COUNT_THROTTLE_MS);
    await settled(desk);
    expect(news()).toBe(4);
  });

  it('is told at once to who opens it, and to who opens it again with the others [C-168]', async () => {
    const { performer } = await stage();
    const desk = await feedOf(performer, performer);
    await listAt(desk);
    // The joining begins a pause.
    const staff = await feedOf(await site.viewer({ roles: ['site_mod'] }), performer);
    expect((await staff.waitFor(userList)).count).toBeGreaterThan(0);
    staff.send(stopUserList, {});
    staff.send(startUserList, {});
    await settled(staff);
    expect(staff.heard(userList)).toHaveLength(1);
    await throttled(() => staff.heard(userList).length, 2);
  });

  it('leaves out who hides: from viewers, or from the performer too [B-356, C-170]', async () => {
    const { performer, viewer } = await stage();
    const staff = await site.viewer({ roles: ['site_mod'] });
    await shop.buys(viewer, 'membership_vip');
    for (const who of [staff, viewer]) await who.joins(performer);
    const [desk, mod] = [await feedOf(performer, performer), await feedOf(staff, performer)];
    await throttled(() => Math.max(0, ...desk.heard(userList).map(({ count }) => count)), 2);
    const tab = await site.socketOf(staff);
    await staff.call(setInvisibleMode, { level: 2 });
    expect(await tab.waitFor(invisibleMode)).toEqual({ username: staff.username, invisible_mode_level: 2 });
    await throttled(() => desk.heard(userLeft).length);
    expect(desk.heard(userLeft).map(({ user }) => user.username)).toEqual([staff.username]);
    await mod.waitFor(invisibleMode, ({ invisible_mode_level }) => invisible_mode_level === 2);
    await viewer.call(setInvisibleMode, { level: 1 });
    await throttled(() => desk.heard(invisibleMode).length);
    expect(desk.heard(invisibleMode)).toEqual([{ username: viewer.username, invisible_mode_level: 1 }]);
    expect(refusedAs(await viewer.refused(setInvisibleMode, { level: 2 }))).toBe('may_not_hide');
    const nobody = await site.viewer();
    expect(refusedAs(await nobody.refused(setInvisibleMode, { level: 1 }))).toBe('may_not_hide');
    await staff.call(setInvisibleMode, { level: 0 });
    await throttled(() =>
      desk.heard(userJoined).filter(({ user }) => user.username === staff.username).length);
  });
});
