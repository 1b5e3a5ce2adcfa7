import { uuidV4 } from '#platform/data/ids.ts';
import type { TestSocket } from '#product/testkit/rooms/room-socket.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatHistory, chatMessage, sayInChat, type ChatMessageView } from './contract.ts';
import { MAX_CHAT_MESSAGE_LENGTH, PACES } from './rules.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  // Delivers facts and events in the background.
  site.data.start();
});
afterAll(() => site.close());

const says = (socket: TestSocket, message: string) => socket.settles(message);

const texts = (socket: TestSocket): string[] => socket.received(chatMessage).map(({ message }) => message);

describe('chat', () => {
  it('shows a message to everybody in the room, guests too [B-005]', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const here = await viewer.joins(performer);
    const others = [
      await performer.joins(performer),
      await site.socketOf(await site.visitor({ ofAge: true }), performer.username),
    ];
    const elsewhere = await viewer.joins(await site.performer({ live: true }));
    await says(here, 'Hello there');
    for (const other of others) {
      expect(await other.waitFor(chatMessage)).toMatchObject({
        id: expect.any(Number),
        username: viewer.username,
        display_name: viewer.person.displayName,
        message: 'Hello there',
        is_tip: false,
        value: 0,
        recent_tips: 0,
        type: 'message',
        is_invisible_mode: false,
        is_moderation_message: false,
        subject_username: null,
        action: null,
        error: false,
        errorMessage: null,
        background: null,
        fontStyle: null,
        color: null,
        weight: null,
        is_model: false,
        is_guest: false,
        gender: null,
        is_vip: false,
        is_super_vip: false,
        has_tokens: false,
        fanclub_level: null,
        email_confirmed: null,
        has_cc: null,
        has_purchase: null,
        recentTips: 0,
        tokens: null,
        recent_purchases: null,
        socket_id: null,
        user_language: 'en',
        reply: null,
      });
    }
    expect(elsewhere.received(chatMessage)).toEqual([]);
    expect(site.log).toEqual([]);
  });

  it('stores and sends only the last 200 messages [B-251, B-401]', async () => {
    const performer = await site.performer();
    let said = 0;
    const saysUntil = async (last: number): Promise<void> => {
      while (said < last) {
        // A performer may send ten messages, and two more a second; each socket leaves before a ping is due.
        const speaker = await performer.joins(performer);
        for (const end = Math.min(last, said + 10); said < end; said += 1) {
          speaker.send(sayInChat, { message: `message ${said + 1}` });
        }
        await speaker.waitFor(chatMessage, ({ message }) => message === `message ${said}`);
        await speaker.leaves();
        site.clock.advance(5_000);
      }
    };
    const historyIs = async (first: number): Promise<void> => {
      const { messages } = await (await (await site.viewer()).joins(performer)).waitFor(chatHistory);
      expect(messages.map(({ message }) => message))
        .toEqual(Array.from({ length: said - first + 1 }, (_, at) => `message ${at + first}`));
    };
    await saysUntil(200);
    await historyIs(1);
    await saysUntil(201);
    await historyIs(2);
    // Messages that are no longer sent are no longer stored, either.
    const { rows } = await site.tx((tx) =>
      sql`select count(*)::int as stored, min(id)::int as first
      from rooms.messages where performer_id = ${performer.id}`.execute(tx.sql())
    );
    expect(rows).toEqual([{ stored: 200, first: 2 }]);
  });

  it('shows a tip once per fact, however often it is delivered', async () => {
    const [performer, viewer] = [await site.performer(), await site.viewer()];
    const tip = {
      factId: uuidV4(),
      performerId: performer.id,
      senderId: viewer.id,
      tokens: 5,
      comment: 'thanks',
      recentTips: 5,
      isAnonymous: false,
      showChat: null,
    };
    await site.tx((tx) => site.services.rooms.showTip(tx, tip));
    await site.tx((tx) => site.services.rooms.showTip(tx, tip));
    const { messages } = await (await viewer.joins(performer)).waitFor(chatHistory);
    expect(messages).toMatchObject([{
      id: 1,
      value: 5,
      message: 'thanks',
      is_tip: true,
      type: 'tip',
      username: viewer.username,
      has_tokens: false,
      has_purchase: false,
      recent_purchases: 0,
    }]);
  });

  it('asks guests to log in, and shows their message to nobody', async () => {
    const performer = await site.performer({ live: true });
    const listener = await (await site.viewer()).joins(performer);
    const german = await site.visitor({ ofAge: true, language: 'de' });
    const guest = await site.socketOf(german, performer.username);
    guest.send(sayInChat, { message: 'psst' });
    expect(await guest.waitFor(chatMessage)).toMatchObject({
      id: 0,
      error: true,
      errorMessage: 'Melde dich an, um zu chatten.',
      is_guest: true,
    });
    await says(listener, 'still quiet here');
    expect(texts(listener)).toEqual(['still quiet here']);
  });

  it('returns what is empty, too long, an unknown command or too fast to its sender only', async () => {
    const performer = await site.performer({ live: true });
    const here = await (await site.viewer()).joins(performer);
    const listener = await (await site.viewer()).joins(performer);
    const longest = 'x'.repeat(MAX_CHAT_MESSAGE_LENGTH);
    for (const message of ['  \u202E\u0000 ', `${longest}x`, '/dance']) {
      here.send(sayInChat, { message });
    }
    await says(here, longest);
    for (let nth = 1; nth < PACES.newMember.burst; nth += 1) {
      here.send(sayInChat, { message: `again ${nth}` });
    }
    const isTooFast = ({ errorMessage }: ChatMessageView) => errorMessage?.includes('too fast') ?? false;
    const tooFast = await here.waitFor(chatMessage, isTooFast);
    // The command and the overlong message counted, too.
    expect(tooFast.message).toBe('again 4');
    const errors = here.received(chatMessage)
      .flatMap(({ error, errorMessage }) => (error ? [errorMessage] : []));
    expect(errors).toEqual([
      'Write a message first.',
      'This message is too long. Shorten it and send it again.',
      'Unknown command.',
      'You’re sending messages too fast. Wait a moment.',
    ]);
    await says(listener, 'end');
    expect(texts(listener)).toEqual([longest, 'again 1', 'again 2', 'again 3', 'end']);
    site.clock.advance(4_000);
    await says(here, 'rested');
  });

  it('shows one line of plain text', async () => {
    const performer = await site.performer({ live: true });
    const here = await (await site.viewer()).joins(performer);
    here.send(sayInChat, { message: ' <b>a</b>\r\nb\u202Ec\u0007\t\uD800d e\u0301 ' });
    expect((await here.waitFor(chatMessage)).message).toBe('<b>a</b> bc d é');
  });

  it('drops malformed messages and continues', async () => {
    const performer = await site.performer({ live: true });
    const here = await (await site.viewer()).joins(performer);
    const payloads = [null, {}, { message: 7 }, { message: ['x'] }, { message: 'x'.repeat(4_001) }];
    for (const payload of payloads) here.sendRaw(JSON.stringify(['v3.chat.message', payload]));
    await says(here, 'fine');
    expect(texts(here)).toEqual(['fine']);
  });
});
