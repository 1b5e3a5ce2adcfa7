import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayOf, nextDay, startOfDay } from './days.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './units.ts';

describe('the UTC day of an instant', () => {
  it('begins and ends at midnight', () => {
    expect(dayOf(new Date('2026-01-15T23:59:59.999Z'))).toBe('2026-01-15');
    expect(dayOf(new Date('2026-01-16T00:00:00Z'))).toBe('2026-01-16');
    expect(startOfDay(new Date('2024-02-29T00:00:00Z')).toISOString()).toBe('2024-02-29T00:00:00.000Z');
    expect(nextDay(new Date('2026-12-31T12:00:00Z')).toISOString()).toBe('2027-01-01T00:00:00.000Z');
  });

  it('holds for every instant, before 1970 too', () => {
    const instants = fc.date({ min: new Date(-8e12), max: new Date(8e12), noInvalidDate: true });
    fc.assert(fc.property(instants, (at) => {
      const [start, end] = [startOfDay(at), nextDay(at)];
      expect(start <= at && at < end).toBe(true);
      expect(end.getTime() - start.getTime()).toBe(DAY_MS);
      expect(start.toISOString()).toBe(`${dayOf(at)}T00:00:00.000Z`);
    }));
  });
});

it('units are what they say', () => {
  expect([SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS]).toEqual([1_000, 60_000, 3_600_000, 86_400_000]);
});
