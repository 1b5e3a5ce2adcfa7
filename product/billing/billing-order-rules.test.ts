import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokensBack } from './rules/payments/refunds.ts';
import {
  askAfterMs,
  isNothingFinal,
  judge,
  paidUntil,
  type JudgedOrder,
  type OrderEvent,
  type Verdict,
} from './rules/payments/verdict.ts';

const AT = new Date('2026-01-15T12:00:00Z');
const later = (minutes: number): Date => new Date(AT.getTime() + minutes * 60_000);
const USD = (minor: number): { minor: number; currency: string } => ({ minor, currency: 'USD' });

describe('an order', () => {
  const order: JudgedOrder = {
    amount: USD(1_000),
    renewal: null,
    isRepayable: false,
    mainReference: null,
    base: 'pending',
    ownDecline: null,
  };
  const event = (id: string, type: OrderEvent['type'], more: Partial<OrderEvent> = {}): OrderEvent => ({
    id,
    type,
    reference: 'r1',
    of: null,
    amount: USD(1_000),
    decline: null,
    at: AT,
    ...more,
  });

  it.each<[string, OrderEvent[], Partial<Verdict>]>([
    ['is what we know of it while nobody speaks', [], { state: 'pending' }],
    ['is paid', [event('a', 'paid')], { state: 'paid', mainReference: 'r1' }],
    ['is declined with a code', [event('a', 'declined', { decline: 'NBADZIP', amount: null })], {
      state: 'declined',
      decline: 'NBADZIP',
    }],
    ['is declined without one', [event('a', 'declined', { amount: null })], { decline: 'NDECLINED' }],
    ['is paid after a decline', [event('a', 'declined'), event('b', 'paid')], {
      state: 'paid',
      decline: null,
    }],
    ['expires', [event('a', 'pending'), event('b', 'expired')], { state: 'expired' }],
    ['is refunded', [event('b', 'refunded', { of: 'r1' }), event('a', 'paid')], { state: 'refunded' }],
    ['is charged back, which is more than refunded', [
      event('c', 'charged_back', { of: 'r1' }),
      event('b', 'refunded', { of: 'r1' }),
      event('a', 'paid'),
    ], { state: 'charged_back' }],
    ['waits for what a reversal is of', [event('b', 'refunded', { of: 'r1' })], {
      state: 'pending',
      waiting: ['b'],
    }],
    ['is not paid by less', [event('a', 'paid', { amount: USD(999) })], {
      state: 'pending',
      mismatched: ['a'],
    }],
    ['is not paid by more', [event('a', 'paid', { amount: USD(1_001) })], { mismatched: ['a'] }],
    ['is not paid in another currency', [event('a', 'paid', { amount: { minor: 1_000, currency: 'JPY' } })], {
      state: 'pending',
      mismatched: ['a'],
    }],
    ['is not paid by nothing', [event('a', 'paid', { amount: null })], { state: 'pending', payments: [] }],
    ['stays paid when a part is refunded', [
      event('a', 'paid'),
      event('b', 'refunded', { amount: USD(1), of: 'r1' }),
    ], { state: 'paid', mismatched: [] }],
    ['is refunded when the parts are all of it', [
      event('c', 'refunded', { amount: USD(400), of: 'r1' }),
      event('a', 'paid'),
      event('b', 'refunded', { amount: USD(600), of: 'r1' }),
    ], { state: 'refunded', mismatched: [] }],
    ['is charged back after a refunded part', [
      event('a', 'paid'),
      event('b', 'refunded', { amount: USD(400), of: 'r1' }),
      event('c', 'charged_back', { of: 'r1' }),
    ], { state: 'charged_back', mismatched: [] }],
    ['is not refunded beyond all of it', [
      event('a', 'paid'),
      event('b', 'refunded', { amount: USD(700), of: 'r1' }),
      event('c', 'refunded', { amount: USD(700), of: 'r1', at: later(1) }),
    ], { state: 'refunded', mismatched: ['c'] }],
    ['is not refunded by more, by nothing, or in other money', [
      event('a', 'paid'),
      event('b', 'refunded', { amount: USD(1_001), of: 'r1' }),
      event('c', 'refunded', { amount: USD(0), of: 'r1' }),
      event('d', 'refunded', { amount: null, of: 'r1' }),
      event('e', 'refunded', { amount: { minor: 500, currency: 'EUR' }, of: 'r1' }),
    ], { state: 'paid', mismatched: ['b', 'c', 'd', 'e'] }],
  ])('%s', (_what, events, expected) => {
    expect(judge(order, events)).toMatchObject(expected);
  });

  const types = ['pending', 'paid', 'declined', 'expired', 'refunded', 'charged_back', 'cancelled'] as const;
  const anyEvent = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    type: fc.constantFrom(...types),
    of: fc.constantFrom(null, 'r1'),
    amount: fc.constantFrom(USD(1_000), USD(999), USD(400)),
    at: fc.integer({ min: 0, max: 3 }).map(later),
  }).map((item) => event(item.id, item.type, item));
  const history = fc.uniqueArray(anyEvent, { selector: ({ id }) => id, maxLength: 5 });

  it('ends the same for any order and repetition of events', () => {
    const shuffled = history.chain((events) =>
      fc.tuple(
        fc.constant(events),
        fc.shuffledSubarray([...events, ...events], { minLength: events.length * 2 }),
      )
    );
    fc.assert(
      fc.property(shuffled, ([events, again]) => {
        expect(judge(order, again)).toEqual(judge(order, events));
      }),
      { numRuns: 2_000 },
    );
  });

  it('never drops a posted payment when more events arrive', () => {
    const posted = (received: OrderEvent[]): Set<string> =>
      new Set(judge(order, received).payments.map(({ key, kind }) => `${kind} ${key}`));
    fc.assert(fc.property(history, (events) => {
      let before = new Set<string>();
      for (let count = 1; count <= events.length; count += 1) {
        const now = posted(events.slice(0, count));
        expect([...before].filter((key) => !now.has(key) && key.startsWith('main'))).toEqual([]);
        before = now;
      }
    }));
  });

  it('never has less reversed when more events arrive, and never more than was paid', () => {
    const backOf = (received: OrderEvent[]): number => {
      const { payments } = judge({ ...order, mainReference: 'r1' }, received);
      return payments.find(({ key }) => key === 'main')?.backMinor ?? 0;
    };
    fc.assert(fc.property(history, (events) => {
      const first = event('paid first', 'paid');
      const backs = events.map((_, index) => backOf([first, ...events.slice(0, index + 1)]));
      expect(backs).toEqual(backs.toSorted((a, b) => a - b));
      expect(Math.max(0, ...backs)).toBeLessThanOrEqual(1_000);
    }));
  });

  it('lists the renewals that failed since the last payment', () => {
    const renewing = { ...order, renewal: USD(1_000) };
    const failed = (id: string, at: number) =>
      event(id, 'renewal_failed', { amount: null, reference: id, decline: 'NEXPIRED', at: later(at) });
    const idsOf = (events: OrderEvent[]): string[] =>
      judge(renewing, events).failedRenewals.map(({ id }) => id);
    const first = [event('a', 'paid'), failed('f2', 20), failed('f1', 10)];
    expect(idsOf(first)).toEqual(['f1', 'f2']);
    const paidAgain = event('b', 'renewed', { reference: 'r2', at: later(30) });
    expect(idsOf([...first, paidAgain])).toEqual([]);
    expect(idsOf([...first, paidAgain, failed('f3', 40)])).toEqual(['f3']);
  });

  it('is paid once; a second payment goes to suspense, a voucher paid again is another purchase', () => {
    const twice = [event('a', 'paid'), event('b', 'paid', { reference: 'r2', at: later(1) })];
    expect(judge(order, twice).payments.map(({ key, kind }) => [key, kind])).toEqual(
      [['main', 'main'], ['b', 'suspense']],
    );
    expect(judge({ ...order, isRepayable: true }, twice).payments.map(({ kind }) => kind)).toEqual(
      ['main', 'repaid'],
    );
    // The first payment of the order stays its payment, whatever arrives later.
    const sticky = judge({ ...order, mainReference: 'r2' }, twice);
    expect(sticky.payments.map(({ key, reference }) => [key, reference]))
      .toEqual([['main', 'r2'], ['a', 'r1']]);
  });

  it('that renews has further payments, and lasts as long as those not reversed', () => {
    const renewing = { ...order, renewal: USD(1_000) };
    const month = 30 * 24 * 60;
    const events = [
      event('a', 'paid'),
      event('b', 'renewed', { reference: 'r2', at: later(month) }),
      event('c', 'renewed', { reference: 'r3', at: later(2 * month), amount: USD(1) }),
    ];
    const { payments, mismatched } = judge(renewing, events);
    expect(payments.map(({ kind }) => kind)).toEqual(['main', 'renewal', 'suspense']);
    expect(mismatched).toEqual(['c']);
    expect(paidUntil(payments, 30)).toEqual(later(2 * month));
    const back = judge(renewing, [...events, event('d', 'refunded', { of: 'r2' })]);
    expect(back.state).toBe('paid');
    expect(paidUntil(back.payments, 30)).toEqual(later(month));
    expect(paidUntil([], 30)).toBeNull();
    expect(judge(renewing, [...events, event('e', 'cancelled')]).isCancelled).toBe(true);
  });

  it('of unknown outcome is asked about less and less often, until nothing is final', () => {
    const waits = Array.from({ length: 12 }, (_, asked) => askAfterMs('unknown', asked));
    expect(waits.slice(0, 3)).toEqual([10_000, 30_000, 60_000]);
    const known = waits.filter((wait) => wait !== null);
    expect(known).toEqual(known.toSorted((a, b) => a - b));
    expect(waits.at(-1)).toBeNull();
    expect(isNothingFinal('unknown', 4)).toBe(false);
    expect(isNothingFinal('unknown', 5)).toBe(true);
    expect(isNothingFinal('pending', 5)).toBe(false);
  });
});

describe('a refunded part', () => {
  const purchase = fc.record({
    tokens: fc.integer({ min: 0, max: 100_000 }),
    paidMinor: fc.integer({ min: 1, max: 10_000_000 }),
  });
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const cut = fc.array(share, { minLength: 1, maxLength: 6 });

  it('removes its share of the tokens, rounded up, never more than was bought', () => {
    fc.assert(fc.property(purchase, share, ({ tokens, paidMinor }, part) => {
      const back = Math.floor(part * paidMinor);
      const taken = tokensBack(tokens, back, paidMinor);
      expect(Number.isInteger(taken)).toBe(true);
      expect(taken).toBeLessThanOrEqual(tokens);
      // In integers, because a floating-point share would be rounded.
      expect(BigInt(taken) * BigInt(paidMinor)).toBeGreaterThanOrEqual(BigInt(tokens) * BigInt(back));
      expect(BigInt(taken - 1) * BigInt(paidMinor)).toBeLessThan(BigInt(tokens) * BigInt(back) + 1n);
    }));
    expect(tokensBack(100, 1, 1_000)).toBe(1);
    expect(tokensBack(100, 10, 1_000)).toBe(1);
    expect(tokensBack(100, 11, 1_000)).toBe(2);
    expect(tokensBack(100, 0, 1_000)).toBe(0);
  });

  it('and further parts remove as much as one of their sum, and no token more than all', () => {
    fc.assert(fc.property(purchase, cut, ({ tokens, paidMinor }, cuts) => {
      const stops = [...cuts.map((at) => Math.floor(at * paidMinor)).toSorted((a, b) => a - b), paidMinor];
      const takes = stops.map((stop, n) =>
        tokensBack(tokens, stop, paidMinor) - tokensBack(tokens, stops[n - 1] ?? 0, paidMinor)
      );
      expect(Math.min(...takes)).toBeGreaterThanOrEqual(0);
      expect(takes.reduce((sum, number) => sum + number, 0)).toBe(tokens);
    }));
  });

  it('of amounts that cannot be divided exactly is refused', () => {
    expect(() => tokensBack(1e9, 1e9, 2e9)).toThrow('too large');
    expect(tokensBack(5, 7, 0)).toBe(5);
  });
});
