import { shownCents } from '#product/ledger/rules/shown.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dailyLimitOf,
  DEFAULT_TIP_TOKENS,
  divideTip,
  isTipAmount,
  MAX_TIP_TOKENS,
  MAX_TITLE_LENGTH,
  MIN_TIP_TOKENS,
  PERFORMER_SHARE_PERCENT,
  titleOf,
} from './rules.ts';
import { goalsAfter } from './rules/goals.ts';
import {
  joinRefusal,
  MAX_SPLITTERS,
  MIN_SPLITTERS,
  sharesOf,
  SPLIT_MODES,
  splitCommand,
  startRefusal,
} from './rules/split.ts';

const amount = fc.integer({ min: MIN_TIP_TOKENS, max: MAX_TIP_TOKENS });
const share = fc.integer({ min: 0, max: 100 });

describe('amounts', () => {
  it('of a day are limited by what is a number, or by none', () => {
    expect([' ', '1', ' 500 ', '10000000'].map(dailyLimitOf)).toEqual([null, 1, 500, 10_000_000]);
    const wrong = ['0', '-1', '1.5', '10000001', '1e3', '٣', 'ten'];
    expect(wrong.map(dailyLimitOf)).toEqual(wrong.map(() => undefined));
  });

  it('start at 25', () => {
    expect(DEFAULT_TIP_TOKENS).toBe(25);
    expect(isTipAmount(DEFAULT_TIP_TOKENS)).toBe(true);
  });

  it('are whole tokens within the limits, and nothing else', () => {
    fc.assert(fc.property(amount, (tokens) => {
      expect(isTipAmount(tokens)).toBe(true);
    }));
    fc.assert(fc.property(fc.double(), (tokens) => {
      const whole = Number.isInteger(tokens) && tokens >= MIN_TIP_TOKENS && tokens <= MAX_TIP_TOKENS;
      expect(isTipAmount(tokens)).toBe(whole);
    }));
    for (const wrong of [0, -1, 0.5, NaN, Infinity, MAX_TIP_TOKENS + 1, 2 ** 60]) {
      expect(isTipAmount(wrong)).toBe(false);
    }
  });

  it('are shown at ten tokens a dollar [A-449]', () => {
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

describe('counting towards goals', () => {
  const goals = fc.array(fc.integer({ min: 1, max: 500 }), { maxLength: 8 })
    .map((targets) => targets.map((target, at) => ({ id: at + 1, target, progress: 0 })));
  const tips = fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 20 });

  it('loses no token while a goal is left, and reaches each once, in order', () => {
    fc.assert(fc.property(goals, tips, (first, given) => {
      let open: ReturnType<typeof goalsAfter>['open'] = first;
      const reached: number[] = [];
      let counted = 0;
      for (const tokens of given) {
        const before = open.length > 0;
        const after = goalsAfter(open, tokens);
        for (const goal of after.reached) expect(goal.progress).toBe(goal.target);
        for (const waiting of after.open.slice(1)) expect(waiting.progress).toBe(0);
        reached.push(...after.reached.map(({ id }) => id));
        open = after.open;
        if (before) counted += tokens;
        const there = first.filter(({ id }) => reached.includes(id))
          .reduce((sum, { target }) => sum + target, open[0]?.progress ?? 0);
        if (open.length > 0) expect(there).toBe(counted);
        else expect(there).toBeLessThanOrEqual(counted);
      }
      expect(reached).toEqual(first.slice(0, reached.length).map(({ id }) => id));
    }));
  });

  it('counts whole tokens only', () => {
    for (const tokens of [-1, 0.5, Number.NaN]) expect(() => goalsAfter([], tokens)).toThrow('whole tokens');
  });
});

describe('splitting a tip', () => {
  const people = fc.integer({ min: MIN_SPLITTERS, max: MAX_SPLITTERS });

  it('divides to the token, and whoever proposed it pays what is left over', () => {
    fc.assert(fc.property(amount, people, (total, count) => {
      const shares = sharesOf(total, count);
      expect(shares === null).toBe(total < count);
      if (shares === null) return;
      expect(shares.first + shares.share * (count - 1)).toBe(total);
      expect(shares.share).toBeGreaterThanOrEqual(1);
      expect(shares.first - shares.share).toBeLessThan(count);
      expect(shares.first).toBeGreaterThanOrEqual(shares.share);
    }));
  });

  it('starts only while available, and never in a private show [B-218]', () => {
    for (const mode of SPLIT_MODES) {
      expect(startRefusal({ mode, splitterIds: [], isPrivate: false }))
        .toBe(mode === 'available' ? null : 'unavailable');
      expect(startRefusal({ mode, splitterIds: [], isPrivate: true })).toBe('private');
    }
  });

  it('is joined only while proposed, by who is not in it, never in a private show [B-219]', () => {
    for (const mode of SPLIT_MODES) {
      const state = { mode, splitterIds: [7], isPrivate: false };
      expect(joinRefusal(state, 8)).toBe(mode === 'proposed' ? null : 'not_open');
      expect(joinRefusal(state, 7)).toBe(mode === 'proposed' ? 'joined' : 'not_open');
      expect(joinRefusal({ ...state, isPrivate: true }, 8)).toBe('private');
    }
  });

  it('is asked for by a command with an amount and a number of people [B-283]', () => {
    expect(splitCommand(' 100  4 ')).toEqual({ kind: 'start', total: 100, people: 4 });
    expect(splitCommand('JOIN')).toEqual({ kind: 'join', price: null });
    expect(splitCommand(' Join  25 ')).toEqual({ kind: 'join', price: 25 });
    expect(splitCommand('cancel')).toEqual({ kind: 'cancel' });
    for (const wrong of [
      '',
      '100',
      '100 4 5',
      '-1 4',
      '1.5 2',
      '1e3 2',
      'a b',
      '9999999 2',
      'join now',
      'join -1',
      'join 9999999',
      'join 25 2',
      'cancel 25',
    ]) {
      expect(splitCommand(wrong)).toBeNull();
    }
  });
});

describe('titles', () => {
  it('are one line of a bounded length, whatever was typed', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const title = titleOf(text);
      expect([...title].length).toBeLessThanOrEqual(MAX_TITLE_LENGTH);
      expect(title).not.toMatch(/[\n\r\u2028\u202e]/u);
      expect(titleOf(title)).toBe(title);
    }));
  });
});
