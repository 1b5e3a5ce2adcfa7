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
export interface Conditions {
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

export interface RetryTimer {
  readonly id: number;
  /** `retry` starts a session where there is none; `climb` tries what the person wished for beside it. */
  readonly kind: 'retry' | 'upgrade';
  readonly afterMs: number;
}

/** Everything the player decides by. */
export interface PlaybackState {
  readonly preference: PlayerState;
  readonly conditions: Conditions;
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
  readonly upgrades: number;
  readonly timer: RetryTimer | null;
  readonly lastFailure: Failure | null;
  /** Trying on makes no sense: until the stream changes or the person asks again. */
  readonly end: 'refused' | 'unsupported' | null;
  /** Grows when the shown session has to prove that pictures still come. */
  readonly nudges: number;
  /** The last id given to a session or an alarm. */
  readonly lastId: number;
}

export type PlaybackEvent =
  | { readonly kind: 'conditions'; readonly conditions: Partial<Conditions> }
  | { readonly kind: 'preference'; readonly preference: PlayerState }
  | { readonly kind: 'progress'; readonly id: number; readonly progress: 'waiting' | 'playing' | 'steady' }
  | { readonly kind: 'failed'; readonly id: number; readonly why: Failure }
  /** The stream turned out not to be had this way. */
  | { readonly kind: 'cannot'; readonly via: Via }
  | { readonly kind: 'timer'; readonly id: number }
  /** The publisher was away for a moment, perhaps a shorter one than anybody was told of. */
  | { readonly kind: 'resumed' }
  /** The person asks for another try. */
  | { readonly kind: 'retry' };

/** Waits between rounds of tries. The first leaves a room that ended the time to say so. */
const RETRY_MS: readonly number[] = [1_500, 3_000, 5_000, 8_000];
/** A full server asks for this (Retry-After). */
const RETRY_FULL_MS = 5_000;
/** Waits before the wished way is tried again behind the other: what blocked it may be over. */
const UPGRADE_MS: readonly number[] = [15_000, 30_000, 60_000, 120_000, 300_000];
/** Refused tokens in a row after which it was no accident of timing. */
const MAX_DENIALS = 3;

const OTHER: Readonly<Record<Via, Via>> = { webrtc: 'hls', hls: 'webrtc' };

export const initialState = (
  preference: PlayerState, browser: Readonly<Record<Via, boolean>>, isOnline: boolean,
): PlaybackState => ({
  preference, browser, can: browser, shown: null, trial: null, tried: [], rounds: 0, denials: 0, upgrades: 0,
  conditions: { stream: null, isAway: false, isOnline, isHalted: false, isPinned: false },
  timer: null, lastFailure: null, end: null, nudges: 0, lastId: 0,
});

/** Whether there is something to play, and somebody who wants it. */
export const isWanted = (
  { conditions }: PlaybackState,
): boolean => conditions.stream !== null && !conditions.isHalted;

/** The player after something happened. News of sessions and alarms that are over change nothing. */
export function reducePlayback(state: PlaybackState, event: PlaybackEvent): PlaybackState {
  switch (event.kind) {
    case 'conditions': return changeConditions(state, { ...state.conditions, ...event.conditions });
    case 'preference': return changePreference(state, event.preference);
    case 'progress': return applyProgress(state, event.id, event.progress);
    case 'failed': return applyFailure(state, event.id, event.why);
    case 'cannot': return ruleOut(state, event.via);
    case 'timer': return state.timer?.id === event.id ? timerFired(state, state.timer) : state;
    case 'resumed': return isWanted(state) && !state.conditions.isAway ? resume(state) : state;
    case 'retry': return isWanted(state) && state.shown === null ? startNext(reset(state)) : state;
  }
}

/** Without the memory of what failed. */
const reset = (state: PlaybackState): PlaybackState => ({
  ...state, can: state.browser, tried: [], rounds: 0, denials: 0, upgrades: 0, end: null, timer: null,
  lastFailure: null,
});

const stopped = (state: PlaybackState): PlaybackState => ({ ...reset(state), shown: null, trial: null });

const running = (id: number, via: Via, { quality }: PlayerState): Running =>
  ({ id, via, quality, phase: 'connecting', isSteady: false });

/** Starts the next session in place of any: the wished way first, then the other, then a pause. */
function startNext(state: PlaybackState): PlaybackState {
  const bare: PlaybackState = { ...state, shown: null, trial: null, timer: null };
  const first = state.preference.streamType;
  const ways = [first, OTHER[first]].filter((via) => state.can[via]);
  if (ways.length === 0) return { ...bare, end: 'unsupported' };
  const next = ways.find((via) => !state.tried.includes(via));
  if (next === undefined) return waitForRetry(bare);
  const id = state.lastId + 1;
  return { ...bare, shown: running(id, next, state.preference), lastId: id };
}

/** Nothing plays for a while, longer each time. */
function waitForRetry(state: PlaybackState): PlaybackState {
  const waitMs = delayAt(RETRY_MS, state.rounds);
  const afterMs = state.lastFailure === 'full' ? Math.max(waitMs, RETRY_FULL_MS) : waitMs;
  return withTimer({ ...state, shown: null, trial: null, tried: [], rounds: state.rounds + 1 },
    'retry', afterMs);
}

const delayAt = (steps: readonly number[], at: number): number =>
  steps[Math.min(at, steps.length - 1)] as number;

function withTimer(state: PlaybackState, kind: RetryTimer['kind'], afterMs: number): PlaybackState {
  const id = state.lastId + 1;
  return { ...state, timer: { id, kind, afterMs }, lastId: id };
}

/** Whether what plays is not what the person wished for, though that may be had. */
const isBelowPreference = ({ shown, preference, can }: PlaybackState): boolean =>
  shown !== null
  && ((
    shown.via !== preference.streamType && can[preference.streamType]
  ) || shown.quality !== preference.quality);

/** Sets the alarm that leads back to what the person wished for, where that is not what plays. */
function scheduleUpgrade(state: PlaybackState): PlaybackState {
  if (state.shown?.phase !== 'playing' || state.trial !== null) return { ...state, timer: null };
  if (!isBelowPreference(state) || state.conditions.isPinned) return { ...state, timer: null };
  return withTimer(state, 'upgrade', delayAt(UPGRADE_MS, state.upgrades));
}

/** Prepares what the person wished for behind what plays. */
function startTrial(state: PlaybackState): PlaybackState {
  const { preference, can, shown } = state;
  const via = can[preference.streamType] ? preference.streamType : (
    shown?.via ?? OTHER[preference.streamType]
  );
  const id = state.lastId + 1;
  return { ...state, trial: running(id, via, preference), timer: null, lastId: id };
}

function changeConditions(before: PlaybackState, conditions: Conditions): PlaybackState {
  const state: PlaybackState = { ...before, conditions };
  if (!isWanted(state)) return stopped(state);
  const isOther = conditions.stream !== before.conditions.stream;
  if (!isWanted(before) || isOther) return startNext(reset(state));
  if (before.conditions.isAway && !conditions.isAway) return resume(state);
  const isBack = conditions.isOnline && !before.conditions.isOnline;
  if (isBack && state.shown === null && state.end === null && !conditions.isAway) return startNext(
    reset(state),
  );
  const isPlaying = state.shown?.phase === 'playing';
  return isPlaying && conditions.isPinned !== before.conditions.isPinned ? scheduleUpgrade(
    { ...state, trial: null },
  ) : state;
}

/** The publisher is back: a session that was kept shows that pictures come, or a new one starts at once. */
function resume(state: PlaybackState): PlaybackState {
  if (state.shown === null) return startNext(reset(state));
  // What has no picture yet has its own time to bring one.
  if (state.shown.phase !== 'playing') return state;
  // What fails now fails for what happened to the publisher: the same way gets another try.
  const { tried, rounds, denials } = reset(state);
  const shown: Running = { ...state.shown, isSteady: true };
  return { ...state, tried, rounds, denials, shown, nudges: state.nudges + 1 };
}

function changePreference(before: PlaybackState, preference: PlayerState): PlaybackState {
  const { quality, streamType } = before.preference;
  if (preference.quality === quality && preference.streamType === streamType) return before;
  const state: PlaybackState = { ...before, preference, upgrades: 0 };
  if (!isWanted(state)) return state;
  const { shown } = state;
  if (shown?.phase !== 'playing') {
    const isWaitingForPublisher = shown === null && state.conditions.isAway;
    return isWaitingForPublisher ? state : startNext(reset(state));
  }
  const asked: PlaybackState = { ...state, trial: null, timer: null };
  if (!isBelowPreference(asked)) return asked;
  // In a window of its own the picture breaks either way, so the shorter one is taken.
  return state.conditions.isPinned ? startNext({ ...asked, tried: [] }) : startTrial(asked);
}

function applyProgress(
  state: PlaybackState, id: number, progress: 'waiting' | 'playing' | 'steady',
): PlaybackState {
  if (state.trial?.id === id) {
    if (progress !== 'playing') return state;
    return scheduleUpgrade({ ...state, shown: { ...state.trial, phase: 'playing' }, trial: null, tried: [] });
  }
  const { shown } = state;
  if (shown?.id !== id) return state;
  if (progress === 'waiting') {
    return shown.phase === 'connecting' ? { ...state, shown: { ...shown, phase: progress } } : state;
  }
  if (progress === 'playing') {
    if (shown.phase === 'playing') return state;
    return scheduleUpgrade({ ...state, shown: { ...shown, phase: progress }, denials: 0, lastFailure: null });
  }
  const upgrades = isBelowPreference(state) ? state.upgrades : 0;
  return { ...state, shown: { ...shown, isSteady: true }, tried: [], rounds: 0, upgrades };
}

function applyFailure(state: PlaybackState, id: number, why: Failure): PlaybackState {
  if (state.trial?.id === id) return failTrial(state, state.trial, why);
  const { shown } = state;
  if (shown?.id !== id) return state;
  const failed: PlaybackState = { ...state, lastFailure: why };
  // What was prepared behind it is further than anything started now.
  if (state.trial !== null) return { ...failed, shown: state.trial, trial: null, timer: null };
  // Nothing is retried until the room says that the publisher is back.
  if (state.conditions.isAway) return { ...failed, shown: null, timer: null };
  switch (why) {
    case 'codec': return startNext({ ...failed, can: { ...state.can, [shown.via]: false } });
    case 'denied': {
      const denials = state.denials + 1;
      if (denials >= MAX_DENIALS) return { ...failed, denials, shown: null, timer: null, end: 'refused' };
      return waitForRetry({ ...failed, denials });
    }
    // No other way helps against these.
    case 'offline':
    case 'network': return waitForRetry(failed);
    case 'full':
    case 'blocked':
    case 'lost':
    case 'frozen':
      return startNext(shown.isSteady ? failed : { ...failed, tried: [...state.tried, shown.via] });
  }
}

function failTrial(state: PlaybackState, trial: Running, why: Failure): PlaybackState {
  const can = why === 'codec' ? { ...state.can, [trial.via]: false } : state.can;
  return scheduleUpgrade({ ...state, can, trial: null, upgrades: state.upgrades + 1 });
}

/** Rules a way out for this stream. */
function ruleOut(state: PlaybackState, via: Via): PlaybackState {
  if (!state.can[via]) return state;
  const left: PlaybackState = { ...state, can: { ...state.can, [via]: false } };
  if (left.trial?.via === via) return scheduleUpgrade({ ...left, trial: null });
  if (left.shown?.via === via) return applyFailure(left, left.shown.id, 'codec');
  return left.timer?.kind === 'upgrade' ? scheduleUpgrade(left) : left;
}

function timerFired(state: PlaybackState, { kind }: RetryTimer): PlaybackState {
  const fired: PlaybackState = { ...state, timer: null };
  if (kind === 'retry') return startNext(fired);
  return isBelowPreference(fired) ? startTrial(fired) : fired;
}

/** What the player shows. */
export type DisplayState =
  /** Nothing to play. */
  | 'idle' | 'paused' | 'away' | 'connecting' | 'waiting' | 'playing' | 'lost' | 'full'
  /** This device has no network. */
  | 'unplugged'
  | 'refused' | 'unsupported';

export function displayStateOf({ conditions, shown, end, lastFailure }: PlaybackState): DisplayState {
  if (conditions.stream === null) return 'idle';
  if (conditions.isHalted) return 'paused';
  if (end !== null) return end;
  if (conditions.isAway) return 'away';
  if (shown !== null) return shown.phase;
  if (lastFailure === 'full') return 'full';
  return lastFailure === 'network' && !conditions.isOnline ? 'unplugged' : 'lost';
}
