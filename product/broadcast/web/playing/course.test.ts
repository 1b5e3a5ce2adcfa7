import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { QUALITIES, STREAM_TYPES, type PlayerState } from '../../rules.ts';
import {
  FAILURES, faceOf, isWanted, openCourse, stepPlayer, type Course, type Failure, type Happening, type Scene,
  type Via,
} from './course.ts';

const WISH: PlayerState = { quality: 'hd', streamType: 'webrtc' };
const BOTH = { webrtc: true, hls: true };
const opened = (wish: PlayerState = WISH, browser: Record<Via, boolean> = BOTH): Course =>
  stepPlayer(openCourse(wish, browser, true), { kind: 'scene', scene: { stream: 'one' } });

const wishes: fc.Arbitrary<PlayerState> = fc.record({
  quality: fc.constantFrom(...QUALITIES), streamType: fc.constantFrom(...STREAM_TYPES),
});
const scenes: fc.Arbitrary<Partial<Scene>> = fc.record({
  stream: fc.constantFrom('one', 'two', null), isAway: fc.boolean(), isOnline: fc.boolean(),
  isHalted: fc.boolean(), isPinned: fc.boolean(),
}, { requiredKeys: [] });
/** Ids are small numbers, so that generated ones hit what runs, what is over and what never was. */
const ids = fc.integer({ min: 0, max: 12 });
const happenings: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ kind: fc.constant('scene' as const), scene: scenes }),
  fc.record({ kind: fc.constant('wish' as const), wish: wishes }),
  fc.record({
    kind: fc.constant('news' as const), id: ids, news: fc.constantFrom('waiting', 'playing', 'steady'),
  }),
  fc.record({ kind: fc.constant('failed' as const), id: ids, why: fc.constantFrom(...FAILURES) }),
  fc.record({ kind: fc.constant('cannot' as const), via: fc.constantFrom(...STREAM_TYPES) }),
  fc.record({ kind: fc.constant('alarm' as const), id: ids }),
  fc.record({ kind: fc.constantFrom('retry' as const, 'resumed' as const) }),
);

/** Failure of the session that is shown. */
const fails = (course: Course, why: Failure): Course =>
  stepPlayer(course, { kind: 'failed', id: course.shown?.id ?? 0, why });
const plays = (course: Course, news: 'playing' | 'steady' = 'playing'): Course =>
  stepPlayer(course, { kind: 'news', id: course.shown?.id ?? 0, news });
const rings = (course: Course): Course =>
  stepPlayer(course, { kind: 'alarm', id: course.alarm?.id ?? 0 });

describe('whatever happens in whatever order', () => {
  it('there is one session, or one behind a playing one, and never one that nobody wants', () => {
    fc.assert(fc.property(fc.array(happenings, { maxLength: 60 }), (happened) => {
      let course = openCourse(WISH, BOTH, true);
      let lastId = 0;
      for (const happening of happened) {
        course = stepPlayer(course, happening);
        const { shown, trial, alarm } = course;
        if (trial) expect(shown?.phase).toBe('playing');
        if (trial) expect(trial.id).not.toBe(shown?.id);
        if (!isWanted(course)) expect([shown, trial, alarm]).toEqual([null, null, null]);
        expect(course.lastId).toBeGreaterThanOrEqual(lastId);
        // Nothing is started twice under one id.
        for (const one of [shown, trial, alarm]) expect(one?.id ?? 0).toBeLessThanOrEqual(course.lastId);
        lastId = course.lastId;
      }
    }), { numRuns: 1_000 });
  });

  it('somebody who wants a picture has a session, a next try, or is told why there is none', () => {
    fc.assert(fc.property(fc.array(happenings, { maxLength: 60 }), (happened) => {
      const course = happened.reduce(stepPlayer, opened());
      if (!isWanted(course) || course.scene.isAway) return;
      const isTrying = course.shown !== null || course.alarm?.kind === 'retry';
      expect(isTrying).toBe(course.end === null);
      expect(faceOf(course) === 'refused' || faceOf(course) === 'unsupported').toBe(course.end !== null);
    }), { numRuns: 1_000 });
  });

  it('an alarm is never sooner than a second, and each try of a round takes another way', () => {
    fc.assert(fc.property(wishes, fc.array(fc.constantFrom(...FAILURES), { maxLength: 80 }), (wish, whys) => {
      let course = opened(wish);
      let startsInRound = 1;
      for (const why of whys) {
        if (course.end !== null) return;
        course = fails(course, why);
        startsInRound += course.shown === null ? 0 : 1;
        expect(startsInRound).toBeLessThanOrEqual(2);
        if (course.alarm === null) continue;
        expect(course.alarm.afterMs).toBeGreaterThanOrEqual(1_000);
        course = rings(course);
        startsInRound = 1;
      }
    }));
  });

  /** What a way does, each time it is tried. */
  const worlds = fc.record({
    webrtc: fc.constantFrom('plays', ...FAILURES), hls: fc.constantFrom('plays', ...FAILURES),
  });

  /** Runs a world until it changes no more: sessions play or fail as it says, alarms ring. */
  const settle = (start: Course, world: Record<Via, 'plays' | Failure>): { course: Course } => {
    let course = start;
    for (let steps = 0; steps < 200; steps += 1) {
      const next = course.trial ?? course.shown;
      if (next === null || (next.phase === 'playing' && next.isSteady)) {
        if (course.alarm === null) return { course };
        course = rings(course);
      } else {
        const fate = world[next.via];
        if (fate !== 'plays') course = stepPlayer(course, { kind: 'failed', id: next.id, why: fate });
        else if (next.phase !== 'playing') {
          course = stepPlayer(course, { kind: 'news', id: next.id, news: 'playing' });
        } else course = plays(course, 'steady');
      }
    }
    return { course };
  };

  it('where one way plays the player ends there, and goes on no longer than it must', () => {
    fc.assert(fc.property(worlds, wishes, (world, wish) => {
      const { course } = settle(opened(wish), world);
      const ways = STREAM_TYPES.filter((via) => world[via] === 'plays');
      // Refused tokens and an absent publisher are the same over every way.
      const fate = world[wish.streamType];
      if (ways.length === 0) expect(course.shown?.phase).not.toBe('playing');
      else if (fate === 'plays') {
        expect(course.shown).toMatchObject({ via: wish.streamType, phase: 'playing' });
      } else if (!['denied', 'offline', 'network'].includes(fate)) {
        expect(course.shown).toMatchObject({ phase: 'playing', quality: wish.quality, via: ways[0] });
      }
    }));
  });

  it('once what blocked the wished way is over, it ends there', () => {
    fc.assert(fc.property(worlds, wishes, (world, wish) => {
      const blocked = settle(opened(wish), { ...world, [wish.streamType]: 'blocked' }).course;
      const { course } = settle(blocked, { webrtc: 'plays', hls: 'plays' });
      if (course.end !== null) return;
      expect(course.shown).toMatchObject({ via: wish.streamType, isSteady: true });
      expect(course.alarm).toBeNull();
    }));
  });
});

describe('choosing the way', () => {
  it.each<Failure>(['full', 'blocked', 'lost', 'frozen', 'codec'])(
    'goes to HLS at once when WHEP fails by "%s"', (why) => {
      const course = fails(opened(), why);
      expect(course.shown).toMatchObject({ via: 'hls', phase: 'connecting' });
      expect(faceOf(course)).toBe('connecting');
    },
  );

  it('starts with HLS where the browser has no WebRTC, and says so where it has neither', () => {
    expect(opened(WISH, { webrtc: false, hls: true }).shown?.via).toBe('hls');
    expect(faceOf(opened(WISH, { webrtc: false, hls: false }))).toBe('unsupported');
    expect(opened({ ...WISH, streamType: 'hls' }).shown?.via).toBe('hls');
  });

  it('climbs back behind the picture, and swaps with the first one', () => {
    const onHls = plays(fails(opened(), 'blocked'));
    expect(onHls.alarm?.kind).toBe('climb');
    const climbing = rings(onHls);
    expect(climbing.shown).toEqual(onHls.shown);
    expect(climbing.trial).toMatchObject({ via: 'webrtc', phase: 'connecting' });
    const up = stepPlayer(climbing, { kind: 'news', id: climbing.trial?.id ?? 0, news: 'playing' });
    expect(up.shown).toMatchObject({ id: climbing.trial?.id, via: 'webrtc', phase: 'playing' });
    expect([up.trial, up.alarm]).toEqual([null, null]);
  });

  it('waits longer after each climb that failed, and stays where it plays', () => {
    let course = plays(plays(fails(opened(), 'full')), 'steady');
    const waits: number[] = [];
    for (let nth = 0; nth < 7; nth += 1) {
      waits.push(course.alarm?.afterMs ?? 0);
      const climbing = rings(course);
      course = stepPlayer(climbing, { kind: 'failed', id: climbing.trial?.id ?? 0, why: 'full' });
      expect(course.shown).toMatchObject({ via: 'hls', phase: 'playing' });
    }
    expect(waits).toEqual([15_000, 30_000, 60_000, 120_000, 300_000, 300_000, 300_000]);
  });

  it('does not climb where the wish was HLS, nor from a window of its own', () => {
    expect(plays(opened({ ...WISH, streamType: 'hls' })).alarm).toBeNull();
    const onHls = plays(fails(opened(), 'blocked'));
    const pinned = stepPlayer(onHls, { kind: 'scene', scene: { isPinned: true } });
    expect(pinned.alarm).toBeNull();
    const back = stepPlayer(pinned, { kind: 'scene', scene: { isPinned: false } });
    expect(back.alarm?.kind).toBe('climb');
  });

  it('rules HLS out when the stream cannot be had so, and says when nothing is left', () => {
    const course = stepPlayer(opened(), { kind: 'cannot', via: 'hls' });
    const failed = fails(course, 'blocked');
    expect(failed).toMatchObject({ shown: null, alarm: { kind: 'retry' } });
    expect(faceOf(fails(course, 'codec'))).toBe('unsupported');
  });
});

describe('quality', () => {
  it('changes behind the picture, and back when the new one does not come', () => {
    const playing = plays(opened());
    const asked = stepPlayer(playing, { kind: 'wish', wish: { ...WISH, quality: 'sd' } });
    expect(asked.shown).toEqual(playing.shown);
    expect(asked.trial).toMatchObject({ via: 'webrtc', quality: 'sd' });
    const failed = stepPlayer(asked, { kind: 'failed', id: asked.trial?.id ?? 0, why: 'blocked' });
    expect(failed).toMatchObject({ shown: playing.shown, trial: null, alarm: { kind: 'climb' } });
    const undone = stepPlayer(asked, { kind: 'wish', wish: WISH });
    expect(undone).toMatchObject({ shown: playing.shown, trial: null, alarm: null });
  });

  it('is not wished for twice', () => {
    fc.assert(fc.property(fc.array(happenings, { maxLength: 40 }), (happened) => {
      const course = happened.reduce(stepPlayer, opened());
      expect(stepPlayer(course, { kind: 'wish', wish: { ...course.wish } })).toBe(course);
    }));
  });

  it('is taken at the next start when nothing plays', () => {
    const asked = stepPlayer(opened(), { kind: 'wish', wish: { quality: 'sd', streamType: 'hls' } });
    expect(asked.shown).toMatchObject({ via: 'hls', quality: 'sd' });
    expect(asked.trial).toBeNull();
  });
});

describe('healing', () => {
  it('tries the same way again at once after it played for a while, and the other after that', () => {
    const steady = plays(plays(opened()), 'steady');
    const again = fails(steady, 'frozen');
    expect(again.shown).toMatchObject({ via: 'webrtc', phase: 'connecting', isSteady: false });
    expect(fails(again, 'blocked').shown?.via).toBe('hls');
  });

  it('keeps its session while the publisher is away, and lets it prove itself after', () => {
    const playing = plays(opened());
    const away = stepPlayer(playing, { kind: 'scene', scene: { isAway: true } });
    expect(away.shown).toEqual(playing.shown);
    expect(faceOf(away)).toBe('away');
    const back = stepPlayer(away, { kind: 'scene', scene: { isAway: false } });
    expect(back).toMatchObject({ nudges: 1, shown: { id: playing.shown?.id } });
    expect(fails(back, 'frozen').shown).toMatchObject({ via: 'webrtc', phase: 'connecting' });
  });

  it('lets it prove itself too when the publisher was away so shortly that nobody was told', () => {
    const playing = plays(opened());
    const resumed = stepPlayer(playing, { kind: 'resumed' });
    expect(resumed).toMatchObject({ nudges: 1, shown: { id: playing.shown?.id } });
    expect(fails(resumed, 'frozen').shown).toMatchObject({ via: 'webrtc', phase: 'connecting' });
    const waiting = fails(opened(), 'offline');
    expect(stepPlayer(waiting, { kind: 'resumed' })).toMatchObject({ shown: { via: 'webrtc' }, alarm: null });
    const starting = opened();
    expect(stepPlayer(starting, { kind: 'resumed' })).toBe(starting);
  });

  it('retries nothing while the publisher is away, and starts at once when it is back', () => {
    const away = fails(stepPlayer(plays(opened()), { kind: 'scene', scene: { isAway: true } }), 'lost');
    expect([away.shown, away.alarm]).toEqual([null, null]);
    const back = stepPlayer(away, { kind: 'scene', scene: { isAway: false } });
    expect(back.shown).toMatchObject({ via: 'webrtc', phase: 'connecting' });
  });

  it('follows the stream to another name', () => {
    const moved = stepPlayer(plays(opened()), { kind: 'scene', scene: { stream: 'two' } });
    expect(moved.shown).toMatchObject({ phase: 'connecting', isSteady: false });
    expect(faceOf(stepPlayer(moved, { kind: 'scene', scene: { stream: null } }))).toBe('idle');
  });

  it('says that the network is gone, and starts when it is back', () => {
    const unplugged = fails(stepPlayer(opened(), { kind: 'scene', scene: { isOnline: false } }), 'network');
    expect(faceOf(unplugged)).toBe('unplugged');
    const back = stepPlayer(unplugged, { kind: 'scene', scene: { isOnline: true } });
    expect(back).toMatchObject({ shown: { phase: 'connecting' }, alarm: null });
  });

  it('gives up on refused tokens after three, until it is asked again', () => {
    let course = opened();
    for (let nth = 0; nth < 3; nth += 1) course = fails(course.shown ? course : rings(course), 'denied');
    expect(faceOf(course)).toBe('refused');
    expect(course.alarm).toBeNull();
    expect(stepPlayer(course, { kind: 'retry' }).shown).toMatchObject({ via: 'webrtc', phase: 'connecting' });
  });

  it('waits as long as a full server asks, when there is no other way', () => {
    const full = fails(opened(WISH, { webrtc: true, hls: false }), 'full');
    expect(faceOf(full)).toBe('full');
    expect(full.alarm?.afterMs).toBe(5_000);
  });

  it('pauses by ending the session, and plays from the live edge after', () => {
    const paused = stepPlayer(plays(opened()), { kind: 'scene', scene: { isHalted: true } });
    expect(paused).toMatchObject({ shown: null, alarm: null });
    expect(faceOf(paused)).toBe('paused');
    expect(stepPlayer(paused, { kind: 'scene', scene: { isHalted: false } }).shown?.phase).toBe('connecting');
  });
});
