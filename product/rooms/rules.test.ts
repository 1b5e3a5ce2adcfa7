import { PLAYBACK_MODES } from '#product/broadcast/rules.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterShow,
  appendMessages,
  CHAT_HISTORY_LIMIT,
  CHAT_MODES,
  CHAT_STATUSES,
  commandOf,
  deepestLevel,
  EMPTY_ROOM,
  excerptOf,
  followBroadcast,
  hiddenGenders,
  isShownTo,
  MAX_CHAT_MESSAGE_LENGTH,
  mayFinishStream,
  maySeeStream,
  modeIn,
  NEW_MEMBER_MS,
  overlayDelayMs,
  PACES,
  paceTierOf,
  performerOfTopic,
  refusalOfMessage,
  REPLY_EXCERPT_LENGTH,
  RESTRICTIONS,
  roomCommand,
  roomRightsOf,
  roomTopic,
  seesUserList,
  SOUNDS,
  STREAM_STATUSES,
  streamStatus,
  type BroadcastState,
  type ChatStatus,
  type RoomState,
  type StreamConditions,
  type StreamStatus,
} from './rules.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 200 });
const history = fc.uniqueArray(fc.integer({ min: 1, max: 2_000 }), { maxLength: 400 })
  .map((ids) => ids.toSorted((a, b) => a - b).map((id) => ({ id })));

describe('words of the specification', () => {
  it('are used exactly', () => {
    expect(CHAT_STATUSES.toSorted()).toEqual([
      'connected',
      'limited',
      'offline',
      'online',
      'online_ai',
      'private',
      'reconnecting',
      'standby',
    ]);
    expect(CHAT_MODES.toSorted()).toEqual(['limited', 'private', 'public', 'spy']);
    expect(RESTRICTIONS.toSorted()).toEqual(['banned', 'kicked', 'moderator', 'silenced']);
  });
});

describe('chat status', () => {
  it('has every status of both documents', () => {
    const statuses = ['offline', 'online', 'standby', 'private', 'limited', 'connected'] as const;
    for (const status of statuses) expect(CHAT_STATUSES).toContain(status);
    expect(CHAT_STATUSES).toHaveLength(8);
  });
});

describe('chat history', () => {
  it('never exceeds 200, has no duplicates and keeps the newest [B-251, B-401]', () => {
    expect(CHAT_HISTORY_LIMIT).toBe(200);
    fc.assert(fc.property(history, history, (before, added) => {
      const after = appendMessages(before.slice(-CHAT_HISTORY_LIMIT), added);
      expect(after.length).toBeLessThanOrEqual(CHAT_HISTORY_LIMIT);
      expect(new Set(after.map(({ id }) => id)).size).toBe(after.length);
      const last = added.filter(({ id }) => !before.some((known) => known.id === id)).at(-1);
      if (last) expect(after.at(-1)).toBe(last);
    }));
  });

  it('does not change when the same messages come again', () => {
    fc.assert(fc.property(history, (messages) => {
      const once = appendMessages([], messages);
      expect(appendMessages(once, once)).toEqual(once);
    }));
  });
});

describe('text', () => {
  it('is refused when empty, too long or an unknown command', () => {
    expect(refusalOfMessage('')).toBe('empty');
    expect(refusalOfMessage('😀'.repeat(MAX_CHAT_MESSAGE_LENGTH))).toBeNull();
    expect(refusalOfMessage('😀'.repeat(MAX_CHAT_MESSAGE_LENGTH + 1))).toBe('too_long');
    expect(commandOf('1/2')).toBeNull();
  });
});

describe('pace', () => {
  it('is faster for established members', () => {
    const viewer = { isStreamer: false, canModerate: false };
    const old = { rights: viewer, accountAgeMs: NEW_MEMBER_MS, recentTips: 0 };
    expect(paceTierOf({ ...old, accountAgeMs: NEW_MEMBER_MS - 1 })).toBe('newMember');
    expect(paceTierOf(old)).toBe('member');
    expect(paceTierOf({ ...old, recentTips: 1 })).toBe('tipper');
    expect(paceTierOf({ ...old, rights: { ...viewer, canModerate: true } })).toBe('staff');
    const order = (['newMember', 'member', 'tipper', 'staff'] as const).map((tier) => PACES[tier]);
    expect(order).toEqual(order.toSorted((a, b) => a.burst - b.burst || a.perSecond - b.perSecond));
  });
});

describe('the state of a room', () => {
  const broadcast: fc.Arbitrary<BroadcastState> = fc.record({
    state: fc.constantFrom('offline', 'ready', 'online', 'reconnecting'),
    stream: fc.constantFrom('a', 'b', null),
    mode: fc.constantFrom(...PLAYBACK_MODES),
    standby: fc.boolean(),
  });
  const NONE: BroadcastState = { state: 'offline', stream: null, mode: 'public', standby: false };

  it('depends only on the broadcast\'s last state, and is the same object when nothing changed', () => {
    fc.assert(fc.property(fc.array(broadcast), broadcast, (earlier, last) => {
      const before = earlier.reduce(followBroadcast, EMPTY_ROOM);
      const after = followBroadcast(before, last);
      expect(after).toEqual(followBroadcast(EMPTY_ROOM, last));
      expect(followBroadcast(after, last)).toBe(after);
    }));
  });

  it('is offline without a stream, or standby when the performer is on standby', () => {
    const online = { status: 'online', stream: 'a' } as const;
    expect(followBroadcast(online, { ...NONE, state: 'ready' })).toEqual(EMPTY_ROOM);
    expect(followBroadcast(EMPTY_ROOM, { ...NONE, state: 'reconnecting', stream: 'a' }).status)
      .toBe('reconnecting');
    expect(followBroadcast(online, { ...NONE, standby: true })).toEqual({ status: 'standby', stream: null });
    expect(followBroadcast(online, { ...NONE, state: 'online', stream: 'a', standby: true })).toBe(online);
  });

  it('is connected from the end of a show until its picture has moved, or is gone', () => {
    const show: BroadcastState = { ...NONE, state: 'online', stream: 'secret' };
    for (const [mode, activity] of [['private', 'private'], ['limited', 'ticket']] as const) {
      const over = afterShow({ status: mode, stream: null }, activity);
      expect(over).toEqual({ status: 'connected', stream: null });
      expect(followBroadcast(over, { ...show, mode })).toBe(over);
      expect(followBroadcast(over, { ...show, mode, state: 'reconnecting' })).toBe(over);
      expect(followBroadcast(over, { ...show, stream: 'a' })).toEqual({ status: 'online', stream: 'a' });
      expect(followBroadcast(over, NONE)).toEqual(EMPTY_ROOM);
    }
    const online = { status: 'online', stream: 'a' } as const;
    expect(afterShow(online, 'private')).toBe(online);
    const busy = { status: 'private', stream: null } as const;
    expect(afterShow(busy, 'ticket')).toBe(busy);
  });

  it('never contains the name of a stream that is not public', () => {
    fc.assert(fc.property(fc.array(broadcast), (states) => {
      let room: RoomState = EMPTY_ROOM;
      for (const one of states) {
        room = followBroadcast(room, one);
        if (one.mode !== 'public') expect(room.stream).toBeNull();
      }
    }));
    const gone = followBroadcast({ status: 'online', stream: 'a' }, {
      state: 'online',
      stream: 'secret',
      mode: 'private',
      standby: false,
    });
    expect(gone).toEqual({ status: 'private', stream: null });
  });
});

describe('the mode of a viewer', () => {
  it('makes the performer take part in every show of her own room', () => {
    const modeOf = (isStreamer: boolean) =>
      CHAT_STATUSES.map((chatStatus) => modeIn({ isStreamer, chatStatus, mode: 'public' }));
    expect(new Set(modeOf(false))).toEqual(new Set(['public']));
    const own = Object.fromEntries(CHAT_STATUSES.map((status, at) => [status, modeOf(true)[at]]));
    expect(own)
      .toMatchObject({ private: 'private', limited: 'limited', online: 'public', standby: 'public' });
    expect(modeIn({ isStreamer: false, chatStatus: 'private', mode: 'spy' })).toBe('spy');
  });
});

describe('rights in a room', () => {
  const anybody = fc.option(fc.integer({ min: 1, max: 5 }));
  const roles = fc.subarray(['guest', 'member', 'performer', 'site_mod', 'admin', 'model_admin']);
  const owner = fc.integer({ min: 1, max: 5 });

  it('make only the owner the streamer [B-300]', () => {
    fc.assert(fc.property(anybody, roles, owner, fc.boolean(), (personId, held, ownerId, isNamed) => {
      const rights = roomRightsOf({ personId, roles: held }, ownerId, isNamed);
      expect(rights.isStreamer).toBe(personId === ownerId);
      if (personId === null) expect(new Set(Object.values(rights))).toEqual(new Set([false]));
    }));
  });

  it('make streamer, MODEL_ADMIN and SITE_MOD room admins, but not moderators [B-305]', () => {
    fc.assert(fc.property(anybody, roles, owner, fc.boolean(), (personId, held, ownerId, isNamed) => {
      const rights = roomRightsOf({ personId, roles: held }, ownerId, isNamed);
      const isStaff = ['site_mod', 'admin', 'model_admin'].some((role) => held.includes(role));
      const isAbove = personId !== null && (personId === ownerId || isStaff);
      expect(rights.isRoomAdmin).toBe(isAbove);
      expect(rights.canModerate).toBe(isAbove || (personId !== null && isNamed));
    }));
  });

  it('mark a performer in somebody else\'s room', () => {
    fc.assert(fc.property(anybody, roles, owner, (personId, held, ownerId) => {
      const { isAnotherModel } = roomRightsOf({ personId, roles: held }, ownerId, false);
      const isOther = personId !== null && personId !== ownerId;
      expect(isAnotherModel).toBe(isOther && held.includes('performer'));
    }));
  });

  it('include the user list for streamer and site moderators, for all when it is open [B-301, B-308]', () => {
    const sees = (held: string[], personId: number | null, isOpen: boolean) =>
      seesUserList(roomRightsOf({ personId, roles: held }, 1, true), isOpen);
    expect(sees(['member', 'performer'], 1, false)).toBe(true);
    expect(sees(['member', 'site_mod'], 2, false)).toBe(true);
    expect(sees(['member', 'model_admin'], 2, false)).toBe(false);
    expect(sees(['member'], 2, false)).toBe(false);
    expect(sees(['guest'], null, false)).toBe(false);
    for (const personId of [null, 1, 2]) expect(sees([], personId, true)).toBe(true);
  });

  it('respect the levels of invisible mode, which are limited by role and tier', () => {
    const [viewer, streamer, staff] = [
      roomRightsOf({ personId: 2, roles: [] }, 1, true),
      roomRightsOf({ personId: 1, roles: [] }, 1, false),
      roomRightsOf({ personId: 3, roles: ['site_mod'] }, 1, false),
    ];
    const shown = [0, 1, 2].map((level) =>
      [viewer, streamer, staff].map((rights) => isShownTo(rights, level))
    );
    expect(shown).toEqual([[true, true, true], [false, true, true], [false, false, true]]);
    expect(deepestLevel({ isSiteModerator: false, isVip: false })).toBe(0);
    expect(deepestLevel({ isSiteModerator: false, isVip: true })).toBe(1);
    expect(deepestLevel({ isSiteModerator: true, isVip: false })).toBe(2);
  });
});

describe('the guest overlay', () => {
  it('comes after one minute, two, or at once', () => {
    expect(overlayDelayMs('1', false)).toBe(60_000);
    for (const other of [null, '', '0', '2', 'NOW', 'later']) {
      expect(overlayDelayMs(other, false)).toBe(120_000);
    }
    expect(overlayDelayMs('now', false)).toBe(0);
    for (const vidstop of [null, '1', 'now', '7']) expect(overlayDelayMs(vidstop, true)).toBe(0);
  });

  it('has a delay of one or two minutes only by `vidstop` [A-107, A-479]', () => {
    const delays = [null, '', '0', '1', '2', 'x'].map((vidstop) => overlayDelayMs(vidstop, false) / 60_000);
    expect(delays).toEqual([2, 2, 2, 1, 2, 2]);
  });
});

describe('commands', () => {
  const asked = (text: string, canModerate = true) => {
    const command = commandOf(text);
    return command && roomCommand(command, canModerate);
  };

  it('are lines that start with a slash [B-280]', () => {
    expect(commandOf('/Tip_Split 50 4')).toEqual({ name: 'tip_split', rest: '50 4' });
    expect(commandOf('/')).toEqual({ name: '', rest: '' });
    for (const line of ['1/2', ' /x', 'hello /setmode public']) expect(commandOf(line)).toBeNull();
  });

  it('play a sound of the list and set one of two modes, for moderators [B-281, B-282]', () => {
    for (const sound of SOUNDS) expect(asked(`/play_sound ${sound.toUpperCase()}`)).toEqual({ sound });
    for (const mode of ['limited', 'public']) expect(asked(`/setmode ${mode}`)).toEqual({ mode });
    expect(asked('/play_sound ../secret')).toEqual({ refusal: 'unknown_sound' });
    for (const mode of ['', 'private', 'spy', 'public limited']) {
      expect(asked(`/setmode ${mode}`)).toEqual({ refusal: 'unknown_mode' });
    }
    for (const line of ['/play_sound bell', '/setmode public', '/play_sound nothing']) {
      expect(asked(line, false)).toEqual({ refusal: 'not_for_you' });
    }
    expect(asked('/tip_split 50 4')).toBeNull();
    expect(asked('/dance')).toBeNull();
  });
});

describe('the excerpt of a message', () => {
  it('is never longer than the limit, and complete when it fits', () => {
    fc.assert(fc.property(anyText, (text) => {
      const excerpt = excerptOf(text);
      expect([...excerpt].length).toBeLessThanOrEqual(REPLY_EXCERPT_LENGTH);
      if ([...text].length <= REPLY_EXCERPT_LENGTH) expect(excerpt).toBe(text);
    }));
  });
});

/** Conditions under which the video plays. */
const CLEAR: StreamConditions = {
  hasError: false,
  isReady: true,
  hasCamPassword: false,
  isRoomAdmin: false,
  chatStatus: 'online',
  mode: 'public',
  isShowGuestOverlay: false,
  isCardRequired: false,
  hasCard: false,
};

/** Each check of the specification in its order: conditions for which it holds, and for which it does not. */
const CHECKS: readonly [StreamStatus, Partial<StreamConditions>, Partial<StreamConditions>][] = [
  ['user_error', { hasError: true }, { hasError: false }],
  ['user_loading', { isReady: false }, { isReady: true }],
  ['password_required', { hasCamPassword: true, isRoomAdmin: false }, { hasCamPassword: false }],
  ['offline', { chatStatus: 'offline' }, {}],
  ['guest_overlay', { isShowGuestOverlay: true }, { isShowGuestOverlay: false }],
  ['cc_required', { isCardRequired: true, hasCard: false }, { isCardRequired: true, hasCard: true }],
  ['connected', { chatStatus: 'connected' }, {}],
  ['limited', { chatStatus: 'limited', mode: 'public' }, { chatStatus: 'limited', mode: 'limited' }],
  ['private', { chatStatus: 'private', mode: 'public' }, { chatStatus: 'private', mode: 'private' }],
  ['standby', { chatStatus: 'standby' }, {}],
];

describe('what the video panel shows', () => {
  const conditions: fc.Arbitrary<StreamConditions> = fc.record({
    hasError: fc.boolean(),
    isReady: fc.boolean(),
    hasCamPassword: fc.boolean(),
    isRoomAdmin: fc.boolean(),
    chatStatus: fc.constantFrom(...CHAT_STATUSES),
    mode: fc.constantFrom(...CHAT_MODES),
    isShowGuestOverlay: fc.boolean(),
    isCardRequired: fc.boolean(),
    hasCard: fc.boolean(),
  });
  const places = fc.integer({ min: 0, max: CHECKS.length });
  /** Conditions for which no check before the given position holds. */
  const passing = (rights: number, anything: StreamConditions): StreamConditions => {
    const before = CHECKS.slice(0, rights).map(([, , not]) => not);
    const seen = { ...anything, ...Object.assign({}, ...before) as Partial<StreamConditions> };
    // A dropped publisher is shown like one that is connecting (readings.md).
    const { chatStatus } = seen;
    const judged = chatStatus === 'reconnecting' ? 'connected' : chatStatus;
    const isTaken = CHECKS.slice(0, rights).some(([, holds]) => holds.chatStatus === judged);
    return isTaken ? { ...seen, chatStatus: 'online' } : seen;
  };

  it('is the first check that holds, whichever hold after it [B-213, B-214]', () => {
    fc.assert(
      fc.property(places, conditions, (rights, anything) => {
        const check = CHECKS[rights];
        const passed = passing(rights, anything);
        const reached = STREAM_STATUSES.indexOf(streamStatus(passed));
        expect(reached).toBeGreaterThanOrEqual(rights);
        if (!check) return;
        const [status, holds] = check;
        expect(streamStatus({ ...passed, ...holds })).toBe(status);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is decided in the order of the specification [B-206, B-207]', () => {
    expect(STREAM_STATUSES).toEqual([...CHECKS.map(([status]) => status), 'online']);
  });

  const holdsAlone = (changed: Partial<StreamConditions>) => streamStatus({ ...CLEAR, ...changed });

  it('says that the room failed to load, or that it is loading [B-204, B-205]', () => {
    expect(holdsAlone({ hasError: true })).toBe('user_error');
    expect(holdsAlone({ isReady: false })).toBe('user_loading');
    expect(holdsAlone({ hasError: true, isReady: false })).toBe('user_error');
  });

  it('asks for the password, except of room admins [B-206]', () => {
    expect(holdsAlone({ hasCamPassword: true })).toBe('password_required');
    const caller = (personId: number | null, ...roles: string[]) =>
      holdsAlone({
        hasCamPassword: true,
        isRoomAdmin: roomRightsOf({ personId, roles }, 7, false).isRoomAdmin,
      });
    expect(caller(7, 'member', 'performer')).toBe('online');
    for (const role of ['site_mod', 'model_admin', 'admin', 'super_admin']) {
      expect(caller(8, 'member', role)).toBe('online');
    }
    expect(caller(8, 'member', 'performer')).toBe('password_required');
    expect(caller(null, 'site_mod')).toBe('password_required');
  });

  it('says offline before it asks guests and cards for anything [B-207]', () => {
    const asks = { isShowGuestOverlay: true, isCardRequired: true };
    expect(holdsAlone({ ...asks, chatStatus: 'offline' })).toBe('offline');
    expect(holdsAlone(asks)).toBe('guest_overlay');
    expect(holdsAlone({ isCardRequired: true })).toBe('cc_required');
    expect(holdsAlone({ isCardRequired: true, hasCard: true })).toBe('online');
  });

  it('says that the performer connects, after a private show and after a drop', () => {
    expect(holdsAlone({ chatStatus: 'connected' })).toBe('connected');
    expect(holdsAlone({ chatStatus: 'reconnecting' })).toBe('connected');
  });

  it('hides a ticket show and a private show from others', () => {
    const shown = (chatStatus: ChatStatus) => CHAT_MODES.map((mode) => holdsAlone({ chatStatus, mode }));
    expect(CHAT_MODES).toEqual(['public', 'private', 'spy', 'limited']);
    expect(shown('limited')).toEqual(['limited', 'limited', 'limited', 'online']);
    expect(shown('private')).toEqual(['private', 'online', 'online', 'private']);
  });

  it('says standby, and otherwise shows the video [B-213, B-214]', () => {
    expect(holdsAlone({ chatStatus: 'standby' })).toBe('standby');
    expect(holdsAlone({})).toBe('online');
    expect(holdsAlone({ chatStatus: 'online_ai' })).toBe('online');
  });

  it('gives what is left at the end to who had a free stream, and to nobody else', () => {
    for (const chatStatus of ['online', 'reconnecting', 'offline'] as const) {
      expect(mayFinishStream({ ...CLEAR, chatStatus }), chatStatus).toBe(true);
    }
    for (const mode of ['private', 'spy', 'limited'] as const) {
      for (const chatStatus of ['private', 'limited', 'offline'] as const) {
        expect(mayFinishStream({ ...CLEAR, chatStatus, mode }), `${chatStatus} ${mode}`).toBe(false);
      }
    }
    const barred = [
      { hasCamPassword: true },
      { isShowGuestOverlay: true },
      { isCardRequired: true },
      { chatStatus: 'private' },
      { chatStatus: 'limited' },
      { chatStatus: 'standby' },
      { hasError: true },
    ] as const;
    for (const one of barred) expect(mayFinishStream({ ...CLEAR, ...one }), JSON.stringify(one)).toBe(false);
    expect(mayFinishStream({ ...CLEAR, chatStatus: 'offline', hasCamPassword: true })).toBe(false);
  });

  it('gives the stream to viewers of the video, during a drop too', () => {
    fc.assert(fc.property(conditions, (some) => {
      const status = streamStatus(some);
      const isDropped = status === 'connected' && some.chatStatus === 'reconnecting';
      expect(maySeeStream(some)).toBe(status === 'online' || isDropped);
    }));
    expect(maySeeStream({ ...CLEAR, chatStatus: 'private' })).toBe(false);
    expect(maySeeStream({ ...CLEAR, chatStatus: 'reconnecting', hasCamPassword: true })).toBe(false);
  });
});

describe('names', () => {
  it('finds the performer of a room\'s topic, but of no other', () => {
    fc.assert(fc.property(fc.integer({ min: 1 }), (id) => {
      expect(performerOfTopic(roomTopic(id))).toBe(id);
    }));
    for (const topic of [null, '', 'room:', 'room:x', 'room:1x', 'lobby:1']) {
      expect(() => performerOfTopic(topic)).toThrow('no room');
    }
  });

  it('reads the list of hidden genders', () => {
    expect(hiddenGenders(' m, t,,')).toEqual(new Set(['m', 't']));
    expect(hiddenGenders(undefined).size).toBe(0);
  });
});
