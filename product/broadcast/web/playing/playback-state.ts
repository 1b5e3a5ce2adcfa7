import type { PlayerState } from '../../rules.ts';

/** Transports of a stream: `webrtc` is WHEP (readings.md). */
export type Via = PlayerState['streamType'];

/** Why a session failed. */
export const FAILURES = [
  /** The stream has no publisher. */
  'offline',
  /** The token was refused. */
  'denied',
  /** The media server takes no more viewers over this transport. */
  'full',
  /** This browser cannot play this stream over this transport: not worth a retry. */
  'codec',
  /** The site did not answer. */
  'network',
  /** No connection or no first frame: the media is blocked. */
  'blocked',
  /** An established connection was lost. */
  'lost',
  /** Expected frames do not arrive. */
  'frozen',
] as const;
export type Failure = (typeof FAILURES)[number];

/** One playback session. */
export interface Running {
  readonly id: number;
  readonly via: Via;
  readonly quality: PlayerState['quality'];
  /** `waiting`: connected, no frame yet. */
  readonly phase: 'connecting' | 'waiting' | 'playing';
  /** It has played for a while, so that after a failure the same transport is retried. */
  readonly isSteady: boolean;
}

/** Conditions outside the player. */
export interface Conditions {
  /** The stream to play; null without one for this viewer. */
  readonly stream: string | null;
  /** The publisher is reconnecting: no frames are expected, and nothing is retried. */
  readonly isAway: boolean;
  readonly isOnline: boolean;
  /** Paused by the viewer, or saving data in a hidden tab. */
  readonly isHalted: boolean;
  /**
   * Whether this viewer may watch the rest of the stream when it ends: not of a paid show, nor if they may no
   * longer watch at all.
   */
  readonly mayFinish: boolean;
  /** In picture-in-picture, which a change of session would close. */
  readonly isPinned: boolean;
}

export interface RetryTimer {
  readonly id: number;
  /** `retry` starts a session; `upgrade` tries the preference beside the current session; `end` stops it. */
  readonly kind: 'retry' | 'upgrade' | 'end';
  readonly afterMs: number;
}

/** The whole state of the player. */
export interface PlaybackState {
  readonly preference: PlayerState;
  readonly conditions: Conditions;
  /** Transports that this browser supports. */
  readonly browser: Readonly<Record<Via, boolean>>;
  /** Transports left for this stream. */
  readonly can: Readonly<Record<Via, boolean>>;
  /** The session whose video is shown, or will be. */
  readonly shown: Running | null;
  /** A session behind the playing one; it takes over with its first frame. */
  readonly trial: Running | null;
  /** The stream has ended, and the shown session plays the rest of it. */
  readonly isFinishing: boolean;
  /** Transports that failed since the last wait. */
  readonly tried: readonly Via[];
  /** Failed rounds over all transports since playback was last steady. */
  readonly rounds: number;
  /** Refused tokens in a row. */
  readonly denials: number;
  /** Failed upgrades. */
  readonly upgrades: number;
  readonly timer: RetryTimer | null;
  readonly lastFailure: Failure | null;
  /** Why retries have stopped, until the stream changes or the viewer retries. */
  readonly end: 'refused' | 'unsupported' | null;
  /** Grows when the shown session must prove that frames still arrive. */
  readonly nudges: number;
  /** The last id given to a session or a timer. */
  readonly lastId: number;
}

export type PlaybackEvent =
  | { readonly kind: 'conditions'; readonly conditions: Partial<Conditions> }
  | { readonly kind: 'preference'; readonly preference: PlayerState }
  | { readonly kind: 'progress'; readonly id: number; readonly progress: 'waiting' | 'playing' | 'steady' }
  | { readonly kind: 'failed'; readonly id: number; readonly why: Failure }
  /** A session has played its stream to the end. */
  | { readonly kind: 'finished'; readonly id: number }
  /** The stream is not available over this transport. */
  | { readonly kind: 'cannot'; readonly via: Via }
  | { readonly kind: 'timer'; readonly id: number }
  /** The publisher has reconnected, perhaps without an interruption having been reported. */
  | { readonly kind: 'resumed' }
  /** The viewer clicked retry. */
  | { readonly kind: 'retry' };

/** Waits between rounds. The first is long enough for the room to report the end of the broadcast. */
const RETRY_MS: readonly number[] = [1_500, 3_000, 5_000, 8_000];
/** `Retry-After` of a full server. */
const RETRY_FULL_MS = 5_000;
/** Waits before the preferred transport is tried again behind the other one. */
const UPGRADE_MS: readonly number[] = [15_000, 30_000, 60_000, 120_000, 300_000];
/** The server retains the end of a broadcast for 32 s; no player is further behind. */
const FINISH_MS = 30_000;
/** After this many refused tokens in a row the viewer may not watch; fewer may be a matter of timing. */
const MAX_DENIALS = 3;

const OTHER: Readonly<Record<Via, Via>> = { webrtc: 'hls', hls: 'webrtc' };

export const initialState = (
  preference: PlayerState,
  browser: Readonly<Record<Via, boolean>>,
  isOnline: boolean,
): PlaybackState => ({
  preference,
  browser,
  can: browser,
  shown: null,
  trial: null,
  isFinishing: false,
  tried: [],
  rounds: 0,
  denials: 0,
  upgrades: 0,
  conditions: {
    stream: null,
    isAway: false,
    isOnline,
    isHalted: false,
    mayFinish: false,
    isPinned: false,
  },
  timer: null,
  lastFailure: null,
  end: null,
  nudges: 0,
  lastId: 0,
});

/** Whether there is a stream to play and playback is not paused. */
export const isWanted = (
  { conditions }: PlaybackState,
): boolean => conditions.stream !== null && !conditions.isHalted;

/** The reducer of the player. Events of ended sessions and timers change nothing. */
export function reducePlayback(state: PlaybackState, event: PlaybackEvent): PlaybackState {
  switch (event.kind) {
    case 'conditions':
      return changeConditions(state, { ...state.conditions, ...event.conditions });
    case 'preference':
      return changePreference(state, event.preference);
    case 'progress':
      return applyProgress(state, event.id, event.progress);
    case 'failed':
      return applyFailure(state, event.id, event.why);
    case 'finished':
      return state.isFinishing && state.shown?.id === event.id ? stopped(state) : state;
    case 'cannot':
      return ruleOut(state, event.via);
    case 'timer':
      return state.timer?.id === event.id ? timerFired(state, state.timer) : state;
    case 'resumed':
      return isWanted(state) && !state.conditions.isAway ? resume(state) : state;
    case 'retry':
      return isWanted(state) && state.shown === null ? startNext(reset(state)) : state;
  }
}

/** Forgets all failures. */
const reset = (state: PlaybackState): PlaybackState => ({
  ...state,
  can: state.browser,
  isFinishing: false,
  tried: [],
  rounds: 0,
  denials: 0,
  upgrades: 0,
  end: null,
  timer: null,
  lastFailure: null,
});

const stopped = (state: PlaybackState): PlaybackState => ({ ...reset(state), shown: null, trial: null });

const running = (id: number, via: Via, { quality }: PlayerState): Running => ({
  id,
  via,
  quality,
  phase: 'connecting',
  isSteady: false,
});

/** Starts the next session: the preferred transport first, then the other, then a wait. */
function startNext(state: PlaybackState): PlaybackState {
  const bare: PlaybackState = { ...state, shown: null, trial: null, timer: null };
  const first = state.preference.streamType;
  const transports = [first, OTHER[first]].filter((via) => state.can[via]);
  if (transports.length === 0) return { ...bare, end: 'unsupported' };
  const next = transports.find((via) => !state.tried.includes(via));
  if (next === undefined) return waitForRetry(bare);
  const id = state.lastId + 1;
  return { ...bare, shown: running(id, next, state.preference), lastId: id };
}

/** Waits for the next round, longer each time. */
function waitForRetry(state: PlaybackState): PlaybackState {
  const waitMs = delayAt(RETRY_MS, state.rounds);
  const afterMs = state.lastFailure === 'full' ? Math.max(waitMs, RETRY_FULL_MS) : waitMs;
  return withTimer(
    { ...state, shown: null, trial: null, tried: [], rounds: state.rounds + 1 },
    'retry',
    afterMs,
  );
}

const delayAt = (steps: readonly number[], at: number): number =>
  steps[Math.min(at, steps.length - 1)] as number;

function withTimer(state: PlaybackState, kind: RetryTimer['kind'], afterMs: number): PlaybackState {
  const id = state.lastId + 1;
  return { ...state, timer: { id, kind, afterMs }, lastId: id };
}

/** Whether the shown session is not the preferred one, though that may be available. */
const isBelowPreference = ({ shown, preference, can }: PlaybackState): boolean =>
  shown !== null
  && ((
    shown.via !== preference.streamType && can[preference.streamType]
  ) || shown.quality !== preference.quality);

/** Sets the timer for an upgrade to the preference, unless that is already playing. */
function scheduleUpgrade(state: PlaybackState): PlaybackState {
  if (state.shown?.phase !== 'playing' || state.trial !== null) return { ...state, timer: null };
  if (!isBelowPreference(state) || state.conditions.isPinned) return { ...state, timer: null };
  return withTimer(state, 'upgrade', delayAt(UPGRADE_MS, state.upgrades));
}

/** Starts the preferred session behind the playing one. */
function startTrial(state: PlaybackState): PlaybackState {
  const { preference, can, shown } = state;
  const via = can[preference.streamType] ? preference.streamType : (
    shown?.via ?? OTHER[preference.streamType]
  );
  const id = state.lastId + 1;
  return { ...state, trial: running(id, via, preference), timer: null, lastId: id };
}

/**
 * Whether the rest of an ended stream is played: a player over HLS is seconds behind, and the viewer could
 * watch the stream freely until its end.
 */
const isLeftToPlay = ({ conditions: before, shown, isFinishing }: PlaybackState, now: Conditions): boolean =>
  now.stream === null && !now.isHalted && before.mayFinish && now.mayFinish
  && (isFinishing || !before.isAway) && shown?.via === 'hls' && shown.phase === 'playing';

const finish = (state: PlaybackState): PlaybackState => (state.isFinishing
  ? state
  : withTimer({ ...reset(state), trial: null, isFinishing: true }, 'end', FINISH_MS));

function changeConditions(before: PlaybackState, conditions: Conditions): PlaybackState {
  const state: PlaybackState = { ...before, conditions };
  if (!isWanted(state)) return isLeftToPlay(before, conditions) ? finish(state) : stopped(state);
  const isOther = conditions.stream !== before.conditions.stream;
  if (!isWanted(before) || isOther) return startNext(reset(state));
  if (before.conditions.isAway && !conditions.isAway) return resume(state);
  const isBack = conditions.isOnline && !before.conditions.isOnline;
  if (isBack && state.shown === null && state.end === null && !conditions.isAway) {
    return startNext(
      reset(state),
    );
  }
  const isPlaying = state.shown?.phase === 'playing';
  return isPlaying && conditions.isPinned !== before.conditions.isPinned
    ? scheduleUpgrade(
      { ...state, trial: null },
    )
    : state;
}

/** The publisher is back: the session must prove that frames arrive, or a new one starts at once. */
function resume(state: PlaybackState): PlaybackState {
  if (state.shown === null) return startNext(reset(state));
  // A session without a frame has its own timeout.
  if (state.shown.phase !== 'playing') return state;
  // A failure now is the publisher's, so the same transport is retried.
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
  // Picture-in-picture closes either way, so the session restarts at once.
  return state.conditions.isPinned ? startNext({ ...asked, tried: [] }) : startTrial(asked);
}

function applyProgress(
  state: PlaybackState,
  id: number,
  progress: 'waiting' | 'playing' | 'steady',
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
  if (state.isFinishing) return stopped(state);
  const failed: PlaybackState = { ...state, lastFailure: why };
  // The trial is further along than a new session would be.
  if (state.trial !== null) return { ...failed, shown: state.trial, trial: null, timer: null };
  // Nothing is retried until the room reports that the publisher is back.
  if (state.conditions.isAway) return { ...failed, shown: null, timer: null };
  switch (why) {
    case 'codec':
      return startNext({ ...failed, can: { ...state.can, [shown.via]: false } });
    case 'denied': {
      const denials = state.denials + 1;
      if (denials >= MAX_DENIALS) return { ...failed, denials, shown: null, timer: null, end: 'refused' };
      return waitForRetry({ ...failed, denials });
    }
    // Another transport would not help.
    case 'offline':
    case 'network':
      return waitForRetry(failed);
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

/** Excludes a transport for this stream. */
function ruleOut(state: PlaybackState, via: Via): PlaybackState {
  if (!state.can[via]) return state;
  const left: PlaybackState = { ...state, can: { ...state.can, [via]: false } };
  if (left.trial?.via === via) return scheduleUpgrade({ ...left, trial: null });
  if (left.shown?.via === via) return applyFailure(left, left.shown.id, 'codec');
  return left.timer?.kind === 'upgrade' ? scheduleUpgrade(left) : left;
}

function timerFired(state: PlaybackState, { kind }: RetryTimer): PlaybackState {
  const fired: PlaybackState = { ...state, timer: null };
  if (kind === 'end') return stopped(fired);
  if (kind === 'retry') return startNext(fired);
  return isBelowPreference(fired) ? startTrial(fired) : fired;
}

/** What the player shows; `data-phase` in the page. */
export type DisplayState =
  /** Nothing to play. */
  | 'idle'
  | 'paused'
  | 'away'
  | 'connecting'
  | 'waiting'
  | 'playing'
  | 'lost'
  | 'full'
  /** This device is offline. */
  | 'unplugged'
  /** No transport connects, however often they are tried. */
  | 'blocked'
  | 'refused'
  | 'unsupported';

export function displayStateOf(
  { conditions, shown, isFinishing, end, lastFailure, rounds }: PlaybackState,
): DisplayState {
  if (isFinishing) return 'playing';
  if (conditions.stream === null) return 'idle';
  if (conditions.isHalted) return 'paused';
  if (end !== null) return end;
  if (conditions.isAway) return 'away';
  // Shown for as long as it is true, not only between two attempts.
  if (lastFailure === 'blocked' && rounds > 0 && shown?.phase !== 'playing') return 'blocked';
  if (shown !== null) return shown.phase;
  if (lastFailure === 'full') return 'full';
  return lastFailure === 'network' && !conditions.isOnline ? 'unplugged' : 'lost';
}
