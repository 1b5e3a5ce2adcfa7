import { offlineRoom as room } from '#product/testkit/rooms/room-data.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelSettingsView, RoomDataView } from './contract.ts';
import { CHAT_STATUSES, streamStatus } from './rules.ts';
import type { OwnEntry, RoomEventName } from './rules/live-room.ts';
import { conditionsOf, withEnd, withEvent } from './rules/room-data.ts';

/** The room data after one event. */
const after = <N extends RoomEventName>(
  before: RoomDataView,
  name: N,
  payload: OwnEntry<N>['payload'],
): RoomDataView => withEvent(before, { name, payload });
const updateOf = (
  some: Pick<OwnEntry<'v3.chat.update'>['payload'], 'id' | 'status' | 'mode' | 'stream_name'>,
) => ({ origin_server: null, thumb_small: null, ...some });
describe('events change the room data', () => {
  it('by status and stream, and the resulting stream status', () => {
    const stream = fc.option(fc.string());
    const statuses = fc.constantFrom(...CHAT_STATUSES);
    fc.assert(fc.property(statuses, stream, fc.boolean(), (status, name, isLocked) => {
      const before = { ...room, userSetting: { ...room.userSetting, hasCamPassword: isLocked } };
      const then = after(
        before,
        'v3.chat.update',
        updateOf({
          id: 7,
          status,
          mode: 'limited',
          stream_name: name,
        }),
      );
      expect([then.chat.status, then.stream.stream_name]).toEqual([status, name]);
      expect(then.streamStatus).toBe(streamStatus(conditionsOf(then)));
      expect(then.streamStatus === 'password_required').toBe(isLocked);
      expect([then.chat.roomMode, then.chat.mode, then.mode]).toEqual(['limited', 'public', 'limited']);
      const { chat, stream: played } = then;
      expect({
        ...then,
        mode: 'public',
        chat: { ...chat, status: 'offline', roomMode: 'public' },
        stream: { ...played, stream_name: null },
        streamStatus: 'offline',
      }).toEqual({ ...before, streamStatus: 'offline' });
    }));
  });

  it('by the time last online, when a show ends, but not when standby does', () => {
    const now = new Date('2026-05-01T20:00:00Z');
    const lastOnlineAfter = (status: RoomDataView['chat']['status'], next: typeof status) => {
      const before = { ...room, chat: { ...room.chat, status, lastOnlineAt: '2026-04-01T20:00:00.000Z' } };
      const update = updateOf({ id: 7, status: next, mode: 'public', stream_name: null });
      return withEnd(before, after(before, 'v3.chat.update', update), now).chat.lastOnlineAt;
    };
    for (const status of ['online', 'private', 'limited', 'reconnecting'] as const) {
      expect(lastOnlineAfter(status, 'offline')).toBe(now.toISOString());
    }
    for (const status of ['offline', 'standby'] as const) {
      expect(lastOnlineAfter(status, 'offline')).toBe('2026-04-01T20:00:00.000Z');
    }
    expect(lastOnlineAfter('online', 'standby')).toBe('2026-04-01T20:00:00.000Z');
  });

  it('not for events of another room', () => {
    const update = updateOf({ id: 8, status: 'private', mode: 'limited', stream_name: 'secret' });
    expect(after(room, 'v3.chat.update', update)).toBe(room);
  });

  it('the performer takes part in shows of her own room until they end', () => {
    const own: RoomDataView = { ...room, auth: { ...room.auth, isStreamer: true, isRoomAdmin: true } };
    const update = { id: 7, mode: 'public', stream_name: 'a' } as const;
    const inShow = after(own, 'v3.chat.update', updateOf({ ...update, status: 'private' }));
    expect([inShow.chat.mode, inShow.streamStatus]).toEqual(['private', 'online']);
    const then = after(inShow, 'v3.chat.update', updateOf({ ...update, status: 'online' }));
    expect([then.chat.mode, then.streamStatus]).toEqual(['public', 'online']);
    expect(after(room, 'v3.chat.update', updateOf({ ...update, status: 'private' })).streamStatus)
      .toBe('private');
  });

  it('by topic and by count', () => {
    const subject = after(room, 'v3.chat.subject', { subject: 'Rain', subject_color: '#fff' });
    expect(after(subject, 'v3.chat.user_count', { user_count: 12 })).toEqual({
      ...room,
      chat: { ...room.chat, subjectText: 'Rain', subjectColor: '#fff', userCount: 12 },
      chatUserCount: 12,
    });
    expect(room.chat).toMatchObject({ subjectText: 'Hello', userCount: 0 });
  });

  it('a new camera password locks viewers who entered the old one', () => {
    const settings: ModelSettingsView = {
      followEnabled: false,
      hasCamPassword: true,
      camPasswordNumber: 2,
      broadcastCategory: null,
      isUserListVisible: true,
      aiBot: null,
    };
    const set = (before: RoomDataView, some: Partial<ModelSettingsView> = {}): RoomDataView =>
      after(before, 'v3.chat.model_settings', { settings: { ...settings, ...some } });
    const locked = set(room);
    expect([locked.userSetting.hasCamPassword, locked.streamStatus]).toEqual([true, 'password_required']);
    const entered = { ...locked, userSetting: { ...locked.userSetting, hasCamPassword: false } };
    expect(set(entered, { followEnabled: true }).userSetting)
      .toMatchObject({ hasCamPassword: false, followEnabled: true });
    expect(set(entered, { camPasswordNumber: 3 }).streamStatus).toBe('password_required');
  });
});
