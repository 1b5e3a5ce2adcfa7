import { dayOf } from '#platform/time/days.ts';
import { DAY_MS } from '#platform/time/units.ts';
import type { OwnNamed } from '../listing/named-listings.ts';

/** Performers one person can like in a day: only a program would like more. */
export const LIKES_PER_DAY = 50;
/** Positions of the most-liked board, and rows it examines to find performers the viewer may perceive. */
export const LEADERBOARD = 20;
export const BOARD_DEPTH = 3_000;
/** Months whose winners are retained. */
const PAST_MONTHS = 12;
/** Days that the 30-day board covers. */
const BOARD_DAYS = 30;

/** Positions of a contest board, and on one page of it. */
export const CONTEST_PLACES = 2_000;
export const CONTEST_PAGE = 50;
export const MAX_CONTEST_PAGES = CONTEST_PLACES / CONTEST_PAGE;
/** Boards of a contest: this month, all time with 2,000 positions, the last thirty days. */
export const CONTEST_BOARDS = ['month', 'top2000', '30days'] as const;
export type ContestBoard = (typeof CONTEST_BOARDS)[number];

/** A contest defined by the site's data. */
interface Contest {
  readonly slug: OwnNamed;
}
export const CONTESTS: readonly Contest[] = [{ slug: 'sodastars' }];
export const contestOf = (slug: string): Contest | null => CONTESTS.find((one) => one.slug === slug) ?? null;

/** Likes are counted per day, per month and in `all`, in UTC. */
export const ALL_TIME = 'all';
export const monthOf = (at: Date): string => dayOf(at).slice(0, 7);

/** The days of the 30-day board, including today. */
export const boardDays = (now: Date): readonly string[] =>
  Array.from({ length: BOARD_DAYS }, (_, back) => dayOf(new Date(now.getTime() - back * DAY_MS)));

/** The months before this one, newest first. */
export function pastMonths(now: Date): readonly string[] {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return Array.from(
    { length: PAST_MONTHS },
    (_, back) => monthOf(new Date(Date.UTC(year, month - back - 1, 1))),
  );
}
