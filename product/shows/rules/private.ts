import { DAY_MS, MINUTE_MS, SECOND_MS } from '#platform/time/units.ts';
import { DEFAULT_SETTINGS } from '#product/accounts/rules/settings.ts';
import { DEFAULT_END_REASON, secondsFor } from './meter.ts';

/** Phases of a private show, from the request on. */
export const PHASES = [
  'requested', 'declined', 'expired', 'withdrawn', 'starting', 'running', 'ended',
] as const;
export type Phase = (typeof PHASES)[number];
/** Why a show ended (spec 3 §4). */
export const END_REASONS = ['model_ended', 'out_of_tokens', 'unpublish', 'user_ended', 'user_left'] as const;
export type EndReason = (typeof END_REASONS)[number];

/** Whether one of the two ended a show: while it starts, it does not fail for want of a picture then. */
export const isByOneOfThem = (reason: EndReason): boolean =>
  reason === 'model_ended' || reason === 'user_ended';

/** A request waits this long for its answer: longer, and the viewer has left. */
export const REQUEST_MS = 120 * SECOND_MS;
/** Without a picture for the viewer after this time nobody pays and the show is over. */
export const START_MS = 30 * SECOND_MS;
/** Tokens a minute of a performer who offers private shows and has named no price (spec 1 §1, §9). */
export const DEFAULT_PRIVATE_PRICE: number = DEFAULT_SETTINGS.private_cost;
/** Requests that can wait for one performer: more than she can read in the time one waits. */
export const MAX_REQUESTS = 30;
/** Requests of one viewer that can wait at once: they get one show. */
export const MAX_OWN_REQUESTS = 3;
/** Lines of one page of receipts. */
export const RECEIPTS_PAGE = 40;
/** Shows read at once whose recordings are still to be completed, after a start of the site. */
export const UNFINISHED_PAGE = 100;
/** Highest limit of one show: above it one is no limit. */
export const MAX_LIMIT_TOKENS = 1_000_000;
/** Most tokens that can be asked before the first minute, and be required to start. */
export const MAX_PRE_TIP_TOKENS = 10_000;
export const MAX_TOKENS_TO_START = 10_000;
/** Longest time, in minutes, that a balance must last to start. */
export const MAX_MINIMUM_MINUTES = 30;
/** What a discount takes off, in percent: less is not noticed, more is no price. */
export const MIN_DISCOUNT_PERCENT = 5;
export const MAX_DISCOUNT_PERCENT = 80;
/** A discount has an end that comes: the clock on it is real. */
export const MIN_DISCOUNT_MINUTES = 5;
export const MAX_DISCOUNT_MINUTES = DAY_MS / MINUTE_MS;
/** Keep-alives of a show: one is sent this often, counts nothing, and says that the other is there. */
export const PING_EVERY_MS = 10 * SECOND_MS;
/** Without one for so long the other's page is gone or cut off: two may be lost. */
export const PING_MISSED_MS = 3 * PING_EVERY_MS;

/** Where a private show stands; times in ms since 1970. */
export interface ShowState {
  readonly phase: Phase;
  /** When `requested` or `starting` times out; null in other phases. */
  readonly deadline: number | null;
  /** The first second that counted; null before, and for a show that never began. */
  readonly startedAt: number | null;
  readonly endReason: EndReason | null;
}

export type ShowEvent =
  | { readonly kind: 'accepted' } | { readonly kind: 'declined' } | { readonly kind: 'withdrawn' }
  /** A deadline came. `hasPicture`: the performer's media arrives. */
  | { readonly kind: 'deadline'; readonly hasPicture: boolean }
  /** The first media of the performer reached the viewer. */
  | { readonly kind: 'picture' }
  /** Without a reason it is {@link DEFAULT_END_REASON}. */
  | { readonly kind: 'over'; readonly reason?: EndReason };

export const requestedShow = (nowMs: number): ShowState =>
  ({ phase: 'requested', deadline: nowMs + REQUEST_MS, startedAt: null, endReason: null });

const over = (state: ShowState, phase: Phase, endReason: EndReason | null): ShowState =>
  ({ ...state, phase, deadline: null, endReason });

/**
 * The states of a show: requested → declined, expired or withdrawn, or → starting → running → ended.
 * Nobody pays in `starting`, which ends by itself without a picture. An event that does not belong to a phase
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

/** Versions of the texts that the two agree to, raised when one changes: of the viewer's box,
 * `shows:private.choose.recordingHint`, and of the performer's request, `shows:private.queue.consent`. */
export const VIEWER_CONSENT_VERSION = 2;
export const PERFORMER_CONSENT_VERSION = 2;

/**
 * Where the recording of a private show stands: agreed and not begun; running or off while the show runs;
 * saving until the end of it is known; then ready to be watched, or none. `withdrawn`: its performer deleted
 * it.
 */
export const PRIVATE_RECORDING_STATES = [
  'agreed', 'running', 'off', 'saving', 'ready', 'none', 'withdrawn',
] as const;
export type PrivateRecordingState = (typeof PRIVATE_RECORDING_STATES)[number];

/** Whether a show's recording comes to a state after another one, as the states are listed. */
export function isLaterState(from: PrivateRecordingState | null, to: PrivateRecordingState | null): boolean {
  const at = (state: PrivateRecordingState | null) =>
    (state === null ? -1 : PRIVATE_RECORDING_STATES.indexOf(state));
  return at(to) > at(from);
}

/** The state of a show's recording; null for a show without one. */
export function recordingStateOf({ phase, isAgreed, isWithdrawn, isRecorded, recordedMs }: {
  readonly phase: Phase;
  /** Both have agreed. */
  readonly isAgreed: boolean;
  readonly isWithdrawn: boolean;
  /** Null before it was tried. */
  readonly isRecorded: boolean | null;
  /** Null until the end is known. */
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

/** Where the recording of a private show is watched. */
export const privateRecordingPath = (id: number): string => `/account/shows/recordings/${id}?mode=private`;

/** What a performer offers of private shows, as the room shows it (spec 2 §3.1). */
export interface PrivateOffer {
  readonly isEnabled: boolean;
  readonly pricePerMinuteInToken: number;
  readonly exclusivePricePerMinuteInToken: number;
  readonly isRecordingEnabled: boolean;
  readonly isPreTipEnabled: boolean;
  readonly preTipCost: number;
  readonly isExclusiveEnabled: boolean;
  readonly isWatchPornTogetherEnabled: boolean;
  /** Minutes that a viewer's tokens must last to start. */
  readonly privateMinimumDuration: number;
  readonly minimumTokenToStart: number;
}

/** What a request depends on, beside money. */
export interface RequestConditions {
  readonly chatStatus: string;
  readonly isTicketShowInstalled: boolean;
  readonly isVoyeurCam: boolean;
  readonly isVersusActive: boolean;
  readonly offer: Pick<
    PrivateOffer, 'isEnabled' | 'isExclusiveEnabled' | 'isRecordingEnabled'
  >;
}

/** Why no private show can be requested; the codes of the refusals. */
export const REQUEST_BARS = [
  'private_disabled', 'private_voyeur', 'private_limited_show', 'private_versus', 'private_unavailable',
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

/** What a minute costs now. Exclusive shows have a price of their own and the same discount. */
export const priceNow = (
  offer: Pick<PrivateOffer, 'pricePerMinuteInToken' | 'exclusivePricePerMinuteInToken'>,
  exclusive: boolean, discountPercent: number,
): number => discounted(
  exclusive ? offer.exclusivePricePerMinuteInToken : offer.pricePerMinuteInToken, discountPercent,
);

/** Tokens somebody must have to start a show: the first minute or the minimum, and the tip before it. */
export function tokensToStart(
  { privateMinimumDuration, minimumTokenToStart, isPreTipEnabled, preTipCost }: Pick<
    PrivateOffer, 'privateMinimumDuration' | 'minimumTokenToStart' | 'isPreTipEnabled' | 'preTipCost'
  >, price: number,
): number {
  const minutes = price * Math.max(1, privateMinimumDuration);
  return Math.max(minutes, minimumTokenToStart) + (isPreTipEnabled ? preTipCost : 0);
}

/** What a performer learns of a viewer's tokens: roughly how long they last, and never how many they are. */
export const BALANCE_BANDS = ['up_to_5_minutes', 'up_to_15_minutes', 'up_to_60_minutes', 'longer'] as const;
export type BalanceBand = (typeof BALANCE_BANDS)[number];

export function balanceBand(price: number, tokens: number): BalanceBand {
  const minutes = secondsFor(price, tokens) / 60;
  if (minutes <= 5) return 'up_to_5_minutes';
  if (minutes <= 15) return 'up_to_15_minutes';
  return minutes <= 60 ? 'up_to_60_minutes' : 'longer';
}

/** A video that the two of a show watch together, as it was at a moment. */
export interface Watched {
  /** Of the performer's recording. */
  readonly id: number;
  readonly lengthMs: number;
  readonly positionMs: number;
  readonly isPlaying: boolean;
  /** The moment, in ms since 1970. */
  readonly at: number;
}
/** Farther from where it should be, the video of a page jumps: less is not noticed. */
export const MAX_DRIFT_MS = SECOND_MS;
/** Recordings on one page of those that can be watched together: as many as a dialog holds. */
export const WATCHABLE_PAGE = 20;
/** Highest position in a recording: none is as long. */
export const MAX_POSITION_MS = DAY_MS;

/** Where a video is by now: it plays in real time, and stops at its end. */
export function watchedAt(watched: Watched, nowMs: number): Watched {
  const passed = watched.isPlaying ? Math.max(0, nowMs - watched.at) : 0;
  const positionMs = Math.min(watched.lengthMs, watched.positionMs + passed);
  return {
    ...watched, positionMs, isPlaying: watched.isPlaying && positionMs < watched.lengthMs, at: nowMs,
  };
}

/**
 * What is watched after the performer has chosen a video, or played, paused or moved it.
 * @param before what was watched until now; null for nothing
 * @param change a position or state that is left out stays; another video begins at its beginning and plays
 */
export function changeWatched(before: Watched | null, change: {
  readonly id: number; readonly lengthMs: number; readonly positionMs: number | null;
  readonly isPlaying: boolean | null;
}, nowMs: number): Watched {
  const { id, lengthMs } = change;
  const known = before?.id === id ? watchedAt(before, nowMs) : null;
  const isPlaying = change.isPlaying ?? known?.isPlaying ?? true;
  // Whoever plays a video that is over begins it again.
  const isOver = known !== null && known.positionMs >= lengthMs;
  const stays = known === null || (isOver && change.isPlaying === true) ? 0 : known.positionMs;
  return {
    id, lengthMs, positionMs: Math.min(lengthMs, change.positionMs ?? stays), isPlaying, at: nowMs,
  };
}
/** Whether a room says to viewers that videos can be watched together here (spec 2 §5). */
export const offersWatching = (
  { chatStatus, offer }: { readonly chatStatus: string; readonly offer: Pick<
    PrivateOffer, 'isEnabled' | 'isWatchPornTogetherEnabled'
  >; },
): boolean => offer.isEnabled && offer.isWatchPornTogetherEnabled
  && (chatStatus === 'online' || chatStatus === 'standby');
