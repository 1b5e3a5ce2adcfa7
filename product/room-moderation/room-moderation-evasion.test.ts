import { authorize, authorizeFailed } from '#platform/contract/sockets/lobby.ts';
import { closeCodes, ROOM_PATH } from '#platform/contract/sockets/wire.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
import { declareAge } from '#product/compliance/contract.ts';
import { getRoom } from '#product/rooms/contract.ts';
import { chatBanned } from '#product/rooms/contract/moderation.ts';
import { DEVICE_COOKIE } from '#product/rooms/rules.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor, VisitorOptions } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { getChatRules, moderate } from './contract.ts';
import { MAX_MARKS } from './rules.ts';

/** Networks for documentation (RFC 5737, RFC 3849): each test has its own. */
const networks = (function*() {
  for (let at = 1; at < 250; at += 1) yield at;
})();

let site: TestSite;
let performer: Member;
let net: number;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());
beforeEach(async () => {
  performer = await site.performer();
  net = networks.next().value as number;
});

/** An address in the household of this test. */
const home = (last = 7): string => `203.0.${net}.${last}`;
/** An address in a distant network. */
const elsewhere = (): string => `198.51.${net}.9`;

/** Loads a page's first calls: passes the entry gate and gets the device cookie with the chat rules. */
async function settles<V extends Visitor>(visitor: V): Promise<V> {
  await visitor.call(declareAge, { of_age: true });
  await visitor.refused(getChatRules, { username: 'nobody-has-this' });
  return visitor;
}
async function member(address: string, options: VisitorOptions = {}): Promise<Member> {
  return settles(await site.viewer({ address, region: 'demo', ...options }));
}
const guest = async (address: string): Promise<Visitor> =>
  settles(await site.visitor({ address, region: 'demo' }));
/** The same browser with another account logged in. */
function takesDevice(from: Visitor, to: Visitor): void {
  to.setCookie(DEVICE_COOKIE, from.cookie(DEVICE_COOKIE) ?? '');
}
/** `open`, or why the room refuses the visitor. */
async function comes(visitor: Visitor): Promise<string> {
  const { statusCode, body } = await visitor.request({
    method: 'GET',
    url: `/api/v1/chat/react/${performer.username}`,
  });
  return statusCode === 200 ? 'open' : (JSON.parse(body) as { errorType: string }).errorType;
}
const does = (action: 'ban' | 'unban' | 'kick', subject: Member, doing = {}) =>
  performer.call(moderate, { username: performer.username, subject: subject.username, action, ...doing });
/** A member who was in the room and is now banned from it. */
async function banned(address = home(), doing = {}): Promise<Member> {
  const offender = await member(address);
  expect(await comes(offender)).toBe('open');
  await does('ban', offender, doing);
  expect(await comes(offender)).toBe('room_banned');
  return offender;
}

describe('a banned viewer', () => {
  it('does not return with another session, device or address of the same account', async () => {
    const offender = await banned();
    const again = await settles(await site.anotherTabOf(offender, { address: elsewhere(), region: 'demo' }));
    expect(again.cookie(DEVICE_COOKIE)).not.toBe(offender.cookie(DEVICE_COOKIE));
    expect(await comes(again)).toBe('room_banned');
    await expect(again.call(getRoom, { username: performer.username })).rejects.toThrow();
  });

  it('does not return with a new account on the same device, by page or socket', async () => {
    const offender = await banned();
    const second = await member(elsewhere());
    takesDevice(offender, second);
    expect(await comes(second)).toBe('room_banned');
    const socket = await site.openSocket(second, ROOM_PATH + performer.username);
    const { node_token: token } = await second.call(getCurrentUser, {});
    socket.send(authorize, { token, version: 'test' });
    expect(await socket.waitFor(authorizeFailed)).toEqual({ code: 'room_banned' });
  });

  it('does not return as a guest, or with a new account, from the same network', async () => {
    await banned();
    expect(await comes(await guest(home(200)))).toBe('room_banned');
    expect(await comes(await member(home(201)))).toBe('room_banned');
    expect(await comes(await guest(elsewhere()))).toBe('open');
  });

  it('does not return by clearing cookies, or with a forged one', async () => {
    const offender = await banned();
    const cleared = await guest(home());
    expect(await comes(cleared)).toBe('room_banned');
    const made = offender.cookie(DEVICE_COOKIE) ?? '';
    for (const forged of [`x${made}`, made.slice(0, -2), 'device', '', `${made}.${made}`, 'a.b']) {
      const second = await member(home());
      second.setCookie(DEVICE_COOKIE, forged);
      expect(await comes(second)).toBe('room_banned');
      // An invalid cookie is replaced by a valid one.
      await second.call(getChatRules, { username: performer.username });
      expect(second.cookie(DEVICE_COOKIE)).not.toBe(forged);
    }
  });

  it('does not return by rotating addresses within an IPv6 network', async () => {
    await banned(`2001:db8:${net}:1::1`);
    for (const tail of ['1::2', 'ffff:1:2:3:4', 'a:b:c:d:e']) {
      expect(await comes(await guest(`2001:db8:${net}:${tail}`))).toBe('room_banned');
    }
    expect(await comes(await guest(`2001:db8:${net + 1_000}:1::1`))).toBe('open');
  });

  it('leaves together with the second account and the guest of the same browser', async () => {
    const offender = await member(home());
    const [second, other] = [await member(home(8)), await member(elsewhere())];
    takesDevice(offender, second);
    const tab = await guest(home(9));
    for (const one of [offender, second, tab, other]) expect(await comes(one)).toBe('open');
    const sockets = [];
    for (const one of [offender, second, tab, other]) {
      sockets.push(await site.socketOf(one, performer.username));
    }
    await does('ban', offender, { reason: 'theirs alone' });
    await site.settle();
    const [own, theirs, guests, stays] = sockets;
    expect(await own?.waitFor(chatBanned)).toMatchObject({ reason: 'theirs alone' });
    for (const socket of [theirs, guests]) {
      expect(await socket?.waitFor(chatBanned)).toMatchObject({ reason: null });
      expect(await socket?.closing()).toBe(closeCodes.refused);
    }
    expect(stays?.closeCode).toBeNull();
    expect(JSON.stringify(await second.refused(getRoom, { username: performer.username })))
      .not.toContain('theirs alone');
  });

  it('extends the ban to every new device of the banned account', async () => {
    const offender = await banned();
    const laptop = await settles(await site.anotherTabOf(offender, { address: elsewhere(), region: 'demo' }));
    expect(await comes(laptop)).toBe('room_banned');
    const second = await member(`192.0.2.${net}`);
    takesDevice(laptop, second);
    expect(await comes(second)).toBe('room_banned');
  });

  it('may enter again as soon as the ban is lifted, and so may all it covered', async () => {
    const offender = await banned();
    const second = await member(home(8));
    takesDevice(offender, second);
    const third = await guest(home(9));
    for (const one of [second, third]) expect(await comes(one)).toBe('room_banned');
    await does('unban', offender);
    for (const one of [offender, second, third]) expect(await comes(one)).toBe('open');
  });

  it('is identified by all earlier marks when a ban is extended', async () => {
    const offender = await banned(home(), { minutes: 3 * 24 * 60 });
    await site.passes(2 * DAY_MS);
    await does('ban', offender);
    await site.passes(2 * DAY_MS);
    const second = await member(elsewhere());
    takesDevice(offender, second);
    expect(await comes(second)).toBe('room_banned');
    expect(await comes(await guest(home(9)))).toBe('room_banned');
  });

  it('is covered until a timed ban ends, but no longer', async () => {
    const offender = await banned(home(), { minutes: 60 });
    const second = await member(home(8));
    takesDevice(offender, second);
    expect(await comes(second)).toBe('room_banned');
    await site.passes(60 * 60_000);
    expect(await comes(second)).toBe('open');
    const left = await site.tx(async (tx) =>
      (await sql<{ count: number }>`
      select count(*)::int as count from room_moderation.marks where performer_id = ${performer.id}`
        .execute(tx.sql())).rows[0]?.count
    );
    expect(left).toBe(0);
  });
});

describe('others', () => {
  it('of the same household with an established account are not excluded by the address', async () => {
    const partner = await member(home(3));
    site.clock.advance(8 * DAY_MS);
    await partner.logsIn();
    await banned();
    expect(await comes(partner)).toBe('open');
    const fresh = await member(home(4));
    expect(await comes(fresh)).toBe('room_banned');
    await site.passes(8 * DAY_MS);
    await fresh.logsIn();
    expect(await comes(fresh)).toBe('open');
  });

  it('who share the computer keep access when their account is much older than the ban', async () => {
    const partner = await member(home());
    site.clock.advance(40 * DAY_MS);
    // Sessions have expired by then.
    for (const one of [partner, performer]) {
      await one.opens();
      await one.logsIn();
    }
    await settles(partner);
    const offender = await banned();
    takesDevice(offender, partner);
    expect(await comes(partner)).toBe('open');
  });

  it('of the network of a permanent ban get access again after a month', async () => {
    await banned();
    expect(await comes(await guest(home(5)))).toBe('room_banned');
    await site.passes(30 * DAY_MS);
    expect(await comes(await guest(home(5)))).toBe('open');
  });

  it('on addresses that strangers share are not mistaken for each other', async () => {
    const offender = await member('10.1.2.3');
    await comes(offender);
    await does('ban', offender);
    expect(await comes(await guest('10.1.2.4'))).toBe('open');
    expect(await comes(await member('127.0.0.1'))).toBe('open');
  });

  it('of the network may enter as named moderators; admins and the performer always may', async () => {
    const helper = await member(home(20));
    await performer.call(moderate, {
      username: performer.username,
      subject: helper.username,
      action: 'moderator',
    });
    const staff = await settles(await site.admin({ address: home(21), region: 'demo' }));
    await banned();
    expect(await comes(helper)).toBe('open');
    expect(await comes(staff)).toBe('open');
    const own = await site.anotherTabOf(performer, { address: home(), region: 'demo' });
    expect(await comes(await settles(own))).toBe('open');
  });

  it('of the network are not affected by a kick', async () => {
    const loud = await member(home());
    await comes(loud);
    await does('kick', loud);
    expect(await comes(loud)).toBe('room_kicked');
    expect(await comes(await guest(home(8)))).toBe('open');
  });
});

describe('stored marks', () => {
  it('are only digests, limited in number: no address, cookie or session can be read', async () => {
    const offender = await banned();
    for (let count = 0; count < MAX_MARKS; count += 1) {
      const tab = await guest(`198.18.${count}.1`);
      tab.setCookie('session', offender.cookie('session') ?? '');
      expect(await comes(tab)).toBe('room_banned');
    }
    site.clock.advance(600_000);
    const rows = await site.tx(async (tx) =>
      (await sql`
      select m.kind, m.digest, t.* from room_moderation.marks m, room_moderation.traces t`
        .execute(tx.sql())).rows
    );
    const text = JSON.stringify(rows);
    expect(text).not.toContain(`203.0.${net}`);
    expect(text).not.toContain('198.18.');
    expect(text).not.toContain(offender.cookie('session') ?? '-');
    expect(text).not.toContain(offender.cookie(DEVICE_COOKIE) ?? '-');
    const marks = await site.tx(async (tx) =>
      (await sql<{ count: number }>`
      select count(*)::int as count from room_moderation.marks where performer_id = ${performer.id}`
        .execute(tx.sql())).rows[0]?.count
    );
    expect(marks).toBeLessThanOrEqual(MAX_MARKS);
    expect(marks).toBe(MAX_MARKS - 1);
  });
});
