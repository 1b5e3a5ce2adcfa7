import type { AnyEvent, PayloadOf } from '#platform/contract/event.ts';
import { chatUpdate, type RoomDataView } from '#product/rooms/contract.ts';
import { CHAT_STATUSES, streamStatus } from '#product/rooms/rules.ts';
import { EMPTY_LIVE_ROOM, partStateOf, reduceRoom, type LiveRoom } from '#product/rooms/rules/live-room.ts';
import { conditionsOf, withEvent } from '#product/rooms/rules/room-data.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import { offlineRoom } from '#product/testkit/rooms/room-data.ts';
import { describe, expect, it } from 'vitest';
import { privateEnded, privateStarted, showsPart } from './contract.ts';
import { privateTick } from './contract/private-running.ts';
import { spyEnded, spyStarted } from './contract/spying.ts';
import { showsReducer } from './rules.ts';
import { recordingStateOf } from './rules/private.ts';
import { barOfSharecam } from './rules/sharecam.ts';
import { barOfSpying } from './rules/spying.ts';

const reducing = { reducers: [showsReducer], me: 'ann' };
const started: PayloadOf<typeof privateStarted> = {
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
const OVER: PayloadOf<typeof spyEnded> = { reason_ended: 'user_ended', receipt: null };
const updateOf = (
  some: Pick<PayloadOf<typeof chatUpdate>, 'status' | 'mode' | 'stream_name'>,
  isExclusive = false,
) => ({
  id: 7,
  origin_server: null,
  thumb_small: null,
  ...showsPart.emptyUpdate,
  private_exclusive: isExclusive,
  ...some,
});

describe('a live room', () => {
  const after = <E extends AnyEvent>(room: LiveRoom, { name }: E, payload: PayloadOf<E>): LiveRoom =>
    reduceRoom(room, { name, payload, seq: null }, reducing);
  const showsIn = (room: LiveRoom) => partStateOf(room, showsReducer);
  const online: LiveRoom = { ...EMPTY_LIVE_ROOM, status: 'online', stream: 'a', seq: 3 };
  const inShow = after(online, privateStarted, started);

  it('a private show makes mode and status private; its end says what came back [B-342, B-196]', () => {
    expect(inShow).toEqual({
      ...online,
      status: 'private',
      viewerMode: 'private',
      parts: { shows: { ...showsReducer.initial, privateUsername: 'ann' } },
    });
    const ended = (payload: PayloadOf<typeof privateEnded>): LiveRoom => after(inShow, privateEnded, payload);
    const back = (privateEnd: object) => ({
      ...online,
      status: 'connected',
      parts: { shows: { ...showsReducer.initial, privateEnd } },
    });
    expect(ended({ reason_ended: null, fanclub_refund: null }))
      .toEqual(back({ reason: 'out_of_tokens', fanclubRefund: 0 }));
    expect(ended({ reason_ended: 'viewer_left', fanclub_refund: 12 }))
      .toEqual(back({ reason: 'viewer_left', fanclubRefund: 12 }));
  });

  it('a second of a private show changes the four numbers of it, and nothing else', () => {
    const privateStats = {
      privatePrepaidTimeLeftSeconds: 40,
      privateStreamTimeInSecond: 20,
      privateTokenCount: 10,
      privateUserTimeLeftInSecond: 180,
    };
    expect(after(inShow, privateTick, {
      ...privateStats,
      username: 'ann',
      broadcaster: 'velvet',
      is_paused: false,
      cost_per_minute: 60,
      avail: 12,
    })).toEqual({
      ...inShow,
      parts: { shows: { ...showsReducer.initial, privateUsername: 'ann', privateStats } },
    });
  });

  it('spying has its mode, stream and price until it ends; whoever did not spy stays as they are', () => {
    const show: LiveRoom = { ...online, status: 'private', stream: null };
    const spying = after(show, spyStarted, {
      broadcaster: 'velvet',
      cost_per_minute: 12,
      preview_seconds: 0,
      stream: 'theirs',
    });
    expect([spying.viewerMode, spying.stream, showsIn(spying).spyRunningPricePerMinuteInToken])
      .toEqual(['spy', 'theirs', 12]);
    expect(after(spying, spyEnded, OVER)).toEqual({ ...show, parts: { shows: showsReducer.initial } });
    // The public stream that follows the show stays.
    expect(after({ ...spying, status: 'online', stream: 'b' }, spyEnded, OVER).stream).toBe('b');
    for (const room of [online, inShow]) expect(after(room, spyEnded, OVER)).toBe(room);
  });

  it('follows whether a private show is exclusive', () => {
    const update = (isExclusive: boolean) =>
      updateOf(
        { status: 'private', mode: 'public', stream_name: null },
        isExclusive,
      );
    const exclusive = after(online, chatUpdate, update(true));
    expect([showsIn(exclusive).privateExclusive, exclusive.status]).toEqual([true, 'private']);
    expect(showsIn(after(exclusive, chatUpdate, update(false))).privateExclusive).toBe(false);
  });
});

describe('the data of a room', () => {
  const after = <E extends AnyEvent>(room: RoomDataView, { name }: E, payload: PayloadOf<E>): RoomDataView =>
    withEvent(room, { name, payload }, reducing);
  const online = after(
    offlineRoom,
    chatUpdate,
    updateOf({
      status: 'online',
      mode: 'public',
      stream_name: 'a',
    }),
  );
  const usernameIn = (room: RoomDataView) => readPart(room, showsPart).privateUsername;

  it('opens the picture to the two in it, and the panel waits for her after it', () => {
    const inShow = after(online, privateStarted, { ...started, username: 'mira', stream: 'their-own' });
    expect([inShow.chat.status, inShow.chat.mode, inShow.mode, usernameIn(inShow)])
      .toEqual(['private', 'private', 'private', 'mira']);
    expect([inShow.stream.stream_name, inShow.streamStatus]).toEqual(['their-own', 'online']);
    // The update sent to everybody takes nobody out of the show.
    const update = updateOf({ status: 'private', mode: 'public', stream_name: 'their-own' });
    expect(after(inShow, chatUpdate, update)).toEqual(inShow);
    expect(after(online, chatUpdate, update).streamStatus).toBe('private');
    const over = after(inShow, privateEnded, { reason_ended: null, fanclub_refund: null });
    expect([over.chat.status, over.chat.mode, over.mode, usernameIn(over), over.streamStatus])
      .toEqual(['connected', 'public', 'public', null, 'connected']);
  });

  it('ends spying with the face of a private show', () => {
    const spying: RoomDataView = {
      ...online,
      mode: 'spy',
      streamStatus: 'online',
      chat: { ...online.chat, status: 'private', mode: 'spy' },
    };
    expect(streamStatus(conditionsOf(spying))).toBe('online');
    const over = after(spying, spyEnded, OVER);
    expect([over.chat.mode, over.mode, over.chat.status, over.streamStatus])
      .toEqual(['public', 'public', 'private', 'private']);
  });
});

describe('by the status of a room', () => {
  const possible = (bar: (status: (typeof CHAT_STATUSES)[number]) => string | null): string[] =>
    CHAT_STATUSES.filter((status) => bar(status) === null);

  it('spying is possible in a private show alone [B-263, B-264]', () => {
    const conditions = {
      mode: 'public',
      isTicketShowInstalled: false,
      isExclusive: false,
      isEnabled: true,
    } as const;
    expect(possible((chatStatus) => barOfSpying({ ...conditions, chatStatus }))).toEqual(['private']);
    const shown = { ...conditions, chatStatus: 'private' } as const;
    expect([
      barOfSpying({ ...shown, mode: 'private' }),
      barOfSpying({ ...shown, mode: 'limited' }),
      barOfSpying({ ...shown, isTicketShowInstalled: true }),
      barOfSpying({ ...shown, isExclusive: true }),
      barOfSpying({ ...shown, isEnabled: false }),
    ]).toEqual(['spy_not_public', 'spy_not_public', 'spy_limited_show', 'spy_exclusive', 'spy_disabled']);
  });

  it('a camera is shared online, in standby, a ticket show, and the own private show [B-274, B-275]', () => {
    const offer = { isAllowedInPrivate: true, isAllowedInPublic: true };
    const at = (mode: 'public' | 'private', isOwnPrivateRunning: boolean): string[] =>
      possible((chatStatus) => barOfSharecam(mode, { offer, chatStatus, isOwnPrivateRunning }));
    expect(at('public', false)).toEqual(['online', 'standby', 'limited']);
    expect(at('public', true)).toEqual(['online', 'standby', 'limited']);
    expect(at('private', false)).toEqual(['online', 'standby']);
    expect(at('private', true)).toEqual([...CHAT_STATUSES]);
    for (const [mode, allowed] of [
      ['public', { isAllowedInPrivate: true, isAllowedInPublic: false }],
      ['private', { isAllowedInPrivate: false, isAllowedInPublic: true }],
    ] as const) {
      expect(barOfSharecam(mode, { offer: allowed, chatStatus: 'online', isOwnPrivateRunning: true }))
        .toBe('sharecam_disabled');
    }
  });
});

it('where a recording stands follows from the show', () => {
  const agreed = { isAgreed: true, isWithdrawn: false, isRecorded: null, recordedMs: null } as const;
  const of = (phase: 'starting' | 'running' | 'ended', more: object) =>
    recordingStateOf({ phase, ...agreed, ...more });
  expect([
    of('running', { isAgreed: false, isRecorded: true }),
    of('starting', {}),
    of('running', { isRecorded: true }),
    of('running', { isRecorded: false }),
    of('ended', { isRecorded: false }),
    of('ended', { recordedMs: 0 }),
    of('ended', { recordedMs: 1 }),
    of('ended', { recordedMs: 1, isWithdrawn: true }),
    of('running', { isRecorded: true, isWithdrawn: true }),
  ]).toEqual([
    null,
    'agreed',
    'running',
    'off',
    'saving',
    'none',
    'ready',
    'withdrawn',
    'withdrawn',
  ]);
});
