import { moderatedRoom } from '#product/testkit/rooms/moderated-room.ts';
import { settling, type TestSocket } from '#product/testkit/rooms/room-socket.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatHistory, chatMessage, chatUpdate, getRoom, sayInChat, soundPlayed } from './contract.ts';

const settled = settling();
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  site.data.start();
});
afterAll(() => site.close());

const roomOf = (visitor: Visitor, { username }: Member) => visitor.call(getRoom, { username });

const stage = () => moderatedRoom(site);

/** Messages a socket received, except those of {@link settled}. */
const readBy = (socket: TestSocket): readonly string[] =>
  socket.received(chatMessage).map(({ message }) => message).filter((line) => !line.startsWith('mark '));

describe('commands', () => {
  it('play a sound for everybody in the room, by streamer and room moderators [B-281]', async () => {
    const { performer, moderator, viewer, stranger } = await stage();
    const [owner, mod, watcher, other] = [
      await performer.joins(performer),
      await moderator.joins(performer),
      await viewer.joins(performer),
      await stranger.joins(performer),
    ];
    mod.send(sayInChat, { message: '/play_sound bell' });
    owner.send(sayInChat, { message: '/play_sound tada' });
    for (const socket of [owner, mod, watcher, other]) {
      for (const [name, sender] of [['bell', moderator], ['tada', performer]] as const) {
        expect(await socket.waitFor(soundPlayed, ({ sound }) => sound === name)).toEqual({
          sound: name,
          username: sender.username,
          display_name: sender.person.displayName,
        });
      }
    }
    other.send(sayInChat, { message: '/play_sound bell' });
    watcher.send(sayInChat, { message: '/play_sound bell' });
    for (const socket of [other, watcher]) {
      expect((await socket.waitFor(chatMessage)).errorMessage).toBe('Only moderators can use this command.');
    }
    await settled(owner, watcher);
    expect(watcher.received(soundPlayed)).toHaveLength(2);
    // Sounds are not logged: a client that joins later does not receive them.
    const late = await (await site.viewer()).joins(performer);
    await settled(owner, late);
    expect(late.received(soundPlayed)).toEqual([]);
  });

  it('play the sounds of a list, for those who moderate, and nothing else [B-281]', async () => {
    const { performer, viewer } = await stage();
    const watcher = await viewer.joins(performer);
    const sounds = [
      'airhorn',
      'applause',
      'bell',
      'cheer',
      'drumroll',
      'fanfare',
      'kiss',
      'laugh',
      'pop',
      'tada',
      'whistle',
    ];
    expect((await roomOf(performer, performer)).chat.soundList.toSorted()).toEqual(sounds);
    const staff = await Promise.all((['site_mod', 'model_admin', 'admin'] as const)
      .map((role) => site.viewer({ roles: [role] })));
    for (const [nth, name] of sounds.entries()) {
      const who = staff[nth % staff.length] as Member;
      const socket = await who.joins(performer);
      socket.send(sayInChat, { message: `/play_sound ${name}` });
      const played = await watcher.waitFor(soundPlayed, ({ sound }) => sound === name);
      expect(played.username).toBe(who.username);
      for (const wrong of ['', ' ../secret', ` ${name} ${name}`]) {
        const line = `/play_sound${wrong}`;
        socket.send(sayInChat, { message: line });
        expect((await socket.waitFor(chatMessage, ({ message }) => message === line)).errorMessage)
          .toBe('Unknown sound.');
      }
      site.clock.advance(2_000);
      await socket.leaves();
    }
    expect(watcher.received(soundPlayed)).toHaveLength(sounds.length);
  });

  it.each([['moderator'], ['performer']] as const)(
    'of a %s set the mode of the chat to limited and back, and the video stays [B-198, B-199]',
    async (role) => {
      const { viewer, ...staff } = await stage();
      const { performer } = staff;
      const [speaker, watcher] = [await staff[role].joins(performer), await viewer.joins(performer)];
      expect((await roomOf(viewer, performer)).mode).toBe('public');
      speaker.send(sayInChat, { message: '/setmode limited' });
      const limited = await watcher.waitFor(chatUpdate, ({ mode }) => mode === 'limited');
      expect(limited.status).toBe('online');
      expect(await roomOf(viewer, performer)).toMatchObject({
        mode: 'limited',
        chat: { mode: 'public', roomMode: 'limited' },
        streamStatus: 'online',
      });
      speaker.send(sayInChat, { message: '/setmode public' });
      await expect.poll(() => watcher.received(chatUpdate).at(-1)?.mode).toBe('public');
      expect(await roomOf(viewer, performer)).toMatchObject({
        mode: 'public',
        chat: { mode: 'public', roomMode: 'public' },
        streamStatus: 'online',
      });
      expect([readBy(speaker), readBy(watcher)]).toEqual([[], []]);
    },
  );

  it('take limited or public after setmode, from moderators alone [B-282]', async () => {
    const { performer, moderator, viewer, stranger } = await stage();
    const [mod, watcher] = [await moderator.joins(performer), await viewer.joins(performer)];
    for (const socket of [watcher, await stranger.joins(performer)]) {
      socket.send(sayInChat, { message: '/setmode limited' });
      expect((await socket.waitFor(chatMessage)).errorMessage).toBe('Only moderators can use this command.');
    }
    for (const argument of ['private', 'spy', 'limited public', '']) {
      const line = `/setmode ${argument}`.trim();
      mod.send(sayInChat, { message: line });
      expect((await mod.waitFor(chatMessage, ({ message }) => message === line)).errorMessage)
        .toBe('Choose “limited” or “public” as the mode.');
    }
    expect((await roomOf(viewer, performer)).mode).toBe('public');
    mod.send(sayInChat, { message: '/setmode limited' });
    await watcher.waitFor(chatUpdate, ({ mode }) => mode === 'limited');
    watcher.send(sayInChat, { message: '/setmode public' });
    await settled(watcher, mod);
    expect((await roomOf(viewer, performer)).mode).toBe('limited');
    mod.send(sayInChat, { message: '/setmode public' });
    await expect.poll(async () => (await roomOf(viewer, performer)).mode).toBe('public');
  });

  it('play_sound, setmode and tip_split act unseen; an unknown one does nothing [B-280]', async () => {
    const { performer } = await stage();
    const viewer = await site.viewer({ tokens: 100 });
    const [watcher, owner] = [await viewer.joins(performer), await performer.joins(performer)];
    owner.send(sayInChat, { message: '/play_sound bell' });
    await watcher.waitFor(soundPlayed);
    owner.send(sayInChat, { message: '/setmode limited' });
    await watcher.waitFor(chatUpdate, ({ mode }) => mode === 'limited');
    watcher.send(sayInChat, { message: '/tip_split 50 4' });
    await expect.poll(() => roomOf(viewer, performer)).toMatchObject({ tipSplit: { mode: 'proposed' } });
    watcher.send(sayInChat, { message: '/dance wildly' });
    // The notice of the tip split may come before or after it.
    expect(await watcher.waitFor(chatMessage, ({ message }) => message === '/dance wildly')).toMatchObject({
      id: 0,
      message: '/dance wildly',
      errorMessage: 'Unknown command.',
    });
    await settled(owner, watcher);
    // The notice of the tip split, and the mark.
    for (const socket of [owner, await (await site.viewer()).joins(performer)]) {
      const lines = socket === owner
        ? socket.received(chatMessage)
        : (await socket.waitFor(chatHistory)).messages;
      expect(lines.map(({ type }) => type)).toEqual(['notice', 'message']);
      expect(lines.filter(({ message }) => message.startsWith('/'))).toEqual([]);
    }
  });
});

describe('hidden lines', () => {
  /** The history of a room as a late client reads it, without marks. */
  const historyOf = async (performer: Member): Promise<readonly string[]> => {
    const late = await (await site.viewer()).joins(performer);
    const { messages } = await late.waitFor(chatHistory);
    return messages.map(({ message }) => message).filter((line) => !line.startsWith('mark '));
  };

  it('come from test users, who read no more of them than others do [B-284]', async () => {
    const { performer, viewer } = await stage();
    const tester = await site.viewer({ roles: ['test_user'] });
    const [watcher, owner, test] = [
      await viewer.joins(performer),
      await performer.joins(performer),
      await tester.joins(performer),
    ];
    test.send(sayInChat, { message: 'does it work?' });
    watcher.send(sayInChat, { message: 'it does' });
    await watcher.waitFor(chatMessage);
    await settled(watcher, owner, test);
    for (const socket of [watcher, owner, test]) expect(readBy(socket)).toEqual(['it does']);
    expect(await historyOf(performer)).toEqual(['it does']);
  });

  it.each(['[debug] state', '#debug state', '__debug state', ' [DEBUG] state'])(
    'have a debug prefix: %s [B-285]',
    async (line) => {
      const { performer, viewer } = await stage();
      const [watcher, owner] = [await viewer.joins(performer), await performer.joins(performer)];
      for (const socket of [watcher, owner]) socket.send(sayInChat, { message: line });
      await settled(owner, watcher);
      await settled(watcher, owner);
      for (const socket of [watcher, owner]) expect(readBy(socket)).toEqual([]);
      expect(await historyOf(performer)).toEqual([]);
    },
  );
});
