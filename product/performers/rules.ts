import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { instantOf, wallClockOf } from '#platform/time/zones.ts';
import { MAX_RATE_TOKENS } from '#product/accounts/rules/settings.ts';
import type { Surface } from '#product/compliance/contract.ts';

/** Regions that have a listing (spec 2 §2.1). */
export const BROWSE_REGIONS = [
  'africa',
  'asia',
  'central-south-america',
  'eastern-europe',
  'europe',
  'usa',
] as const;
export type BrowseRegion = (typeof BROWSE_REGIONS)[number];

/** Age ranges that a performer may show instead of an age. */
export const AGE_RANGES = ['18-22', '23-29', '30-39', '40-49', '50+'] as const;
export type AgeRange = (typeof AGE_RANGES)[number];

/** Optional and self-declared: nobody else sets or guesses it. */
export const ETHNICITIES = ['asian', 'black', 'indian', 'latin', 'middle-eastern', 'mixed', 'white'] as const;
export type Ethnicity = (typeof ETHNICITIES)[number];

/** The kind of a voyeur room; `other` is only in the list of all (spec 2 §2.1). */
export const VOYEUR_ROOMS = ['bedroom', 'kitchen', 'shower', 'other'] as const;
export type VoyeurRoom = (typeof VOYEUR_ROOMS)[number];

/** Places where a performer may be shown, as a page lists them. */
export const SURFACES = [
  'listing',
  'search',
  'room',
  'thumbnail',
  'media',
  'feed',
] as const satisfies readonly Surface[];

/** Prices in tokens a minute. */
export const MIN_RATE = 1;
export const MAX_RATE = MAX_RATE_TOKENS;

/** Longer schedules are of no use to viewers. */
export const MAX_SCHEDULED_TIMES = 21;
export const MINUTES_PER_DAY = 1_440;
/** A shorter time is not worth scheduling. */
export const MIN_SCHEDULED_MINUTES = 15;
/** How many times of a schedule viewers see. */
const MAX_NEXT_TIMES = 7;

/** A weekly time at which a performer plans to be live, in the performer's own time zone. */
export interface ScheduledTime {
  /** 0 is Monday. */
  readonly day: number;
  /** Minutes after midnight; the end may be on the next day, at most 24 hours later. */
  readonly fromMinute: number;
  readonly minutes: number;
}

/** By day and minute, without duplicates: what is stored. */
export function sortedSchedule(schedule: readonly ScheduledTime[]): ScheduledTime[] {
  const startOf = ({ day, fromMinute }: ScheduledTime): number => day * MINUTES_PER_DAY + fromMinute;
  return schedule
    .filter((time, at) =>
      schedule.findIndex((other) => startOf(other) === startOf(time) && other.minutes === time.minutes) === at
    )
    .sort((a, b) => startOf(a) - startOf(b) || a.minutes - b.minutes);
}

/** A time at which a performer plans to be live; milliseconds since 1970. */
export interface NextTime {
  readonly startsAt: number;
  readonly endsAt: number;
}

/**
 * The times of a schedule in the next seven days: the first {@link MAX_NEXT_TIMES}, including a current
 * one. They follow the local time of the zone, also over its changes to and from summer time. Adjacent
 * times are merged.
 */
export function nextTimes(
  schedule: readonly ScheduledTime[],
  timeZone: string | null,
  now: number,
): readonly NextTime[] {
  if (timeZone === null || schedule.length === 0) return [];
  const wallClock = wallClockOf(timeZone);
  const shownNow = wallClock(now);
  const midnight = shownNow - (((shownNow % DAY_MS) + DAY_MS) % DAY_MS);
  const times: NextTime[] = [];
  // A time of yesterday may not be over.
  for (let ahead = -1; ahead <= 7; ahead += 1) {
    const day = midnight + ahead * DAY_MS;
    const weekday = (new Date(day).getUTCDay() + 6) % 7;
    for (const { day: onDay, fromMinute, minutes } of sortedSchedule(schedule)) {
      if (onDay !== weekday) continue;
      const from = day + fromMinute * MINUTE_MS;
      const startsAt = instantOf(from, wallClock);
      const until = instantOf(from + minutes * MINUTE_MS, wallClock);
      // A short time that is skipped by the clocks is not lost: it has its usual length.
      times.push({ startsAt, endsAt: until > startsAt ? until : startsAt + minutes * MINUTE_MS });
    }
  }
  return joined(times).filter(({ startsAt, endsAt }) => endsAt > now && startsAt < now + 7 * DAY_MS)
    .slice(0, MAX_NEXT_TIMES);
}

/** Merges times that overlap or touch. */
function joined(times: readonly NextTime[]): NextTime[] {
  const result: NextTime[] = [];
  for (const time of [...times].sort((a, b) => a.startsAt - b.startsAt)) {
    const last = result.at(-1);
    if (last && time.startsAt <= last.endsAt) {
      result[result.length - 1] = { startsAt: last.startsAt, endsAt: Math.max(last.endsAt, time.endsAt) };
    } else result.push(time);
  }
  return result;
}
