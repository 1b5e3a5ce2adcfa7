/**
 * The picker offers people of these ages by year; the server checks the exact date (spec/readings.md, Age).
 */
const YOUNGEST_OFFERED = 18;
const OLDEST_OFFERED = 99;

/** Years to choose from, latest first. */
export const yearsOf = (thisYear: number): number[] =>
  Array.from({ length: OLDEST_OFFERED - YOUNGEST_OFFERED + 1 }, (_, at) => thisYear - YOUNGEST_OFFERED - at);

/**
 * Days of a month in the Gregorian calendar. Without a year February has 29, without a month there are 31.
 */
export function daysIn(year: number | null, month: number | null): number {
  if (month === null) return 31;
  if (month === 2) return year === null || isLeap(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

export interface ChosenDate {
  readonly year: number | null;
  readonly month: number | null;
  readonly day: number | null;
}

/** Clears a day that the month does not have. */
export function withParts(before: ChosenDate, change: Partial<ChosenDate>): ChosenDate {
  const next = { ...before, ...change };
  return next.day !== null && next.day > daysIn(next.year, next.month) ? { ...next, day: null } : next;
}

/** ISO date, or an empty text until all three are chosen. */
export function isoDate({ year, month, day }: ChosenDate): string {
  if (year === null || month === null || day === null) return '';
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}
