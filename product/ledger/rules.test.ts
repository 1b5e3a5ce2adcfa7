import { dayOf } from '#platform/time/days.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  errorOfOperation,
  errorOfSplit,
  MAX_LEG_TOKENS,
  MAX_LEGS,
  nextSeal,
  postpayRefusal,
  type AccountRef,
  type Leg,
  type Share,
} from './rules.ts';

const ID = '0190a5a0-0000-4000-8000-000000000001';
const tokensOf = (personId: number): AccountRef => ({ kind: 'person', personId, book: 'tokens' });
const FEES: AccountRef = { kind: 'operator', name: 'fees' };
const errorOf = (...legs: Leg[]): string | null => errorOfOperation({ id: ID, legs });
const pair = (
  tokens: number,
): Leg[] => [{ account: tokensOf(1), tokens: -tokens }, { account: FEES, tokens }];

describe('an operation', () => {
  it('is sound exactly when whole legs of different accounts sum to zero', () => {
    const amount = fc.integer({ min: 1, max: 1_000_000 });
    const amounts = fc.array(amount, { minLength: 1, maxLength: MAX_LEGS - 1 });
    fc.assert(fc.property(amounts, fc.integer({ min: -3, max: 3 }), (payments, error) => {
      const sum = payments.reduce((total, tokens) => total + tokens, 0);
      const payers = payments.map((tokens, n) => ({ account: tokensOf(n + 1), tokens: -tokens }));
      fc.pre(sum + error !== 0);
      const found = errorOf(...payers, { account: FEES, tokens: sum + error });
      expect(found).toBe(error === 0 ? null : `the legs sum to ${error}`);
    }));
  });

  it('has no fractional, endless, empty or huge leg', () => {
    const unfit = [0, 0.5, 1e-9, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '5' as never, null as never];
    for (const tokens of unfit) {
      expect(errorOf(...pair(tokens))).toContain('no whole number');
    }
    expect(errorOf(...pair(MAX_LEG_TOKENS))).toBeNull();
    expect(errorOf(...pair(MAX_LEG_TOKENS + 1))).toContain('more than');
  });

  it('has two legs at least, none of nobody, and one per account', () => {
    expect(errorOf()).toContain('2 to');
    expect(errorOf({ account: FEES, tokens: 1 })).toContain('2 to');
    const many = Array.from({ length: MAX_LEGS + 1 }, () => ({ account: FEES, tokens: 1 }));
    expect(errorOf(...many)).toContain('2 to');
    for (const id of [0, -1, 1.5, Number.NaN]) {
      const error = errorOf({ account: tokensOf(id), tokens: -1 }, { account: FEES, tokens: 1 });
      expect(error).toContain('nobody');
    }
    expect(errorOf(...pair(5), ...pair(5))).toContain('two legs');
  });

  it('names lots only for credited tokens, with whole backing and none for promotions', () => {
    const credit = (lot: Leg['lot'], account: AccountRef = tokensOf(1)): string | null =>
      errorOf({ account: { kind: 'operator', name: 'float' }, tokens: -9 }, { account, tokens: 9, lot });
    expect(credit({ promotional: false, backingCents: 90 })).toBeNull();
    expect(credit({ promotional: true, backingCents: 0 })).toBeNull();
    expect(credit({ promotional: true, backingCents: 1 })).toContain('promotional');
    expect(credit({ promotional: false, backingCents: 0.5 })).toContain('whole backing');
    expect(credit({ promotional: false, backingCents: -1 })).toContain('whole backing');
    expect(credit({ promotional: false, backingCents: 90 }, FEES)).toContain('no lot');
    const earnings: AccountRef = { kind: 'person', personId: 1, book: 'earnings' };
    expect(credit({ promotional: false, backingCents: 90 }, earnings)).toContain('no lot');
  });

  it('is known by a UUID in one spelling, so that one id is never two', () => {
    const legs = pair(1);
    for (const id of ['', 'x', ID.toUpperCase().replace('0190a', '0190A'), `${ID} `, `{${ID}}`]) {
      expect(errorOfOperation({ id, legs })).toContain('UUID');
    }
  });

  it('that holds moves tokens of one person to what is held of them, whichever leg is named first', () => {
    const hold = { expiresAt: new Date('2026-01-16T00:00:00Z') };
    const held = (personId: number): AccountRef => ({ kind: 'person', personId, book: 'held' });
    const moved = (...legs: Leg[]): string | null => errorOfOperation({ id: ID, legs, hold });
    const [from, to] = [{ account: tokensOf(1), tokens: -5 }, { account: held(1), tokens: 5 }];
    expect([moved(from, to), moved(to, from)]).toEqual([null, null]);
    const wrong = [
      [{ ...from, account: tokensOf(2) }, to],
      [{ ...from, tokens: 5 }, { ...to, tokens: -5 }],
      [from, { account: FEES, tokens: 5 }],
      [{ ...from, tokens: -4 }, to, { account: FEES, tokens: -1 }],
    ];
    for (const legs of wrong) expect(moved(...legs)).toContain('a hold moves');
  });

  it('that takes a part back takes whole tokens, none at least', () => {
    const part = (tokens: number): string | null =>
      errorOfOperation({ id: ID, legs: [], reverses: { operation: ID, mode: 'refund', tokens } });
    for (const tokens of [0, 1, MAX_LEG_TOKENS]) expect(part(tokens)).toBeNull();
    for (const tokens of [-1, 0.5, Number.NaN, MAX_LEG_TOKENS + 1]) expect(part(tokens)).toContain('a part');
  });
});

describe('a split', () => {
  it('has eight whole shares at most, of different receivers, and not more than everything', () => {
    const errorOf = (...shares: Share[]): string | null => errorOfSplit(1, shares);
    const eight = Array.from({ length: 8 }, (_none, nth): Share => ({ to: nth + 2, percent: 12 }));
    expect([errorOf(), errorOf(...eight), errorOf({ to: 'fees', percent: 100 })]).toEqual([null, null, null]);
    expect(errorOf(...eight, { to: 'fees', percent: 1 })).toContain('at most 8');
    expect(errorOf({ to: 2, percent: 10 }, { to: 2, percent: 10 })).toContain('two shares');
    expect(errorOf({ to: 1, percent: 10 })).toContain('keeps what is left');
    for (const to of [0, -1, 1.5]) expect(errorOf({ to, percent: 10 })).toContain('nobody');
    for (const percent of [0, -1, 0.5]) expect(errorOf({ to: 2, percent })).toContain('whole percent');
    expect(errorOf({ to: 2, percent: 51 }, { to: 3, percent: 50 })).toContain('101 percent');
  });
});

describe('a day', () => {
  it('ends at midnight UTC', () => {
    expect(dayOf(new Date('2026-01-15T23:59:59.999Z'))).toBe('2026-01-15');
    expect(dayOf(new Date('2026-01-16T00:00:00Z'))).toBe('2026-01-16');
  });

  it('is sealed the night after it, also when a process starts between midnight and then', () => {
    const sealedAfter = (time: string): string => nextSeal(new Date(time)).toISOString();
    expect(sealedAfter('2026-01-15T12:00:00Z')).toBe('2026-01-16T01:30:00.000Z');
    expect(sealedAfter('2026-01-16T00:30:00Z')).toBe('2026-01-16T01:30:00.000Z');
    expect(sealedAfter('2026-01-16T01:30:00Z')).toBe('2026-01-17T01:30:00.000Z');
  });
});

describe('post-pay that does not cover an amount', () => {
  it('is nobody\'s who has none', () => {
    expect(postpayRefusal({ tokens: 5, creditTokens: 0, debtTokens: 0 }, 10)).toBeNull();
  });

  it('is mended by a card as long as the whole line would cover it [A-401, A-402]', () => {
    fc.assert(
      fc.property(
        fc.nat(1_000),
        fc.integer({ min: 1, max: 1_000 }),
        fc.nat(1_000),
        fc.nat(3_000),
        (tokens, creditTokens, debtTokens, amount) => {
          expect(postpayRefusal({ tokens, creditTokens, debtTokens }, amount))
            .toBe(amount > tokens + creditTokens ? 'exhausted' : 'card');
        },
      ),
    );
    expect(postpayRefusal({ tokens: 0, creditTokens: 0, debtTokens: 40 }, 10)).toBe('card');
  });
});
