import { LiveStore } from '#platform/ui/calls/live-state.ts';
import { describe, expect, it } from 'vitest';
import type { ChatMessageView } from '../contract.ts';
import type { OwnEntry, RoomAction, RoomEventName } from '../rules/live-room.ts';
import { mergedLines } from './chat/list/lines.ts';
import { changeRooms, pageRooms } from './live.ts';

/** A message as the room sends it. */
const said = (id: number, username = 'mira', message = `message ${id}`): ChatMessageView => ({
  id,
  username,
  display_name: username,
  gender: null,
  is_model: false,
  is_moderator: false,
  is_guest: false,
  is_vip: false,
  is_super_vip: false,
  has_tokens: true,
  email_confirmed: null,
  has_cc: null,
  has_purchase: null,
  recent_purchases: null,
  tokens: null,
  recentTips: 0,
  socket_id: null,
  message,
  is_tip: false,
  value: 0,
  fanclub_level: null,
  recent_tips: 0,
  subject_username: null,
  is_invisible_mode: false,
  is_moderation_message: false,
  type: 'message',
  action: null,
  error: false,
  errorMessage: null,
  background: null,
  fontStyle: null,
  color: null,
  weight: null,
  reply: null,
  user_language: 'en',
  at: '2026-05-01T20:00:00.000Z',
});
const news = <N extends RoomEventName>(
  username: string,
  name: N,
  payload: OwnEntry<N>['payload'],
): RoomAction => ({ type: 'event', username, entry: { name, payload, seq: null } });
const banned = (id: number, name: string | null, removed: readonly number[] = []): RoomAction =>
  news(
    'velvet',
    'v3.chat.moderate',
    { id, type: 'banned', action: 'add', username: name, display_name: name, removed: [...removed] },
  );
const idsIn = (page: LiveStore, username: string): number[] | undefined =>
  pageRooms(page).live.rooms[username]?.messages.map(({ id }) => id);

describe('rooms that a page is in', () => {
  it('have separate chats, and late events of a left room are dropped [B-134] [B-187]', () => {
    const page = new LiveStore();
    changeRooms(page, [{ type: 'open', username: 'velvet' }, { type: 'open', username: 'mara' }]);
    changeRooms(page, [
      news('velvet', 'v3.chat.message', said(1)),
      news('mara', 'v3.chat.message', said(9)),
      news('velvet', 'v3.chat.message', said(2)),
    ]);
    expect([idsIn(page, 'velvet'), idsIn(page, 'mara')]).toEqual([[1, 2], [9]]);
    changeRooms(page, [{ type: 'remove', username: 'velvet' }, banned(3, null)]);
    changeRooms(page, [news('velvet', 'v3.chat.message', said(4))]);
    expect(Object.keys(pageRooms(page).live.rooms)).toEqual(['mara']);
    expect(pageRooms(page).lines).toEqual({});
  });

  it('throw for an action without a room, and do not change [B-188]', () => {
    const page = new LiveStore();
    changeRooms(page, [{ type: 'open', username: 'velvet' }]);
    const before = pageRooms(page);
    const actions: readonly RoomAction[] = [
      ...(['open', 'ready', 'fail', 'remove', 'expel'] as const).map((type) => ({ type, username: '' })),
      news('', 'v3.chat.message', said(1)),
    ];
    for (const action of actions) {
      expect(() => changeRooms(page, [{ type: 'ready', username: 'velvet' }, action]))
        .toThrow(`room action ${action.type} names no room`);
      expect(pageRooms(page)).toBe(before);
    }
    changeRooms(page, [{ type: 'ready', username: 'velvet' }]);
    expect(pageRooms(page).live.rooms['velvet']?.load).toBe('ready');
  });

  it('stay as long as any component uses them', () => {
    const page = new LiveStore();
    const open = { type: 'open', username: 'velvet' } as const;
    const remove = { type: 'remove', username: 'velvet' } as const;
    changeRooms(page, [open, news('velvet', 'v3.chat.message', said(1)), open, remove]);
    expect(idsIn(page, 'velvet')).toEqual([1]);
    changeRooms(page, [remove]);
    expect([pageRooms(page).live.rooms, pageRooms(page).holders]).toEqual([{}, {}]);
  });

  it('are the same object when nothing changes', () => {
    const page = new LiveStore();
    changeRooms(page, [{ type: 'open', username: 'velvet' }, news('velvet', 'v3.chat.message', said(1))]);
    const before = pageRooms(page);
    changeRooms(page, [news('mara', 'v3.chat.message', said(1)), { type: 'remove', username: 'mara' }]);
    expect(pageRooms(page).live.rooms['velvet']).toBe(before.live.rooms['velvet']);
  });
});

describe('a moderation', () => {
  it('is a line at its position, and removes its messages [B-228]', () => {
    const page = new LiveStore();
    changeRooms(page, [
      { type: 'open', username: 'velvet' },
      news('velvet', 'v3.chat.message', said(1, 'rude')),
      news('velvet', 'v3.chat.message', said(2)),
      banned(3, null, [1]),
      news('velvet', 'v3.chat.message', said(4)),
    ]);
    const { live, lines } = pageRooms(page);
    const shown = mergedLines(live.rooms['velvet']?.messages ?? [], lines['velvet'] ?? []);
    expect(shown.map(({ id, type }) => [id, type]))
      .toEqual([[2, 'message'], [3, 'moderation'], [4, 'message']]);
  });

  it('is one line with the name, whichever of the two arrived first [B-234] [B-235]', () => {
    for (const names of [[null, 'Rude'], ['Rude', null], ['Rude', 'Rude'], [null, null]] as const) {
      const page = new LiveStore();
      changeRooms(page, [{ type: 'open', username: 'velvet' }, ...names.map((name) => banned(5, name))]);
      expect(pageRooms(page).lines['velvet']?.map(({ id, name }) => [id, name]))
        .toEqual([[5, names.find((name) => name !== null) ?? null]]);
    }
  });

  it('never exceeds the chat\'s limit, and is gone after a new history', () => {
    const messages = Array.from({ length: 200 }, (_, at) => said(at + 100));
    const line = {
      id: 50,
      type: 'moderation',
      restriction: 'banned',
      action: 'add',
      name: null,
      username: null,
    } as const;
    const shown = mergedLines(messages, [line, { ...line, id: 299 }]);
    expect([shown.length, shown[0]?.id, shown.at(-1)?.id]).toEqual([200, 101, 299]);
    const page = new LiveStore();
    changeRooms(page, [
      { type: 'open', username: 'velvet' },
      banned(5, null),
      news('velvet', 'v3.chat.history', { messages: [said(7)], seq: 7 }),
    ]);
    expect(pageRooms(page).lines['velvet']).toEqual([]);
  });
});
