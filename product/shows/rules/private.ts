import { DAY_MS, MINUTE_MS, SECOND_MS } from '#platform/time/units.ts';
import { DEFAULT_SETTINGS } from '#product/accounts/rules/settings.ts';
import { DEFAULT_END_REASON, secondsFor } from './meter.ts';

/** Phases of a private show, from the request on. */
export const PHASES = [
  'requested',
  'declined',
  'expired',
  'withdrawn',
  'starting',
  'running',
  'ended',
] as const;
export type Phase = (typeof PHASES)[number];
/** Why a show ended (spec 3 §4). */
export const END_REASONS = ['model_ended', 'out_of_tokens', 'unpublish', 'user_ended', 'user_left'] as const;
export type EndReason = (typeof END_REASONS)[number];

/**
 * Whether the viewer or the performer ended a show. If it was starting, it did not fail for lack of video.
 */
export const isEndedByParticipant = (reason: EndReason): boolean =>
  reason === 'model_ended' || reason === 'user_ended';

/** A request waits this long for an answer: after that the viewer has left. */
export const REQUEST_MS = 120 * SECOND_MS;
/** If the viewer has no video after this time, the show is over and nobody pays. */
export const START_MS = 30 * SECOND_MS;
/** Tokens a minute of a performer who offers private shows and has set no price (spec 1 §1, §9). */
export const DEFAULT_PRIVATE_PRICE: number = DEFAULT_SETTINGS.private_cost;
/** Pending requests to one performer: more than they can read before a request expires. */
export const MAX_REQUESTS = 30;
/** Pending requests of one viewer: only one can become a show. */
export const MAX_OWN_REQUESTS = 3;
/** Receipts on one page. */
export const RECEIPTS_PAGE = 40;
/** Shows with unfinished recordings that are read at once after a start of the site. */
export const UNFINISHED_PAGE = 100;
/** Highest limit of one show: a higher one would limit nothing. */
export const MAX_LIMIT_TOKENS = 1_000_000;
/** Most tokens that can be required before the first minute, or to start. */
export const MAX_PRE_TIP_TOKENS = 10_000;
export const MAX_TOKENS_TO_START = 10_000;
/** Longest time, in minutes, that a balance can be required to last before a show starts. */
export const MAX_MINIMUM_MINUTES = 30;
/** Percent that a discount takes off: a smaller one is not noticed, a larger one leaves no price. */
export const MIN_DISCOUNT_PERCENT = 5;
export const MAX_DISCOUNT_PERCENT = 80;
/** Every discount ends: its countdown is real. */
export const MIN_DISCOUNT_MINUTES = 5;
export const MAX_DISCOUNT_MINUTES = DAY_MS / MINUTE_MS;
/** Interval of a show's keep-alives. They count nothing and show that the other person is present. */
export const PING_EVERY_MS = 10 * SECOND_MS;
/** Without a keep-alive for this long the other person's page is gone or cut off: two may be lost. */
export const PING_MISSED_MS = 3 * PING_EVERY_MS;

/** The state of a private show; times in ms since 1970. */
export interface ShowState {
  readonly phase: Phase;
  /** When `requested` or `starting` times out; null in other phases. */
  readonly deadline: number | null;
  /** The first second that counted; null before, and for a show that never began. */
  readonly startedAt: number | null;
  readonly endReason: EndReason | null;
}

export type ShowEvent =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'declined' }
  | { readonly kind: 'withdrawn' }
  /** A deadline passed. `hasPicture`: the performer's media arrives. */
  | { readonly kind: 'deadline'; readonly hasPicture: boolean }
  /** The performer's first media reached the viewer. */
  | { readonly kind: 'picture' }
  /** Without a reason, the reason is {@link DEFAULT_END_REASON}. */
  | { readonly kind: 'over'; readonly reason?: EndReason };

export const requestedShow = (nowMs: number): ShowState => ({
  phase: 'requested',
  deadline: nowMs + REQUEST_MS,
  startedAt: null,
  endReason: null,
});

const over = (state: ShowState, phase: Phase, endReason: EndReason | null): ShowState => ({
  ...state,
  phase,
  deadline: null,
  endReason,
});

/**
 * The states of a show: requested → declined, expired or withdrawn, or → starting → running → ended.
 * Nobody pays in `starting`, which ends by itself without video. An event that does not belong to a phase
 * changes nothing, and returns the same object.
 */
export function nextShow(state: ShowState, event: ShowEvent, nowMs: number): ShowState {
  const { phase } = state;
  const isDue = state.deadline !== null && nowMs >= state.deadline;
  if (phase === 'requested') {
    if (event.kind === 'accepted' && !isDue) {
      return { ...state, phase: 'starting', deadline: nowMs + START_MS };
    }
    if (event.kind === 'declined' || event.kind === 'withdrawn') return over(state, event.kind, null);
    return event.kind === 'deadline' && isDue ? over(state, 'expired', null) : state;
  }
  if (phase !== 'starting' && phase !== 'running') return state;
  if (event.kind === 'over') return over(state, 'ended', event.reason ?? DEFAULT_END_REASON);
  if (phase === 'running') return state;
  if (event.kind === 'picture') return { ...state, phase: 'running', deadline: null, startedAt: nowMs };
  if (event.kind !== 'deadline' || !isDue) return state;
  return over(state, 'ended', event.hasPicture ? 'user_left' : 'unpublish');
}

/**
 * Versions of the texts that both agree to, raised when a text changes: the viewer's checkbox,
 * `shows:private.choose.recordingHint`, and the performer's request, `shows:private.queue.consent`.
 */
export const VIEWER_CONSENT_VERSION = 2;
export const PERFORMER_CONSENT_VERSION = 2;

/**
 * State of a private show's recording: agreed but not begun; running or off while the show runs; saving until
 * the recording's end is known; then ready to be watched, or none. `withdrawn`: the performer deleted it.
 */
export const PRIVATE_RECORDING_STATES = [
  'agreed',
  'running',
  'off',
  'saving',
  'ready',
  'none',
  'withdrawn',
] as const;
export type PrivateRecordingState = (typeof PRIVATE_RECORDING_STATES)[number];

/** Whether one state of a recording comes after another, in the order of {@link PRIVATE_RECORDING_STATES}. */
export function isLaterState(from: PrivateRecordingState | null, to: PrivateRecordingState | null): boolean {
  const at = (
    state: PrivateRecordingState | null,
  ) => (state === null ? -1 : PRIVATE_RECORDING_STATES.indexOf(state));
  return at(to) > at(from);
}

/** The state of a show's recording; null for a show without one. */
export function recordingStateOf({ phase, isAgreed, isWithdrawn, isRecorded, recordedMs }: {
  readonly phase: Phase;
  /** Both have agreed. */
  readonly isAgreed: boolean;
  readonly isWithdrawn: boolean;
  /** Null before a recording was tried. */
  readonly isRecorded: boolean | null;
  /** Null until the recording's end is known. */
  readonly recordedMs: number | null;
}): PrivateRecordingState | null {
  if (!isAgreed) return null;
  if (isWithdrawn) return 'withdrawn';
  if (phase === 'ended') {
    if (recordedMs === null) return 'saving';
    return recordedMs > 0 ? 'ready' : 'none';
  }
  if (isRecorded === null) return 'agreed';
  return isRecorded ? 'running' : 'off';
}

/** Page on which the recording of a private show is watched. */
export const privateRecordingPath = (id: number): string => `/account/shows/recordings/${id}?mode=private`;

/** A performer's offer of private shows, as the room shows it (spec 2 §3.1). */
export interface PrivateOffer {
  readonly isEnabled: boolean;
  readonly pricePerMinuteInToken: number;
  readonly exclusivePricePerMinuteInToken: number;
  readonly isRecordingEnabled: boolean;
  readonly isPreTipEnabled: boolean;
  readonly preTipCost: number;
  readonly isExclusiveEnabled: boolean;
  readonly isWatchPornTogetherEnabled: boolean;
  /** Minutes that a viewer's tokens must cover for a show to start. */
  readonly privateMinimumDuration: number;
  readonly minimumTokenToStart: number;
}

/** What a request depends on, besides money. */
export interface RequestConditions {
  readonly chatStatus: string;
  readonly isTicketShowInstalled: boolean;
  readonly isVoyeurCam: boolean;
  readonly isVersusActive: boolean;
  readonly offer: Pick<
    PrivateOffer,
    'isEnabled' | 'isExclusiveEnabled' | 'isRecordingEnabled'
  >;
}

/** Why no private show can be requested; the codes of the refusals. */
export const REQUEST_BARS = [
  'private_disabled',
  'private_voyeur',
  'private_limited_show',
  'private_versus',
  'private_unavailable',
] as const;
export type RequestBar = (typeof REQUEST_BARS)[number];

/** Why a room takes no request for a private show, or null when it does (spec 2 §5). */
export function barOfRequest(of: RequestConditions): RequestBar | null {
  if (!of.offer.isEnabled) return 'private_disabled';
  if (of.isVoyeurCam) return 'private_voyeur';
  if (of.isTicketShowInstalled) return 'private_limited_show';
  if (of.isVersusActive) return 'private_versus';
  return of.chatStatus === 'online' || of.chatStatus === 'standby' ? null : 'private_unavailable';
}

/** A price after a discount, in whole tokens, rounded down and never free. */
export const discounted = (price: number, percent: number): number =>
  Math.max(1, Math.floor((price * (100 - percent)) / 100));

/** The current price of a minute. Exclusive shows have their own price and the same discount. */
export const priceNow = (
  offer: Pick<PrivateOffer, 'pricePerMinuteInToken' | 'exclusivePricePerMinuteInToken'>,
  exclusive: boolean,
  discountPercent: number,
): number =>
  discounted(
    exclusive ? offer.exclusivePricePerMinuteInToken : offer.pricePerMinuteInToken,
    discountPercent,
  );

/** Tokens needed to start a show: the first minute or the required minimum, and the tip before it. */
export function tokensToStart(
  { privateMinimumDuration, minimumTokenToStart, isPreTipEnabled, preTipCost }: Pick<
    PrivateOffer,
    'privateMinimumDuration' | 'minimumTokenToStart' | 'isPreTipEnabled' | 'preTipCost'
  >,
  price: number,
): number {
  const minutes = price * Math.max(1, privateMinimumDuration);
  return Math.max(minutes, minimumTokenToStart) + (isPreTipEnabled ? preTipCost : 0);
}

/** What a performer learns about a viewer's tokens: roughly how long they last, never how many there are. */
export const BALANCE_BANDS = ['up_to_5_minutes', 'up_to_15_minutes', 'up_to_60_minutes', 'longer'] as const;
export type BalanceBand = (typeof BALANCE_BANDS)[number];

export function balanceBand(price: number, tokens: number): BalanceBand {
  const minutes = secondsFor(price, tokens) / 60;
  if (minutes <= 5) return 'up_to_5_minutes';
  if (minutes <= 15) return 'up_to_15_minutes';
  return minutes <= 60 ? 'up_to_60_minutes' : 'longer';
}

/** The state, at one moment, of a video that both people in a show watch together. */
export interface Watched {
  /** Id of the performer's recording. */
  readonly id: number;
  readonly lengthMs: number;
  readonly positionMs: number;
  readonly isPlaying: boolean;
  /** That moment, in ms since 1970. */
  readonly at: number;
}
/** A page's video seeks when it is off by more than this: a smaller difference is not noticed. */
export const MAX_DRIFT_MS = SECOND_MS;
/** Recordings on one page of the choice of videos: as many as fit in a dialog. */
export const WATCHABLE_PAGE = 20;
/** Highest position in a recording: no recording is that long. */
export const MAX_POSITION_MS = DAY_MS;

/** Current position of a video: it plays in real time, and stops at its end. */
export function watchedAt(watched: Watched, nowMs: number): Watched {
  const passed = watched.isPlaying ? Math.max(0, nowMs - watched.at) : 0;
  const positionMs = Math.min(watched.lengthMs, watched.positionMs + passed);
  return {
    ...watched,
    positionMs,
    isPlaying: watched.isPlaying && positionMs < watched.lengthMs,
    at: nowMs,
  };
}

/**
 * What is watched after the performer has chosen, played, paused or moved a video.
 * @param before what was watched until now; null for nothing
 * @param change omitted fields stay as they are; another video plays from its beginning
 */
export function changeWatched(before: Watched | null, change: {
  readonly id: number;
  readonly lengthMs: number;
  readonly positionMs: number | null;
  readonly isPlaying: boolean | null;
}, nowMs: number): Watched {
  const { id, lengthMs } = change;
  const known = before?.id === id ? watchedAt(before, nowMs) : null;
  const isPlaying = change.isPlaying ?? known?.isPlaying ?? true;
  // Playing a video that has ended starts it from the beginning.
  const isOver = known !== null && known.positionMs >= lengthMs;
  const stays = known === null || (isOver && change.isPlaying === true) ? 0 : known.positionMs;
  return {
    id,
    lengthMs,
    positionMs: Math.min(lengthMs, change.positionMs ?? stays),
    isPlaying,
    at: nowMs,
  };
}
/** Whether a room shows viewers that videos can be watched together here (spec 2 §5). */
export const offersWatching = (
  { chatStatus, offer }: {
    readonly chatStatus: string;
    readonly offer: Pick<
      PrivateOffer,
      'isEnabled' | 'isWatchPornTogetherEnabled'
    >;
  },
): boolean =>
  offer.isEnabled && offer.isWatchPornTogetherEnabled
  && (chatStatus === 'online' || chatStatus === 'standby');
