import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  balanceBand,
  barOfRequest,
  changeWatched,
  discounted,
  nextShow,
  offersWatching,
  priceNow,
  REQUEST_MS,
  requestedShow,
  START_MS,
  tokensToStart,
  watchedAt,
  type RequestConditions,
  type ShowEvent,
  type ShowState,
  type Watched,
} from './rules/private.ts';
import { startedView } from './server/private/views.ts';

const AT = 1_000_000;
const after = (state: ShowState, at: number, ...events: readonly ShowEvent[]): ShowState =>
  events.reduce((item, event) => nextShow(item, event, at), state);
const asked = requestedShow(AT);
const starting = after(asked, AT + 1, { kind: 'accepted' });
const running = after(starting, AT + 2, { kind: 'picture' });

it('a show that started says to each of its two what it costs and has come to [B-342]', () => {
  const show = {
    row: { price: 30, exclusive: false },
    stream: 'amber',
    viewerName: 'ann',
    performerName: 'velvet',
    meter: { price: 30, limit: null, seconds: 21, carried: 0, captured: 10, held: 20 },
    spending: { spendable: 200 },
  };
  const started = {
    username: 'ann',
    broadcaster: 'velvet',
    cost_per_minute: 30,
    prepaid_seconds: 39,
    duration: 21,
    tokens_charged: 10,
    remaining_seconds: 439,
    freeSpyPreviewDuration: 7,
    type: 'private',
    source: 'web',
    stream: 'amber',
  };
  expect(startedView(show, 'viewer', 7)).toEqual(started);
  // The performer must not learn how long the viewer's tokens last.
  expect(startedView(show, 'performer', 7)).toEqual({ ...started, remaining_seconds: 39 });
  expect(startedView({ ...show, row: { price: 45, exclusive: true } }, 'viewer', 0))
    .toMatchObject({ cost_per_minute: 45, type: 'exclusive', freeSpyPreviewDuration: 0 });
});

describe('the states of a private show', () => {
  it('a request is answered once, or expires after 120 seconds', () => {
    expect(asked).toEqual({ phase: 'requested', deadline: AT + 120_000, startedAt: null, endReason: null });
    expect(starting).toMatchObject({ phase: 'starting', deadline: AT + 1 + START_MS });
    for (const kind of ['declined', 'withdrawn'] as const) {
      const answered = after(asked, AT, { kind });
      expect(answered).toMatchObject({ phase: kind, deadline: null });
      expect(after(answered, AT, { kind: 'accepted' })).toBe(answered);
      expect(after(starting, AT, { kind })).toBe(starting);
    }
    const deadline = { kind: 'deadline', hasPicture: false } as const;
    expect(after(asked, AT + REQUEST_MS - 1, deadline)).toBe(asked);
    expect(after(asked, AT + REQUEST_MS, deadline)).toMatchObject({ phase: 'expired', endReason: null });
    expect(after(asked, AT + REQUEST_MS, { kind: 'accepted' })).toBe(asked);
  });

  it('a show begins with its first picture, and ends without one after 30 seconds', () => {
    expect(running).toMatchObject({ phase: 'running', deadline: null, startedAt: AT + 2 });
    const late = AT + 1 + START_MS;
    for (const [hasPicture, endReason] of [[true, 'user_left'], [false, 'unpublish']] as const) {
      expect(after(starting, late, { kind: 'deadline', hasPicture }))
        .toMatchObject({ phase: 'ended', endReason, startedAt: null });
      expect(after(starting, late - 1, { kind: 'deadline', hasPicture })).toBe(starting);
      expect(after(running, late, { kind: 'deadline', hasPicture })).toBe(running);
    }
  });

  it('the first end counts, and nothing comes after it', () => {
    const over = after(running, AT, { kind: 'over', reason: 'user_ended' });
    expect(over).toMatchObject({ phase: 'ended', endReason: 'user_ended', startedAt: AT + 2 });
    expect(after(over, AT, { kind: 'over', reason: 'model_ended' }, { kind: 'picture' })).toBe(over);
    expect(after(running, AT, { kind: 'over' }).endReason).toBe('out_of_tokens');
    expect(after(starting, AT, { kind: 'over', reason: 'model_ended' }))
      .toMatchObject({ phase: 'ended', endReason: 'model_ended', startedAt: null });
    expect(after(asked, AT, { kind: 'over', reason: 'user_left' })).toBe(asked);
  });
});

describe('a request', () => {
  const open: RequestConditions = {
    chatStatus: 'online',
    isTicketShowInstalled: false,
    isVoyeurCam: false,
    isVersusActive: false,
    offer: { isEnabled: true, isExclusiveEnabled: false, isRecordingEnabled: false },
  };

  it('takes a room that is online or in standby, and none whose performer is elsewhere [B-257]', () => {
    expect(barOfRequest(open)).toBeNull();
    expect(barOfRequest({ ...open, chatStatus: 'standby' })).toBeNull();
    for (const chatStatus of ['offline', 'online_ai', 'private', 'limited', 'connected', 'reconnecting']) {
      expect(barOfRequest({ ...open, chatStatus })).toBe('private_unavailable');
    }
    expect(barOfRequest({ ...open, isTicketShowInstalled: true })).toBe('private_limited_show');
    expect(barOfRequest({ ...open, isVoyeurCam: true })).toBe('private_voyeur');
    expect(barOfRequest({ ...open, isVersusActive: true })).toBe('private_versus');
    expect(barOfRequest({ ...open, offer: { ...open.offer, isEnabled: false } })).toBe('private_disabled');
  });

  it('costs the price of the moment, and starting takes a minute, the minimum and the tip', () => {
    const prices = { pricePerMinuteInToken: 30, exclusivePricePerMinuteInToken: 55 };
    expect([priceNow(prices, false, 0), priceNow(prices, true, 10), discounted(1, 80)]).toEqual([30, 49, 1]);
    const minimum = {
      privateMinimumDuration: 0,
      minimumTokenToStart: 0,
      isPreTipEnabled: false,
      preTipCost: 25,
    };
    expect(tokensToStart(minimum, 30)).toBe(30);
    expect(tokensToStart({ ...minimum, privateMinimumDuration: 3, isPreTipEnabled: true }, 30)).toBe(115);
    expect(tokensToStart({ ...minimum, minimumTokenToStart: 200 }, 30)).toBe(200);
  });

  it('shows the performer how long tokens last, and not how many there are', () => {
    expect([150, 151, 450, 451, 1_800, 1_801].map((tokens) => balanceBand(30, tokens))).toEqual([
      'up_to_5_minutes',
      'up_to_15_minutes',
      'up_to_15_minutes',
      'up_to_60_minutes',
      'up_to_60_minutes',
      'longer',
    ]);
  });
});

describe('a video that is watched together', () => {
  const HOUR = 3_600_000;
  const begun = changeWatched(null, { id: 7, lengthMs: HOUR, positionMs: null, isPlaying: null }, AT);

  it('begins at its beginning and plays, stays where it is paused, and goes on from there', () => {
    expect(begun).toEqual({ id: 7, lengthMs: HOUR, positionMs: 0, isPlaying: true, at: AT });
    const change = (before: Watched, some: object, at: number) =>
      changeWatched(before, { id: 7, lengthMs: HOUR, positionMs: null, isPlaying: null, ...some }, at);
    const paused = change(begun, { isPlaying: false }, AT + 5_000);
    expect(paused).toMatchObject({ positionMs: 5_000, isPlaying: false });
    expect(watchedAt(paused, AT + HOUR)).toMatchObject({ positionMs: 5_000, isPlaying: false });
    const moved = change(paused, { positionMs: 90_000 }, AT + 6_000);
    expect(moved).toMatchObject({ positionMs: 90_000, isPlaying: false });
    const played = change(moved, { isPlaying: true }, AT + 10_000);
    expect(watchedAt(played, AT + 12_000)).toMatchObject({ positionMs: 92_000, isPlaying: true });
    // At its end the video stands still; playing it then starts it from the beginning.
    const over = watchedAt(played, AT + 2 * HOUR);
    expect(over).toMatchObject({ positionMs: HOUR, isPlaying: false });
    expect(change(played, { isPlaying: true }, AT + 2 * HOUR))
      .toMatchObject({ positionMs: 0, isPlaying: true });
    expect(change(played, { isPlaying: false }, AT + 2 * HOUR))
      .toMatchObject({ positionMs: HOUR, isPlaying: false });
    expect(change(paused, { id: 8 }, AT)).toMatchObject({ id: 8, positionMs: 0, isPlaying: true });
  });

  it('is nowhere outside itself, and at one place however often one looks', () => {
    const step = fc.record({
      ms: fc.nat(2 * HOUR),
      positionMs: fc.option(fc.nat(3 * HOUR)),
      isPlaying: fc.option(fc.boolean()),
      looks: fc.nat(2 * HOUR),
    });
    fc.assert(fc.property(fc.integer({ min: 1, max: HOUR }), fc.array(step, { maxLength: 12 }), (
      lengthMs,
      steps,
    ) => {
      let [watched, now] = [begun, AT];
      for (const { ms, positionMs, isPlaying, looks } of steps) {
        now += ms;
        watched = changeWatched(watched, { id: 7, lengthMs, positionMs, isPlaying }, now);
        const seen = watchedAt(watched, now + looks);
        expect(seen.positionMs).toBeGreaterThanOrEqual(watched.positionMs);
        expect(seen.positionMs).toBeLessThanOrEqual(lengthMs);
        expect(seen.isPlaying && seen.positionMs >= lengthMs).toBe(false);
        const between = watchedAt(watchedAt(watched, now + Math.floor(looks / 2)), now + looks);
        expect(between).toEqual(seen);
        // A clock that goes back does not move the video back.
        expect(watchedAt(watched, now - 1).positionMs).toBe(Math.min(lengthMs, watched.positionMs));
      }
    }));
  });

  it('is offered while the room is online or in standby and it is turned on, and only then [B-268]', () => {
    const offer = { isEnabled: true, isWatchPornTogetherEnabled: true };
    expect(['online', 'standby'].map((chatStatus) => offersWatching({ chatStatus, offer })))
      .toEqual([true, true]);
    for (const chatStatus of ['offline', 'online_ai', 'private', 'limited', 'connected', 'reconnecting']) {
      expect(offersWatching({ chatStatus, offer })).toBe(false);
    }
    for (const off of ['isEnabled', 'isWatchPornTogetherEnabled']) {
      expect(offersWatching({ chatStatus: 'online', offer: { ...offer, [off]: false } })).toBe(false);
    }
  });
});
