import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSeen, withSeen } from './guest-overlay.ts';

describe('the guest overlay', () => {
  it('remembers models, the newest of at most 200, and reads anything that may be stored', () => {
    const names = fc.array(fc.stringMatching(/^[a-z]{1,3}$/u), { maxLength: 400 });
    fc.assert(fc.property(names, fc.string(), (met, last) => {
      const seen = [...met, last].reduce<readonly string[]>(withSeen, []);
      expect(seen.at(-1)).toBe(last);
      expect(seen.length).toBe(Math.min(200, new Set([...met, last]).size));
      expect(readSeen(JSON.stringify(seen))).toEqual(seen);
    }));
    for (const stored of [null, '', '{', '{"a":1}', '3', '[1,null]']) expect(readSeen(stored)).toEqual([]);
  });
});
