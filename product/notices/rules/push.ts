import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/time/units.ts';

/** Pages report a registration at most this often (spec 1 §4, §9). */
const REPORT_EVERY_MS = HOUR_MS;

/** What a browser stores about its last report: the person, and the time in ms since 1970. */
export const reportMade = (personId: number, nowMs: number): string => `${personId} ${nowMs}`;

/**
 * Whether a page should report its registration now. The first report of the next person at a browser ends
 * the former person's push.
 * @param last text of {@link reportMade}; null for none
 */
export function isReportDue(last: string | null, personId: number, nowMs: number): boolean {
  const [by, at] = (last ?? '').split(' ').map(Number);
  if (by !== personId || at === undefined || Number.isNaN(at)) return true;
  return at > nowMs || nowMs - at >= REPORT_EVERY_MS;
}

/** Browsers of one person; with more, the oldest are forgotten ones. */
export const MAX_BROWSERS = 10;
/** Browsers that have not reported for so long count as gone. */
export const UNREPORTED_MS = 60 * DAY_MS;
/** Longest endpoint of a browser's push service, with room to spare. */
export const MAX_ENDPOINT_LENGTH = 600;
/** How long a push service holds a message for an offline browser: later the performer is no longer live. */
export const PUSH_TTL_SECONDS = 4 * 3600;
/** Waits before a push message is tried again; later it would be no news. */
const PUSH_WAITS_MS: readonly number[] = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS];
export const pushWaitMs = (failures: number): number | null => PUSH_WAITS_MS[failures - 1] ?? null;

/** What a push message carries, encrypted; the service worker shows it. */
export interface PushMessage {
  readonly title: string;
  readonly body: string;
  /** A path on this site, where a click leads. */
  readonly link: string;
}
