import { DAY_MS } from '#platform/time/units.ts';

/** Half-life of watch time: tastes change within weeks. */
export const HALF_LIFE_MS = 21 * DAY_MS;
/** A performer or tag not watched for this long is deleted: little of its time still counts. */
export const LEARNED_MS = 90 * DAY_MS;
/** A shorter stay says nothing about taste: the viewer looked in and left. */
export const MIN_LEARNED_STAY_MS = 10_000;
/** Longest time that one stay adds: an open tab is not necessarily watched. */
export const MAX_STAY_SECONDS = 3_600;
/** Longest time per performer or tag, so that new tastes can outweigh it. */
export const MAX_LEARNED_SECONDS = 10 * 3_600;
/** Performers and tags learned per person; beyond this, those watched longest ago are removed. */
export const MAX_LEARNED = { performers: 200, tags: 100 } as const;

/** Watch time as of a moment; units as in the names. */
export interface Learned {
  readonly seconds: number;
  readonly countedUntil: Date;
}

/** The part that still counts now. */
export const secondsNow = ({ seconds, countedUntil }: Learned, now: Date): number =>
  seconds * 0.5 ** (Math.max(0, now.getTime() - countedUntil.getTime()) / HALF_LIFE_MS);

/**
 * Seconds that a stay which ends now adds, without time that another tab counted or that precedes clearing or
 * turning on. Zero for a stay that is too short.
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
