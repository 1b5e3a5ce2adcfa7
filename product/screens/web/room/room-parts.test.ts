import { friendRequested, messagingPart } from '#product/messaging/contract.ts';
import { chatUpdate, type RoomDataView } from '#product/rooms/contract.ts';
import { CHAT_STATUSES, ROOM_MODES, STREAM_STATUSES } from '#product/rooms/rules.ts';
import {
  EMPTY_LIVE_ROOM,
  reduceRoom,
  type LiveRoom,
  type RoomEntry,
} from '#product/rooms/rules/live-room.ts';
import { withEvent } from '#product/rooms/rules/room-data.ts';
import { readPart, type RoomPart } from '#product/rooms/rules/room-part.ts';
import { mediaChanged } from '#product/shop/contract.ts';
import { privateEnded, privateStarted, showsPart } from '#product/shows/contract.ts';
import { spyEnded } from '#product/shows/contract/spying.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { badgeOf, coverOf, PART_REDUCERS, ROOM_PARTS } from './room-parts.tsx';

/** The data of an offline room, as far as events read and change it. */
const offlineRoom = {
  user: { id: 7 },
  stream: { stream_name: null },
  ccVerification: { isRequired: false, hasCard: false },
  chat: { status: 'offline', mode: 'public', roomMode: 'public', userCount: 0 },
  auth: { isStreamer: false, isRoomAdmin: false },
  userSetting: { hasCamPassword: false },
} as unknown as RoomDataView;
const reducing = { reducers: PART_REDUCERS, me: 'ann' };
const update = fc.record({
  status: fc.constantFrom(...CHAT_STATUSES),
  mode: fc.constantFrom(...ROOM_MODES),
  stream_name: fc.option(fc.constantFrom('a', 'b')),
  private_exclusive: fc.boolean(),
}).map((some) => ({
  name: chatUpdate.name,
  payload: { id: 7, origin_server: null, thumb_small: null, ...showsPart.emptyUpdate, ...some },
}));
const started = {
  username: 'ann',
  broadcaster: 'velvet',
  cost_per_minute: 60,
  prepaid_seconds: 0,
  remaining_seconds: 600,
  duration: 0,
  tokens_charged: 0,
  freeSpyPreviewDuration: 0,
  type: 'private',
  source: 'web',
  stream: null,
};
/** Events of parts that are not stored in the log. */
const passing = fc.constantFrom(
  { name: privateStarted.name, payload: started },
  { name: privateEnded.name, payload: { reason_ended: null, fanclub_refund: 3 } },
  { name: spyEnded.name, payload: {} },
  { name: mediaChanged.name, payload: {} },
  { name: friendRequested.name, payload: { user: { username: 'ann' } } },
);
const applied = (entries: readonly RoomEntry[], from: LiveRoom = EMPTY_LIVE_ROOM): LiveRoom =>
  entries.reduce((room, entry) => reduceRoom(room, entry, reducing), from);

describe('a room with every part of its page', () => {
  const log = fc.array(update, { minLength: 1, maxLength: 20 }).map((updates) =>
    updates.map((item, at): RoomEntry => ({ ...item, seq: at + 1 }))
  );

  it('is the same lived through or caught up on from any number, whatever is delivered twice', () => {
    fc.assert(fc.property(log, fc.nat(), fc.nat(), (entries, a, b) => {
      const left = a % (entries.length + 1);
      const from = b % (left + 1);
      expect(applied(entries.slice(from), applied(entries.slice(0, left)))).toEqual(applied(entries));
    }));
  });

  it('has the same parts in its data as in the live room, whatever happened', () => {
    const happened = fc.array(fc.oneof(update, passing), { maxLength: 30 });
    fc.assert(fc.property(happened, (events) => {
      const live = applied(events.map((item) => ({ ...item, seq: null })));
      const data = events.reduce((room, item) => withEvent(room, item, reducing), offlineRoom);
      expect([data.chat.status, data.stream.stream_name]).toEqual([live.status, live.stream]);
      for (const part of [showsPart, messagingPart] satisfies RoomPart[] as RoomPart[]) {
        expect(readPart(data, part)).toEqual(readPart(live.parts[part.key] ?? part.empty, part));
      }
    }));
  });
});

describe('covers and badges of the parts', () => {
  it('have one owner for each status, whose texts are loaded with the page', () => {
    const covers = ROOM_PARTS.flatMap((part) => Object.keys(part.covers ?? {}));
    const badges = ROOM_PARTS.flatMap((part) => Object.keys(part.badges ?? {}));
    for (const statuses of [covers, badges]) expect(statuses).toEqual([...new Set(statuses)]);
    for (const { texts, covers: own = {}, badges: named = {} } of ROOM_PARTS) {
      const keys = [
        ...Object.values(own).flatMap(({ title, text }) => [title, text]),
        ...Object.values(named),
      ];
      for (const key of keys) expect(texts).toContain(key.split(':')[0]);
    }
  });

  it('are those of shows in a private and in a ticket show, and nowhere else', () => {
    expect(STREAM_STATUSES.filter((status) => coverOf(status) !== null)).toEqual(['limited', 'private']);
    expect(CHAT_STATUSES.filter((status) => badgeOf(status) !== null).toSorted())
      .toEqual(['limited', 'private']);
    expect(coverOf('private')?.title).toBe('shows:cover.private.title');
    expect(badgeOf('limited')).toBe('shows:badge.limited');
  });
});
