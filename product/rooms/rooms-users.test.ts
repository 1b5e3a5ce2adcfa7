import { uploadAvatar } from '#product/accounts/contract/avatar.ts';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import { tokensOf } from '#product/testkit/payments/wallet.ts';
import { settling, type TestSocket } from '#product/testkit/rooms/room-socket.ts';
import { feedOf, firstListOf, throttledOn } from '#product/testkit/rooms/user-list.ts';
import type { Member, TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getChatUser, getRoom, startUserList, userJoined, userLeft, userList } from './contract.ts';
import { invisibleMode, saveRoomSettings, setInvisibleMode } from './contract/controls.ts';
import { EMPTY_LIVE_ROOM, reduceRoom } from './rules/live-room.ts';
import { ownFieldsBySocket } from './server/people/own-fields.ts';

const settled = settling();
let site: TestSite;
let shop: Shop;
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

const throttled = (count: () => number, least = 1) => throttledOn(site, count, least);
const listAt = (socket: TestSocket) => firstListOf(site, socket);

/** Uploads an image of one colour; returns its key. */
async function uploadsAvatar(who: Member): Promise<string> {
  const form = new FormData();
  const picture = sharp({ create: { width: 60, height: 60, channels: 3, background: '#f841b5' } });
  form.set('file', new Blob([new Uint8Array(await picture.png().toBuffer())]));
  const { user } = await who.call(uploadAvatar, {}, { form });
  return user.avatar.replace('/avatars/', '');
}

describe('what listeners of a list receive about themselves', () => {
  it('is read in as many statements for many as for one', async () => {
    const members = await Promise.all([0, 10, 200].map((tokens) => site.viewer({ tokens })));
    await shop.buys(members[1] as Member, '1_50');
    const guest = { caller: { personId: null }, socketId: 'of a guest' };
    const listeners = [
      ...members.map(({ id }, at) => ({ caller: { personId: id }, socketId: `socket ${at}` })),
      guest,
    ] as unknown as Parameters<typeof ownFieldsBySocket>[2];
    const reads = (some: typeof listeners) =>
      site.tx(async (tx) => {
        let statements = 0;
        const counted = new Proxy(tx, {
          get: (target, name) => {
            if (name === 'sql') statements += 1;
            const value: unknown = Reflect.get(target, name, target);
            return typeof value === 'function' ? value.bind(target) as unknown : value;
          },
        });
        return { own: await ownFieldsBySocket(site.services, counted, some), statements: () => statements };
      });
    const [one, all] = [await reads(listeners.slice(0, 1)), await reads(listeners)];
    expect(one.statements()).toBeGreaterThan(2);
    expect(all.statements()).toBe(one.statements());
    const fields = [...all.own.values()];
    expect(fields.map(({ tokens }) => tokens)).toEqual([0, 60, 200, null]);
    expect(fields.map(({ has_purchase: has }) => has)).toEqual([false, true, false, null]);
    expect(fields.map(({ recent_purchases: recent }) => recent)).toEqual([0, 1, 0, null]);
    expect(fields.map(({ email_confirmed: is }) => is)).toEqual([true, true, true, null]);
    expect(fields.map(({ socket_id: id }) => id)).toEqual(['socket 0', 'socket 1', 'socket 2', null]);
  });
});

describe('the user list', () => {
  it('names the members, without private fields [C-347]', async () => {
    const { performer, viewer } = await stage();
    await shop.buys(viewer, 'membership_vip');
    // A membership includes tokens: they are spent elsewhere.
    await viewer.tips(await site.performer(), await tokensOf(viewer));
    const other = await site.viewer();
    for (const who of [viewer, other]) await who.joins(performer);
    const owner = await feedOf(performer, performer);
    const { count, users, ...more } = await listAt(owner);
    expect([count, users.length, more]).toEqual([2, 2, {}]);
    expect(users.map(({ username }) => username)).toContain(other.username);
    expect(users.find(({ username }) => username === viewer.username)).toEqual({
      username: viewer.username,
      display_name: viewer.person.displayName,
      gender: null,
      is_moderator: false,
      is_model: false,
      is_vip: true,
      is_super_vip: false,
      has_tokens: false,
      fanclub_level: null,
      is_guest: false,
      recentTips: 0,
      tokens: null,
      email_confirmed: null,
      has_cc: null,
      has_purchase: null,
      recent_purchases: null,
      socket_id: null,
      invisible_mode_level: 0,
      avatar: null,
    });
  });

  it('sends joins after the first list [C-348]', async () => {
    const { performer, viewer } = await stage();
    const watcher = await viewer.joins(performer);
    const owner = await feedOf(performer, performer);
    await listAt(owner);
    const rich = await site.viewer({ tokens: 50 });
    await rich.joins(performer);
    await throttled(() => owner.received(userJoined).length);
    expect(owner.received(userJoined)).toEqual([{
      user: {
        username: rich.username,
        display_name: rich.person.displayName,
        gender: null,
        is_model: false,
        is_moderator: false,
        is_guest: false,
        is_vip: false,
        is_super_vip: false,
        has_tokens: true,
        fanclub_level: null,
        email_confirmed: null,
        has_cc: null,
        has_purchase: null,
        recent_purchases: null,
        tokens: null,
        recentTips: 0,
        socket_id: null,
        invisible_mode_level: 0,
        avatar: null,
      },
    }]);
    await watcher.leaves();
  });

  it('has the keys of avatars that everybody in a room may see, and of nobody else', async () => {
    const performer = await site.performer({ live: true });
    const hidden = await site.viewer({ roles: ['site_mod'] });
    const [seen, colleague] = [await site.viewer(), await site.performer()];
    const keys = new Map<string, string>();
    for (const who of [seen, hidden, colleague]) {
      keys.set(who.username, await uploadsAvatar(who));
      await who.joins(performer);
    }
    await hidden.call(setInvisibleMode, { level: 1 });
    const owner = await feedOf(performer, performer);
    const { users } = await listAt(owner);
    const avatars = new Map(users.map(({ username, avatar }) => [username, avatar]));
    expect(avatars.get(seen.username)).toBe(keys.get(seen.username));
    expect(avatars.get(seen.username)).toMatch(/^[\w-]{22}$/u);
    expect([avatars.get(hidden.username), avatars.get(colleague.username)]).toEqual([null, null]);
    const late = await site.viewer();
    const key = await uploadsAvatar(late);
    await late.joins(performer);
    await throttled(() => owner.received(userJoined).length);
    expect(owner.received(userJoined).at(-1)?.user).toMatchObject({ username: late.username, avatar: key });
  });

  it('loses whoever leaves, when the last tab is closed, and again on a page [C-349]', async () => {
    const { performer, viewer } = await stage();
    const stays = await site.viewer();
    const tabs = [await viewer.joins(performer), await viewer.joins(performer)];
    await stays.joins(performer);
    const owner = await feedOf(performer, performer);
    const first = await listAt(owner);
    await tabs[0]?.leaves();
    site.clock.advance(5_000);
    await settled(owner);
    expect(owner.received(userLeft)).toEqual([]);
    await tabs[1]?.leaves();
    await throttled(() => owner.received(userLeft).length);
    const payload = { room: performer.username, user: { username: viewer.username } };
    expect(owner.received(userLeft)).toEqual([payload]);
    const page = [
      { name: 'v3.chat.user_list', payload: first, seq: null },
      { name: 'v3.chat.user_left', payload: await owner.waitFor(userLeft), seq: null },
    ].reduce((room, event) => reduceRoom(room, event), EMPTY_LIVE_ROOM);
    expect(Object.keys(page.users)).toEqual([stays.username]);
  });

  it('opens to everybody when the performer opens it, and closes again [B-161, B-254]', async () => {
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
    site.clock.advance(5_000);
    await settled(watcher, guest);
    const after = guest.events.slice(before).map(({ name }) => name);
    expect(after).not.toContain(userList.name);
    expect(after).not.toContain(userJoined.name);
  });

  it('has tokens, recent tips and how hidden somebody is, by username [B-161]', async () => {
    const { performer, viewer } = await stage();
    const other = await site.viewer();
    await performer.call(saveRoomSettings, { username: performer.username, isUserListVisible: true });
    await shop.buys(viewer, 'membership_vip');
    await viewer.tips(performer, 10);
    for (const who of [viewer, other]) await who.joins(performer);
    const listFor = async (who: Member) => (await roomOf(who, performer)).chatUserList;
    const nobody = { tokens: null, recentTips: 0, invisible_mode_level: 0 };
    expect(await listFor(viewer)).toEqual({
      [viewer.username]: { tokens: 290, recentTips: 10, invisible_mode_level: 0 },
      [other.username]: nobody,
    });
    await viewer.call(setInvisibleMode, { level: 1 });
    expect(await listFor(performer)).toEqual({
      [viewer.username]: { tokens: null, recentTips: 10, invisible_mode_level: 1 },
      [other.username]: nobody,
    });
    expect(await listFor(other)).toEqual({ [other.username]: { ...nobody, tokens: 0 } });
    const [hidden, staff] = [
      await site.viewer({ roles: ['site_mod'] }),
      await site.viewer({ roles: ['site_mod'] }),
    ];
    await hidden.joins(performer);
    await hidden.call(setInvisibleMode, { level: 2 });
    expect((await listFor(staff))[hidden.username]).toEqual({ ...nobody, invisible_mode_level: 2 });
    expect(await listFor(performer)).not.toHaveProperty(hidden.username);
  });

  it('says of one what it says of all, to who may see it, and of nobody who is not there', async () => {
    const { performer, viewer } = await stage();
    const [away, hidden] = [await site.viewer(), await site.viewer()];
    await shop.buys(hidden, 'membership_vip');
    const { username } = performer;
    await viewer.joins(performer);
    await (await site.viewer()).joins(performer);
    await hidden.joins(performer);
    await hidden.call(setInvisibleMode, { level: 1 });
    const socket = await feedOf(performer, performer);
    const { users } = await listAt(socket);
    const of = (who: Visitor, person: string) => who.call(getChatUser, { username, person });
    expect((await of(performer, viewer.username)).user)
      .toEqual(users.find((user) => user.username === viewer.username));
    for (const person of [away.username, 'nobody-here', 'guest']) {
      expect(refusedAs(await performer.refused(getChatUser, { username, person }))).toBe('person_absent');
    }
    // The list is for the performer: viewers, who may not see it, get nothing about anybody.
    const asked = { username, person: viewer.username };
    for (const who of [away, await site.visitor({ ofAge: true })]) {
      expect(refusedAs(await who.refused(getChatUser, asked))).toBe('person_absent');
    }
    await performer.call(saveRoomSettings, { username, isUserListVisible: true });
    expect((await of(away, viewer.username)).user.username).toBe(viewer.username);
    expect(refusedAs(await away.refused(getChatUser, { username, person: hidden.username })))
      .toBe('person_absent');
  });

  it('says of a name alone whether it is of staff, the same whether they are in the room', async () => {
    const { performer, viewer } = await stage();
    const { username } = performer;
    const [hidden, away, member] = [
      await site.viewer({ roles: ['site_mod'] }),
      await site.viewer({ roles: ['site_mod'] }),
      await site.viewer(),
    ];
    await shop.buys(hidden, 'membership_vip');
    for (const who of [hidden, member]) await who.joins(performer);
    await hidden.call(setInvisibleMode, { level: 1 });
    const guest = await site.visitor({ ofAge: true });
    const flags = async (person: string): Promise<unknown[]> => {
      const all = [viewer, guest].map((who) => who.refused(getChatUser, { username, person }));
      return (await Promise.all(all)).map(({ errorType, is_staff: isStaff }) => [errorType, isStaff]);
    };
    const [staff, none] = [['person_absent', true], ['person_absent', undefined]];
    expect(await flags(hidden.username)).toEqual([staff, staff]);
    expect(await flags(away.username)).toEqual([staff, staff]);
    for (const name of [member.username, 'nobody-here', 'guest']) {
      expect(await flags(name)).toEqual([none, none]);
    }
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
    const levels = [EMPTY_LIVE_ROOM];
    for (const { name, payload } of owner.events) {
      if (![userList.name, userLeft.name, userJoined.name, invisibleMode.name].includes(name)) continue;
      levels.push(reduceRoom(levels.at(-1) ?? EMPTY_LIVE_ROOM, { name, payload, seq: null }));
    }
    const known = levels.map(({ users }) => users[viewer.username]?.invisible_mode_level);
    expect([...new Set(known)]).toEqual([undefined, 0, 1]);
    expect(refusedAs(await viewer.refused(setInvisibleMode, { level: 2 }))).toBe('may_not_hide');
    const nobody = await site.viewer();
    expect(refusedAs(await nobody.refused(setInvisibleMode, { level: 1 }))).toBe('may_not_hide');
    await staff.call(setInvisibleMode, { level: 0 });
    await throttled(() =>
      owner.received(userJoined).filter(({ user }) => user.username === staff.username).length
    );
  });
});
