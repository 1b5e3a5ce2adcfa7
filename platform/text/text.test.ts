import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanLines, cleanText } from './clean-text.ts';
import { COUNTRY_CODE, CURRENCY_CODE, REGION_CODE } from './codes.ts';
import { currencyDigits, decimalOf, formatMoney } from './money.ts';
import { normalizeUsername } from './usernames.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 200 });
describe('typed text', () => {
  it('is one line without control or direction characters, whatever came', () => {
    fc.assert(fc.property(anyText, (text) => {
      const cleaned = cleanText(text);
      expect(cleaned).not.toMatch(/[\p{Cc}\p{Cs}\u200E\u200F\u2028-\u202E\u2066-\u2069]/u);
      expect(cleaned).not.toMatch(/^\s|\s$|\s\s/u);
      expect(cleanText(cleaned)).toBe(cleaned);
    }), { numRuns: 1_000 });
  });

  it.each([
    ['family emoji stay whole', '👨‍👩‍👧', '👨‍👩‍👧'],
    ['Persian keeps its non-joiner', 'می‌خواهم', 'می‌خواهم'],
    ['accents are composed', 'e\u0301', 'é'],
    ['towers of accents are cut', `a${'\u0300'.repeat(50)}`, 'à\u0300\u0300\u0300\u0300'],
    ['an override is taken out', 'abc\u202Edcb', 'abcdcb'],
    ['lines become one', 'a\n\n b\u2028c', 'a b c'],
  ])('%s', (_what, text, cleaned) => {
    expect(cleanText(text)).toBe(cleaned);
  });

  it('in several lines has each of them cleaned, and at most one blank line between two', () => {
    expect(cleanLines(' one  two\r\nthree\u202E\r\n\n\n\nfour\u2028five\n \n\n'))
      .toBe('one two\nthree\n\nfour\nfive');
    fc.assert(fc.property(anyText, (text) => {
      const cleaned = cleanLines(text);
      expect(cleaned.split('\n').map(cleanText).join('\n')).toBe(cleaned);
      expect(cleaned).not.toMatch(/\n{3}|^\s|\s$/u);
      expect(cleanLines(cleaned)).toBe(cleaned);
    }), { numRuns: 1_000 });
  });
});

describe('usernames', () => {
  it('lower-cases and trims usernames [B-288]', () => {
    expect(normalizeUsername('  VelVet ')).toBe('velvet');
  });
});

describe('codes', () => {
  it('take capitals alone, and nothing around them', () => {
    expect(['DE', 'de', 'DEU', 'D', 'DE\n', ' DE', ''].map((text) => COUNTRY_CODE.test(text)))
      .toEqual([true, false, false, false, false, false, false]);
    expect(['USD', 'US', 'usd', 'USDT'].map((text) => CURRENCY_CODE.test(text)))
      .toEqual([true, false, false, false]);
    expect(REGION_CODE.exec('US-FL')?.slice(1)).toEqual(['US', 'FL']);
    expect(REGION_CODE.exec('DE')?.slice(1)).toEqual(['DE', undefined]);
    for (const text of ['US-', 'us-fl', 'US-FLOR', 'unknown']) expect(REGION_CODE.test(text)).toBe(false);
  });
});

describe('money', () => {
  it('is written in the digits of its currency', () => {
    expect(['USD', 'EUR', 'JPY', 'KRW', 'CLP', 'ISK', 'VND', 'HUF', 'KWD'].map(currencyDigits))
      .toEqual([2, 2, 0, 0, 0, 0, 0, 2, 3]);
    expect(decimalOf({ minor: 1_099, currency: 'USD' })).toBe('10.99');
    expect(decimalOf({ minor: 5, currency: 'USD' })).toBe('0.05');
    expect(decimalOf({ minor: 500, currency: 'JPY' })).toBe('500');
    expect(formatMoney({ minor: 1_099, currency: 'USD' }, 'en')).toBe('$10.99');
    expect(formatMoney({ minor: 500, currency: 'JPY' }, 'en')).toBe('¥500');
    expect(formatMoney({ minor: 1_050, currency: 'HUF' }, 'en').replace(/\s/u, ' ')).toBe('HUF 10.50');
  });
});
