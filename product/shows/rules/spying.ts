import { MINUTE_MS } from '#platform/time/units.ts';
import type { ChatMode, ChatStatus } from '#product/rooms/rules.ts';

/** Free seconds of a performer's private shows for each viewer, once a UTC day. */
export const SPY_PREVIEW_SECONDS = 10;
/** A viewer who tipped the performer within this time pays no tip to start (spec 3 §9). */
const STARTUP_TIP_WINDOW_MS = 10 * MINUTE_MS;
/** Most tokens that starting can cost in addition to the seconds. */
export const MAX_STARTUP_TIP_TOKENS = 10_000;
/** Tokens a minute of a performer who has set no price: a third of the price of a private show. */
export const DEFAULT_SPY_PRICE = 10;
/** Spies on one show at once: each needs a player of its stream and a meter. */
export const MAX_SPIES = 500;
/** Spying ends when fewer tokens are left than this fraction of a minute costs: ten seconds (spec 2 §9). */
const EXIT_PART_OF_MINUTE = 6;

/** Why somebody's spying ended. */
export const SPY_END_REASONS = [
  'show_ended',
  'user_ended',
  'user_left',
  'out_of_tokens',
  'removed',
] as const;
export type SpyEndReason = (typeof SPY_END_REASONS)[number];

/** A performer's offer of spying, as the room shows it (spec 2 §3.1). */
export interface SpyOffer {
  readonly isEnabled: boolean;
  readonly pricePerMinuteInToken: number;
  /** 0 means no tip. */
  readonly startupTipInToken: number;
}

/** What spying depends on, besides money. */
export interface SpyConditions {
  readonly chatStatus: ChatStatus;
  /** The mode in which this viewer takes part in the room. */
  readonly mode: ChatMode;
  readonly isTicketShowInstalled: boolean;
  readonly isExclusive: boolean;
  readonly isEnabled: boolean;
}

/** Why nobody can spy; the codes of the refusals. */
export const SPY_BARS = [
  'spy_not_private',
  'spy_not_public',
  'spy_limited_show',
  'spy_exclusive',
  'spy_disabled',
] as const;
export type SpyBar = (typeof SPY_BARS)[number];

/** Why a viewer cannot spy on a room, or null when they can (spec 2 §5). */
export function barOfSpying(of: SpyConditions): SpyBar | null {
  if (of.chatStatus !== 'private') return 'spy_not_private';
  if (of.mode !== 'public') return 'spy_not_public';
  if (of.isTicketShowInstalled) return 'spy_limited_show';
  if (of.isExclusive) return 'spy_exclusive';
  return of.isEnabled ? null : 'spy_disabled';
}

/** What decides whether spying ends for lack of tokens (spec 2 §4.8). */
export interface SpyFunds {
  /** The viewer has a performer's account. This can't mean the room's owner: they have nothing to spy on. */
  readonly isStreamer: boolean;
  readonly isPreviewRunning: boolean;
  readonly isPostPay: boolean;
  /** Tokens the viewer would have if spying ended now. */
  readonly tokens: number;
  /** Tokens a minute. */
  readonly price: number;
}

/** Whether spying ends because too few tokens are left. */
export const endsSpying = ({ isStreamer, isPreviewRunning, isPostPay, tokens, price }: SpyFunds): boolean =>
  !isStreamer && !isPreviewRunning && !isPostPay && tokens < price / EXIT_PART_OF_MINUTE;

/** Whether a performer asks for a tip to start. */
export const chargesStartupTip = (
  { isEnabled, startupTipInToken }: Pick<SpyOffer, 'isEnabled' | 'startupTipInToken'>,
): boolean => isEnabled && startupTipInToken > 0;

/** Tokens of the tip to start: 0 if none is required, or soon after another tip of this viewer. */
export function startupTipDue(offer: SpyOffer, lastTip: Date | null, now: Date): number {
  const isRecent = lastTip !== null && now.getTime() - lastTip.getTime() < STARTUP_TIP_WINDOW_MS;
  return chargesStartupTip(offer) && !isRecent ? offer.startupTipInToken : 0;
}
