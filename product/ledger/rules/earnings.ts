import { DAY_MS } from '#platform/time/units.ts';

/** Days of one page of earnings: a month at a glance. */
const EARNINGS_PAGE_DAYS = 31;
/** Listed shows of a day, highest earnings first: nobody reads further, and sums include the rest. */
export const MAX_SHOWS_OF_DAY = 100;

/** The end of a broadcast settles its shows: their last earnings are posted within this time. */
export const LAST_EARNINGS_MS = 10_000;

/** The UTC days of a page: up to the day before `before` (`YYYY-MM-DD`), or up to the end of today. */
export function earningsSpan(before: string | undefined, now: Date): { from: Date; to: Date } {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const to = before === undefined ? today + DAY_MS : Date.parse(before);
  return { from: new Date(to - EARNINGS_PAGE_DAYS * DAY_MS), to: new Date(to) };
}

interface Sum {
  readonly tokens: number;
  readonly count: number;
}

/** The sum of some earnings. */
export const sumOf = (parts: readonly Sum[]): Sum => ({
  tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
  count: parts.reduce((sum, { count }) => sum + count, 0),
});
