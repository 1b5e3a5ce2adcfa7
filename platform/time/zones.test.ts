import { expect, it } from 'vitest';
import { dayIn, dayStartsAt, isTimeZone } from './zones.ts';

it('a time zone is one of the database, by its name', () => {
  const real = ['UTC', 'Europe/Bucharest', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'];
  expect(real.filter(isTimeZone)).toEqual(real);
  const none = ['', 'Mars/Olympus', '+01:00', 'Europe/', 'Europe/Berlin\0', 'Europe/Berlin\n', '<b>'];
  expect(none.filter(isTimeZone)).toEqual([]);
});

it('a day begins at midnight of its zone, or when the clocks have jumped over that', () => {
  const startOf = (day: string, zone: string) => new Date(dayStartsAt(day, zone)).toISOString();
  expect(startOf('2026-07-01', 'America/New_York')).toBe('2026-07-01T04:00:00.000Z');
  expect(startOf('2026-01-01', 'America/New_York')).toBe('2026-01-01T05:00:00.000Z');
  expect(startOf('2026-01-01', 'Asia/Kolkata')).toBe('2025-12-31T18:30:00.000Z');
  expect(startOf('2026-01-01', 'UTC')).toBe('2026-01-01T00:00:00.000Z');
  // Clocks in Cairo go from midnight to one o'clock.
  expect(startOf('2026-04-24', 'Africa/Cairo')).toBe('2026-04-23T22:00:00.000Z');
});

it('an instant has its day in a zone', () => {
  const at = Date.parse('2026-01-01T03:00:00Z');
  expect(dayIn('America/New_York', at)).toBe('2025-12-31');
  expect(dayIn('UTC', at)).toBe('2026-01-01');
  expect(dayIn('Asia/Tokyo', at)).toBe('2026-01-01');
});
