import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { QUALITIES, STREAM_TYPES, type PlayerState } from '../../rules.ts';
import {
  displayStateOf,
  FAILURES,
  initialState,
  isWanted,
  reducePlayback,
  type Conditions,
  type Failure,
  type PlaybackEvent,
  type PlaybackState,
  type Via,
} from './playback-state.ts';

const PREFERENCE: PlayerState = { quality: 'hd', streamType: 'webrtc' };
const BOTH = { webrtc: true, hls: true };
const opened = (preference: PlayerState = PREFERENCE, browser: Record<Via, boolean> = BOTH): PlaybackState =>
  reducePlayback(
    initialState(preference, browser, true),
    { kind: 'conditions', conditions: { stream: 'one' } },
  );

const preferences: fc.Arbitrary<PlayerState> = fc.record({
  quality: fc.constantFrom(...QUALITIES),
  streamType: fc.constantFrom(...STREAM_TYPES),
});
const conditionChanges: fc.Arbitrary<Partial<Conditions>> = fc.record({
  stream: fc.constantFrom('one', 'two', null),
  isAway: fc.boolean(),
  isOnline: fc.boolean(),
  isHalted: fc.boolean(),
  mayFinish: fc.boolean(),
  isPinned: fc.boolean(),
}, { requiredKeys: [] });
/** Small ids, so that generated ones match running, ended and unknown sessions. */
const ids = fc.integer({ min: 0, max: 12 });
const events: fc.Arbitrary<PlaybackEvent> = fc.oneof(
  fc.record({ kind: fc.constant('conditions' as const), conditions: conditionChanges }),
  fc.record({ kind: fc.constant('preference' as const), preference: preferences }),
  fc.record({
    kind: fc.constant('progress' as const),
    id: ids,
    progress: fc.constantFrom(
      'waiting',
      'playing',
      'steady',
    ),
  }),
  fc.record({ kind: fc.constant('failed' as const), id: ids, why: fc.constantFrom(...FAILURES) }),
  fc.record({ kind: fc.constant('finished' as const), id: ids }),
  fc.record({ kind: fc.constant('cannot' as const), via: fc.constantFrom(...STREAM_TYPES) }),
  fc.record({ kind: fc.constant('timer' as const), id: ids }),
  fc.record({ kind: fc.constantFrom('retry' as const, 'resumed' as const) }),
);

/** The shown session fails. */
const fails = (state: PlaybackState, why: Failure): PlaybackState =>
  reducePlayback(state, { kind: 'failed', id: state.shown?.id ?? 0, why });
const plays = (state: PlaybackState, progress: 'playing' | 'steady' = 'playing'): PlaybackState =>
  reducePlayback(state, { kind: 'progress', id: state.shown?.id ?? 0, progress });
const fireTimer = (state: PlaybackState): PlaybackState =>
  reducePlayback(state, { kind: 'timer', id: state.timer?.id ?? 0 });

describe('every sequence of events', () => {
  it('has one session, or a trial behind a playing one, and none while unwanted', () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 60 }), (occurred) => {
        let state = initialState(PREFERENCE, BOTH, true);
        let lastId = 0;
        for (const event of occurred) {
          state = reducePlayback(state, event);
          const { shown, trial, timer } = state;
          if (trial) expect(shown?.phase).toBe('playing');
          if (trial) expect(trial.id).not.toBe(shown?.id);
          if (state.isFinishing) {
            expect(state.conditions).toMatchObject({ stream: null, isHalted: false, mayFinish: true });
            expect([shown?.via, shown?.phase, trial, timer?.kind]).toEqual(['hls', 'playing', null, 'end']);
          } else if (!isWanted(state)) expect([shown, trial, timer]).toEqual([null, null, null]);
          expect(state.lastId).toBeGreaterThanOrEqual(lastId);
          // Ids are never reused.
          for (const one of [shown, trial, timer]) expect(one?.id ?? 0).toBeLessThanOrEqual(state.lastId);
          lastId = state.lastId;
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('has a session, a retry timer, or a stated end while playback is wanted', () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 60 }), (occurred) => {
        const state = occurred.reduce(reducePlayback, opened());
        if (!isWanted(state) || state.conditions.isAway) return;
        const isTrying = state.shown !== null || state.timer?.kind === 'retry';
        expect(isTrying).toBe(state.end === null);
        expect(
          displayStateOf(state) === 'refused' || displayStateOf(state) === 'unsupported',
        ).toBe(state.end !== null);
      }),
      { numRuns: 1_000 },
    );
  });

  it('waits at least a second between rounds, and tries each transport once per round', () => {
    fc.assert(fc.property(
      preferences,
      fc.array(
        fc.constantFrom(...FAILURES),
        { maxLength: 80 },
      ),
      (preference, whys) => {
        let state = opened(preference);
        let startsInRound = 1;
        for (const why of whys) {
          if (state.end !== null) return;
          state = fails(state, why);
          startsInRound += state.shown === null ? 0 : 1;
          expect(startsInRound).toBeLessThanOrEqual(2);
          if (state.timer === null) continue;
          expect(state.timer.afterMs).toBeGreaterThanOrEqual(1_000);
          state = fireTimer(state);
          startsInRound = 1;
        }
      },
    ));
  });

  /** How each transport behaves whenever it is tried. */
  const worlds = fc.record({
    webrtc: fc.constantFrom('plays', ...FAILURES),
    hls: fc.constantFrom('plays', ...FAILURES),
  });

  /** Applies events until nothing changes: sessions play or fail as the world determines, timers fire. */
  const settle = (start: PlaybackState, world: Record<Via, 'plays' | Failure>): { state: PlaybackState } => {
    let state = start;
    for (let steps = 0; steps < 200; steps += 1) {
      const next = state.trial ?? state.shown;
      if (next === null || (next.phase === 'playing' && next.isSteady)) {
        if (state.timer === null) return { state };
        state = fireTimer(state);
      } else {
        const fate = world[next.via];
        if (fate !== 'plays') state = reducePlayback(state, { kind: 'failed', id: next.id, why: fate });
        else if (next.phase !== 'playing') {
          state = reducePlayback(state, { kind: 'progress', id: next.id, progress: 'playing' });
        } else state = plays(state, 'steady');
      }
    }
    return { state };
  };

  it('settles on a transport that plays', () => {
    fc.assert(fc.property(worlds, preferences, (world, preference) => {
      const { state } = settle(opened(preference), world);
      const ways = STREAM_TYPES.filter((via) => world[via] === 'plays');
      // Refused tokens and a missing publisher affect every transport alike.
      const fate = world[preference.streamType];
      if (ways.length === 0) expect(state.shown?.phase).not.toBe('playing');
      else if (fate === 'plays') {
        expect(state.shown).toMatchObject({ via: preference.streamType, phase: 'playing' });
      } else if (!['denied', 'offline', 'network'].includes(fate)) {
        expect(state.shown).toMatchObject({ phase: 'playing', quality: preference.quality, via: ways[0] });
      }
    }));
  });

  it('returns to the preferred transport once that works', () => {
    fc.assert(fc.property(worlds, preferences, (world, preference) => {
      const blocked = settle(opened(preference), { ...world, [preference.streamType]: 'blocked' }).state;
      const { state } = settle(blocked, { webrtc: 'plays', hls: 'plays' });
      if (state.end !== null) return;
      expect(state.shown).toMatchObject({ via: preference.streamType, isSteady: true });
      expect(state.timer).toBeNull();
    }));
  });
});

describe('choosing the transport', () => {
  it.each<Failure>(['full', 'blocked', 'lost', 'frozen', 'codec'])(
    'falls back to HLS at once when WHEP fails with "%s"',
    (why) => {
      const state = fails(opened(), why);
      expect(state.shown).toMatchObject({ via: 'hls', phase: 'connecting' });
      expect(displayStateOf(state)).toBe('connecting');
    },
  );

  it('starts with HLS where the browser has no WebRTC, and is unsupported where it has neither', () => {
    expect(opened(PREFERENCE, { webrtc: false, hls: true }).shown?.via).toBe('hls');
    expect(displayStateOf(opened(PREFERENCE, { webrtc: false, hls: false }))).toBe('unsupported');
    expect(opened({ ...PREFERENCE, streamType: 'hls' }).shown?.via).toBe('hls');
  });

  it('upgrades behind the playing video, and swaps with the first frame', () => {
    const onHls = plays(fails(opened(), 'blocked'));
    expect(onHls.timer?.kind).toBe('upgrade');
    const upgrading = fireTimer(onHls);
    expect(upgrading.shown).toEqual(onHls.shown);
    expect(upgrading.trial).toMatchObject({ via: 'webrtc', phase: 'connecting' });
    const up = reducePlayback(
      upgrading,
      { kind: 'progress', id: upgrading.trial?.id ?? 0, progress: 'playing' },
    );
    expect(up.shown).toMatchObject({ id: upgrading.trial?.id, via: 'webrtc', phase: 'playing' });
    expect([up.trial, up.timer]).toEqual([null, null]);
  });

  it('waits longer after each failed upgrade, and keeps playing', () => {
    let state = plays(plays(fails(opened(), 'full')), 'steady');
    const waits: number[] = [];
    for (let nth = 0; nth < 7; nth += 1) {
      waits.push(state.timer?.afterMs ?? 0);
      const upgrading = fireTimer(state);
      state = reducePlayback(upgrading, { kind: 'failed', id: upgrading.trial?.id ?? 0, why: 'full' });
      expect(state.shown).toMatchObject({ via: 'hls', phase: 'playing' });
    }
    expect(waits).toEqual([15_000, 30_000, 60_000, 120_000, 300_000, 300_000, 300_000]);
  });

  it('does not upgrade where HLS is preferred, nor from picture-in-picture', () => {
    expect(plays(opened({ ...PREFERENCE, streamType: 'hls' })).timer).toBeNull();
    const onHls = plays(fails(opened(), 'blocked'));
    const pinned = reducePlayback(onHls, { kind: 'conditions', conditions: { isPinned: true } });
    expect(pinned.timer).toBeNull();
    const back = reducePlayback(pinned, { kind: 'conditions', conditions: { isPinned: false } });
    expect(back.timer?.kind).toBe('upgrade');
  });

  it('excludes HLS where the stream has none, and is unsupported when nothing is left', () => {
    const state = reducePlayback(opened(), { kind: 'cannot', via: 'hls' });
    const failed = fails(state, 'blocked');
    expect(failed).toMatchObject({ shown: null, timer: { kind: 'retry' } });
    expect(displayStateOf(fails(state, 'codec'))).toBe('unsupported');
  });
});

describe('quality', () => {
  it('changes behind the playing video, and stays when the new session fails', () => {
    const playing = plays(opened());
    const asked = reducePlayback(
      playing,
      { kind: 'preference', preference: { ...PREFERENCE, quality: 'sd' } },
    );
    expect(asked.shown).toEqual(playing.shown);
    expect(asked.trial).toMatchObject({ via: 'webrtc', quality: 'sd' });
    const failed = reducePlayback(asked, { kind: 'failed', id: asked.trial?.id ?? 0, why: 'blocked' });
    expect(failed).toMatchObject({ shown: playing.shown, trial: null, timer: { kind: 'upgrade' } });
    const undone = reducePlayback(asked, { kind: 'preference', preference: PREFERENCE });
    expect(undone).toMatchObject({ shown: playing.shown, trial: null, timer: null });
  });

  it('ignores an unchanged preference', () => {
    fc.assert(fc.property(fc.array(events, { maxLength: 40 }), (occurred) => {
      const state = occurred.reduce(reducePlayback, opened());
      expect(reducePlayback(state, { kind: 'preference', preference: { ...state.preference } })).toBe(state);
    }));
  });

  it('applies at the next start when nothing plays', () => {
    const asked = reducePlayback(
      opened(),
      { kind: 'preference', preference: { quality: 'sd', streamType: 'hls' } },
    );
    expect(asked.shown).toMatchObject({ via: 'hls', quality: 'sd' });
    expect(asked.trial).toBeNull();
  });
});

describe('recovery', () => {
  it('retries the same transport at once after steady playback, then the other', () => {
    const steady = plays(plays(opened()), 'steady');
    const again = fails(steady, 'frozen');
    expect(again.shown).toMatchObject({ via: 'webrtc', phase: 'connecting', isSteady: false });
    expect(fails(again, 'blocked').shown?.via).toBe('hls');
  });

  it('keeps its session while the publisher is away, and checks it after', () => {
    const playing = plays(opened());
    const away = reducePlayback(playing, { kind: 'conditions', conditions: { isAway: true } });
    expect(away.shown).toEqual(playing.shown);
    expect(displayStateOf(away)).toBe('away');
    const back = reducePlayback(away, { kind: 'conditions', conditions: { isAway: false } });
    expect(back).toMatchObject({ nudges: 1, shown: { id: playing.shown?.id } });
    expect(fails(back, 'frozen').shown).toMatchObject({ via: 'webrtc', phase: 'connecting' });
  });

  it('checks its session too after an interruption that was not reported', () => {
    const playing = plays(opened());
    const resumed = reducePlayback(playing, { kind: 'resumed' });
    expect(resumed).toMatchObject({ nudges: 1, shown: { id: playing.shown?.id } });
    expect(fails(resumed, 'frozen').shown).toMatchObject({ via: 'webrtc', phase: 'connecting' });
    const waiting = fails(opened(), 'offline');
    expect(
      reducePlayback(waiting, { kind: 'resumed' }),
    ).toMatchObject({ shown: { via: 'webrtc' }, timer: null });
    const starting = opened();
    expect(reducePlayback(starting, { kind: 'resumed' })).toBe(starting);
  });

  it('retries nothing while the publisher is away, and starts at once when it is back', () => {
    const away = fails(
      reducePlayback(plays(opened()), { kind: 'conditions', conditions: { isAway: true } }),
      'lost',
    );
    expect([away.shown, away.timer]).toEqual([null, null]);
    const back = reducePlayback(away, { kind: 'conditions', conditions: { isAway: false } });
    expect(back.shown).toMatchObject({ via: 'webrtc', phase: 'connecting' });
  });

  it('follows the stream to another name', () => {
    const moved = reducePlayback(plays(opened()), { kind: 'conditions', conditions: { stream: 'two' } });
    expect(moved.shown).toMatchObject({ phase: 'connecting', isSteady: false });
    expect(
      displayStateOf(reducePlayback(moved, { kind: 'conditions', conditions: { stream: null } })),
    ).toBe('idle');
  });

  it('shows that the device is offline, and starts when it is back online', () => {
    const unplugged = fails(
      reducePlayback(opened(), { kind: 'conditions', conditions: { isOnline: false } }),
      'network',
    );
    expect(displayStateOf(unplugged)).toBe('unplugged');
    const back = reducePlayback(unplugged, { kind: 'conditions', conditions: { isOnline: true } });
    expect(back).toMatchObject({ shown: { phase: 'connecting' }, timer: null });
  });

  it('gives up after three refused tokens, until the viewer retries', () => {
    let state = opened();
    for (let nth = 0; nth < 3; nth += 1) state = fails(state.shown ? state : fireTimer(state), 'denied');
    expect(displayStateOf(state)).toBe('refused');
    expect(state.timer).toBeNull();
    expect(
      reducePlayback(state, { kind: 'retry' }).shown,
    ).toMatchObject({ via: 'webrtc', phase: 'connecting' });
  });

  it('waits as long as a full server asks, when there is no other transport', () => {
    const full = fails(opened(PREFERENCE, { webrtc: true, hls: false }), 'full');
    expect(displayStateOf(full)).toBe('full');
    expect(full.timer?.afterMs).toBe(5_000);
  });

  it('says that nothing connects after a whole round, through every attempt, until it plays', () => {
    const without = reducePlayback(opened(), { kind: 'cannot', via: 'hls' });
    const blocked = fails(without, 'blocked');
    expect(displayStateOf(without)).toBe('connecting');
    expect(displayStateOf(blocked)).toBe('blocked');
    const again = fireTimer(blocked);
    expect(again.shown).toMatchObject({ via: 'webrtc', phase: 'connecting' });
    expect(displayStateOf(again)).toBe('blocked');
    expect(displayStateOf(plays(again))).toBe('playing');
    expect(displayStateOf(fails(plays(again), 'lost'))).toBe('lost');
    // When HLS is the last transport left, no message appears before it has failed too.
    expect(displayStateOf(fails(opened(), 'blocked'))).toBe('connecting');
    expect(displayStateOf(fails(fails(opened(), 'blocked'), 'blocked'))).toBe('blocked');
  });

  it('pauses by ending the session, and resumes at the live edge', () => {
    const paused = reducePlayback(plays(opened()), { kind: 'conditions', conditions: { isHalted: true } });
    expect(paused).toMatchObject({ shown: null, timer: null });
    expect(displayStateOf(paused)).toBe('paused');
    expect(
      reducePlayback(paused, { kind: 'conditions', conditions: { isHalted: false } }).shown?.phase,
    ).toBe('connecting');
  });
});

describe('the end of a stream', () => {
  const over = { stream: null } as const;
  const changes = (state: PlaybackState, conditions: Partial<Conditions>): PlaybackState =>
    reducePlayback(state, { kind: 'conditions', conditions });
  /** Plays over HLS for a viewer who may watch the rest of the stream at its end. */
  const behind = (conditions: Partial<Conditions> = { mayFinish: true }): PlaybackState =>
    plays(plays(changes(opened({ ...PREFERENCE, streamType: 'hls' }), conditions)), 'steady');

  it('is played over HLS until the player has had it all', () => {
    const before = behind();
    const left = changes(before, over);
    expect(left).toMatchObject({ isFinishing: true, shown: { id: before.shown?.id }, trial: null });
    expect(displayStateOf(left)).toBe('playing');
    const other = reducePlayback(left, { kind: 'finished', id: (before.shown?.id ?? 0) + 9 });
    expect(other).toBe(left);
    const done = reducePlayback(left, { kind: 'finished', id: before.shown?.id ?? 0 });
    expect([done.shown, done.timer, displayStateOf(done)]).toEqual([null, null, 'idle']);
  });

  it('is over after 30 s at the latest, and once the server gives no more of it', () => {
    const left = changes(behind(), over);
    expect(left.timer).toMatchObject({ kind: 'end', afterMs: 30_000 });
    expect([fireTimer(left).shown, displayStateOf(fireTimer(left))]).toEqual([null, 'idle']);
    for (const why of FAILURES) {
      const failed = fails(left, why);
      expect([failed.shown, failed.timer, displayStateOf(failed)], why).toEqual([null, null, 'idle']);
    }
  });

  it('is not played by who may not have it, may no longer, paused, or had lost the publisher', () => {
    expect(changes(behind({}), over).shown).toBeNull();
    expect(changes(behind({}), { ...over, mayFinish: true }).shown, 'a paid show that ended').toBeNull();
    expect(changes(behind(), { ...over, mayFinish: false }).shown).toBeNull();
    expect(changes(changes(behind(), over), { mayFinish: false }).shown).toBeNull();
    expect(changes(changes(behind(), over), { isHalted: true }).shown).toBeNull();
    expect(changes(changes(behind(), { isAway: true }), over).shown).toBeNull();
  });

  it('is at once over WHEP, and before a first frame', () => {
    expect(changes(plays(changes(opened(), { mayFinish: true })), over).shown).toBeNull();
    const waiting = changes(opened({ ...PREFERENCE, streamType: 'hls' }), { mayFinish: true });
    expect(changes(waiting, over).shown).toBeNull();
  });

  it('gives way to the next stream', () => {
    const next = changes(changes(behind(), over), { stream: 'two' });
    expect(next).toMatchObject({ isFinishing: false, shown: { phase: 'connecting' }, timer: null });
    const finished = reducePlayback(plays(next), { kind: 'finished', id: next.shown?.id ?? 0 });
    expect(finished.shown, 'only what has ended has an end').not.toBeNull();
  });
});
