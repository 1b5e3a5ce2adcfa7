import { describe, expect, it } from 'vitest';
import type { RoomDataView } from '../../rooms/contract.ts';
import { withModeration } from './live.ts';

/** As much of a room as moderation changes. */
const room = {
  chat: { moderatorUsernameList: ['mo'], silencedUsernameList: ['sam'], subjectText: 'Rain' },
} as unknown as RoomDataView;
const told = { type: 'moderator', action: 'add', username: 'kai' } as const;

describe('what the page holds of who is what in a room', () => {
  it('grows and shrinks by name, each once [B-231, B-232]', () => {
    const twice = withModeration(withModeration(room, told), told);
    expect(twice.chat).toEqual({ ...room.chat, moderatorUsernameList: ['mo', 'kai'] });
    expect(withModeration(twice, { ...told, action: 'remove' })).toEqual(room);
    const silenced = withModeration(room, { ...told, type: 'silenced' });
    expect(silenced.chat.silencedUsernameList).toEqual(['sam', 'kai']);
    expect(withModeration(silenced, { ...told, type: 'silenced', action: 'remove' })).toEqual(room);
  });

  it('stays as it is for whoever may not know the name, and by bans', () => {
    expect(withModeration(room, { ...told, username: null })).toBe(room);
    expect(withModeration(room, { ...told, type: 'banned' })).toBe(room);
  });
});
