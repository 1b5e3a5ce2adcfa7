import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_ENTRIES_PER_PERSON, mayAdd } from './rules.ts';

describe('how many entries a person keeps', () => {
  it('is never more than the limit, however often they try', () => {
    fc.assert(fc.property(fc.nat({ max: 3 * MAX_ENTRIES_PER_PERSON }), (tries) => {
      let count = 0;
      for (let at = 0; at < tries; at += 1) if (mayAdd(count)) count += 1;
      expect(count).toBe(Math.min(tries, MAX_ENTRIES_PER_PERSON));
    }));
  });
});
