import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';

/** A room not visited for this long leaves the history. */
export const HISTORY_MS = 90 * DAY_MS;
/** Performers in one person's history; beyond this the oldest are removed. */
export const MAX_HISTORY = 500;
/** Performers on one page of the history. */
export const HISTORY_PAGE = 48;
/** Returning within this time writes nothing: a reload or a lost connection does not begin a new visit. */
export const SAME_VISIT_MS = MINUTE_MS;
/** A shorter stay adds no watch time. */
export const MIN_STAY_MS = 1_000;

/** Cursor of a history page: the last performer of the previous page, and when they were last seen. */
export interface HistoryCursor {
  readonly at: Date;
  readonly performerId: number;
}
export const HISTORY_CURSOR = /^(\d{1,15})-(\d{1,15})$/u;

export const cursorText = ({ at, performerId }: HistoryCursor): string => `${at.getTime()}-${performerId}`;

/** Null for a text that is not a cursor. */
export function cursorOf(text: string): HistoryCursor | null {
  const [, at, performerId] = HISTORY_CURSOR.exec(text) ?? [];
  return at === undefined ? null : { at: new Date(Number(at)), performerId: Number(performerId) };
}
