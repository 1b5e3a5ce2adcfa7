import { DAY_MS } from '#platform/time/units.ts';

/** A viewer's vote on a performer on one UTC day (spec 2 §3.11). */
export const RATINGS_TODAY = ['RATE_NO', 'RATE_UP', 'RATE_DOWN'] as const;
export type RatingToday = (typeof RATINGS_TODAY)[number];
export const VOTES = ['RATE_UP', 'RATE_DOWN'] as const satisfies readonly RatingToday[];
export type Vote = (typeof VOTES)[number];

/** Tokens that a viewer must have tipped the performer in the last 24 h to rate (spec 2 §5, readings.md). */
export const TIPS_TO_RATE = 25;
/** Votes are counted for this long: performers change. */
export const VOTES_COUNT_MS = 90 * DAY_MS;
/** One or two votes say more about the voters than about the performer. */
const MIN_RATERS = 3;
/** The best rating; the worst is 0. */
const MAX_RATING = 5;

/** The newest votes on a performer, one per viewer. */
export interface Votes {
  readonly up: number;
  readonly down: number;
}

/** The rating from votes, 0 to {@link MAX_RATING} with one decimal; null for too few. */
export function ratingOf({ up, down }: Votes): number | null {
  const count = up + down;
  return count < MIN_RATERS ? null : Math.round((up / count) * MAX_RATING * 10) / 10;
}

/** Pause between two reminders, in milliseconds: 86,400 of them, as spec 2 §9 says. */
export const REMINDER_PAUSE_MS = 86_400;
/** The cookie with the time of the last reminder, in milliseconds since 1970. */
export const REMINDER_COOKIE = 'rating_reminder';

/** Whether to remind a viewer: they tipped enough, have not rated, and were not reminded recently. */
export const isReminded = (
  { recentTips, rateToday, remindedAtMs, nowMs }: {
    readonly recentTips: number;
    readonly rateToday: RatingToday;
    readonly remindedAtMs: number | null;
    readonly nowMs: number;
  },
): boolean =>
  recentTips >= TIPS_TO_RATE && rateToday === 'RATE_NO'
  && (remindedAtMs === null || Math.abs(nowMs - remindedAtMs) >= REMINDER_PAUSE_MS);
