import { MINUTES_PER_DAY } from '../rules.ts';

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/u;

/** Minutes after midnight of `20:30`; null if it is not a time. */
export function minuteOf(clock: string): number | null {
  const [, hours, minutes] = TIME.exec(clock) ?? [];
  return hours === undefined || minutes === undefined ? null : Number(hours) * 60 + Number(minutes);
}

/** What a clock shows this many minutes after midnight, also past the next midnight. */
export function clockOf(minute: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(Math.floor(minute / 60) % 24)}:${two(minute % 60)}`;
}

/** From one time to the next occurrence of the other: equal times are a whole day apart. */
export function minutesBetween(from: string, to: string): number | null {
  const [start, end] = [minuteOf(from), minuteOf(to)];
  if (start === null || end === null) return null;
  return (end - start + MINUTES_PER_DAY) % MINUTES_PER_DAY || MINUTES_PER_DAY;
}

/** The names of the days in a language, Monday first. */
export function weekdays(locale: string): readonly string[] {
  const format = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' });
  // The first day of 2024 was a Monday.
  return [1, 2, 3, 4, 5, 6, 7].map((day) => format.format(Date.UTC(2024, 0, day)));
}
