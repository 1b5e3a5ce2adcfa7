import { DAY_MS } from './units.ts';

const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+){0,2}$/u;

/** Whether the time zone database has a zone of this name, e.g. `Europe/Bucharest`. */
export function isTimeZone(name: string): boolean {
  if (!ZONE_NAME.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** A time zone as a function: from an instant to the local time there, both in milliseconds. */
export function wallClockOf(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (instant) => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  };
}

/**
 * The instant of a local time. Of a time that occurs twice, when clocks go back, the first; a time that is
 * skipped, when they go forward, is later by the length of the jump (as in `Temporal`).
 */
export function instantOf(shown: number, wallClock: (instant: number) => number): number {
  const offsetAt = (instant: number): number => wallClock(instant) - instant;
  const before = offsetAt(shown - DAY_MS);
  const after = offsetAt(shown + DAY_MS);
  const fits = [shown - before, shown - after].filter((instant) => wallClock(instant) === shown);
  return fits.length > 0 ? Math.min(...fits) : shown - before;
}

/** When a day (`YYYY-MM-DD`) begins in a time zone, in milliseconds since 1970. */
export const dayStartsAt = (day: string, timeZone: string): number =>
  instantOf(Date.parse(`${day}T00:00:00Z`), wallClockOf(timeZone));

/** The day of an instant in a time zone, `YYYY-MM-DD`. */
export const dayIn = (timeZone: string, atMs: number): string =>
  new Date(wallClockOf(timeZone)(atMs)).toISOString().slice(0, 10);
