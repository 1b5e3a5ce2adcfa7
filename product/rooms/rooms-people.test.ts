import { DAY_MS } from '#platform/time/units.ts';
import { confirmEmail, register, updateProfile } from '#product/accounts/contract.ts';
import { declareAge } from '#product/compliance/contract.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { openShop } from '#product/testkit/payments/open-shop.ts';
import type { TestSocket } from '#product/testkit/rooms/room-socket.ts';
import type { Member } from '#product/testkit/site.ts';
import { describe, expect, it } from 'vitest';
import {
  chatHistory,
  chatMessage,
  sayInChat,
  startUserList,
  stopUserList,
  userList,
  type ChatUserView,
} from './contract.ts';
import { saveRoomSettings } from './contract/controls.ts';

const shop = await openShop();
const { site } = shop;

/** Somebody who signed up with the form, and has not confirmed the address. */
async function registered(username: string): Promise<Member> {
  const visitor = await site.visitor({ ofAge: true });
  await visitor.call(register, {
    username,
    email: `${username}@people.example`,
    password: 'correct horse battery',
    birth_date: '1990-05-05',
    type: 'user',
    accept_terms: true,
  });
  return site.memberOf(username);
}

/** Opens the link of the email that confirms the address. */
async function confirms({ username }: Member): Promise<void> {
  const { mails } = await (await site.admin()).call(listOutbox, {});
  const mail = mails.find(({ to, text }) =>
    to === `${username}@people.example` && text.includes('/confirm-email?')
  );
  const token = /confirm-email\?token=(\S+)$/mu.exec(mail?.text ?? '')?.[1] ?? '';
  await (await site.visitor()).call(confirmEmail, { token });
}

/** A live room whose user list is open to everybody. */
async function openRoom(): Promise<Member> {
  const performer = await site.performer({ live: true });
  await performer.call(saveRoomSettings, { username: performer.username, isUserListVisible: true });
  return performer;
}

/** Waits for a person's entry in a list that is requested again, as this socket receives it. */
async function entry(socket: TestSocket, { username }: Member): Promise<ChatUserView | undefined> {
  await site.settle();
  const before = socket.received(userList).length;
  socket.send(stopUserList, {});
  socket.send(startUserList, {});
  await expect.poll(() => {
    site.clock.advance(5_000);
    return socket.received(userList).length;
  }).toBeGreaterThan(before);
  return socket.received(userList).at(-1)?.users.find((user) => user.username === username);
}

const PRIVATE = {
  email_confirmed: null,
  has_cc: null,
  has_purchase: null,
  recent_purchases: null,
  tokens: null,
  socket_id: null,
};

describe('a person in a room', () => {
  it('has every field of a chat user, each with its cause, private ones for themselves [C-108]', async () => {
    const performer = await openRoom();
    const viewer = await registered('odette');
    const watcher = await site.viewer();
    const other = await watcher.joins(performer);
    let own = await viewer.joins(performer);
    let expected: ChatUserView = {
      username: 'odette',
      display_name: 'odette',
      gender: null,
      is_model: false,
      is_moderator: false,
      is_guest: false,
      is_vip: false,
      is_super_vip: false,
      has_tokens: false,
      email_confirmed: false,
      has_cc: false,
      has_purchase: false,
      recent_purchases: 0,
      recentTips: 0,
      tokens: 0,
      fanclub_level: null,
      socket_id: (await entry(own, viewer))?.socket_id ?? null,
      invisible_mode_level: 0,
      avatar: null,
    };
    expect(expected.socket_id).toMatch(/^.{16,}$/u);
    const becomes = async (cause: () => Promise<unknown>, change: Partial<ChatUserView>): Promise<void> => {
      await cause();
      expected = { ...expected, ...change };
      expect(await entry(own, viewer)).toEqual(expected);
      expect(await entry(other, viewer)).toEqual({ ...expected, ...PRIVATE });
    };
    await becomes(async () => {}, {});
    await becomes(() => confirms(viewer), { email_confirmed: true });
    await becomes(() => viewer.call(updateProfile, { gender: 'f' }), { gender: 'f' });
    await becomes(() => shop.keeps(viewer), { has_cc: true });
    await becomes(() => shop.buys(viewer, '1_100'), {
      has_purchase: true,
      recent_purchases: 1,
      tokens: 100,
      has_tokens: true,
    });
    await becomes(() => viewer.tips(performer, 100), { recentTips: 100, tokens: 0, has_tokens: false });
    await becomes(() => shop.passes(29 * DAY_MS), { recentTips: 0 });
    await becomes(() => shop.passes(DAY_MS), { recent_purchases: 0 });
    // Session and age declaration have expired too.
    await viewer.opens();
    await viewer.call(declareAge, { of_age: true });
    await viewer.logsIn();
    own = await viewer.joins(performer);
    expected = { ...expected, socket_id: (await entry(own, viewer))?.socket_id ?? null };
    await becomes(() => shop.buys(viewer, 'membership_vip'), {
      is_vip: true,
      recent_purchases: 1,
      tokens: 300,
      has_tokens: true,
    });
    await becomes(() => shop.buys(viewer, 'membership_super_vip'), {
      is_super_vip: true,
      recent_purchases: 2,
      tokens: 1_300,
    });
  });

  it('is a performer, a moderator or a guest, and has another socket_id in another tab [C-108]', async () => {
    const performer = await openRoom();
    const [colleague, viewer, moderator] = [await site.performer(), await site.viewer(), await site.viewer()];
    await performer.moderates('moderator', moderator);
    // A new moderator's sockets reconnect.
    await site.settle();
    await moderator.joins(performer);
    const [one, tab] = [await viewer.joins(performer), await viewer.joins(performer)];
    await colleague.joins(performer);
    expect(await entry(one, colleague)).toMatchObject({ is_model: true, is_moderator: false });
    expect(await entry(one, moderator)).toMatchObject({ is_model: false, is_moderator: true });
    const ids = [(await entry(one, viewer))?.socket_id, (await entry(tab, viewer))?.socket_id];
    expect(new Set(ids).size).toBe(2);
    const guest = await site.socketOf(await site.visitor({ ofAge: true }), performer.username);
    guest.send(sayInChat, { message: 'psst' });
    expect(await guest.waitFor(chatMessage)).toMatchObject({ is_guest: true, ...PRIVATE });
  });
});

describe('the history of a room', () => {
  it('has texts, names and what the sender bought, that for the sender alone [B-361, C-345]', async () => {
    const performer = await openRoom();
    const [buyer, other] = [await site.viewer(), await site.viewer()];
    const first = await buyer.joins(performer);
    await site.says(first, 'before');
    await shop.buys(buyer, '1_100');
    await site.says(first, 'after');
    const view = async (who: Member) => {
      const { messages } = await (await who.joins(performer)).waitFor(chatHistory);
      return messages.map(({ message, username, has_tokens, has_purchase, recent_purchases }) => ({
        message,
        username,
        has_tokens,
        has_purchase,
        recent_purchases,
      }));
    };
    const { username } = buyer;
    const lines = [
      { message: 'before', username, has_tokens: false },
      { message: 'after', username, has_tokens: true },
    ];
    expect(await view(buyer))
      .toEqual(lines.map((line) => ({ ...line, has_purchase: true, recent_purchases: 1 })));
    for (const who of [other, performer, await site.admin()]) {
      expect(await view(who))
        .toEqual(lines.map((line) => ({ ...line, has_purchase: null, recent_purchases: null })));
    }
  });
});
