import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { daysIn, isoDate, withParts, yearsOf } from './birth-dates.ts';

const years = fc.integer({ min: 1900, max: 2100 });
const months = fc.integer({ min: 1, max: 12 });
const days = fc.integer({ min: 1, max: 31 });

describe('birth date picker', () => {
  it('offers the years of people from 18 to 99, the youngest first', () => {
    fc.assert(fc.property(years, (year) => {
      const offered = yearsOf(year);
      expect([offered[0], offered.at(-1), offered.length]).toEqual([year - 18, year - 99, 82]);
    }));
  });

  it('offers the days of every month as in the calendar', () => {
    fc.assert(fc.property(years, months, (year, month) => {
      expect(daysIn(year, month)).toBe(new Date(Date.UTC(year, month, 0)).getUTCDate());
    }));
  });

  it('has a value only when all three are chosen, and then an ISO date', () => {
    expect(isoDate({ year: 1990, month: 2, day: null })).toBe('');
    expect(isoDate({ year: null, month: 2, day: 3 })).toBe('');
    expect(isoDate({ year: 1990, month: 2, day: 3 })).toBe('1990-02-03');
  });

  it('never holds a day its month does not have', () => {
    const part = <T>(values: fc.Arbitrary<T>) => fc.option(values);
    fc.assert(fc.property(
      fc.array(fc.record({ year: part(years), month: part(months), day: part(days) }, { requiredKeys: [] })),
      (changes) => {
        let chosen = withParts({ year: null, month: null, day: null }, {});
        for (const change of changes) chosen = withParts(chosen, change);
        expect(chosen.day ?? 1).toBeLessThanOrEqual(daysIn(chosen.year, chosen.month));
      },
    ));
  });

  it('clears 29 February when a common year is chosen', () => {
    expect(withParts({ year: 2000, month: 2, day: 29 }, { year: 2001 }).day).toBeNull();
  });
});
