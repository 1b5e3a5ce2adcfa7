import type { OwnNamed } from '../listing/named-listings.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { dayOf } from '#platform/time/days.ts';

/** Performers one person can like in a day: more is a program's work. */
export const LIKES_PER_DAY = 50;
/** Places of the most-liked board, and how many rows it looks through for those a viewer may perceive. */
export const LEADERBOARD = 20;
export const BOARD_DEPTH = 3_000;
/** Months whose winners are remembered. */
const PAST_MONTHS = 12;
/** Days of the board of thirty days. */
const BOARD_DAYS = 30;

/** The places a contest counts, and on one page. */
export const CONTEST_PLACES = 2_000;
export const CONTEST_PAGE = 50;
export const MAX_CONTEST_PAGES = CONTEST_PLACES / CONTEST_PAGE;
/** Boards of a contest: this month, of all time with 2,000 places, of the last thirty days. */
export const CONTEST_BOARDS = ['month', 'top2000', '30days'] as const;
export type ContestBoard = (typeof CONTEST_BOARDS)[number];

/** A contest that is data of the site. */
interface Contest {
  readonly slug: OwnNamed;
}
export const CONTESTS: readonly Contest[] = [{ slug: 'sodastars' }];
export const contestOf = (slug: string): Contest | null => CONTESTS.find((one) => one.slug === slug) ?? null;

/** Periods likes are counted in are named by the day, the month or `all`, of UTC. */
export const ALL_TIME = 'all';
export const monthOf = (at: Date): string => dayOf(at).slice(0, 7);

/** The days of the board of thirty days, today included. */
export const boardDays = (now: Date): readonly string[] =>
  Array.from({ length: BOARD_DAYS }, (_, back) => dayOf(new Date(now.getTime() - back * DAY_MS)));

/** The months before this one, newest first. */
export function pastMonths(now: Date): readonly string[] {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return Array.from({ length: PAST_MONTHS }, (_, back) =>
    monthOf(new Date(Date.UTC(year, month - back - 1, 1))));
}
