import { DAY_MS } from '#platform/time/units.ts';

/** What was watched counts half as much after this long: tastes change within weeks. */
export const HALF_LIFE_MS = 21 * DAY_MS;
/** A performer or tag not watched for this long is deleted: little of it is left to count. */
export const LEARNED_MS = 90 * DAY_MS;
/** A shorter stay says nothing of somebody's taste: they looked in and left. */
export const MIN_LEARNED_STAY_MS = 10_000;
/** One stay counts this much at most: a tab that was left open is not watched. */
export const MAX_STAY_SECONDS = 3_600;
/** One performer or tag counts this much at most, so that it can be outweighed by what one likes next. */
export const MAX_LEARNED_SECONDS = 10 * 3_600;
/** Performers and tags learned of one person; of more, those watched longest ago leave. */
export const MAX_LEARNED = { performers: 200, tags: 100 } as const;

/** Time watched, as of a moment; both in the unit of the name. */
export interface Learned {
  readonly seconds: number;
  readonly countedUntil: Date;
}

/** What is left of it now. */
export const secondsNow = ({ seconds, countedUntil }: Learned, now: Date): number =>
  seconds * 0.5 ** (Math.max(0, now.getTime() - countedUntil.getTime()) / HALF_LIFE_MS);

/**
 * Seconds that a stay which ends now adds: not what another tab counted, nor what was before something was
 * cleared or turned on. Zero for one that is too short.
 */
export function staySeconds(since: Date, now: Date, notBefore: readonly (Date | null | undefined)[]): number {
  const from = Math.max(since.getTime(), ...notBefore.map((at) => at?.getTime() ?? 0));
  const ms = now.getTime() - from;
  return ms < MIN_LEARNED_STAY_MS ? 0 : Math.min(MAX_STAY_SECONDS, Math.floor(ms / 1_000));
}

/** What is learned once a stay ends. */
export const learnedAfter = (before: Learned | undefined, seconds: number, now: Date): Learned => ({
  seconds: Math.min(MAX_LEARNED_SECONDS, (before ? secondsNow(before, now) : 0) + seconds),
  countedUntil: now,
});
