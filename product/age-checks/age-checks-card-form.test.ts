import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyByCard } from './contract.ts';
import {
  CARD_FIELDS,
  cardInput,
  digitsOf,
  faultsOf,
  isBirthDateSet,
  LIMITS,
  shownFields,
  type CardEntry,
} from './rules/card-form.ts';
import { variantOf } from './rules/variants.ts';

const NOW = new Date('2026-01-15T12:00:00Z');
const ENTRY: CardEntry = {
  card_number: '4111 1111-1111.1111',
  expiration_month: '04',
  expiration_year: '29',
  cvc: '123',
  first_name: 'Jan',
  last_name: 'van der Berg',
  birth_date: '1990-02-28',
  email: 'jan@people.example',
  country: 'US',
  address: '1 Long Road',
  city: 'Austin',
  state: 'TX',
  province: '',
  zip: '73301',
  do_purchase: '0',
};

describe('the card form', () => {
  it('has no fault when every shown field is right', () => {
    expect(faultsOf(ENTRY, true, NOW)).toEqual({});
    expect(faultsOf({ ...ENTRY, email: '' }, false, NOW)).toEqual({});
    expect(faultsOf({ ...ENTRY, country: 'CA', state: '', province: 'ON' }, true, NOW)).toEqual({});
  });

  it('requires each shown field, and no other', () => {
    for (const field of CARD_FIELDS) {
      const faults = faultsOf({ ...ENTRY, [field]: ' ' }, true, NOW);
      expect([field, faults[field]]).toEqual([field, field === 'province' ? undefined : 'required']);
    }
    expect(shownFields('DE', false)).not.toContain('province');
    expect(shownFields('CA', false)).not.toContain('state');
  });

  it('takes the placeholder of a birth date for none', () => {
    for (const date of ['', '0000-00-00', '0000-01-01', '1990-00-10', '1990-13-10', '1990-02']) {
      expect([date, isBirthDateSet(date)]).toEqual([date, false]);
      expect(faultsOf({ ...ENTRY, birth_date: date }, true, NOW)).toEqual({ birth_date: 'required' });
    }
    expect(isBirthDateSet('1990-02-28')).toBe(true);
  });

  it('refuses what cannot be right', () => {
    for (const [field, typed] of [
      ['card_number', '4111 1111 1111 1112'],
      ['cvc', '12'],
      ['cvc', '12a'],
      ['email', 'jan'],
      ['do_purchase', '2'],
      ['zip', '1'.repeat(51)],
    ] as const) {
      expect([field, faultsOf({ ...ENTRY, [field]: typed }, true, NOW)]).toEqual([field, {
        [field]: 'wrong',
      }]);
    }
    for (const [month, year] of [['12', '25'], ['13', '29'], ['4', '29'], ['04', '9']] as const) {
      const faults = faultsOf({ ...ENTRY, expiration_month: month, expiration_year: year }, true, NOW);
      expect([month, year, Object.values(faults).includes('wrong')]).toEqual([month, year, true]);
    }
  });

  it('misses the year or the month of expiry, and calls the other one right', () => {
    for (const field of ['expiration_month', 'expiration_year'] as const) {
      expect(faultsOf({ ...ENTRY, [field]: '' }, true, NOW)).toEqual({ [field]: 'required' });
    }
  });

  it('accepts a card to the end of its month', () => {
    expect(faultsOf({ ...ENTRY, expiration_month: '01', expiration_year: '26' }, true, NOW)).toEqual({});
  });

  it('uses only the digits of a number, whatever stands between them', () => {
    fc.assert(fc.property(fc.string(), fc.string(), (before, between) => {
      const noise = (text: string) => text.replaceAll(/\d/gu, '');
      expect(digitsOf(`${noise(before)}4111${noise(between)}1111`)).toBe('41111111');
    }));
  });

  it('sends our server the first six and last four digits, and neither the rest nor the code', () => {
    const input = cardInput({ ...ENTRY, cvc: '98765' }, 'a-token', true);
    expect(verifyByCard.input.safeParse(input).success).toBe(true);
    expect(input.card).toEqual({ exp_month: '04', exp_year: '29', first6: '411111', last4: '1111' });
    expect(JSON.stringify(input)).not.toMatch(/4111111111|98765/u);
    expect(cardInput(ENTRY, 'a-token', false)).not.toHaveProperty('email');
    expect(cardInput({ ...ENTRY, country: 'CA', province: 'ON' }, 'a-token', false).state).toBe('ON');
  });

  it('has no longer texts than our server takes', () => {
    const long = Object.fromEntries(
      Object.entries(LIMITS).filter(([field]) => !/^(?:card|cvc|exp|email)/u.test(field))
        .map(([field, most]) => [field, 'x'.repeat(most)]),
    );
    const input = cardInput({ ...ENTRY, ...long }, 'a-token', true);
    expect(verifyByCard.input.safeParse(input).success).toBe(true);
  });
});

describe('the modal of age verification', () => {
  it('asks guests first, then looks for a required card, then for what is pending', () => {
    const variants = [false, true].flatMap((isGuest) =>
      [false, true].flatMap((isCardRequired) =>
        [false, true].map((isPending) => variantOf({ isGuest, isCardRequired, isPending }))
      )
    );
    expect(variants).toEqual([
      'verify',
      'pending',
      'card',
      'card',
      'signup',
      'signup',
      'signup',
      'signup',
    ]);
  });
});
