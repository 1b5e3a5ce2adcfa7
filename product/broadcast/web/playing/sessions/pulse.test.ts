import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beat, REST, type Pulse } from './pulse.ts';

/** The pulse after counts, and what was told at each. */
function felt(counts: readonly number[], isExpected: (at: number) => boolean = () => true) {
  let pulse: Pulse = REST;
  const told = counts.map((counted, at) => {
    const next = beat(pulse, counted, isExpected(at));
    pulse = next.pulse;
    return next.told;
  });
  return { pulse, told };
}

describe('the pulse of a session', () => {
  it('is frozen after four counts without a picture, told once', () => {
    const { told } = felt([3, 3, 3, 3, 3, 3, 3, 3]);
    expect(told).toEqual([null, null, null, null, 'frozen', null, null, null]);
  });

  it('is never frozen while pictures come, or none are due', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 60 });
    fc.assert(fc.property(steps, (grown) => {
      let sum = 0;
      const counts = grown.map((step) => (sum += step));
      expect(felt(counts, () => false).told).not.toContain('frozen');
      const longestStill = Math.max(0, ...grown.join('').split(/[1-9]/u).map((zeros) => zeros.length));
      expect(felt(counts).told.includes('frozen')).toBe(longestStill >= 4);
    }));
  });

  it('is steady after ten counts in a row with new pictures', () => {
    expect(felt([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]).told.indexOf('steady')).toBe(9);
    expect(felt([1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 10, 11]).told).not.toContain('steady');
  });

  it('a decoder that counts from nothing again is not still for ever', () => {
    const { told } = felt([500, 3, 6, 9, 12, 15, 18]);
    expect(told).not.toContain('frozen');
  });
});
