import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ADVICE, adviceFor, claimAllows, DEFAULT_QUALITY, DEFAULT_QUALITY_RENDITIONS, END_REASONS, MAX_ADVICE,
  MAX_TAGS, openCourse, PHASES,
  plainTitle, playerDefaults, PLAYBACK_TOKEN_SECONDS, QUALITIES, readPlaybackClaim, READY_MS,
  RECONNECT_GRACE_MS, renditionsOf, sdHeightOf, secondsOf, slugTags, step, STREAM_TYPES,
  TROUBLED_READY_MS, WEBCAM_CONSTRAINTS,
  type Announcement, type Course, type Happening, type Measured, type PlaybackClaim,
} from './rules.ts';

describe('camera and player', () => {
  it('asks the camera for 320x240 up to 640x480 [A-481]', () => {
    const { width, height } = WEBCAM_CONSTRAINTS;
    expect([width.min, height.min]).toEqual([320, 240]);
    expect([width.max, height.max]).toEqual([640, 480]);
    expect(width.ideal <= width.max && height.ideal <= height.max).toBe(true);
  });
  it('asks the camera for 10 to 30 frames a second [A-482]', () => {
    expect(WEBCAM_CONSTRAINTS.frameRate).toMatchObject({ min: 10, max: 30 });
  });
  it('starts the player in hd whatever the browser can [C-142]', () => {
    expect(DEFAULT_QUALITY).toBe('hd');
    expect(QUALITIES).toContain(DEFAULT_QUALITY);
    for (const webrtc of [true, false]) expect(playerDefaults({ webrtc }).quality).toBe('hd');
  });
  it('plays over hls or webrtc and nothing else [C-143]', () => {
    expect([...STREAM_TYPES].sort()).toEqual(['hls', 'webrtc']);
    expect(playerDefaults({ webrtc: true }).streamType).toBe('webrtc');
    expect(playerDefaults({ webrtc: false }).streamType).toBe('hls');
  });
});

const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ kind: fc.constant('published' as const), session: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ kind: fc.constant('up' as const), session: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ kind: fc.constant('down' as const), session: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ kind: fc.constant('troubled' as const), session: fc.constantFrom('a', 'b', 'c') }),
  fc.constant({ kind: 'deadline' as const }),
  fc.constant({ kind: 'restarted' as const }),
  fc.record({ kind: fc.constant('end' as const), reason: fc.constantFrom(...END_REASONS) }),
);
const story = fc.array(fc.tuple(happening, fc.nat(40_000)), { maxLength: 40 });

function run(
  steps: readonly [Happening, number][],
): { courses: Course[]; told: Announcement[]; now: number } {
  let now = 1_000_000;
  let course = openCourse('a', now);
  const courses = [course];
  const told: Announcement[] = [];
  for (const [what, wait] of steps) {
    now += wait;
    const next = step(course, what, now);
    course = next.course;
    courses.push(course);
    if (next.announce) told.push(next.announce);
  }
  return { courses, told, now };
}

describe('the course of a broadcast', () => {
  const at = 5_000;
  const ready = openCourse('a', at);
  const online = step(ready, { kind: 'up', session: 'a' }, at + 500).course;
  const away = step(online, { kind: 'down', session: 'a' }, at + 60_500).course;

  it('goes online with the first media, and away and back when the publisher is lost and returns', () => {
    expect(ready).toMatchObject({ phase: 'ready', startedAt: null, deadline: at + READY_MS });
    expect(online).toMatchObject({ phase: 'online', startedAt: at + 500, deadline: null });
    expect(away).toMatchObject({ phase: 'reconnecting', deadline: at + 60_500 + RECONNECT_GRACE_MS });
    const again = step(away, { kind: 'published', session: 'b' }, at + 61_000).course;
    expect(again.phase).toBe('reconnecting');
    expect(step(again, { kind: 'up', session: 'a' }, at + 62_000).announce).toBeNull();
    const back = step(again, { kind: 'up', session: 'b' }, at + 62_000);
    expect(back).toMatchObject({ announce: 'resumed', course: { phase: 'online', startedAt: at + 500 } });
  });

  it('waits for the whole grace and no longer', () => {
    const due = at + 60_500 + RECONNECT_GRACE_MS;
    expect(step(away, { kind: 'deadline' }, due - 1).course.phase).toBe('reconnecting');
    const over = step(away, { kind: 'deadline' }, due);
    expect(over).toMatchObject({ announce: 'ended', course: { phase: 'ended', endReason: 'lost' } });
    expect(secondsOf(over.course, due)).toBe(90);
  });

  it('ends when told to, for the reason given, and tells nobody of one that never had media', () => {
    const end = { kind: 'end', reason: 'revoked' } as const;
    const over = { phase: 'ended', endReason: 'revoked', endedAt: at + 9_000 };
    expect(step(online, end, at + 9_000)).toMatchObject({ announce: 'ended', course: over });
    expect(step(away, end, at + 9_000)).toMatchObject({ announce: 'ended', course: over });
    expect(step(ready, end, at + 9_000)).toMatchObject({ announce: null, course: over });
    expect(step(ready, { kind: 'deadline' }, at + READY_MS)).toMatchObject({ announce: null });
  });

  it('gives everybody the grace again when the media server restarts', () => {
    expect(step(online, { kind: 'restarted' }, at)).toMatchObject({ announce: 'interrupted' });
    const again = step(away, { kind: 'restarted' }, at + 80_000);
    expect(again).toMatchObject({ announce: null, course: { deadline: at + 80_000 + RECONNECT_GRACE_MS } });
    expect(step(ready, { kind: 'restarted' }, at).course.phase).toBe('ended');
  });

  it('waits longer for the first media of an encoder that was told its trouble, and not for ever', () => {
    const told = step(ready, { kind: 'troubled', session: 'a' }, at + 2_000);
    const due = at + 2_000 + TROUBLED_READY_MS;
    expect(told).toMatchObject({ announce: null, course: { phase: 'ready', deadline: due } });
    expect(step(told.course, { kind: 'deadline' }, due - 1).course.phase).toBe('ready');
    expect(step(told.course, { kind: 'deadline' }, due).course.phase).toBe('ended');
    expect(step(told.course, { kind: 'up', session: 'a' }, at + 90_000).announce).toBe('started');
    for (const course of [online, away]) {
      expect(step(course, { kind: 'troubled', session: 'a' }, at).course).toBe(course);
    }
    expect(step(ready, { kind: 'troubled', session: 'old' }, at).course).toBe(ready);
  });

  it('tells its facts in a lawful order, whatever happens in whatever order', () => {
    fc.assert(
      fc.property(story, (steps) => {
        const { told, courses } = run(steps);
        const before: Record<Announcement, readonly (Announcement | undefined)[]> = {
          started: [undefined], interrupted: ['started', 'resumed'], resumed: ['interrupted'],
          ended: ['started', 'interrupted', 'resumed'],
        };
        for (const [index, one] of told.entries()) expect(before[one]).toContain(told[index - 1]);
        const last = courses.at(-1);
        expect(told.includes('started')).toBe(last?.startedAt !== null);
        expect(told.at(-1) === 'ended').toBe(last?.phase === 'ended' && last.startedAt !== null);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps its fields consistent, and what has ended stays as it ended', () => {
    fc.assert(
      fc.property(story, (steps) => {
        const { courses, now } = run(steps);
        for (const [index, course] of courses.entries()) {
          expect(PHASES).toContain(course.phase);
          expect(course.deadline !== null).toBe(course.phase === 'ready' || course.phase === 'reconnecting');
          expect(course.phase === 'ended').toBe(course.endedAt !== null && course.endReason !== null);
          if (course.phase !== 'ended') expect(course.startedAt === null).toBe(course.phase === 'ready');
          if (courses[index - 1]?.phase === 'ended') expect(course).toEqual(courses[index - 1]);
          expect(secondsOf(course, now)).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  it('lets no report of a replaced publisher change anything', () => {
    for (const course of [online, away, ready]) {
      for (const kind of ['up', 'down'] as const) {
        const old = { kind, session: 'old' };
        expect(step(course, old, at + 70_000)).toEqual({ course, announce: null });
      }
    }
  });
});

describe('renditions', () => {
  it('are clearly smaller than the stream, four with it at most [B-427]', () => {
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
  it('have one that is sd, unless the stream is no larger itself', () => {
    expect([1_080, 720, 480, null].map(sdHeightOf)).toEqual([360, 360, 360, 360]);
    expect([360, 400, 240, 0].map(sdHeightOf)).toEqual([null, null, null, null]);
  });
});

describe('playback claims', () => {
  const now = new Date('2026-01-15T12:00:00Z');
  const seconds = now.getTime() / 1_000;
  const request = { operatorId: 1, stream: 's', mode: 'public' as const };
  const claim: PlaybackClaim = {
    operatorId: 1, stream: 's', holder: 'session', mode: 'public', expires: seconds + PLAYBACK_TOKEN_SECONDS,
  };
  it('are good for their operator, stream and mode, for at most a minute', () => {
    expect(claimAllows(claim, request, now)).toBe(true);
    expect(claimAllows({ ...claim, operatorId: 2 }, request, now)).toBe(false);
    expect(claimAllows({ ...claim, stream: 't' }, request, now)).toBe(false);
    expect(claimAllows({ ...claim, mode: 'private' }, request, now)).toBe(false);
    expect(claimAllows({ ...claim, expires: seconds }, request, now)).toBe(false);
    expect(claimAllows({ ...claim, expires: seconds + 61 }, request, now)).toBe(false);
    expect(PLAYBACK_TOKEN_SECONDS).toBeLessThanOrEqual(60);
  });
  it('are read whole or not at all', () => {
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
    videoBitsPerSecond: 1_500_000, audioBitsPerSecond: 48_000, framesPerSecond: 30, lossFraction: 0.001,
    roundTripMs: 40, keyframeIntervalMs: 2_000, trouble: null,
  };
  it('has nothing to say about a good stream', () => expect(adviceFor(good, 'encoder')).toEqual([]));
  it.each([
    [{ videoBitsPerSecond: 0 }, 'video_missing'], [{ framesPerSecond: 0 }, 'video_missing'],
    [{ audioBitsPerSecond: 0 }, 'audio_missing'], [{ lossFraction: 0.2 }, 'loss_high'],
    [{ videoBitsPerSecond: 150_000 }, 'bitrate_low'], [{ framesPerSecond: 8 }, 'fps_low'],
    [{ keyframeIntervalMs: 10_000 }, 'keyframes_rare'], [{ roundTripMs: 700 }, 'round_trip_high'],
    [{ trouble: 'b_frames' }, 'b_frames'], [{ trouble: 'video_codec' }, 'video_codec'],
    [{ trouble: 'audio_codec' }, 'audio_codec'],
    [{ trouble: 'b_frames', videoBitsPerSecond: 0, framesPerSecond: 0, audioBitsPerSecond: 0 }, 'b_frames'],
  ] as const)('says what is wrong with %j', (wrong, code) => {
    expect(adviceFor({ ...good, ...wrong }, 'encoder')).toEqual([code]);
  });
  it('does not tell a browser about keyframes it sends when asked', () => {
    expect(adviceFor({ ...good, keyframeIntervalMs: 60_000 }, 'browser')).toEqual([]);
  });
  it('says little at a time and the same for the same health', () => {
    const bits = fc.constantFrom(0, 90_000, 2_000_000);
    const any = fc.record({
      videoBitsPerSecond: bits, audioBitsPerSecond: bits, framesPerSecond: fc.constantFrom(0, 7, 30),
      lossFraction: fc.double({ min: 0, max: 1, noNaN: true }),
      roundTripMs: fc.option(fc.nat(900)), keyframeIntervalMs: fc.option(fc.nat(20_000)),
      trouble: fc.constantFrom('b_frames' as const, 'video_codec' as const, 'audio_codec' as const, null),
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
  it('makes slugs and refuses what cannot be one', () => {
    expect(slugTags([' Live Sex ', 'dance', 'DANCE', 'new_year'])).toEqual(['live-sex', 'dance', 'new-year']);
    const wrong = [['a'], ['-a-'], ['a--b'], ['<b>'], ['ñandú'], ['x'.repeat(25)], [''], ['a/b']];
    for (const tags of wrong) expect(slugTags(tags)).toBeNull();
    expect(slugTags(Array.from({ length: MAX_TAGS + 1 }, (_, index) => `tag${index}`))).toBeNull();
  });
  it('never lets anything but a slug through', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 30 }), { maxLength: 12 }), (tags) => {
        const slugs = slugTags(tags) ?? [];
        for (const slug of slugs) expect(slug).toMatch(/^(?=.{2,24}$)[a-z0-9]+(-[a-z0-9]+)*$/);
        expect(new Set(slugs).size).toBe(slugs.length);
      }),
    );
  });
  it('makes one line of a title', () => {
    expect(plainTitle('  Hello\n\tyou \u0000\u202fthere ')).toBe('Hello you there');
    expect(plainTitle('x'.repeat(500))).toHaveLength(120);
  });
});
