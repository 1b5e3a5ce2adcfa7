import { implement } from '#platform/contract/extension-point.ts';
import { getPlayback } from '#product/broadcast/contract.ts';
import { plays } from '#product/testkit/media/media-client.ts';
import { moderatedRoom } from '#product/testkit/rooms/moderated-room.ts';
import { settling } from '#product/testkit/rooms/room-socket.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatMessage, chatSubject, chatUpdate, getRoom } from './contract.ts';
import {
  enterPassword,
  getRoomSettings,
  highlightedMessage,
  highlightMessage,
  modelSettings,
  saveRoomSettings,
  sendNotice,
  setSubject,
} from './contract/controls.ts';
import { roomAssistant } from './extension-points.ts';
import { PASSWORD_TRIES, PASSWORD_TRIES_OF_ROOM, PASSWORD_WINDOW_MS } from './rules.ts';

const settled = settling();
let site: TestSite;
let assistants: Map<number, { isEnabled: boolean; name: string }>;
beforeAll(async () => {
  assistants = new Map();
  site = await createSite({
    implementations: [
      implement(roomAssistant, async (_tx, performerId) => assistants.get(performerId) ?? null),
    ],
  });
  site.data.start();
});
afterAll(() => site.close());

const roomOf = (visitor: Visitor, { username }: Member) => visitor.call(getRoom, { username });
const refusedAs = (problem: { readonly errorType: string }): string => problem.errorType;

const stage = () => moderatedRoom(site);

describe('the subject', () => {
  it('is set with its colour by streamer and moderators, and sent to the room [B-363, C-344]', async () => {
    const { performer, moderator, viewer, stranger } = await stage();
    const watcher = await viewer.joins(performer);
    const { username } = performer;
    await moderator.call(setSubject, { username, subject: ' Rain\u202E  music ', subject_color: '#FF8800' });
    expect(await watcher.waitFor(chatSubject, ({ subject }) => subject !== ''))
      .toEqual({ subject: 'Rain music', subject_color: '#ff8800' });
    await performer.call(setSubject, { username, subject: 'Snow' });
    await watcher.waitFor(
      chatSubject,
      ({ subject, subject_color }) => subject === 'Snow' && subject_color === '#ff8800',
    );
    await performer.call(setSubject, { username, subject: 'Snow', subject_color: null });
    await watcher.waitFor(
      chatSubject,
      ({ subject, subject_color }) => subject === 'Snow' && subject_color === null,
    );
    expect((await roomOf(viewer, performer)).chat).toMatchObject({ subjectText: 'Snow', subjectColor: null });
    for (const role of ['site_mod', 'model_admin'] as const) {
      const staff = await site.viewer({ roles: [role] });
      await staff.call(setSubject, { username, subject: `By ${role}`, subject_color: '#102030' });
      expect(await watcher.waitFor(chatSubject, ({ subject }) => subject === `By ${role}`))
        .toEqual({ subject: `By ${role}`, subject_color: '#102030' });
    }
    // A viewer who joins later receives it, too.
    expect(await (await (await site.viewer()).joins(performer)).waitFor(chatSubject))
      .toEqual({ subject: 'By model_admin', subject_color: '#102030' });
    for (const who of [viewer, stranger, await site.performer()]) {
      expect(refusedAs(await who.refused(setSubject, { username, subject: 'Mine' }))).toBe('not_your_room');
    }
    const guest = await site.visitor({ ofAge: true });
    expect((await guest.refused(setSubject, { username, subject: 'Mine' })).status).toBe(401);
    expect((await roomOf(viewer, performer)).chat)
      .toMatchObject({ subjectText: 'By model_admin', subjectColor: '#102030' });
    const colors = ['red', '#ff', 'url(x)', '#ff8800;'];
    for (const subject_color of colors) {
      const problem = await performer.refused(setSubject, { username, subject: 'x', subject_color });
      expect(problem.status).toBe(422);
    }
  });
});

describe('notices', () => {
  it('are shown at once, and again while the room is online', async () => {
    const { performer, viewer, moderator } = await stage();
    const watcher = await viewer.joins(performer);
    const { username } = performer;
    await performer.call(sendNotice, { username, message: 'Be kind' });
    expect(await watcher.waitFor(chatMessage))
      .toMatchObject({ type: 'notice', message: 'Be kind', is_model: true });
    await performer.call(sendNotice, { username, message: 'Follow me', every_minutes: 2 });
    const shown = (): number =>
      watcher.received(chatMessage).filter(({ message }) => message === 'Follow me').length;
    await expect.poll(shown).toBe(1);
    for (const times of [2, 3]) {
      await expect.poll(() => {
        site.clock.advance(10_000);
        return shown();
      }).toBeGreaterThanOrEqual(times);
    }
    expect((await performer.call(getRoomSettings, { username })).notice)
      .toEqual({ message: 'Follow me', every_minutes: 2 });
    await performer.call(sendNotice, { username, message: '' });
    expect((await performer.call(getRoomSettings, { username })).notice).toBeNull();
    const before = shown();
    for (let nth = 1; nth <= 15; nth += 1) {
      site.clock.advance(10_000);
      await site.settle();
    }
    await performer.call(sendNotice, { username, message: 'The end' });
    await watcher.waitFor(chatMessage, ({ message }) => message === 'The end');
    expect(shown()).toBe(before);
    for (const who of [viewer, moderator]) {
      expect(refusedAs(await who.refused(sendNotice, { username, message: 'Mine' }))).toBe('not_your_room');
    }
    expect(refusedAs(await performer.refused(sendNotice, { username, message: ' ' }))).toBe('nothing_to_say');
  });
});

describe('highlighted messages', () => {
  it('reach one viewer, or all, from room admins [B-355]', async () => {
    const { performer, viewer, moderator } = await stage();
    const [watcher, mod] = [await viewer.joins(performer), await moderator.joins(performer)];
    const { username } = performer;
    const to = viewer.username.toUpperCase();
    await performer.call(highlightMessage, { username, message: 'Just you', to });
    expect(await watcher.waitFor(highlightedMessage)).toEqual({
      username,
      display_name: performer.person.displayName,
      message: 'Just you',
      to_all: false,
    });
    await performer.call(highlightMessage, { username, message: 'All of you' });
    for (const socket of [watcher, mod]) {
      const came = await socket.waitFor(highlightedMessage, ({ message }) => message === 'All of you');
      expect(came.to_all).toBe(true);
    }
    expect(mod.received(highlightedMessage)).toHaveLength(1);
    for (const who of [viewer, moderator]) {
      const problem = await who.refused(highlightMessage, { username, message: 'x' });
      expect(refusedAs(problem)).toBe('not_your_room');
    }
    const absent = await performer.refused(highlightMessage, { username, message: 'x', to: 'nobody-here' });
    expect(refusedAs(absent)).toBe('viewer_absent');
  });
});

describe('settings of a room', () => {
  it('are changed by the performer only, and sent to the room [B-156, B-365]', async () => {
    const { performer, viewer, moderator } = await stage();
    const watcher = await viewer.joins(performer);
    const { username } = performer;
    const category = async () => (await roomOf(viewer, performer)).userSetting.broadcastCategory;
    const first = await category();
    await performer.call(saveRoomSettings, { username, followEnabled: false, broadcastCategory: 'music' });
    expect([first, await category()]).toEqual([null, 'music']);
    const { settings } = await watcher.waitFor(modelSettings, ({ settings: now }) => !now.followEnabled);
    expect(settings).toEqual({
      followEnabled: false,
      hasCamPassword: false,
      camPasswordNumber: 0,
      broadcastCategory: 'music',
      isUserListVisible: false,
      aiBot: null,
    });
    await performer.call(saveRoomSettings, { username, followEnabled: true, camPassword: 'candle light' });
    const locked = await watcher.waitFor(modelSettings, ({ settings: now }) => now.hasCamPassword);
    expect(locked.settings).toEqual({
      followEnabled: true,
      hasCamPassword: true,
      camPasswordNumber: 1,
      broadcastCategory: 'music',
      isUserListVisible: false,
      aiBot: null,
    });
    expect((await roomOf(viewer, performer)).userSetting)
      .toMatchObject({ followEnabled: true, broadcastCategory: 'music', aiBot: null });
    const staff = await site.viewer({ roles: ['site_mod'] });
    expect(await staff.call(getRoomSettings, { username })).toMatchObject({ broadcastCategory: 'music' });
    for (const who of [viewer, moderator, staff, await site.performer()]) {
      for (const setting of [{ camPassword: 'mine now' }, { broadcastCategory: 'party' as const }]) {
        const changed = await who.refused(saveRoomSettings, { username, ...setting });
        expect(refusedAs(changed)).toBe('not_your_room');
      }
    }
    expect(await category()).toBe('music');
    const categories = [
      'chatting',
      'music',
      'dancing',
      'gaming',
      'fitness',
      'cooking',
      'roleplay',
      'couple',
      'party',
      null,
    ] as const;
    for (const broadcastCategory of categories) {
      await performer.call(saveRoomSettings, { username, broadcastCategory });
      expect(await category()).toBe(broadcastCategory);
    }
    expect((await performer.refused(saveRoomSettings, { username, broadcastCategory: 'sleeping' })).status)
      .toBe(422);
    for (const who of [viewer, moderator]) {
      expect(refusedAs(await who.refused(getRoomSettings, { username }))).toBe('not_your_room');
    }
  });
});

describe('following in a room', () => {
  it('is switched by its performer alone, and is part of the settings everybody reads [B-153]', async () => {
    const { performer, moderator, viewer } = await stage();
    const { username } = performer;
    const staff = await site.viewer({ roles: ['site_mod'] });
    const guest = await site.visitor({ ofAge: true });
    const watcher = await viewer.joins(performer);
    const isFollowed = async (isEnabled: boolean): Promise<void> => {
      for (const who of [viewer, guest, performer, moderator, staff]) {
        expect((await roomOf(who, performer)).userSetting.followEnabled).toBe(isEnabled);
      }
      expect((await performer.call(getRoomSettings, { username })).followEnabled).toBe(isEnabled);
    };
    await isFollowed(true);
    for (const followEnabled of [false, true, false]) {
      await performer.call(saveRoomSettings, { username, followEnabled });
      await isFollowed(followEnabled);
      await expect.poll(() => watcher.received(modelSettings).at(-1)?.settings.followEnabled)
        .toBe(followEnabled);
    }
    for (const who of [viewer, moderator, staff, await site.performer()]) {
      expect(refusedAs(await who.refused(saveRoomSettings, { username, followEnabled: true })))
        .toBe('not_your_room');
    }
    expect((await guest.refused(saveRoomSettings, { username, followEnabled: true })).status).toBe(401);
    expect((await performer.refused(saveRoomSettings, { username, followEnabled: 'yes' })).status).toBe(422);
    await isFollowed(false);
  });
});

describe('an assistant that writes for the performer', () => {
  it('is sent with the settings, after joining and in room data', async () => {
    const { performer, viewer } = await stage();
    const aiBot = { isEnabled: true, name: 'Ember' };
    assistants.set(performer.id, aiBot);
    expect((await roomOf(viewer, performer)).userSetting.aiBot).toEqual(aiBot);
    expect((await (await viewer.joins(performer)).waitFor(modelSettings)).settings.aiBot).toEqual(aiBot);
  });
});

describe('the camera password', () => {
  const enters = (who: Visitor, { username }: Member, password: string) =>
    who.call(enterPassword, { username, password });
  const seen = async (who: Visitor, performer: Member): Promise<string> =>
    (await roomOf(who, performer)).streamStatus;
  const isLocked = async (who: Visitor, performer: Member): Promise<boolean> =>
    (await roomOf(who, performer)).userSetting.hasCamPassword;

  it(
    'hides the video from all but room admins until it is entered, and again when it changes [B-154, B-307]',
    async () => {
      const { performer, viewer, moderator } = await stage();
      const { username } = performer;
      const watching = await viewer.call(getPlayback, { username });
      expect(await isLocked(viewer, performer)).toBe(false);
      await performer.call(saveRoomSettings, { username, camPassword: 'candle light' });
      const guest = await site.visitor({ ofAge: true });
      for (const who of [viewer, moderator, guest]) {
        expect(await seen(who, performer)).toBe('password_required');
        expect(await isLocked(who, performer)).toBe(true);
        expect((await roomOf(who, performer)).stream).toMatchObject({ stream_name: null, token: null });
        await who.refused(getPlayback, { username });
      }
      for (const role of ['site_mod', 'model_admin'] as const) {
        const staff = await site.viewer({ roles: [role] });
        const room = await roomOf(staff, performer);
        expect(room.userSetting.hasCamPassword).toBe(true);
        expect([room.streamStatus, room.stream.stream_name]).toEqual(['online', watching.stream_name]);
        const playing = await staff.call(getPlayback, { username });
        expect(playing.stream_name).toBe(watching.stream_name);
        // In any order: the viewer's token from before the lock is refused, and that of staff plays.
        const statuses = [];
        for (const [who, { token }] of [[viewer, watching], [staff, playing], [viewer, watching]] as const) {
          statuses.push((await plays(who, watching.stream_name, token)).status);
        }
        expect(statuses).toEqual([403, 201, 403]);
      }
      expect(watching.stream_name).not.toBe('');
      expect((await performer.call(getRoomSettings, { username })).hasCamPassword).toBe(true);
      for (const who of [viewer, guest]) {
        expect(refusedAs(await who.refused(enterPassword, { username, password: 'Candle light' })))
          .toBe('cam_password_wrong');
        await enters(who, performer, 'candle light');
        expect([await seen(who, performer), await isLocked(who, performer)]).toEqual(['online', false]);
      }
      // Another browser of the same person has not entered the password.
      expect(await seen(await site.anotherTabOf(viewer), performer)).toBe('password_required');
      await performer.call(saveRoomSettings, { username, followEnabled: false });
      expect(await seen(viewer, performer)).toBe('online');
      await performer.call(saveRoomSettings, { username, camPassword: 'other light' });
      expect(await seen(viewer, performer)).toBe('password_required');
      expect(await isLocked(viewer, performer)).toBe(true);
      await performer.call(saveRoomSettings, { username, camPassword: null });
      expect([await seen(moderator, performer), await isLocked(moderator, performer)])
        .toEqual(['online', false]);
      expect((await performer.call(getRoomSettings, { username })).hasCamPassword).toBe(false);
    },
  );

  it('never reveals the name of a stream to viewers who have not entered it', async () => {
    const { performer, viewer, stranger } = await stage();
    const { username } = performer;
    await performer.call(saveRoomSettings, { username, camPassword: 'candle light' });
    await enters(viewer, performer, 'candle light');
    const [inside, outside] = [await viewer.joins(performer), await stranger.joins(performer)];
    const moved = await site.services.broadcast.move(site.scope, performer.id, 'private');
    await outside.waitFor(chatUpdate, ({ status }) => status === 'private');
    const back = await site.services.broadcast.move(site.scope, performer.id, 'public');
    await inside.waitFor(chatUpdate, ({ stream_name: name }) => name === back?.stream);
    await settled(outside, inside);
    for (const name of [moved?.stream, back?.stream]) {
      expect(JSON.stringify(outside.events)).not.toContain(name);
    }
  });

  it('cannot be guessed by one viewer or from one address, and only slowly by many in one room', async () => {
    const { performer } = await stage();
    const { username } = performer;
    await performer.call(saveRoomSettings, { username, camPassword: 'candle light' });
    const guesses = async (who: Visitor, count: number): Promise<string[]> => {
      const answers: string[] = [];
      for (let nth = 1; nth <= count; nth += 1) {
        answers.push(refusedAs(await who.refused(enterPassword, { username, password: `guess ${nth}` })));
      }
      return answers;
    };
    const guesser = await site.viewer({ address: '127.7.0.1' });
    expect(new Set(await guesses(guesser, PASSWORD_TRIES))).toEqual(new Set(['cam_password_wrong']));
    expect(refusedAs(await guesser.refused(enterPassword, { username, password: 'candle light' })))
      .toBe('cam_password_tries');
    const again = await site.visitor({ ofAge: true, address: '127.7.0.1' });
    expect(await guesses(again, 1)).toEqual(['cam_password_tries']);
    for (let count = PASSWORD_TRIES; count < PASSWORD_TRIES_OF_ROOM; count += PASSWORD_TRIES) {
      await guesses(await site.visitor({ ofAge: true }), PASSWORD_TRIES);
    }
    // The room is slowed, not shut: a viewer who knows the password enters, and each guess costs a minute.
    const late = await site.visitor({ ofAge: true });
    expect(await guesses(late, 2)).toEqual(['cam_password_wrong', 'cam_password_tries']);
    const knowing = await site.visitor({ ofAge: true });
    await enters(knowing, performer, 'candle light');
    expect(await seen(knowing, performer)).toBe('online');
    for (let leftMs = PASSWORD_WINDOW_MS; leftMs > 0; leftMs -= 10_000) {
      site.clock.advance(10_000);
      await site.settle();
    }
    await enters(again, performer, 'candle light');
    expect(await seen(again, performer)).toBe('online');
  });
});
