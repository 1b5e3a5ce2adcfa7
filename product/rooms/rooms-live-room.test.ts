import { event } from '#platform/contract/event.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { chatUpdate, type ChatMessageView, type ChatUserView, type ModelSettingsView } from './contract.ts';
import { CHAT_HISTORY_LIMIT, CHAT_STATUSES, RESTRICTIONS } from './rules.ts';
import {
  EMPTY_LIVE_ROOM,
  isLockedAfter,
  isRoomEvent,
  NO_ROOMS,
  partStateOf,
  reduceRoom,
  reduceRooms,
  type LiveRoom,
  type OwnEntry,
  type RoomEntry,
  type RoomEventName,
} from './rules/live-room.ts';
import { partReducer, readPart, roomPart, withFields } from './rules/room-part.ts';

const person = {
  gender: null,
  is_model: false,
  is_moderator: false,
  is_guest: false,
  is_vip: false,
  is_super_vip: false,
  has_tokens: false,
  email_confirmed: null,
  has_cc: null,
  has_purchase: null,
  recent_purchases: null,
  tokens: null,
  recentTips: 0,
  socket_id: null,
  fanclub_level: null,
};
const userOf = (username: string, level = 0): ChatUserView => ({
  ...person,
  username,
  display_name: username,
  invisible_mode_level: level,
  avatar: null,
});
const messageOf = (id: number, username: string, message = 'hello'): ChatMessageView => ({
  ...person,
  id,
  username,
  display_name: username,
  message,
  is_tip: false,
  value: 0,
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
  at: '2026-01-01T00:00:00.000Z',
});
const settings: ModelSettingsView = {
  followEnabled: true,
  hasCamPassword: false,
  camPasswordNumber: 0,
  broadcastCategory: null,
  isUserListVisible: false,
  aiBot: null,
};
const updateOf = (status: (typeof CHAT_STATUSES)[number], stream: string | null) => ({
  id: 7,
  status,
  mode: 'public' as const,
  stream_name: stream,
  origin_server: null,
  thumb_small: null,
});

/** A part owned by a later slice: it counts the updates of a room and the waves at this viewer. */
const waved = event({
  name: 'v3.test.waved',
  socket: 'room',
  from: 'server',
  shape: z.object({ at: z.string() }),
  description: '',
});
const wavesPart = roomPart({
  key: 'waves',
  shape: z.object({ auth: z.object({ waves: z.int() }), isWild: z.boolean() }),
  empty: { auth: { waves: 0 }, isWild: false },
  updateShape: z.object({ is_wild: z.boolean() }),
  emptyUpdate: { is_wild: false },
});
const waves = partReducer(wavesPart, { updates: 0 }, (on) => [
  on(chatUpdate, (room, update) => {
    const { is_wild: isWild } = { ...wavesPart.emptyUpdate, ...update };
    return { ...room, part: { ...room.part, isWild, updates: room.part.updates + 1 } };
  }),
  on(waved, (room, { at }, me) => (at !== me
    ? room
    : { ...room, status: 'standby', part: { ...room.part, auth: { waves: room.part.auth.waves + 1 } } })),
]);
const reducing = { reducers: [waves], me: 'ann' };

/** A random next event, without its number. */
type Event = { [N in RoomEventName]: Pick<OwnEntry<N>, 'name' | 'payload'> }[RoomEventName];
const names = fc.constantFrom('ann', 'bob', 'cas');
const ids = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 6 });
const happening = fc.oneof(
  {
    weight: 6,
    arbitrary: names.map((name) => ({ name: 'v3.chat.message', payload: messageOf(0, name) } as const)),
  },
  { weight: 1, arbitrary: ids.map((gone) => ({ name: 'v3.chat.removed', payload: { ids: gone } } as const)) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constantFrom(...RESTRICTIONS),
      action: fc.constantFrom('add', 'remove'),
      username: fc.option(names),
      removed: ids,
    }).map((change) => ({
      name: 'v3.chat.moderate',
      payload: { ...change, id: 0, display_name: change.username },
    } as const)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...CHAT_STATUSES)
      .map((status) => ({ name: 'v3.chat.update', payload: updateOf(status, 'a') } as const)),
  },
  {
    weight: 1,
    arbitrary: fc.string({ maxLength: 5 })
      .map((subject) => ({ name: 'v3.chat.subject', payload: { subject, subject_color: null } } as const)),
  },
  {
    weight: 1,
    arbitrary: fc.boolean().map((followEnabled) => (
      { name: 'v3.chat.model_settings', payload: { settings: { ...settings, followEnabled } } } as const
    )),
  },
) as fc.Arbitrary<Event>;
/** The log of a room: each entry under its number, messages with it as their id. */
const log = fc.array(happening, { minLength: 1, maxLength: 60 }).map((events) =>
  events.map((event, at) => {
    const seq = at + 1;
    const hasPlace = event.name === 'v3.chat.message' || event.name === 'v3.chat.moderate';
    return { ...event, seq, payload: hasPlace ? { ...event.payload, id: seq } : event.payload };
  }) as RoomEntry[]
);
const lived = (entries: readonly RoomEntry[], from: LiveRoom = EMPTY_LIVE_ROOM): LiveRoom =>
  entries.reduce<LiveRoom>((room, entry) => reduceRoom(room, entry, reducing), from);

describe('a live room', () => {
  it('is the same when received live or caught up on from any number, with duplicates', () => {
    const cuts = fc.tuple(fc.nat(), fc.nat(), fc.nat());
    fc.assert(
      fc.property(log, cuts, (entries, [a, b, c]) => {
        const whole = lived(entries);
        const left = a % (entries.length + 1);
        // Reconnected from an earlier number, with live frames between the missed entries.
        const from = b % (left + 1);
        const live = entries.slice(c % (entries.length + 1));
        const returned = lived([...entries.slice(from), ...live], lived(entries.slice(0, left)));
        expect(returned).toEqual(whole);
      }),
      { numRuns: 500 },
    );
  });

  it('is the same after a history at any number, for what a history has', () => {
    fc.assert(fc.property(log, fc.nat(), (entries, at) => {
      const place = at % (entries.length + 1);
      const then = lived(entries.slice(0, place));
      const history = { messages: [...then.messages], seq: then.seq };
      const come = reduceRoom(EMPTY_LIVE_ROOM, { name: 'v3.chat.history', payload: history, seq: null });
      expect(lived(entries.slice(place), come).messages).toEqual(lived(entries).messages);
    }));
  });

  it('ignores entries it received before, and is then the same object', () => {
    fc.assert(fc.property(log, (entries) => {
      const whole = lived(entries);
      for (const entry of entries) expect(reduceRoom(whole, entry, reducing)).toBe(whole);
    }));
  });

  it('never has more than 200 messages, nor errors, nor debug lines [B-285]', () => {
    const many = Array.from({ length: 260 }, (_, at): RoomEntry => (
      { name: 'v3.chat.message', payload: messageOf(at + 1, 'ann'), seq: at + 1 }
    ));
    const room = lived(many);
    const newest = Array.from({ length: CHAT_HISTORY_LIMIT }, (_, at) => at + 61);
    expect(room.messages.map(({ id }) => id)).toEqual(newest);
    const error = { ...messageOf(0, 'ann'), error: true, errorMessage: 'no' };
    expect(reduceRoom(room, { name: 'v3.chat.message', payload: error, seq: null })).toBe(room);
    const debug = messageOf(261, 'ann', ' [DEBUG] x');
    const after = reduceRoom(room, { name: 'v3.chat.message', payload: debug, seq: 261 });
    expect([after.messages, after.seq]).toEqual([room.messages, 261]);
  });

  it('follows subject, status, settings and the fields of parts [B-363, B-365]', () => {
    const update = { ...updateOf('private', null), mode: 'limited', is_wild: true } as const;
    const room = lived([
      { name: 'v3.chat.subject', payload: { subject: 'Rain', subject_color: '#ffffff' }, seq: 1 },
      { name: 'v3.chat.update', payload: update, seq: 2 },
      {
        name: 'v3.chat.model_settings',
        seq: 3,
        payload: { settings: { ...settings, followEnabled: false } },
      },
    ]);
    expect(room).toEqual({
      ...EMPTY_LIVE_ROOM,
      seq: 3,
      subject: 'Rain',
      subjectColor: '#ffffff',
      status: 'private',
      mode: 'limited',
      settings: { ...settings, followEnabled: false },
      parts: { waves: { auth: { waves: 0 }, isWild: true, updates: 1 } },
    });
  });

  it('begins offline and public [B-190, B-192]', () => {
    expect([EMPTY_LIVE_ROOM.status, EMPTY_LIVE_ROOM.mode]).toEqual(['offline', 'public']);
  });
});

describe('a part of a room', () => {
  const online: LiveRoom = { ...EMPTY_LIVE_ROOM, status: 'online', stream: 'a', seq: 3 };
  const wave = (at: string): RoomEntry => ({ name: waved.name, payload: { at }, seq: null });

  it('starts empty, and its events change it and the stream state', () => {
    expect(partStateOf(online, waves)).toEqual({ ...wavesPart.empty, updates: 0 });
    const once = reduceRoom(online, wave('ann'), reducing);
    expect(once).toEqual({
      ...online,
      status: 'standby',
      parts: { waves: { auth: { waves: 1 }, isWild: false, updates: 0 } },
    });
    expect(partStateOf(reduceRoom(once, wave('ann'), reducing), waves).auth.waves).toBe(2);
    expect(reduceRoom(online, wave('bob'), reducing)).toBe(online);
    expect(reduceRoom(online, wave('ann'), { me: 'ann' })).toBe(online);
  });

  it('belongs to the room of its events, and to the viewer of the page', () => {
    const open = reduceRooms(NO_ROOMS, { type: 'open', username: 'velvet' });
    const both = reduceRooms(open, { type: 'open', username: 'luna' });
    const { rooms } = reduceRooms(both, { type: 'event', username: 'luna', entry: wave('ann'), ...reducing });
    expect([rooms['velvet']?.parts, rooms['luna']?.parts])
      .toEqual([{}, { waves: { auth: { waves: 1 }, isWild: false, updates: 0 } }]);
  });

  it('reads its fields from room data in groups and on the top level, and writes them there', () => {
    const data = { username: 'velvet', auth: { isStreamer: true, waves: 4 }, isWild: true };
    expect(readPart(data, wavesPart)).toEqual({ auth: { waves: 4 }, isWild: true });
    expect(readPart({ auth: {} }, wavesPart)).toEqual(wavesPart.empty);
    expect(withFields(data, wavesPart.empty))
      .toEqual({ username: 'velvet', auth: { isStreamer: true, waves: 0 }, isWild: false });
  });
});

describe('moderation', () => {
  const room: LiveRoom = {
    ...EMPTY_LIVE_ROOM,
    seq: 3,
    messages: [messageOf(1, 'ann'), messageOf(2, 'bob'), messageOf(3, 'ann')],
    users: { ann: userOf('ann'), bob: userOf('bob') },
  };
  const moderate = (payload: Partial<OwnEntry<'v3.chat.moderate'>['payload']>): LiveRoom =>
    reduceRoom(room, {
      name: 'v3.chat.moderate',
      seq: 4,
      payload: {
        id: 4,
        type: 'banned',
        action: 'add',
        username: 'ann',
        display_name: 'Ann',
        removed: [1, 3],
        ...payload,
      },
    });
  const idsOf = ({ messages }: LiveRoom): number[] => messages.map(({ id }) => id);

  it('ban removes messages and person, kick only the person [B-229, B-230]', () => {
    expect([idsOf(moderate({})), Object.keys(moderate({}).users)]).toEqual([[2], ['bob']]);
    const kicked = moderate({ type: 'kicked', removed: [] });
    expect([idsOf(kicked), Object.keys(kicked.users)]).toEqual([[1, 2, 3], ['bob']]);
    const unbanned = moderate({ action: 'remove', removed: [] });
    expect([idsOf(unbanned), Object.keys(unbanned.users)]).toEqual([[1, 2, 3], ['ann', 'bob']]);
  });

  it('moderator and silence change their lists; only silence removes messages [B-232, B-233]', () => {
    const named = moderate({ type: 'moderator', removed: [] });
    expect([named.moderators, idsOf(named)]).toEqual([['ann'], [1, 2, 3]]);
    const silenced = moderate({ type: 'silenced' });
    expect([silenced.silenced, idsOf(silenced)]).toEqual([['ann'], [2]]);
    // Ann's tip while silenced stays when the silence ends.
    const tipped = reduceRoom(silenced, {
      name: 'v3.chat.message',
      seq: 5,
      payload: { ...messageOf(5, 'ann', ''), type: 'tip', is_tip: true },
    });
    const freed = reduceRoom(tipped, {
      name: 'v3.chat.moderate',
      seq: 6,
      payload: {
        id: 6,
        type: 'silenced',
        action: 'remove',
        username: 'ann',
        display_name: 'Ann',
        removed: [],
      },
    });
    expect([freed.silenced, idsOf(freed)]).toEqual([[], [2, 5]]);
  });

  it('without a name removes the same messages and reveals nobody [B-235]', () => {
    const anonymous = moderate({ type: 'silenced', username: null, display_name: null });
    expect([idsOf(anonymous), anonymous.silenced, anonymous.users]).toEqual([[2], [], room.users]);
  });
});

describe('who is there', () => {
  const after = (...entries: readonly Event[]): LiveRoom =>
    lived(entries.map((entry): RoomEntry => ({ ...entry, seq: null })));

  it('follows list, joins, leaves, count and hiding', () => {
    const list: Event = { name: 'v3.chat.user_list', payload: { count: 1, users: [userOf('ann')] } };
    const joined = { name: 'v3.chat.user_joined', payload: { user: userOf('bob') } } as const;
    const hidden = (username: string) => (
      { name: 'v3.user.invisible-mode', payload: { username, invisible_mode_level: 1 } } as const
    );
    const left = { name: 'v3.chat.user_left', payload: { room: 'x', user: { username: 'ann' } } } as const;
    const count = { name: 'v3.chat.user_count', payload: { user_count: 9 } } as const;
    const room = after(list, joined, hidden('bob'), left, count);
    expect([room.users, room.userCount]).toEqual([{ bob: userOf('bob', 1) }, 9]);
    expect(after(list, hidden('zed')).users).toEqual({ ann: userOf('ann') });
    expect(after(joined, list).users).toEqual({ ann: userOf('ann') });
  });

  it('ignores events that do not change a room', () => {
    expect(['v3.chat.message', 'v3.chat.user_left'].every(isRoomEvent)).toBe(true);
    expect(['v3.ping', 'constructor', ''].some(isRoomEvent)).toBe(false);
  });
});

describe('a camera password', () => {
  it('locks everybody when it is new, and nobody when it is the same', () => {
    const open = { hasCamPassword: false, camPasswordNumber: 0 };
    const set = { ...settings, hasCamPassword: true, camPasswordNumber: 1 };
    expect(isLockedAfter(open, set)).toBe(true);
    const passed = { hasCamPassword: false, camPasswordNumber: 1 };
    expect(isLockedAfter(passed, { ...set, followEnabled: false })).toBe(false);
    expect(isLockedAfter(passed, { ...set, camPasswordNumber: 2 })).toBe(true);
    expect(isLockedAfter({ hasCamPassword: true, camPasswordNumber: 2 }, settings)).toBe(false);
  });
});

describe('the rooms of a page', () => {
  const said: RoomEntry = { name: 'v3.chat.message', payload: messageOf(1, 'ann'), seq: 1 };

  it('are one entry per username, loading, ready or failed [B-134]', () => {
    const two = [
      { type: 'open', username: 'velvet' },
      { type: 'open', username: 'luna' },
      { type: 'event', username: 'velvet', entry: said },
      { type: 'ready', username: 'velvet' },
      { type: 'fail', username: 'luna' },
      { type: 'open', username: 'velvet' },
    ] as const;
    const store = two.reduce(reduceRooms, NO_ROOMS);
    expect(Object.keys(store.rooms)).toEqual(['velvet', 'luna']);
    expect([store.rooms['velvet']?.load, store.rooms['luna']?.load]).toEqual(['ready', 'error']);
    expect(store.rooms['velvet']?.messages).toHaveLength(1);
    expect(store.rooms['luna']?.messages).toEqual([]);
    expect(reduceRooms(NO_ROOMS, { type: 'open', username: 'velvet' }).rooms['velvet']?.load).toBe('loading');
  });

  it('are left for good by a banned or kicked viewer', () => {
    const open = reduceRooms(NO_ROOMS, { type: 'open', username: 'velvet' });
    const both = reduceRooms(open, { type: 'open', username: 'luna' });
    const out = reduceRooms(both, { type: 'expel', username: 'luna' });
    expect([Object.keys(out.rooms), out.current]).toEqual([['velvet'], null]);
    expect(reduceRooms(out, { type: 'event', username: 'luna', entry: said })).toBe(out);
  });

  it('are removed one by one, and do not change when another is left [B-187]', () => {
    const open = reduceRooms(NO_ROOMS, { type: 'open', username: 'velvet' });
    const both = reduceRooms(open, { type: 'open', username: 'luna' });
    const { rooms, current } = reduceRooms(both, { type: 'remove', username: 'velvet' });
    expect([Object.keys(rooms), current]).toEqual([['luna'], 'luna']);
    expect(reduceRooms(open, { type: 'expel', username: 'luna' })).toBe(open);
  });

  it('have no action without a room [B-188]', () => {
    for (const type of ['open', 'ready', 'fail', 'remove', 'expel'] as const) {
      expect(() => reduceRooms(NO_ROOMS, { type, username: '' })).toThrow('names no room');
    }
    const nameless = { type: 'event', username: '', entry: said } as const;
    expect(() => reduceRooms(NO_ROOMS, nameless)).toThrow('names no room');
  });
});
