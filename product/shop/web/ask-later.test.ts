import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AskLater } from './ask-later.ts';

describe('changed media', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('are asked for once, after 2 to 12 s, and by nobody who left', () => {
    for (const [chance, waitMs] of [[0, 2_000], [0.5, 7_000], [1, 12_000]] as const) {
      let asked = 0;
      const later = new AskLater(() => {
        asked += 1;
      }, () => chance);
      later.ask();
      vi.advanceTimersByTime(waitMs - 1);
      later.ask();
      expect(asked).toBe(0);
      vi.advanceTimersByTime(1);
      expect(asked).toBe(1);
      vi.advanceTimersByTime(60_000);
      expect(asked).toBe(1);
      later.ask();
      later.cancel();
      vi.advanceTimersByTime(60_000);
      expect(asked).toBe(1);
    }
  });

  it('are asked for at any time between, by chance', () => {
    fc.assert(
      fc.property(fc.constant(null), () => {
        let asked = 0;
        new AskLater(() => {
          asked += 1;
        }).ask();
        vi.advanceTimersByTime(1_999);
        expect(asked).toBe(0);
        vi.advanceTimersByTime(10_001);
        expect(asked).toBe(1);
      }),
      { numRuns: 50 },
    );
  });
});
