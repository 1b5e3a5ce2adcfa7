import type { PlayerState } from '../../rules.ts';

/** How a stream reaches the player: `webrtc` is WHEP (readings.md). */
export type Via = PlayerState['streamType'];

/** Why a session ended without being told to. */
export const FAILURES = [
  /** Nobody publishes the stream now. */
  'offline',
  /** The token was refused. */
  'denied',
  /** The media server takes no more viewers this way. */
  'full',
  /** This stream cannot be played this way in this browser: not worth another try. */
  'codec',
  /** The site did not answer. */
  'network',
  /** Connected to nothing, or no first picture came: the way of the media is blocked. */
  'blocked',
  /** A connection that stood is gone. */
  'lost',
  /** Pictures that are due stay away. */
  'frozen',
] as const;
export type Failure = (typeof FAILURES)[number];

/** One session that plays, or tries to. */
export interface Running {
  readonly id: number;
  readonly via: Via;
  readonly quality: PlayerState['quality'];
  /** `waiting`: connected, no picture yet. */
  readonly phase: 'connecting' | 'waiting' | 'playing';
  /** It has played for a while: when it fails, something happened to it, and the same way is worth a try. */
  readonly isSteady: boolean;
}

/** What stands around the player. */
export interface Scene {
  /** The stream to play; null while there is none for this viewer. */
  readonly stream: string | null;
  /** The publisher is away for a moment: no pictures are due, and nothing is retried. */
  readonly isAway: boolean;
  readonly isOnline: boolean;
  /** Paused by the person, or saving data in a hidden tab. */
  readonly isHalted: boolean;
  /** The picture is in a window of its own, which a change of session would close. */
  readonly isPinned: boolean;
}

export interface Alarm {
  readonly id: number;
  /** `retry` starts a session where there is none; `climb` tries what the person wished for beside it. */
  readonly kind: 'retry' | 'climb';
  readonly afterMs: number;
}

/** Everything the player decides by. */
export interface Course {
  readonly wish: PlayerState;
  readonly scene: Scene;
  /** Ways this browser has. */
  readonly browser: Readonly<Record<Via, boolean>>;
  /** Ways left for this stream. */
  readonly can: Readonly<Record<Via, boolean>>;
  /** The session whose picture is shown, or will be. */
  readonly shown: Running | null;
  /** A session that is prepared behind a playing one and takes its place with its first picture. */
  readonly trial: Running | null;
  /** Ways that failed since the last pause. */
  readonly tried: readonly Via[];
  /** Rounds of tries without a picture that lasted. */
  readonly rounds: number;
  readonly denials: number;
  readonly climbs: number;
  readonly alarm: Alarm | null;
  readonly lastFailure: Failure | null;
  /** Trying on makes no sense: until the stream changes or the person asks again. */
  readonly end: 'refused' | 'unsupported' | null;
  /** Grows when the shown session has to prove that pictures still come. */
  readonly nudges: number;
  /** The last id given to a session or an alarm. */
  readonly lastId: number;
}

export type Happening =
  | { readonly kind: 'scene'; readonly scene: Partial<Scene> }
  | { readonly kind: 'wish'; readonly wish: PlayerState }
  | { readonly kind: 'news'; readonly id: number; readonly news: 'waiting' | 'playing' | 'steady' }
  | { readonly kind: 'failed'; readonly id: number; readonly why: Failure }
  /** The stream turned out not to be had this way. */
  | { readonly kind: 'cannot'; readonly via: Via }
  | { readonly kind: 'alarm'; readonly id: number }
  /** The publisher was away for a moment, perhaps a shorter one than anybody was told of. */
  | { readonly kind: 'resumed' }
  /** The person asks for another try. */
  | { readonly kind: 'retry' };

/** Waits between rounds of tries. The first leaves a room that ended the time to say so. */
const RETRY_MS: readonly number[] = [1_500, 3_000, 5_000, 8_000];
/** A full server asks for this (Retry-After). */
const RETRY_FULL_MS = 5_000;
/** Waits before the wished way is tried again behind the other: what blocked it may be over. */
const CLIMB_MS: readonly number[] = [15_000, 30_000, 60_000, 120_000, 300_000];
/** Refused tokens in a row after which it was no accident of timing. */
const MAX_DENIALS = 3;

const OTHER: Readonly<Record<Via, Via>> = { webrtc: 'hls', hls: 'webrtc' };

export const openCourse = (
  wish: PlayerState, browser: Readonly<Record<Via, boolean>>, isOnline: boolean,
): Course => ({
  wish, browser, can: browser, shown: null, trial: null, tried: [], rounds: 0, denials: 0, climbs: 0,
  scene: { stream: null, isAway: false, isOnline, isHalted: false, isPinned: false },
  alarm: null, lastFailure: null, end: null, nudges: 0, lastId: 0,
});

/** Whether there is something to play, and somebody who wants it. */
export const isWanted = ({ scene }: Course): boolean => scene.stream !== null && !scene.isHalted;

/** The player after something happened. News of sessions and alarms that are over change nothing. */
export function stepPlayer(course: Course, happening: Happening): Course {
  switch (happening.kind) {
    case 'scene': return changeScene(course, { ...course.scene, ...happening.scene });
    case 'wish': return changeWish(course, happening.wish);
    case 'news': return hearNews(course, happening.id, happening.news);
    case 'failed': return takeFailure(course, happening.id, happening.why);
    case 'cannot': return rule(course, happening.via);
    case 'alarm': return course.alarm?.id === happening.id ? ring(course, course.alarm) : course;
    case 'resumed': return isWanted(course) && !course.scene.isAway ? resume(course) : course;
    case 'retry': return isWanted(course) && course.shown === null ? begin(renewed(course)) : course;
  }
}

/** Without the memory of what failed. */
const renewed = (course: Course): Course => ({
  ...course, can: course.browser, tried: [], rounds: 0, denials: 0, climbs: 0, end: null, alarm: null,
  lastFailure: null,
});

const still = (course: Course): Course => ({ ...renewed(course), shown: null, trial: null });

const running = (id: number, via: Via, { quality }: PlayerState): Running =>
  ({ id, via, quality, phase: 'connecting', isSteady: false });

/** Starts the next session in place of any: the wished way first, then the other, then a pause. */
function begin(course: Course): Course {
  const bare: Course = { ...course, shown: null, trial: null, alarm: null };
  const first = course.wish.streamType;
  const ways = [first, OTHER[first]].filter((via) => course.can[via]);
  if (ways.length === 0) return { ...bare, end: 'unsupported' };
  const next = ways.find((via) => !course.tried.includes(via));
  if (next === undefined) return pause(bare);
  const id = course.lastId + 1;
  return { ...bare, shown: running(id, next, course.wish), lastId: id };
}

/** Nothing plays for a while, longer each time. */
function pause(course: Course): Course {
  const waitMs = atMost(RETRY_MS, course.rounds);
  const afterMs = course.lastFailure === 'full' ? Math.max(waitMs, RETRY_FULL_MS) : waitMs;
  return withAlarm({ ...course, shown: null, trial: null, tried: [], rounds: course.rounds + 1 },
    'retry', afterMs);
}

const atMost = (steps: readonly number[], at: number): number =>
  steps[Math.min(at, steps.length - 1)] as number;

function withAlarm(course: Course, kind: Alarm['kind'], afterMs: number): Course {
  const id = course.lastId + 1;
  return { ...course, alarm: { id, kind, afterMs }, lastId: id };
}

/** Whether what plays is not what the person wished for, though that may be had. */
const isBelowWish = ({ shown, wish, can }: Course): boolean =>
  shown !== null
  && ((shown.via !== wish.streamType && can[wish.streamType]) || shown.quality !== wish.quality);

/** Sets the alarm that leads back to what the person wished for, where that is not what plays. */
function aim(course: Course): Course {
  if (course.shown?.phase !== 'playing' || course.trial !== null) return { ...course, alarm: null };
  if (!isBelowWish(course) || course.scene.isPinned) return { ...course, alarm: null };
  return withAlarm(course, 'climb', atMost(CLIMB_MS, course.climbs));
}

/** Prepares what the person wished for behind what plays. */
function prepare(course: Course): Course {
  const { wish, can, shown } = course;
  const via = can[wish.streamType] ? wish.streamType : (shown?.via ?? OTHER[wish.streamType]);
  const id = course.lastId + 1;
  return { ...course, trial: running(id, via, wish), alarm: null, lastId: id };
}

function changeScene(before: Course, scene: Scene): Course {
  const course: Course = { ...before, scene };
  if (!isWanted(course)) return still(course);
  const isOther = scene.stream !== before.scene.stream;
  if (!isWanted(before) || isOther) return begin(renewed(course));
  if (before.scene.isAway && !scene.isAway) return resume(course);
  const isBack = scene.isOnline && !before.scene.isOnline;
  if (isBack && course.shown === null && course.end === null && !scene.isAway) return begin(renewed(course));
  const isPlaying = course.shown?.phase === 'playing';
  return isPlaying && scene.isPinned !== before.scene.isPinned ? aim({ ...course, trial: null }) : course;
}

/** The publisher is back: a session that was kept shows that pictures come, or a new one starts at once. */
function resume(course: Course): Course {
  if (course.shown === null) return begin(renewed(course));
  // What has no picture yet has its own time to bring one.
  if (course.shown.phase !== 'playing') return course;
  // What fails now fails for what happened to the publisher: the same way gets another try.
  const { tried, rounds, denials } = renewed(course);
  const shown: Running = { ...course.shown, isSteady: true };
  return { ...course, tried, rounds, denials, shown, nudges: course.nudges + 1 };
}

function changeWish(before: Course, wish: PlayerState): Course {
  const { quality, streamType } = before.wish;
  if (wish.quality === quality && wish.streamType === streamType) return before;
  const course: Course = { ...before, wish, climbs: 0 };
  if (!isWanted(course)) return course;
  const { shown } = course;
  if (shown?.phase !== 'playing') {
    const isWaitingForPublisher = shown === null && course.scene.isAway;
    return isWaitingForPublisher ? course : begin(renewed(course));
  }
  const asked: Course = { ...course, trial: null, alarm: null };
  if (!isBelowWish(asked)) return asked;
  // In a window of its own the picture breaks either way, so the shorter one is taken.
  return course.scene.isPinned ? begin({ ...asked, tried: [] }) : prepare(asked);
}

function hearNews(course: Course, id: number, news: 'waiting' | 'playing' | 'steady'): Course {
  if (course.trial?.id === id) {
    if (news !== 'playing') return course;
    return aim({ ...course, shown: { ...course.trial, phase: 'playing' }, trial: null, tried: [] });
  }
  const { shown } = course;
  if (shown?.id !== id) return course;
  if (news === 'waiting') {
    return shown.phase === 'connecting' ? { ...course, shown: { ...shown, phase: news } } : course;
  }
  if (news === 'playing') {
    if (shown.phase === 'playing') return course;
    return aim({ ...course, shown: { ...shown, phase: news }, denials: 0, lastFailure: null });
  }
  const climbs = isBelowWish(course) ? course.climbs : 0;
  return { ...course, shown: { ...shown, isSteady: true }, tried: [], rounds: 0, climbs };
}

function takeFailure(course: Course, id: number, why: Failure): Course {
  if (course.trial?.id === id) return failTrial(course, course.trial, why);
  const { shown } = course;
  if (shown?.id !== id) return course;
  const failed: Course = { ...course, lastFailure: why };
  // What was prepared behind it is further than anything started now.
  if (course.trial !== null) return { ...failed, shown: course.trial, trial: null, alarm: null };
  // Nothing is retried until the room says that the publisher is back.
  if (course.scene.isAway) return { ...failed, shown: null, alarm: null };
  switch (why) {
    case 'codec': return begin({ ...failed, can: { ...course.can, [shown.via]: false } });
    case 'denied': {
      const denials = course.denials + 1;
      if (denials >= MAX_DENIALS) return { ...failed, denials, shown: null, alarm: null, end: 'refused' };
      return pause({ ...failed, denials });
    }
    // No other way helps against these.
    case 'offline':
    case 'network': return pause(failed);
    case 'full':
    case 'blocked':
    case 'lost':
    case 'frozen':
      return begin(shown.isSteady ? failed : { ...failed, tried: [...course.tried, shown.via] });
  }
}

function failTrial(course: Course, trial: Running, why: Failure): Course {
  const can = why === 'codec' ? { ...course.can, [trial.via]: false } : course.can;
  return aim({ ...course, can, trial: null, climbs: course.climbs + 1 });
}

/** Rules a way out for this stream. */
function rule(course: Course, via: Via): Course {
  if (!course.can[via]) return course;
  const left: Course = { ...course, can: { ...course.can, [via]: false } };
  if (left.trial?.via === via) return aim({ ...left, trial: null });
  if (left.shown?.via === via) return takeFailure(left, left.shown.id, 'codec');
  return left.alarm?.kind === 'climb' ? aim(left) : left;
}

function ring(course: Course, { kind }: Alarm): Course {
  const rung: Course = { ...course, alarm: null };
  if (kind === 'retry') return begin(rung);
  return isBelowWish(rung) ? prepare(rung) : rung;
}

/** What the player shows. */
export type Face =
  /** Nothing to play. */
  | 'idle' | 'paused' | 'away' | 'connecting' | 'waiting' | 'playing' | 'lost' | 'full'
  /** This device has no network. */
  | 'unplugged'
  | 'refused' | 'unsupported';

export function faceOf({ scene, shown, end, lastFailure }: Course): Face {
  if (scene.stream === null) return 'idle';
  if (scene.isHalted) return 'paused';
  if (end !== null) return end;
  if (scene.isAway) return 'away';
  if (shown !== null) return shown.phase;
  if (lastFailure === 'full') return 'full';
  return lastFailure === 'network' && !scene.isOnline ? 'unplugged' : 'lost';
}
