import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  ADVICE,
  adviceFor,
  claimAllows,
  DEFAULT_QUALITY,
  DEFAULT_QUALITY_RENDITIONS,
  END_REASONS,
  isHd,
  MAX_ADVICE,
  MAX_TAGS,
  openLifecycle,
  PHASES,
  plainTitle,
  PLAYBACK_TOKEN_SECONDS,
  playerDefaults,
  QUALITIES,
  readPlaybackClaim,
  READY_MS,
  RECONNECT_GRACE_MS,
  renditionsOf,
  sdHeightOf,
  secondsOf,
  slugTags,
  STREAM_TYPES,
  transition,
  TROUBLED_READY_MS,
  WEBCAM_CONSTRAINTS,
  type LifecycleChange,
  type LifecycleEvent,
  type LifecycleState,
  type Measured,
  type PlaybackClaim,
} from './rules.ts';

it('a picture is called HD from 720 lines on, and by no choice alone', () => {
  expect([0, 480, 719, 720, 1_080].map(isHd)).toEqual([false, false, false, true, true]);
});

describe('camera and player', () => {
  it('asks the camera for 320x240 up to 640x480', () => {
    const { width, height } = WEBCAM_CONSTRAINTS;
    expect([width.min, height.min]).toEqual([320, 240]);
    expect([width.max, height.max]).toEqual([640, 480]);
    expect(width.ideal <= width.max && height.ideal <= height.max).toBe(true);
  });
  it('asks the camera for 10 to 30 frames a second', () => {
    expect(WEBCAM_CONSTRAINTS.frameRate).toMatchObject({ min: 10, max: 30 });
  });
  it('starts the player in hd in every browser', () => {
    expect(DEFAULT_QUALITY).toBe('hd');
    expect(QUALITIES).toContain(DEFAULT_QUALITY);
    for (const webrtc of [true, false]) expect(playerDefaults({ webrtc }).quality).toBe('hd');
  });
  it('plays over hls or webrtc and nothing else', () => {
    expect([...STREAM_TYPES].sort()).toEqual(['hls', 'webrtc']);
    expect(playerDefaults({ webrtc: true }).streamType).toBe('webrtc');
    expect(playerDefaults({ webrtc: false }).streamType).toBe('hls');
  });
});

const event: fc.Arbitrary<LifecycleEvent> = fc.oneof(
  fc.record({ kind: fc.constant('published' as const), session: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ kind: fc.constant('up' as const), session: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ kind: fc.constant('down' as const), session: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ kind: fc.constant('finished' as const), session: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ kind: fc.constant('troubled' as const), session: fc.constantFrom('a', 'b', 'c') }),
  fc.constant({ kind: 'deadline' as const }),
  fc.constant({ kind: 'restarted' as const }),
  fc.record({ kind: fc.constant('end' as const), reason: fc.constantFrom(...END_REASONS) }),
);
const eventSequence = fc.array(fc.tuple(event, fc.nat(40_000)), { maxLength: 40 });

function run(
  steps: readonly [LifecycleEvent, number][],
): { states: LifecycleState[]; changes: LifecycleChange[]; now: number } {
  let now = 1_000_000;
  let state = openLifecycle('a', now);
  const states = [state];
  const changes: LifecycleChange[] = [];
  for (const [what, wait] of steps) {
    now += wait;
    const next = transition(state, what, now);
    state = next.state;
    states.push(state);
    if (next.change) changes.push(next.change);
  }
  return { states, changes, now };
}

describe('the state machine of a broadcast', () => {
  const at = 5_000;
  const ready = openLifecycle('a', at);
  const online = transition(ready, { kind: 'up', session: 'a' }, at + 500).state;
  const away = transition(online, { kind: 'down', session: 'a' }, at + 60_500).state;

  it('goes online with the first media, and reconnects when the publisher is lost and returns', () => {
    expect(ready).toMatchObject({ phase: 'ready', startedAt: null, deadline: at + READY_MS });
    expect(online).toMatchObject({ phase: 'online', startedAt: at + 500, deadline: null });
    expect(away).toMatchObject({ phase: 'reconnecting', deadline: at + 60_500 + RECONNECT_GRACE_MS });
    const again = transition(away, { kind: 'published', session: 'b' }, at + 61_000).state;
    expect(again.phase).toBe('reconnecting');
    expect(transition(again, { kind: 'up', session: 'a' }, at + 62_000).change).toBeNull();
    const back = transition(again, { kind: 'up', session: 'b' }, at + 62_000);
    expect(back).toMatchObject({ change: 'resumed', state: { phase: 'online', startedAt: at + 500 } });
  });

  it('waits for the whole grace period and no longer', () => {
    const due = at + 60_500 + RECONNECT_GRACE_MS;
    expect(transition(away, { kind: 'deadline' }, due - 1).state.phase).toBe('reconnecting');
    const over = transition(away, { kind: 'deadline' }, due);
    expect(over).toMatchObject({ change: 'ended', state: { phase: 'ended', endReason: 'lost' } });
    expect(secondsOf(over.state, due)).toBe(90);
  });

  it('ends as its performer\'s doing when its own publisher means to stop', () => {
    const finished = { kind: 'finished', session: 'a' } as const;
    const over = { phase: 'ended', endReason: 'performer', deadline: null };
    expect(transition(online, finished, at + 9_000)).toMatchObject({ change: 'ended', state: over });
    expect(transition(ready, finished, at + 9_000)).toMatchObject({ change: null, state: over });
    expect(transition(online, { ...finished, session: 'old' }, at).state).toBe(online);
  });

  it('ends for the given reason, and publishes no end of a broadcast without media', () => {
    const end = { kind: 'end', reason: 'revoked' } as const;
    const over = { phase: 'ended', endReason: 'revoked', endedAt: at + 9_000 };
    expect(transition(online, end, at + 9_000)).toMatchObject({ change: 'ended', state: over });
    expect(transition(away, end, at + 9_000)).toMatchObject({ change: 'ended', state: over });
    expect(transition(ready, end, at + 9_000)).toMatchObject({ change: null, state: over });
    expect(transition(ready, { kind: 'deadline' }, at + READY_MS)).toMatchObject({ change: null });
  });

  it('restarts the grace period when the media server restarts', () => {
    expect(transition(online, { kind: 'restarted' }, at)).toMatchObject({ change: 'interrupted' });
    const again = transition(away, { kind: 'restarted' }, at + 80_000);
    expect(again).toMatchObject({ change: null, state: { deadline: at + 80_000 + RECONNECT_GRACE_MS } });
    expect(transition(ready, { kind: 'restarted' }, at).state.phase).toBe('ended');
  });

  it('waits ten minutes for an encoder whose media cannot be played', () => {
    const troubled = transition(ready, { kind: 'troubled', session: 'a' }, at + 2_000);
    const due = at + 2_000 + TROUBLED_READY_MS;
    expect(troubled).toMatchObject({ change: null, state: { phase: 'ready', deadline: due } });
    expect(transition(troubled.state, { kind: 'deadline' }, due - 1).state.phase).toBe('ready');
    expect(transition(troubled.state, { kind: 'deadline' }, due).state.phase).toBe('ended');
    expect(transition(troubled.state, { kind: 'up', session: 'a' }, at + 90_000).change).toBe('started');
    for (const state of [online, away]) {
      expect(transition(state, { kind: 'troubled', session: 'a' }, at).state).toBe(state);
    }
    expect(transition(ready, { kind: 'troubled', session: 'old' }, at).state).toBe(ready);
  });

  it('publishes its facts in a valid order for every sequence of events', () => {
    fc.assert(
      fc.property(eventSequence, (steps) => {
        const { changes, states } = run(steps);
        const before: Record<LifecycleChange, readonly (LifecycleChange | undefined)[]> = {
          started: [undefined],
          interrupted: ['started', 'resumed'],
          resumed: ['interrupted'],
          ended: ['started', 'interrupted', 'resumed'],
        };
        for (const [index, one] of changes.entries()) expect(before[one]).toContain(changes[index - 1]);
        const last = states.at(-1);
        expect(changes.includes('started')).toBe(last?.startedAt !== null);
        expect(changes.at(-1) === 'ended').toBe(last?.phase === 'ended' && last.startedAt !== null);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps its fields consistent, and `ended` is final', () => {
    fc.assert(
      fc.property(eventSequence, (steps) => {
        const { states, now } = run(steps);
        for (const [index, state] of states.entries()) {
          expect(PHASES).toContain(state.phase);
          expect(state.deadline !== null).toBe(state.phase === 'ready' || state.phase === 'reconnecting');
          expect(state.phase === 'ended').toBe(state.endedAt !== null && state.endReason !== null);
          if (state.phase !== 'ended') expect(state.startedAt === null).toBe(state.phase === 'ready');
          if (states[index - 1]?.phase === 'ended') expect(state).toEqual(states[index - 1]);
          expect(secondsOf(state, now)).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  it('ignores reports of a replaced publisher', () => {
    for (const state of [online, away, ready]) {
      for (const kind of ['up', 'down'] as const) {
        const old = { kind, session: 'old' };
        expect(transition(state, old, at + 70_000)).toEqual({ state, change: null });
      }
    }
  });
});

describe('renditions', () => {
  it('are clearly smaller than the stream, at most four including it', () => {
    expect(DEFAULT_QUALITY_RENDITIONS).toBe(4);
    expect(renditionsOf(2_160, DEFAULT_QUALITY_RENDITIONS)).toEqual([720, 480, 360]);
    expect(renditionsOf(480, DEFAULT_QUALITY_RENDITIONS)).toEqual([360, 240]);
    expect(renditionsOf(null, DEFAULT_QUALITY_RENDITIONS)).toEqual(renditionsOf(480, 4));
    expect(renditionsOf(240, 4)).toEqual([]);
    expect(renditionsOf(1_080, 1)).toEqual([]);
    fc.assert(fc.property(fc.nat(4_000), fc.nat(9), (height, count) => {
      const heights = renditionsOf(height, count);
      expect(heights.length).toBeLessThan(Math.max(1, count));
      expect(heights).toEqual([...heights].sort((a, b) => b - a));
      for (const one of heights) expect(one).toBeLessThan(height);
    }));
  });
  it('include sd, unless the stream itself is no larger', () => {
    expect([1_080, 720, 480, null].map(sdHeightOf)).toEqual([360, 360, 360, 360]);
    expect([360, 400, 240, 0].map(sdHeightOf)).toEqual([null, null, null, null]);
  });
});

describe('playback claims', () => {
  const now = new Date('2026-01-15T12:00:00Z');
  const seconds = now.getTime() / 1_000;
  const request = { operatorId: 1, stream: 's', mode: 'public' as const };
  const claim: PlaybackClaim = {
    operatorId: 1,
    stream: 's',
    holder: 'session',
    mode: 'public',
    expires: seconds + PLAYBACK_TOKEN_SECONDS,
  };
  it('are valid for their operator, stream and mode, for at most a minute', () => {
    expect(claimAllows(claim, request, now)).toBe(true);
    expect(claimAllows({ ...claim, operatorId: 2 }, request, now)).toBe(false);
    expect(claimAllows({ ...claim, stream: 't' }, request, now)).toBe(false);
    expect(claimAllows({ ...claim, mode: 'private' }, request, now)).toBe(false);
    expect(claimAllows({ ...claim, expires: seconds }, request, now)).toBe(false);
    expect(claimAllows({ ...claim, expires: seconds + 61 }, request, now)).toBe(false);
    expect(PLAYBACK_TOKEN_SECONDS).toBeLessThanOrEqual(60);
  });
  it('are rejected when any field is missing or malformed', () => {
    expect(readPlaybackClaim(claim)).toEqual(claim);
    for (const field of Object.keys(claim)) {
      expect(readPlaybackClaim({ ...claim, [field]: undefined })).toBeNull();
      expect(readPlaybackClaim({ ...claim, [field]: ['x'] })).toBeNull();
    }
    expect(readPlaybackClaim({ ...claim, mode: 'private' })).toEqual({ ...claim, mode: 'private' });
    expect(readPlaybackClaim({ ...claim, mode: 'secret' })).toBeNull();
    for (const other of [null, 3, 'x', [], {}]) expect(readPlaybackClaim(other)).toBeNull();
  });
});

describe('advice', () => {
  const good: Measured = {
    videoBitsPerSecond: 1_500_000,
    audioBitsPerSecond: 48_000,
    framesPerSecond: 30,
    lossFraction: 0.001,
    roundTripMs: 40,
    keyframeIntervalMs: 2_000,
    trouble: null,
    bFrames: null,
  };
  it('is empty for a good stream', () => expect(adviceFor(good, 'encoder')).toEqual([]));
  it.each(
    [
      [{ videoBitsPerSecond: 0 }, 'sound_alone'],
      [{ framesPerSecond: 0 }, 'video_missing'],
      [{ audioBitsPerSecond: 0 }, 'audio_missing'],
      [{ lossFraction: 0.2 }, 'loss_high'],
      [{ videoBitsPerSecond: 150_000 }, 'bitrate_low'],
      [{ framesPerSecond: 8 }, 'fps_low'],
      [{ keyframeIntervalMs: 10_000 }, 'keyframes_rare'],
      [{ roundTripMs: 700 }, 'round_trip_high'],
      [{ bFrames: 'copied' }, 'b_frames_copied'],
      [{ bFrames: 'transcoded' }, 'b_frames_transcoded'],
      [{ trouble: 'b_frames' }, 'b_frames'],
      [{ trouble: 'video_codec' }, 'video_codec'],
      [{ trouble: 'audio_codec' }, 'audio_codec'],
      [{ trouble: 'b_frames', videoBitsPerSecond: 0, framesPerSecond: 0, audioBitsPerSecond: 0 }, 'b_frames'],
    ] as const,
  )('names the problem of %j', (wrong, code) => {
    expect(adviceFor({ ...good, ...wrong }, 'encoder')).toEqual([code]);
  });
  it('does not mention keyframe intervals to a browser, which sends keyframes on request', () => {
    expect(adviceFor({ ...good, keyframeIntervalMs: 60_000 }, 'browser')).toEqual([]);
  });
  it('is limited in number and ordered by importance', () => {
    const bits = fc.constantFrom(0, 90_000, 2_000_000);
    const any = fc.record({
      videoBitsPerSecond: bits,
      audioBitsPerSecond: bits,
      framesPerSecond: fc.constantFrom(0, 7, 30),
      lossFraction: fc.double({ min: 0, max: 1, noNaN: true }),
      roundTripMs: fc.option(fc.nat(900)),
      keyframeIntervalMs: fc.option(fc.nat(20_000)),
      trouble: fc.constantFrom('b_frames' as const, 'video_codec' as const, 'audio_codec' as const, null),
      bFrames: fc.constantFrom('transcoded' as const, 'copied' as const, null),
    });
    fc.assert(
      fc.property(any, (health) => {
        const advice = adviceFor(health, 'encoder');
        expect(advice.length).toBeLessThanOrEqual(MAX_ADVICE);
        expect(advice).toEqual([...advice].sort((a, b) => ADVICE.indexOf(a) - ADVICE.indexOf(b)));
        if (health.videoBitsPerSecond === 0) expect(advice).not.toContain('bitrate_low');
      }),
    );
  });
  it('has a text in every language for every code', () => {
    const directory = new URL('./messages/', import.meta.url);
    const files = readdirSync(directory);
    expect(files).toHaveLength(6);
    for (const file of files) {
      const { advice } = JSON.parse(readFileSync(new URL(file, directory), 'utf8')) as { advice: object };
      expect(Object.keys(advice).sort()).toEqual([...ADVICE].sort());
    }
  });
});

describe('titles and tags', () => {
  it('turns tags into slugs and refuses invalid ones', () => {
    expect(slugTags([' Live Sex ', 'dance', 'DANCE', 'new_year'])).toEqual(['live-sex', 'dance', 'new-year']);
    const wrong = [['a'], ['-a-'], ['a--b'], ['<b>'], ['ñandú'], ['x'.repeat(25)], [''], ['a/b']];
    for (const tags of wrong) expect(slugTags(tags)).toBeNull();
    expect(slugTags(Array.from({ length: MAX_TAGS + 1 }, (_, index) => `tag${index}`))).toBeNull();
  });
  it('returns only valid slugs', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 30 }), { maxLength: 12 }), (tags) => {
        const slugs = slugTags(tags) ?? [];
        for (const slug of slugs) expect(slug).toMatch(/^(?=.{2,24}$)[a-z0-9]+(-[a-z0-9]+)*$/);
        expect(new Set(slugs).size).toBe(slugs.length);
      }),
    );
  });
  it('turns a title into one line', () => {
    expect(plainTitle('  Hello\n\tyou \u0000\u202fthere ')).toBe('Hello you there');
    expect(plainTitle('x'.repeat(500))).toHaveLength(120);
  });
});
