import { closeCodes } from '#platform/contract/sockets/wire.ts';
import { MINUTE_MS } from '#platform/time/units.ts';
import {
  chatHistory,
  getRoom,
  startUserList,
  userJoined,
  userLeft,
  userList,
} from '#product/rooms/contract.ts';
import { chatKicked, moderated } from '#product/rooms/contract/moderation.ts';
import type { TestSocket } from '#product/testkit/rooms/room-socket.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { getHeld, getModeration, moderate } from './contract.ts';
import type { ModerationAction, ModerationList } from './rules.ts';

// Time moves in jumps here, so only `settle` delivers.
let site: TestSite;
let performer: Member;
let viewer: Member;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());
beforeEach(async () => {
  performer = await site.performer();
  viewer = await site.viewer();
});

/** More deliveries than any test here needs. */
const MAX_ROUNDS = 200;
async function does(
  by: Member,
  action: ModerationAction,
  subject: { readonly username: string } = viewer,
  doing = {},
): Promise<{ until: string | null }> {
  const { username } = performer;
  const done = await by.call(moderate, { username, subject: subject.username, action, ...doing });
  await site.settle();
  return done;
}
const list = async (by: Member, which: ModerationList) =>
  (await by.call(getModeration, { username: performer.username, list: which })).entries;
const enters = (by: Pick<Member, 'call'>) => by.call(getRoom, { username: performer.username });
const refusedEntry = async (by: Pick<Member, 'refused'>) =>
  (await by.refused(getRoom, { username: performer.username })).errorType;
const refuses = async (by: Member, action: ModerationAction, subject: { readonly username: string }) =>
  (await by.refused(moderate, { username: performer.username, subject: subject.username, action })).errorType;

/** Delivers, and lets throttles expire, until a condition holds. */
async function delivered(holds: () => boolean): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (holds()) return;
    await site.passes(5_000);
  }
  throw new Error('the condition never held');
}

const says = (socket: TestSocket, message: string) => site.says(socket, message);

describe('the user list', () => {
  it.each(['ban', 'kick'] as const)('loses somebody who gets a %s [B-229, B-230]', async (action) => {
    const owner = await performer.joins(performer);
    owner.send(startUserList, {});
    await viewer.joins(performer);
    const names = (): string[] =>
      owner.received(userList).at(-1)?.users.map(({ username }) => username) ?? [];
    await delivered(() =>
      names().includes(viewer.username)
      || owner.received(userJoined).some(({ user }) => user.username === viewer.username)
    );
    await does(performer, action);
    await delivered(() => owner.received(userLeft).length > 0);
    expect(owner.received(userLeft).map(({ user }) => user.username)).toEqual([viewer.username]);
  });
});

describe('timed moderation', () => {
  it('lifts a ban automatically, to the millisecond', async () => {
    const { until } = await does(performer, 'ban', viewer, { minutes: 30 });
    expect(until).toBe(new Date(site.clock.now().getTime() + 30 * MINUTE_MS).toISOString());
    await site.passes(30 * MINUTE_MS - 1);
    expect(await refusedEntry(viewer)).toBe('room_banned');
    expect(await list(performer, 'bans')).toMatchObject([{ username: viewer.username, until }]);
    await site.passes(1);
    expect((await enters(viewer)).user.id).toBe(performer.id);
    expect(await list(performer, 'bans')).toEqual([]);
  });

  it('keeps a kicked viewer out for ten minutes and their messages in the chat [B-359]', async () => {
    const socket = await viewer.joins(performer);
    const other = await (await site.viewer()).joins(performer);
    const { id } = await says(socket, 'see you');
    const until = new Date(site.clock.now().getTime() + 10 * MINUTE_MS).toISOString();
    await does(performer, 'kick', viewer, { reason: 'calm down' });
    expect(await socket.waitFor(chatKicked))
      .toEqual({ room: performer.username, reason: 'calm down', until });
    expect(await socket.closing()).toBe(closeCodes.refused);
    expect(await other.waitFor(moderated)).toMatchObject({ type: 'kicked', removed: [] });
    expect(await refusedEntry(viewer)).toBe('room_kicked');
    const later = await (await site.viewer()).joins(performer);
    expect((await later.waitFor(chatHistory)).messages.map((message) => message.id)).toContain(id);
    await site.passes(10 * MINUTE_MS);
    expect((await enters(viewer)).user.id).toBe(performer.id);
  });

  it('ends a silence automatically and notifies the room', async () => {
    const socket = await viewer.joins(performer);
    await does(performer, 'silence', viewer, { minutes: 1 });
    await site.passes(MINUTE_MS);
    await socket.waitFor(moderated, ({ type, action }) => type === 'silenced' && action === 'remove');
    expect(await says(socket, 'back again')).toMatchObject({ error: false });
  });

  it('names moderators for 14 days, to the millisecond [A-454, B-231]', async () => {
    const [moderator, other] = [await site.viewer(), await site.viewer()];
    const { until } = await does(performer, 'moderator', moderator);
    expect(until).toBe(new Date(site.clock.now().getTime() + 14 * 24 * 60 * MINUTE_MS).toISOString());
    expect((await enters(performer)).chat.moderatorUsernameList).toEqual([moderator.username]);
    await does(moderator, 'silence', viewer, { minutes: 1 });
    expect(await refuses(moderator, 'moderator', other)).toBe('moderation_forbidden');
    await site.passes(14 * 24 * 60 * MINUTE_MS - 1);
    await does(moderator, 'kick');
    await site.passes(1);
    expect(await refuses(moderator, 'kick', viewer)).toBe('moderation_forbidden');
    expect((await enters(performer)).chat.moderatorUsernameList).toEqual([]);
    expect((await list(performer, 'actions'))[0])
      .toMatchObject({ action: 'unmoderator', username: moderator.username, by: null, reason: 'expired' });
  });

  it('renews moderators for 14 days when they are named again [A-454]', async () => {
    await does(performer, 'moderator');
    await site.passes(7 * 24 * 60 * MINUTE_MS);
    await does(performer, 'moderator');
    await site.passes(14 * 24 * 60 * MINUTE_MS - 1);
    expect(await list(viewer, 'moderators')).toMatchObject([{ username: viewer.username }]);
    await site.passes(1);
    const ask = { username: performer.username, list: 'bans' };
    expect((await viewer.refused(getModeration, ask)).status).toBe(403);
  });

  it('drops held messages after an hour, and those of a banned viewer at once', async () => {
    const socket = await viewer.joins(performer);
    await says(socket, 'see mine.com');
    const other = await site.viewer();
    await says(await other.joins(performer), 'see other.com');
    await does(performer, 'ban');
    const ask = { username: performer.username };
    expect((await performer.call(getHeld, ask)).held).toMatchObject([{ username: other.username }]);
    await site.passes(60 * MINUTE_MS);
    expect((await performer.call(getHeld, ask)).held).toEqual([]);
  });
});
