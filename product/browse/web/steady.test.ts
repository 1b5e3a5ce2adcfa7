import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { steady } from './steady.ts';

const listing = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 40 })
  .map((ids) => ids.map((id) => ({ id })));

describe('steady', () => {
  it('shows exactly the fresh entries, each once', () => {
    fc.assert(fc.property(listing, listing, (shown, fresh) => {
      const ids = steady(shown, fresh).map(({ id }) => id);
      expect(ids.toSorted((a, b) => a - b)).toEqual(fresh.map(({ id }) => id).toSorted((a, b) => a - b));
    }));
  });

  it('leaves everybody in place while at least as many come as leave', () => {
    fc.assert(fc.property(listing, listing, (shown, fresh) => {
      fc.pre(fresh.length >= shown.length);
      const result = steady(shown, fresh);
      const freshIds = new Set(fresh.map(({ id }) => id));
      for (const [at, { id }] of shown.entries()) {
        if (freshIds.has(id)) expect(result[at]?.id).toBe(id);
      }
    }));
  });

  it('moves no more entries than have left', () => {
    fc.assert(fc.property(listing, listing, (shown, fresh) => {
      const result = steady(shown, fresh);
      const freshIds = new Set(fresh.map(({ id }) => id));
      const moved = shown.filter(({ id }, at) => freshIds.has(id) && result[at]?.id !== id).length;
      expect(moved).toBeLessThanOrEqual(shown.filter(({ id }) => !freshIds.has(id)).length);
    }));
  });

  it('takes the newest form of an entry', () => {
    expect(steady([{ id: 1, viewers: 3 }], [{ id: 1, viewers: 9 }])).toEqual([{ id: 1, viewers: 9 }]);
  });
});
