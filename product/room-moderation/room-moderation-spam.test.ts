import { DAY_MS } from '#platform/time/units.ts';
import { chatHistory, chatMessage } from '#product/rooms/contract.ts';
import { messageWithheld } from '#product/rooms/contract/moderation.ts';
import type { TestSocket } from '#product/testkit/rooms/room-socket.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  autosilenced,
  chatRulesChanged,
  decideHeld,
  getChatRules,
  getHeld,
  getModeration,
  getSiteChatRules,
  setChatRules,
  setSiteChatRules,
} from './contract.ts';
import { MAX_SITE_WORDS, MAX_STRIKES, type ChatPreset } from './rules.ts';

/** Every pace has recovered after this. */
const REST_MS = 60_000;

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

const says = (socket: TestSocket, message: string) => site.says(socket, message);
/** The error returned to the sender; null when the message was shown. */
const faultOf = async (socket: TestSocket, message: string): Promise<string | null> =>
  (await says(socket, message)).errorMessage;
const choose = (preset: ChatPreset, changes = {}) =>
  performer.call(setChatRules, { username: performer.username, preset, ...changes });
const speaking = async (by: Pick<Member, 'call'>) =>
  (await by.call(getChatRules, { username: performer.username })).speaking;

describe('who may write', () => {
  it('is visible before trying: to guests, members and the performer', async () => {
    const guest = await site.visitor({ ofAge: true });
    expect(await speaking(guest)).toEqual({ allowed: false, why: 'log_in', until: null, reason: null });
    expect(await speaking(viewer)).toEqual({ allowed: true, why: null, until: null, reason: null });
    await choose('fans_only', { chat_allowed: 'tokens' });
    expect(await speaking(viewer)).toEqual({ allowed: false, why: 'tokens', until: null, reason: null });
    expect(await speaking(performer)).toMatchObject({ allowed: true });
  });

  it('follows chat_allowed: ever tipped, tipped lately, has tokens', async () => {
    const [tipper, rich] = [await site.viewer({ tokens: 20 }), await site.viewer({ tokens: 5 })];
    const [socket, other, third] = [
      await viewer.joins(performer),
      await tipper.joins(performer),
      await rich.joins(performer),
    ];
    await choose('open', { chat_allowed: 'tip_anytime' });
    expect(await faultOf(other, 'hello from nobody')).toContain('tipped');
    await tipper.tips(performer, 20);
    await site.settle();
    expect(await faultOf(other, 'hello from a fan')).toBeNull();
    expect(await faultOf(socket, 'hello from me')).toContain('tipped');
    await choose('open', { chat_allowed: 'tokens' });
    expect(await faultOf(other, 'I gave all I had')).toContain('tokens');
    expect(await faultOf(third, 'I have some left')).toBeNull();
    await choose('open', { chat_allowed: 'tip_recent' });
    expect(await faultOf(other, 'I tipped today')).toBeNull();
    await site.passes(DAY_MS + 1);
    expect(await speaking(tipper)).toMatchObject({ allowed: false, why: 'tip_recent' });
    await choose('open', { chat_allowed: 'tip_anytime' });
    expect(await speaking(tipper)).toMatchObject({ allowed: true });
  });

  it('is spaced by slow mode, which viewers see and which does not apply to moderators', async () => {
    const socket = await viewer.joins(performer);
    const owner = await performer.joins(performer);
    await choose('open', { slow_mode_seconds: 30 });
    await site.settle();
    expect(await socket.waitFor(chatRulesChanged)).toEqual({ chat_allowed: 'all', slow_mode_seconds: 30 });
    expect(await faultOf(socket, 'the first one')).toBeNull();
    expect(await faultOf(socket, 'the second one')).toContain('30 s');
    const until = new Date(site.clock.now().getTime() + 30_000).toISOString();
    expect(await speaking(viewer)).toEqual({ allowed: false, why: 'slow_mode', until, reason: null });
    expect(await faultOf(owner, 'one of hers')).toBeNull();
    expect(await faultOf(owner, 'another of hers')).toBeNull();
    await site.passes(30_000);
    expect(await faultOf(socket, 'after a while')).toBeNull();
  });

  it('begins some seconds after joining, once, not at every return', async () => {
    await choose('careful', { first_message_hold: false, slow_mode_seconds: 0 });
    const socket = await viewer.joins(performer);
    expect(await faultOf(socket, 'right away')).toContain('15 s');
    await site.passes(15_000);
    expect(await faultOf(socket, 'a little later')).toBeNull();
    await socket.leaves();
    const again = await viewer.joins(performer);
    expect(await faultOf(again, 'back at once')).toBeNull();
  });

  it('holds the first message of a new account for a moderator, but not the next', async () => {
    await choose('careful', { slow_mode_seconds: 0, join_cool_down_seconds: 0 });
    const socket = await viewer.joins(performer);
    expect((await says(socket, 'my very first words')).error).toBe(true);
    const { held } = await performer.call(getHeld, { username: performer.username });
    expect(held).toMatchObject([{ message: 'my very first words', why: 'first_message' }]);
    const id = held[0]?.id ?? 0;
    await performer.call(decideHeld, { username: performer.username, id, decision: 'show' });
    await site.passes(REST_MS);
    expect(await faultOf(socket, 'and what I say then')).toBeNull();
  });
});

describe('what may be said', () => {
  it('excludes links in a room that refuses them, however they are written', async () => {
    const socket = await viewer.joins(performer);
    await choose('open', { links: 'refuse' });
    const hidden = ['see example dot com', 'h t t p : / / x', 'e x a m p l e . n e t'];
    for (const text of ['see example.com', ...hidden]) {
      expect(await faultOf(socket, text)).toContain('Links');
    }
    await choose('open', { links: 'allow' });
    expect(await faultOf(socket, 'see example.org')).toBeNull();
  });

  it('excludes nothing as a repetition of what was refused for a link or a word', async () => {
    const socket = await viewer.joins(performer);
    await choose('open', { links: 'refuse', blocked_words: ['rude'] });
    const line = 'come and see my garden tonight, it is full of roses and tulips';
    expect(await faultOf(socket, `${line} example.com`)).toContain('Links');
    expect(await faultOf(socket, `${line} rude`)).toContain('word');
    expect(await faultOf(socket, line)).toBeNull();
    await site.passes(REST_MS);
    expect((await says(socket, line)).error).toBe(true);
  });

  it('excludes blocked words of the room and the site, except for the performer', async () => {
    const admin = await site.admin();
    expect((await viewer.refused(getSiteChatRules, {})).status).toBe(403);
    expect((await performer.refused(setSiteChatRules, { blocked_words: ['x1'] })).status).toBe(403);
    await admin.call(setSiteChatRules, { blocked_words: ['badsite*', 'badsite*', 'whole phrase'] });
    const moderator = await site.viewer({ roles: ['site_mod'] });
    expect(await moderator.call(getSiteChatRules, {}))
      .toEqual({ blocked_words: ['badsite*', 'whole phrase'] });
    await choose('open', { blocked_words: ['rude'] });
    const [socket, owner] = [await viewer.joins(performer), await performer.joins(performer)];
    expect(await faultOf(socket, 'how RÜDE of you')).toContain('word');
    expect(await faultOf(socket, 'b a d s i t e s now')).toContain('word');
    expect(await faultOf(socket, 'a whoooole phrase')).toContain('word');
    expect(await faultOf(socket, 'the crude oil')).toBeNull();
    expect(await faultOf(owner, 'how rude of me')).toBeNull();
    await admin.call(setSiteChatRules, { blocked_words: [] });
    expect(await faultOf(socket, 'the whole phrase now')).toBeNull();
  });

  it('limits blocked words, so that they never slow a room down', async () => {
    const admin = await site.admin();
    const many = Array.from({ length: MAX_SITE_WORDS + 1 }, (_none, at) => `word${at}`);
    expect((await admin.refused(setSiteChatRules, { blocked_words: many })).errorType).toBe('invalid_input');
    for (const words of [['x'.repeat(41)], ['*'], ['a'], ['a*b*c*d*e']]) {
      expect((await admin.refused(setSiteChatRules, { blocked_words: words })).status).toBe(422);
    }
  });

  it('excludes repeats: only its sender and moderators see a text of a third account', async () => {
    const spam = 'come to my wonderful new show it is free tonight';
    const [one, two, three] = [viewer, await site.viewer(), await site.viewer()];
    const bystander = await (await site.viewer()).joins(performer);
    const owner = await performer.joins(performer);
    const first = await one.joins(performer);
    expect(await faultOf(first, spam)).toBeNull();
    expect(await faultOf(first, `${spam}!!!`)).toContain('just sent this message');
    expect(await faultOf(await two.joins(performer), spam.toUpperCase())).toBeNull();
    const third = await three.joins(performer);
    const shadowed = 'c0me to my w0nderful new sh0w it is free toniiight';
    expect(await says(third, shadowed)).toMatchObject({ error: false, username: three.username });
    await site.settle();
    const messages = (socket: TestSocket): string[] =>
      socket.received(chatMessage).map(({ message }) => message);
    expect(messages(bystander)).toEqual([spam, spam.toUpperCase()]);
    const { message } = await owner.waitFor(messageWithheld);
    expect(message).toMatchObject({ message: shadowed, username: three.username });
    expect(messages(owner)).toEqual([spam, spam.toUpperCase()]);
    const later = await (await site.viewer()).joins(performer);
    expect((await later.waitFor(chatHistory)).messages.map(({ message }) => message))
      .toEqual([spam, spam.toUpperCase()]);
  });
});

describe('a spammer', () => {
  it('is silenced, notified in every tab, listed and audited; then may write again [A-373]', async () => {
    await choose('open', { links: 'refuse' });
    const socket = await viewer.joins(performer);
    const lobby = await site.socketOf(await site.anotherTabOf(viewer));
    const tab = await site.socketOf(viewer);
    const others = [await site.socketOf(performer), await (await site.viewer()).joins(performer)];
    for (let count = 1; count < MAX_STRIKES; count += 1) {
      expect(await faultOf(socket, `buy at spam${count}.com`)).toContain('Links');
    }
    const until = new Date(site.clock.now().getTime() + 5 * 60_000).toISOString();
    expect(await faultOf(socket, 'buy at spamlast.com')).toContain('silenced');
    for (const socket of [lobby, tab]) {
      expect(await socket.waitFor(autosilenced)).toEqual({
        room: performer.username,
        until,
        reason: 'You broke the room’s chat rules too often, so you can’t chat for 5 min.',
      });
      expect(socket.received(autosilenced)).toHaveLength(1);
    }
    // `spam` is a code for the log; its subject reads the text above.
    expect(await speaking(viewer)).toEqual({ allowed: false, why: 'silenced', until, reason: null });
    const ask = { username: performer.username, list: 'silences' as const };
    const { entries } = await performer.call(getModeration, ask);
    expect(entries).toMatchObject([{ username: viewer.username, by: null, reason: 'spam', until }]);
    const subject = `person:${viewer.id}`;
    const lines = await site.tx(async (tx) =>
      (await sql`select action, actor_id from platform.audit
      where subject = ${subject} and action = 'room-moderation.silence'`.execute(tx.sql())).rows
    );
    expect(lines).toEqual([{ action: 'room-moderation.silence', actor_id: null }]);
    await site.passes(REST_MS);
    expect(await faultOf(socket, 'let me speak')).toContain('silenced');
    await site.passes(5 * 60_000 - REST_MS);
    expect(await faultOf(socket, 'sorry about that')).toBeNull();
    await others[1]?.waitFor(chatMessage, ({ message }) => message === 'sorry about that');
    expect(others.flatMap((other) => other.received(autosilenced))).toEqual([]);
  });

  it('reads the reason in their own language', async () => {
    const german = await site.viewer({ language: 'de' });
    await choose('open', { blocked_words: ['rude'] });
    const socket = await german.joins(performer);
    for (let count = 0; count < MAX_STRIKES; count += 1) await says(socket, `rude ${'a'.repeat(count + 1)}`);
    expect((await socket.waitFor(autosilenced)).reason).toContain('5 min lang');
  });
});

describe('a room on many processes', () => {
  it('counts messages sent through any of them', async () => {
    await choose('open', { slow_mode_seconds: 60 });
    const socket = await viewer.joins(performer);
    // Written as if by another process: nothing in this process has changed.
    await site.tx((tx) =>
      sql`update room_moderation.speakers set last_said_at = ${tx.now}
      where person_id = ${viewer.id} and performer_id = ${performer.id}`.execute(tx.sql())
    );
    expect(await faultOf(socket, 'said there already')).toContain('60 s');
  });
});
