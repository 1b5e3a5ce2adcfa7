import { DAY_MS } from '#platform/time/units.ts';

/** Days of one page of earnings: a month at a glance. */
const EARNINGS_PAGE_DAYS = 31;
/** Shows listed of a day, most first: beyond that nobody reads on, and sums have the rest. */
export const MAX_SHOWS_OF_DAY = 100;

/** The end of a broadcast settles the shows that it ends: what they bring last is posted within so long. */
export const LAST_EARNINGS_MS = 10_000;

/** The UTC days of a page: up to before a day (`YYYY-MM-DD`), or up to the end of today. */
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
