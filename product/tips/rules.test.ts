import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_TIP_TOKENS, divideTip, isTipAmount, MAX_TIP_TOKENS, MIN_TIP_TOKENS, PERFORMER_SHARE_PERCENT,
  shownCents,
} from './rules.ts';

const amount = fc.integer({ min: MIN_TIP_TOKENS, max: MAX_TIP_TOKENS });
const share = fc.integer({ min: 0, max: 100 });

describe('amounts', () => {
  it('start at 25 [A-451, B-406, C-409]', () => {
    expect(DEFAULT_TIP_TOKENS).toBe(25);
    expect(isTipAmount(DEFAULT_TIP_TOKENS)).toBe(true);
  });

  it('are whole tokens within the limits, and nothing else', () => {
    fc.assert(fc.property(amount, (tokens) => { expect(isTipAmount(tokens)).toBe(true); }));
    fc.assert(fc.property(fc.double(), (tokens) => {
      const whole = Number.isInteger(tokens) && tokens >= MIN_TIP_TOKENS && tokens <= MAX_TIP_TOKENS;
      expect(isTipAmount(tokens)).toBe(whole);
    }));
    for (const wrong of [0, -1, 0.5, NaN, Infinity, MAX_TIP_TOKENS + 1, 2 ** 60]) {
      expect(isTipAmount(wrong)).toBe(false);
    }
  });

  it('are shown at ten tokens a dollar', () => {
    expect(shownCents(DEFAULT_TIP_TOKENS)).toBe(250);
  });
});

describe('dividing a tip', () => {
  it('loses nothing, and gives the performer no more than the share and less than a token below it', () => {
    fc.assert(fc.property(amount, share, (tokens, percent) => {
      const { performer, operator } = divideTip(tokens, percent);
      expect(performer + operator).toBe(tokens);
      expect(performer * 100).toBeLessThanOrEqual(tokens * percent);
      expect((performer + 1) * 100).toBeGreaterThan(tokens * percent);
      expect(Math.min(performer, operator)).toBeGreaterThanOrEqual(0);
    }));
  });

  it('gives all unless an operator keeps a share, and then the odd token to the operator', () => {
    expect(divideTip(25, PERFORMER_SHARE_PERCENT)).toEqual({ performer: 25, operator: 0 });
    expect(divideTip(25, 50)).toEqual({ performer: 12, operator: 13 });
    expect(divideTip(1, 50)).toEqual({ performer: 0, operator: 1 });
  });

  it('refuses amounts and shares that cannot be', () => {
    for (const tokens of [0, -5, 1.5, NaN]) expect(() => divideTip(tokens, 50)).toThrow('tipped');
    for (const percent of [-1, 101, 49.5, NaN]) expect(() => divideTip(10, percent)).toThrow('percent');
  });
});
