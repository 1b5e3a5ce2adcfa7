import { nextDay } from '#platform/time/days.ts';
import { TOKENS_PER_DOLLAR } from '#product/ledger/rules/shown.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_SETTINGS,
  isExpired,
  mayBuy,
  remainingToday,
  RETURN_FIELD,
  returnPath,
  settingsErrors,
  settingsWith,
  usCents,
  type Buyer,
} from './rules.ts';
import {
  creditLimitOf,
  debtCents,
  MAX_REUP_FAILURES,
  mayPostpay,
  nextCharge,
  reUpErrorOf,
  reUpNow,
} from './rules/credit.ts';
import {
  costOf,
  differencesOf,
  inGivenOrder,
  isArbitrage,
  isCovered,
  marketingOf,
  mayGive,
  minorOf,
} from './rules/product-cost.ts';
import {
  DEFAULT_PRODUCTS,
  discountOf,
  errorOfProducts,
  inOrder,
  isHighlighted,
  isSuggestion,
  plainCents,
  PROMO_PRODUCT,
  voucherCountry,
  voucherProducts,
} from './rules/products.ts';
import {
  freeSpins,
  isRedeemable,
  isSpecialOffer,
  isWheelOpen,
  joinVariant,
  mayWinBack,
  normalizeCode,
  prizeOf,
  promosFor,
  WHEEL,
  WHEEL_FACES,
  wheelOdds,
} from './rules/promos.ts';

const AT = new Date('2026-01-15T12:00:00Z');
const later = (minutes: number): Date => new Date(AT.getTime() + minutes * 60_000);
const USD = (minor: number): { minor: number; currency: string } => ({ minor, currency: 'USD' });

describe('the checks before buying', () => {
  const free: Buyer = {
    isCountryBlocked: false,
    isPostpay: false,
    isGuest: false,
    isModel: false,
    isCompliancePending: false,
    isExcluded: false,
  };
  const order = [
    ['isCountryBlocked', 'country'],
    ['isPostpay', 'postpay'],
    ['isGuest', 'guest'],
    ['isModel', 'model'],
    ['isCompliancePending', 'pending'],
    ['isExcluded', 'excluded'],
  ] as const;

  it('run in one order: country, post-pay, guest, model or pending, products', () => {
    expect(mayBuy(free)).toBeNull();
    fc.assert(fc.property(fc.tuple(...order.map(() => fc.boolean())), (flags) => {
      const buyer = Object.fromEntries(order.map(([name], at) => [name, flags[at]])) as unknown as Buyer;
      expect(mayBuy(buyer)).toBe(order.find((_one, at) => flags[at])?.[1] ?? null);
    }));
  });
});

describe('products', () => {
  const product = (id: string) => {
    const found = DEFAULT_PRODUCTS.find(({ internalId }) => internalId === id);
    if (!found) throw new Error(`no product ${id}`);
    return found;
  };

  it('cost a dollar per ten tokens unless they are discounted', () => {
    expect(TOKENS_PER_DOLLAR).toBe(10);
    for (const tokens of [50, 100, 200]) expect(product(`1_${tokens}`).priceMinor).toBe(tokens * 10);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 0, max: 90 }), (tokens, off) => {
        const priceMinor = Math.ceil((plainCents(tokens) * (100 - off)) / 100);
        expect(discountOf({ ...product('1_50'), tokens, priceMinor })).toBeLessThanOrEqual(off);
      }),
    );
    expect(discountOf(product('1_7000'))).toBe(28);
  });

  it('of the default catalogue are valid, with memberships first and their prefix', () => {
    expect(errorOfProducts(DEFAULT_PRODUCTS)).toBeNull();
    const order = inOrder(DEFAULT_PRODUCTS.toReversed()).map(({ membership }) => membership !== null);
    expect(order).toEqual(order.toSorted((a, b) => Number(b) - Number(a)));
    expect(errorOfProducts([{ ...product('1_50'), membership: 'vip', days: 30 }])).toContain('membership_');
    expect(errorOfProducts([{ ...product('1_50'), priceMinor: 0 }])).toContain('given away');
    expect(errorOfProducts([product('1_50'), product('1_50')])).toContain('twice');
    expect(errorOfProducts([])).not.toBeNull();
  });

  it('are suggested at one tap by tokens, price, membership, discount and card [A-296]', () => {
    const good = { tokens: 50, amount: 5, membership: null, discount: 0, is_oneclick: true };
    for (const tokens of [50, 100, 200]) expect(isSuggestion({ ...good, tokens })).toBe(true);
    const bad = [{ tokens: 51 }, { amount: 0 }, { amount: -1 }, { membership: 'vip' }, { discount: 1 }];
    for (const one of bad) expect(isSuggestion({ ...good, ...one })).toBe(false);
  });
  it('are suggested only where a card can be charged at once', () => {
    const good = { tokens: 100, amount: 10, membership: null, discount: 0 };
    expect(isSuggestion({ ...good, is_oneclick: false })).toBe(false);
    expect(isSuggestion({ ...good, is_oneclick: true })).toBe(true);
  });

  it('of 200 or 210 tokens are highlighted for low balances, memberships never', () => {
    expect([200, 210].every((tokens) => isHighlighted({ tokens, membership: null }))).toBe(true);
    expect(isHighlighted({ tokens: 200, membership: 'vip' })).toBe(false);
    expect(isHighlighted({ tokens: 100, membership: null })).toBe(false);
  });

  it('of the promo are 300 tokens for $10.99 with 200 free tokens', () => {
    expect(product(PROMO_PRODUCT)).toMatchObject({
      tokens: 300,
      freeTokens: 200,
      priceMinor: 1_099,
      currency: 'USD',
    });
  });

  it('for cash vouchers follow the country', () => {
    const centsOf = (price: { minor: number; currency: string }) => usCents(price, DEFAULT_SETTINGS.rates);
    const german = voucherProducts('DE', centsOf);
    expect(german.map(({ currency, priceMinor }) => [currency, priceMinor])).toEqual(
      [['EUR', 1_000], ['EUR', 2_500], ['EUR', 5_000], ['EUR', 10_000]],
    );
    expect(german[0]?.tokens).toBe(108);
    expect(voucherProducts('US', centsOf)[0])
      .toMatchObject({ currency: 'USD', priceMinor: 1_000, tokens: 100 });
    expect(voucherProducts('DE', () => null)).toEqual([]);
    expect(voucherProducts('__proto__', centsOf)[0]?.currency).toBe('USD');
    expect(german.map(({ internalId }) => voucherCountry(internalId))).toEqual(['DE', 'DE', 'DE', 'DE']);
    expect(voucherCountry(voucherProducts(null, centsOf)[0]?.internalId ?? '')).toBeNull();
  });
});

describe('promotions', () => {
  const off = DEFAULT_SETTINGS.switches;
  const who = {
    switches: { ...off, promos: true },
    hasPurchase: false,
    hasFreeTokens: false,
    isWheelOpen: false,
    advertId: undefined,
    promo: undefined,
  };

  it('run only where they are switched on', () => {
    expect(promosFor({ ...who, switches: off })).toEqual([]);
    expect(Object.values(off).every((item) => !item)).toBe(true);
    expect(promosFor(who)).toEqual(['offer', 'free_tokens']);
    expect(promosFor({ ...who, hasPurchase: true, hasFreeTokens: true, isWheelOpen: true }))
      .toEqual(['wheel']);
  });

  it('are special for two adverts with three promo values', () => {
    for (const advert of ['xv300wo', 'xv300fco']) {
      for (const promo of ['nwh', 'dgs', 'spl']) expect(isSpecialOffer(advert, promo)).toBe(true);
    }
    expect(isSpecialOffer('xv300wo', 'other')).toBe(false);
    expect(isSpecialOffer('other', 'nwh')).toBe(false);
    expect(isSpecialOffer(undefined, undefined)).toBe(false);
    expect(promosFor({ ...who, advertId: 'xv300wo', promo: 'spl' })[0]).toBe('special');
  });

  it('show exactly one join offer', () => {
    const asked = { isMember: false, joinForm: undefined, promo: undefined, hasPromos: true };
    expect(joinVariant({ ...asked, isMember: true, joinForm: '4', promo: 'x' })).toBe('existing');
    expect(joinVariant({ ...asked, joinForm: '4', promo: 'x' })).toBe('form_4');
    expect(joinVariant({ ...asked, promo: 'x' })).toBe('promo');
    expect(joinVariant({ ...asked, promo: 'x', hasPromos: false })).toBe('default');
    expect(joinVariant(asked)).toBe('default');
  });

  it('draw every prize of the wheel with the shown odds', () => {
    const drawn = new Map<number, number>();
    for (let face = 0; face < WHEEL_FACES; face += 1) {
      drawn.set(prizeOf(face), (drawn.get(prizeOf(face)) ?? 0) + 1);
    }
    for (const { tokens, odds } of wheelOdds()) {
      expect(drawn.get(tokens))
        .toBe(Math.round(odds * WHEEL_FACES));
    }
    expect(wheelOdds().reduce((sum, { odds }) => sum + odds, 0)).toBeCloseTo(1, 10);
    expect(WHEEL.every(({ tokens }) => tokens > 0)).toBe(true);
    for (const face of [-1, WHEEL_FACES, 0.5, Number.NaN]) expect(() => prizeOf(face)).toThrow('no face');
    expect(freeSpins('2026-01-15', AT)).toBe(0);
    expect(freeSpins('2026-01-14', AT)).toBe(1);
    const settings = settingsWith({ switches: { ...off, wheel: true } });
    expect(isWheelOpen(settings, 'US')).toBe(true);
    expect(isWheelOpen(settings, 'BE')).toBe(false);
    expect(isWheelOpen(DEFAULT_SETTINGS, 'US')).toBe(false);
  });

  it('redeem codes from their start to their end, up to their limit', () => {
    const code = { code: 'X', tokens: 1, startsAt: AT, endsAt: later(5), maxUses: 2, uses: 1 };
    expect(isRedeemable(code, AT)).toBe(true);
    expect(isRedeemable(code, later(5))).toBe(false);
    expect(isRedeemable(code, later(-1))).toBe(false);
    expect(isRedeemable({ ...code, uses: 2 }, AT)).toBe(false);
    expect(isRedeemable({ ...code, uses: 9, maxUses: null, endsAt: null }, later(9e6))).toBe(true);
    expect(normalizeCode(' free_tokens ')).toBe('FREE_TOKENS');
    expect(mayWinBack(later(-1), AT)).toBe(true);
    expect(mayWinBack(later(1), AT)).toBe(false);
    expect(mayWinBack(null, AT)).toBe(false);
  });
});

describe('credit', () => {
  const reUp = { enabled: true, threshold: 50, perDay: 2, inFlight: null, failures: 0 };
  const fell = { tokens: 49, change: -1 };

  it('is bought when spending falls below the threshold, one at a time, up to the daily limit', () => {
    expect(reUpNow(reUp, fell, 0)).toBe('charge');
    expect(reUpNow(reUp, fell, 2)).toBe('limit');
    const nothing = [
      [{ ...reUp, enabled: false }, fell],
      [{ ...reUp, inFlight: 'x' }, fell],
      [{ ...reUp, failures: MAX_REUP_FAILURES }, fell],
      [reUp, { tokens: 50, change: -1 }],
      [reUp, { tokens: 10, change: 10 }],
    ] as const;
    for (const [one, balance] of nothing) expect(reUpNow(one, balance, 0)).toBe('nothing');
  });

  it('maps a failed re-up to its error', () => {
    expect(reUpErrorOf('VERIFY')).toBe('verification_required');
    expect(reUpErrorOf('NMYDNVEL')).toBe('contact_support');
    expect(reUpErrorOf('NDECLINED')).toBe('declined');
    expect(reUpErrorOf(null)).toBe('declined');
  });

  it('of post-pay is for buyers with a card, charged once a day at the plain rate', () => {
    expect(mayPostpay({ isSwitchedOn: true, hasPurchase: true, hasCard: true })).toBe(true);
    expect(mayPostpay({ isSwitchedOn: false, hasPurchase: true, hasCard: true })).toBe(false);
    expect(mayPostpay({ isSwitchedOn: true, hasPurchase: false, hasCard: true })).toBe(false);
    expect(creditLimitOf({ enabled: true, cardFailed: false }, 500)).toBe(500);
    expect(creditLimitOf({ enabled: true, cardFailed: true }, 500)).toBe(0);
    expect(creditLimitOf({ enabled: false, cardFailed: false }, 500)).toBe(0);
    expect(debtCents(123)).toBe(1_230);
    expect(nextCharge(AT).toISOString()).toBe('2026-01-16T10:00:00.000Z');
    expect(nextCharge(new Date('2026-01-15T09:59:00Z')).toISOString()).toBe('2026-01-15T10:00:00.000Z');
  });
});

describe('small rules', () => {
  it('return to a path of this site alone', () => {
    expect(returnPath('/aurora?x=1', 'o')).toBe('/aurora?x=1&order_id=o');
    expect(returnPath(undefined, 'o')).toBe(`/account/tokens?${RETURN_FIELD}=o`);
    for (const bad of [
      '//evil.example',
      'https://evil.example',
      '/\\evil.example',
      'aurora',
      '/a\nb',
      '/#x',
    ]) {
      expect(returnPath(bad, 'o')).toBe('/account/tokens?order_id=o');
    }
  });

  it('cover the end of cards and days, and what is left', () => {
    expect(isExpired('01/26', AT)).toBe(false);
    expect(isExpired('12/25', AT)).toBe(true);
    expect(isExpired('01/26', new Date('2026-02-01T00:00:00Z'))).toBe(true);
    expect(isExpired(null, AT)).toBe(false);
    expect(nextDay(AT).toISOString()).toBe('2026-01-16T00:00:00.000Z');
    expect(remainingToday(100, 40)).toBe(60);
    expect(remainingToday(100, 140)).toBe(0);
  });

  it('refuse wrong settings', () => {
    expect(settingsErrors(DEFAULT_SETTINGS)).toEqual([]);
    expect(settingsErrors({ dailyLimitCents: -1 })).toEqual(['dailyLimitCents']);
    expect(settingsErrors({ switches: { casino: true } })).toEqual(['switches']);
    expect(settingsErrors({ rates: { usd: 1 }, toString: 1 })).toEqual(['rates', 'toString']);
    expect(usCents(USD(999), DEFAULT_SETTINGS.rates)).toBe(999);
    expect(usCents({ minor: 999, currency: 'EUR' }, DEFAULT_SETTINGS.rates)).toBe(1_078);
    expect(usCents({ minor: 999, currency: 'toString' }, DEFAULT_SETTINGS.rates)).toBeNull();
  });
});

describe('an operator\'s product', () => {
  const pack = DEFAULT_PRODUCTS.find(({ internalId }) => internalId === '1_100') ?? DEFAULT_PRODUCTS[0];
  if (!pack) throw new Error('nothing is sold');
  const { rates } = DEFAULT_SETTINGS;

  it('costs marketing where the price does not cover the tokens', () => {
    fc.assert(
      fc.property(
        fc.nat(10_000),
        fc.nat(10_000),
        fc.nat(1_000_000),
        fc.nat(1_000),
        (tokens, freeTokens, priceMinor, payout) => {
          const item = { ...pack, tokens, freeTokens, priceMinor };
          const cost = costOf(item, rates, payout);
          expect(cost.cashCents).toBe(priceMinor);
          // Revenue and marketing together cover every payout.
          expect(priceMinor + cost.marketingCents).toBeGreaterThanOrEqual(cost.payoutCents);
          expect(cost.marketingCents).toBeGreaterThanOrEqual(freeTokens * payout);
          // A sale is covered by exactly its cost, so that no sale exceeds the ledger's cap.
          const left = (leftCents: number) => ({ leftCents, payoutCents: payout });
          expect(isCovered(item, rates, left(cost.marketingCents))).toBe(true);
          expect(isCovered(item, rates, left(cost.marketingCents - 1))).toBe(false);
          expect(mayGive(freeTokens, left(freeTokens * payout - 1))).toBe(false);
          if (!isArbitrage(item, cost)) expect(cost.payoutCents).toBeLessThanOrEqual(priceMinor);
          expect(isArbitrage({ ...item, kind: 'promo' }, cost)).toBe(false);
        },
      ),
    );
    expect(marketingOf({ payoutCents: 5, marketingCapCents: 1, marketingBookedCents: 2 }).leftCents).toBe(0);
    expect(costOf({ ...pack, currency: 'EUR' }, rates, 5).cashCents).toBe(1_080);
    expect(costOf({ ...pack, currency: 'JPY' }, rates, 5).cashCents).toBeNull();
  });

  it('is priced as typed, and nothing else is a price', () => {
    expect(['10.99', '10,99', ' 10 ', '10.9', '0'].map((typed) => minorOf(typed, 2)))
      .toEqual([1_099, 1_099, 1_000, 1_090, 0]);
    expect(['', '-1', '1e3', '10.999', '1.000,00', 'ten', '9999999999'].map((typed) => minorOf(typed, 2)))
      .toEqual([null, null, null, null, null, null, null]);
    expect(minorOf('500', 0)).toBe(500);
    expect(minorOf('5.5', 0)).toBeNull();
  });

  it('is sorted with all others, once each', () => {
    const retired = { ...pack, internalId: 'old', retired: true };
    const two = { ...pack, internalId: 'two' };
    expect(inGivenOrder([pack, retired, two], ['two', '1_100'])?.map(({ internalId }) => internalId))
      .toEqual(['two', '1_100', 'old']);
    for (const ids of [['two'], ['two', 'two'], ['two', 'old'], ['two', '1_100', 'old'], []]) {
      expect(inGivenOrder([pack, retired, two], ids)).toBeNull();
    }
  });

  it('is audited by its changed fields', () => {
    expect(differencesOf({ a: 1, b: [1], gone: 'x' }, { a: 2, b: [1], made: null })).toEqual([
      { name: 'a', before: '1', after: '2' },
      { name: 'gone', before: '"x"', after: null },
      { name: 'made', before: null, after: 'null' },
    ]);
  });
});
