import type { RoomDataView } from '#product/rooms/contract.ts';
import { describe, expect, it } from 'vitest';
import { withModeration } from './live.ts';

/** The parts of a room that moderation changes. */
const room = {
  chat: { moderatorUsernameList: ['mo'], silencedUsernameList: ['sam'], subjectText: 'Rain' },
} as unknown as RoomDataView;
const change = { type: 'moderator', action: 'add', username: 'kai' } as const;

describe('moderators and silenced people in the room data', () => {
  it('are added and removed by name, each once [B-231, B-232]', () => {
    const twice = withModeration(withModeration(room, change), change);
    expect(twice.chat).toEqual({ ...room.chat, moderatorUsernameList: ['mo', 'kai'] });
    expect(withModeration(twice, { ...change, action: 'remove' })).toEqual(room);
    const silenced = withModeration(room, { ...change, type: 'silenced' });
    expect(silenced.chat.silencedUsernameList).toEqual(['sam', 'kai']);
    expect(withModeration(silenced, { ...change, type: 'silenced', action: 'remove' })).toEqual(room);
  });

  it('do not change without a name, or by bans', () => {
    expect(withModeration(room, { ...change, username: null })).toBe(room);
    expect(withModeration(room, { ...change, type: 'banned' })).toBe(room);
  });
});
