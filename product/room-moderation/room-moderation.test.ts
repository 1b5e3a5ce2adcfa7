import type { PayloadOf } from '#platform/contract/event.ts';
import { authorize, authorizeFailed } from '#platform/contract/sockets/lobby.ts';
import { closeCodes, ROOM_PATH } from '#platform/contract/sockets/wire.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
import { setRole } from '#product/accounts/contract/staff-roles.ts';
import { declareAge } from '#product/compliance/contract.ts';
import { chatHistory, chatMessage, getRoom, sayInChat } from '#product/rooms/contract.ts';
import { chatBanned, moderated } from '#product/rooms/contract/moderation.ts';
import type { TestSocket } from '#product/testkit/rooms/room-socket.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  decideHeld,
  getChatRules,
  getHeld,
  getModeration,
  heldDecided,
  messageHeld,
  moderate,
  removeMessages,
  setChatRules,
} from './contract.ts';
import { MAX_MODERATORS, type ModerationAction, type ModerationList } from './rules.ts';

let site: TestSite;
let performer: Member;
let viewer: Member;
beforeAll(async () => {
  site = await createSite();
  site.data.start();
});
afterAll(() => site.close());
beforeEach(async () => {
  performer = await site.performer();
  viewer = await site.viewer();
});

interface Doing {
  readonly minutes?: number;
  readonly reason?: string;
}
const order = (subject: { readonly username: string }, action: ModerationAction, doing: Doing) => ({
  username: performer.username,
  subject: subject.username,
  action,
  ...doing,
});
const does = (
  by: Member,
  action: ModerationAction,
  subject: { readonly username: string } = viewer,
  doing: Doing = {},
) => by.call(moderate, order(subject, action, doing));
const refuses = async (by: Member, action: ModerationAction, subject: { readonly username: string }) =>
  (await by.refused(moderate, order(subject, action, {}))).errorType;
const list = async (by: Member, which: ModerationList) =>
  (await by.call(getModeration, { username: performer.username, list: which })).entries;
const room = {
  get username() {
    return performer.username;
  },
};
const enters = (by: Pick<Member, 'call'>) => by.call(getRoom, { username: performer.username });
const refusedEntry = async (by: Pick<Member, 'refused'>) =>
  (await by.refused(getRoom, { username: performer.username })).errorType;

/** Sends a message, and waits until it is shown or returned with an error. */
async function says(socket: TestSocket, message: string): Promise<PayloadOf<typeof chatMessage>> {
  const before = socket.received(chatMessage).length;
  socket.send(sayInChat, { message });
  return socket.waitFor(
    chatMessage,
    (received) => received.message === message && socket.received(chatMessage).indexOf(received) >= before,
  );
}
/** The audit entries about a person, oldest first. */
const audit = (subject: string) =>
  site.tx(async (tx) => {
    const { rows } = await sql<{ action: string; actor_id: number | null; reason: string | null }>`
    select action, actor_id, reason from platform.audit where subject = ${subject} order by id`
      .execute(tx.sql());
    return rows;
  });

describe('a ban', () => {
  it('removes from the room with its reason, and keeps out until it is lifted [B-358, B-228]', async () => {
    const socket = await viewer.joins(performer);
    const other = await (await site.viewer()).joins(performer);
    const { id } = await says(socket, 'something bad');
    await does(performer, 'ban', viewer, { reason: 'rude' });
    expect(await socket.waitFor(chatBanned))
      .toEqual({ room: performer.username, reason: 'rude', until: null });
    expect(await socket.closing()).toBe(closeCodes.refused);
    expect((await other.waitFor(moderated)).removed).toEqual([id]);
    expect(await viewer.refused(getRoom, { username: performer.username }))
      .toMatchObject({ status: 403, errorType: 'room_banned', reason: 'rude', until: null });
    const again = await site.openSocket(viewer, ROOM_PATH + performer.username);
    again.send(authorize, { token: (await viewer.call(getCurrentUser, {})).node_token, version: 'test' });
    expect(await again.waitFor(authorizeFailed)).toEqual({ code: 'room_banned' });
    const later = await (await site.viewer()).joins(performer);
    expect((await later.waitFor(chatHistory)).messages.map((message) => message.id)).not.toContain(id);
    await does(performer, 'unban');
    expect((await enters(viewer)).user.id).toBe(performer.id);
    await viewer.joins(performer);
  });

  it('of one room does not apply to another', async () => {
    const other = await site.performer();
    await does(performer, 'ban');
    expect((await viewer.call(getRoom, { username: other.username })).user.id).toBe(other.id);
  });

  it('ends being a moderator', async () => {
    await does(performer, 'moderator');
    await does(performer, 'ban');
    expect(await list(performer, 'moderators')).toEqual([]);
    const ask = { username: performer.username, list: 'bans' };
    expect((await viewer.refused(getModeration, ask)).status).toBe(403);
    expect(await refuses(performer, 'moderator', viewer)).toBe('subject_restricted');
  });
});

describe('a silence', () => {
  it('removes messages, refuses the next one, and restores nothing when lifted [B-232, B-233]', async () => {
    const socket = await viewer.joins(performer);
    const { id } = await says(socket, 'noise');
    await does(performer, 'silence', viewer, { minutes: 5 });
    expect(await socket.waitFor(moderated)).toMatchObject({ type: 'silenced', action: 'add', removed: [id] });
    const answered = await says(socket, 'more noise');
    expect(answered).toMatchObject({ id: 0, error: true });
    expect(answered.errorMessage).toContain('5 more min');
    expect((await enters(performer)).chat.silencedUsernameList).toEqual([viewer.username]);
    await does(performer, 'unsilence');
    await socket.waitFor(moderated, ({ action }) => action === 'remove');
    expect((await enters(performer)).chat.silencedUsernameList).toEqual([]);
    expect(await says(socket, 'quiet words')).toMatchObject({ error: false });
    const later = await (await site.viewer()).joins(performer);
    expect((await later.waitFor(chatHistory)).messages.map((item) => item.message)).toEqual(['quiet words']);
  });

  it('by one process applies in another at the next message', async () => {
    const socket = await viewer.joins(performer);
    // Written as if by another process: nothing in this process has changed.
    await site.tx((tx) =>
      sql`insert into room_moderation.restrictions
      (operator_id, performer_id, kind, person_id, by_id, reason, at)
      values (1, ${performer.id}, 'silenced', ${viewer.id}, ${performer.id}, '', ${tx.now})`
        .execute(tx.sql())
    );
    expect(await says(socket, 'unseen')).toMatchObject({ id: 0, error: true });
  });
});

describe('moderators of a room', () => {
  it('are limited in number', async () => {
    const { accounts } = site.services;
    const passwordHash = await accounts.hashPassword('not used by anybody');
    const people = await Promise.all(
      Array.from({ length: MAX_MODERATORS }, async (_none, at) =>
        accounts.create(site.scope, {
          username: `helper-${at}`,
          email: `helper-${at}@people.example`,
          password: 'not used by anybody',
          passwordHash,
          birthDate: '1990-01-01',
          type: 'user',
          gender: null,
          roles: [],
        })),
    );
    for (const person of people) await does(performer, 'moderator', person);
    expect(await refuses(performer, 'moderator', viewer)).toBe('too_many_moderated');
    await does(performer, 'unmoderator', people[0]);
    await does(performer, 'moderator', viewer);
  });

  it('cannot act on the performer, site staff or each other; nobody acts on themselves', async () => {
    const [admin, siteModerator] = [await site.admin(), await site.viewer({ roles: ['site_mod'] })];
    const [one, two] = [await site.viewer(), await site.viewer()];
    await does(performer, 'moderator', one);
    await does(performer, 'moderator', two);
    for (const subject of [performer, admin, siteModerator, two]) {
      expect(await refuses(one, 'ban', subject)).toBe('subject_protected');
    }
    expect(await refuses(performer, 'ban', performer)).toBe('own_moderation');
    expect(await refuses(siteModerator, 'kick', performer)).toBe('subject_protected');
    expect(await refuses(viewer, 'ban', one)).toBe('moderation_forbidden');
    await does(siteModerator, 'silence', two, { minutes: 1 });
    await does(one, 'unmoderator', one);
    expect(await refuses(one, 'kick', viewer)).toBe('moderation_forbidden');
  });

  it('learn that a person is unknown; others are refused before the lookup', async () => {
    expect(await refuses(viewer, 'ban', { username: 'nobody-here' })).toBe('moderation_forbidden');
    expect(await refuses(performer, 'ban', { username: 'nobody-here' })).toBe('subject_unknown');
    expect(await refuses(performer, 'ban', { username: 'guest_unknown1' })).toBe('subject_unknown');
    expect(await refuses(performer, 'unban', viewer)).toBe('nothing_to_undo');
    const hidden = await site.performer({ cleared: false });
    expect(
      await viewer.refused(moderate, {
        username: hidden.username,
        subject: viewer.username,
        action: 'ban',
      }),
    ).toMatchObject({ status: 404, errorType: 'room_unknown' });
    const guest = await site.visitor({ ofAge: true });
    expect((await guest.refused(moderate, order(viewer, 'ban', {}))).status).toBe(401);
  });
});

describe('names in moderation', () => {
  it('are sent only to the subject, the performer, admins and moderators [B-234, B-235]', async () => {
    const [moderator, bystander] = [await site.viewer(), await site.viewer()];
    const admin = await site.admin();
    await does(performer, 'moderator', moderator);
    const staff = [
      admin,
      await site.viewer({ roles: ['site_mod'] }),
      await site.viewer({ roles: ['model_admin'] }),
    ];
    const sockets = await Promise.all(
      [performer, moderator, ...staff, viewer].map((member) => member.joins(performer)),
    );
    const other = await bystander.joins(performer);
    await does(moderator, 'silence', viewer, { minutes: 1 });
    for (const socket of sockets) {
      expect(await socket.waitFor(moderated, ({ username }) => username === viewer.username))
        .toMatchObject({ type: 'silenced', action: 'add', display_name: viewer.person.displayName });
    }
    expect(await other.waitFor(moderated, ({ type }) => type === 'silenced'))
      .toMatchObject({ username: null, display_name: null });
    expect(JSON.stringify(other.events)).not.toContain(viewer.username);
  });
});

describe('the moderation panel', () => {
  it('is only for the performer, admins, site moderators and room moderators [B-287]', async () => {
    const moderator = await site.viewer();
    await does(performer, 'moderator', moderator);
    const may = [
      performer,
      moderator,
      await site.admin(),
      await site.viewer({ roles: ['site_mod'] }),
      await site.viewer({ roles: ['model_admin'] }),
    ];
    for (const one of may) {
      expect(await list(one, 'moderators')).toMatchObject([{ username: moderator.username }]);
      expect((await one.call(getHeld, { username: performer.username })).held).toEqual([]);
      expect((await one.call(getChatRules, { username: performer.username })).may.moderate).toBe(true);
    }
    for (const one of [viewer, await site.performer()]) {
      for (const which of ['bans', 'silences', 'moderators', 'actions']) {
        expect(await one.refused(getModeration, { username: performer.username, list: which }))
          .toMatchObject({ status: 403, errorType: 'moderation_forbidden' });
      }
      expect((await one.refused(getHeld, { username: performer.username })).status).toBe(403);
      const rules = await one.call(getChatRules, { username: performer.username });
      expect(rules).toMatchObject({ rules: null, may: { moderate: false, change_rules: false } });
    }
    const guest = await site.visitor({ ofAge: true });
    const ask = { username: performer.username, list: 'bans' };
    expect((await guest.refused(getModeration, ask)).status).toBe(401);
  });

  it('shows actions with actor and reason, page by page, as the audit log has them', async () => {
    for (let count = 0; count < 26; count += 1) {
      await does(performer, 'silence', viewer, { reason: `reason ${count}`, minutes: count + 1 });
      await does(performer, 'unsilence');
      site.clock.advance(3_000);
    }
    const first = await performer.call(getModeration, { username: performer.username, list: 'actions' });
    expect(first.entries).toHaveLength(50);
    expect(first.entries[0]).toMatchObject({ action: 'unsilence', by: performer.username, until: null });
    expect(first.entries[1]).toMatchObject({ action: 'silence', reason: 'reason 25', is_guest: false });
    const rest = await performer.call(getModeration, {
      username: performer.username,
      list: 'actions',
      before: first.next ?? 0,
    });
    expect(rest.entries.map(({ reason }) => reason)).toEqual(['', 'reason 0']);
    expect(rest.next).toBeNull();
    expect((await audit(`person:${viewer.id}`)).filter(({ action }) => action === 'room-moderation.silence'))
      .toEqual(Array.from({ length: 26 }, (_none, count) => ({
        action: 'room-moderation.silence',
        actor_id: performer.id,
        reason: `reason ${count}`,
      })));
  });
});

describe('messages', () => {
  it('are removed by those who moderate, with an entry in the audit log', async () => {
    const socket = await viewer.joins(performer);
    const { id } = await says(socket, 'take this away');
    const ask = { username: performer.username, ids: [id] };
    expect((await viewer.refused(removeMessages, ask)).errorType).toBe('moderation_forbidden');
    await performer.call(removeMessages, ask);
    const later = await (await site.viewer()).joins(performer);
    expect((await later.waitFor(chatHistory)).messages).toEqual([]);
    expect(await audit(`person:${performer.id}`)).toContainEqual({
      action: 'room-moderation.removeMessages',
      actor_id: performer.id,
      reason: '',
    });
  });

  it('are held for a moderator, who shows them, drops them, or silences their sender', async () => {
    const owner = await performer.joins(performer);
    const socket = await viewer.joins(performer);
    const bystander = await (await site.viewer()).joins(performer);
    for (const name of ['one', 'two', 'three']) {
      expect(await says(socket, `look at ${name}.com`)).toMatchObject({ id: 0, error: true });
      await owner.waitFor(messageHeld, ({ message }) => message.includes(name));
    }
    const { held } = await performer.call(getHeld, room);
    expect(held.map(({ message, why }) => [message, why])).toEqual([
      ['look at one.com', 'link'],
      ['look at two.com', 'link'],
      ['look at three.com', 'link'],
    ]);
    const decide = (id = 0, decision: 'show' | 'drop' | 'silence' = 'show') => ({
      username: performer.username,
      id,
      decision,
    });
    expect((await viewer.refused(decideHeld, decide(held[0]?.id))).errorType).toBe('moderation_forbidden');
    await performer.call(decideHeld, decide(held[0]?.id, 'show'));
    expect(await bystander.waitFor(chatMessage)).toMatchObject({
      message: 'look at one.com',
      username: viewer.username,
      error: false,
    });
    expect((await performer.refused(decideHeld, decide(held[0]?.id))).errorType).toBe('held_unknown');
    await performer.call(decideHeld, decide(held[1]?.id, 'drop'));
    await owner.waitFor(heldDecided, ({ decision }) => decision === 'drop');
    await performer.call(decideHeld, decide(held[2]?.id, 'silence'));
    expect(await list(performer, 'silences')).toMatchObject([{ username: viewer.username }]);
    expect((await performer.call(getHeld, room)).held).toEqual([]);
    expect(bystander.received(messageHeld)).toEqual([]);
    expect(bystander.received(chatMessage)).toHaveLength(1);
  });

  it('are held with the badge of staff beside names of staff, and of nobody else', async () => {
    const senders = [await site.viewer(), await site.viewer()];
    for (const sender of senders) await says(await sender.joins(performer), `see ${sender.username}.com`);
    const [made, other] = senders.map(({ username }) => username);
    // Staff messages are not held, so this sender becomes staff only after sending.
    const change = { username: made ?? '', role: 'model_admin', on: true, reason: 'a test' } as const;
    await (await site.admin()).call(setRole, change);
    const { held } = await performer.call(getHeld, room);
    expect(held.map(({ username, is_staff: badge }) => [username, badge]))
      .toEqual([[made, true], [other, undefined]]);
  });
});

describe('guests', () => {
  it('are banned by the name shown for them, and admitted again', async () => {
    const guest = await site.visitor({ address: '203.0.113.40', region: 'demo', opened: true });
    await guest.call(declareAge, { of_age: true });
    const { username } = (await guest.call(getRoom, room)).user;
    expect(username).toBe(performer.username);
    const name = await site.tx(async (tx) => {
      const { rows } = await sql<{ guest_name: string }>`select guest_name from room_moderation.traces
        where guest_name is not null order by seen_at desc, who limit 1`.execute(tx.sql());
      return rows[0]?.guest_name ?? '';
    });
    expect(await refuses(performer, 'moderator', { username: name })).toBe('guest_moderator');
    await does(performer, 'ban', { username: name }, { reason: 'robot' });
    expect(await refusedEntry(guest)).toBe('room_banned');
    expect(await list(performer, 'bans'))
      .toMatchObject([{ username: name, is_guest: true, reason: 'robot' }]);
    await does(performer, 'unban', { username: name });
    expect((await guest.call(getRoom, room)).user.id).toBe(performer.id);
  });
});

describe('rules', () => {
  it('are changed by room admins; its moderators change slow mode and links only', async () => {
    const moderator = await site.viewer();
    await does(performer, 'moderator', moderator);
    const ask = { username: performer.username };
    const words = ['spam', 'spam'];
    const before = await performer.call(setChatRules, { ...ask, preset: 'careful', blocked_words: words });
    expect(before).toMatchObject({ preset: 'careful', slow_mode_seconds: 5, blocked_words: ['spam'] });
    const turned = await moderator.call(setChatRules, { ...ask, slow_mode_seconds: 20, links: 'hold' });
    expect(turned).toMatchObject({ slow_mode_seconds: 20, links: 'hold', blocked_words: [] });
    const beyond = [{ preset: 'open' }, { blocked_words: [] }, { chat_allowed: 'all', links: 'allow' }];
    for (const change of beyond) {
      expect((await moderator.refused(setChatRules, { ...ask, ...change })).errorType)
        .toBe('moderation_forbidden');
    }
    expect((await viewer.refused(setChatRules, { ...ask, links: 'allow' })).status).toBe(403);
    const problem = await performer.refused(setChatRules, { ...ask, blocked_words: ['*'] });
    expect(problem.errorType).toBe('word_invalid');
    const seen = await viewer.call(getChatRules, ask);
    expect(seen).toMatchObject({ chat_allowed: 'all', slow_mode_seconds: 20, rules: null });
    expect((await performer.call(getChatRules, ask)).rules).toMatchObject({ blocked_words: ['spam'] });
    const reset = await performer.call(setChatRules, { ...ask, preset: 'open' });
    expect(reset)
      .toMatchObject({ preset: 'open', slow_mode_seconds: 0, links: 'hold', blocked_words: ['spam'] });
  });
});
