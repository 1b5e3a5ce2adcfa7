import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanLines, cleanText } from './clean-text.ts';
import { COUNTRY_CODE, CURRENCY_CODE, REGION_CODE } from './codes.ts';
import { currencyDigits, decimalOf, formatMoney } from './money.ts';
import { withoutAddresses } from './shown/addresses.ts';
import { normalizeUsername } from './usernames.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 200 });
describe('typed text', () => {
  it('is one line without control or direction characters, whatever came', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const cleaned = cleanText(text);
        expect(cleaned).not.toMatch(/[\p{Cc}\p{Cs}\u200E\u200F\u2028-\u202E\u2066-\u2069]/u);
        expect(cleaned).not.toMatch(/^\s|\s$|\s\s/u);
        expect(cleanText(cleaned)).toBe(cleaned);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['family emoji stay whole', '👨‍👩‍👧', '👨‍👩‍👧'],
    ['Persian keeps its non-joiner', 'می‌خواهم', 'می‌خواهم'],
    ['accents are composed', 'e\u0301', 'é'],
    ['towers of accents are cut to two', `x${'\u0300'.repeat(50)}`, 'x\u0300\u0300'],
    ['towers with joiners between are cut too', `x${'\u0300\u200D'.repeat(9)}`, 'x\u0300\u200D\u0300\u200D'],
    ['a tower of Thai tones is cut', `ก${'\u0E49'.repeat(20)}`, 'ก\u0E49\u0E49'],
    ['Burmese keeps its vowels and tones', 'ကြို့', 'ကြို့'],
    ['Hebrew keeps its points', 'שּׁ֑', 'שּׁ֑'],
    ['what XML forbids is taken out', 'a\uFFFEb\uFFFFc\uFDD0d\u{1FFFE}', 'abcd'],
    ['fillers alone are nothing', '\u3164\u115F\u1160\uFFA0\u2800\u200D\uFE0F', ''],
    ['marks without a letter are nothing', '\u0301\u0308', ''],
    ['blanks of every kind are nothing', '\u00A0\u2003\u3000\u180E', ''],
    ['an override is taken out', 'abc\u202Edcb', 'abcdcb'],
    ['lines become one', 'a\n\n b\u2028c', 'a b c'],
  ])('%s', (_what, text, cleaned) => {
    expect(cleanText(text)).toBe(cleaned);
  });

  it('in several lines has each of them cleaned, and at most one blank line between two', () => {
    expect(cleanLines(' one  two\r\nthree\u202E\r\n\n\n\nfour\u2028five\n \n\n'))
      .toBe('one two\nthree\n\nfour\nfive');
    fc.assert(
      fc.property(anyText, (text) => {
        const cleaned = cleanLines(text);
        expect(cleaned.split('\n').map(cleanText).join('\n')).toBe(cleaned);
        expect(cleaned).not.toMatch(/\n{3}|^\s|\s$/u);
        expect(cleanLines(cleaned)).toBe(cleaned);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('addresses in typed text', () => {
  it.each([
    ['WIN: https://evil.example/now', 'WIN:'],
    ['hxxp://evil.example', ''],
    ['see www.evil.example.', 'see'],
    ['evil.example', ''],
    ['Ana evil.example/path?x=1 B', 'Ana B'],
    ['me@evil.example', ''],
    ['EVIL。EXAMPLE wins', 'wins'],
    ['пример.рф now', 'now'],
    ['10.0.0.1:8080/x', ''],
    ['mailto:a@b.example', ''],
    ['a.https://b.example.b.example', ''],
    // Letters of these scripts have marks, in the last label too.
    ['साइट.भारत', ''],
    ['मुफ्त.भारत', ''],
    ['evil.ভারত/x', ''],
    ['win@evil.भारत', ''],
    // Browsers read over what shows nothing, and take these dots and emoji in names of hosts.
    ['evil\u200D.com', ''],
    ['evil.c\u200Com', ''],
    ['evil.\uFE0Fcom', ''],
    ['\u200Devil.com\u200C wins', 'wins'],
    ['a\u{E0061}b evil\u{E0062}.com', 'a\u{E0061}b'],
    ['htt\u200Dps:/\u200C/evil', ''],
    ['w\u200Cww.evil', ''],
    ['me\u200D@evil.ex\u200Dample', ''],
    ['10.0\u200D.0.1', ''],
    ['evil\u2024com', ''],
    ['evil\uFE52com', ''],
    ['10\u20240\u20240\u20241', ''],
    ['💩.la', ''],
    ['i❤️.ws now', 'now'],
    ['👍🏽.ws', ''],
    ['🇫🇷.ws', ''],
    ['👨‍👩‍👧.ws', ''],
    ['Ana 👨‍👩‍👧 ❤️‍🔥', 'Ana 👨‍👩‍👧 ❤️‍🔥'],
    ['می‌خواهم 👩🏽‍🚀. آ', 'می‌خواهم 👩🏽‍🚀. آ'],
    ['👨‍👩‍👧 evil.com 👩‍🚀', '👨‍👩‍👧 👩‍🚀'],
    ['नमस्ते। आप', 'नमस्ते। आप'],
    ['Ana Lune', 'Ana Lune'],
    ['J. R. Smith', 'J. R. Smith'],
    ['St. Vincent', 'St. Vincent'],
    ['12.5 cm', '12.5 cm'],
    ['Mr...', 'Mr...'],
  ])('%j becomes %j', (typed, left) => {
    expect(withoutAddresses(typed)).toBe(left);
  });

  it('are gone whatever came, and stay gone', () => {
    const part = fc.constantFrom(
      'http',
      'https',
      ':',
      '//',
      '/',
      '.',
      '。',
      'evil',
      'com',
      'www',
      '@',
      ' ',
      '-',
      '1',
      '\u200D',
      '\u2024',
      '👍',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const left = withoutAddresses(parts.join(''));
        expect(left.replaceAll('\u200D', ''))
          .not.toMatch(/:\/\/|www[.\u2024]\S|[a-z👍][.\u2024][a-z]{2}/iu);
        expect(withoutAddresses(left)).toBe(left);
      }),
      { numRuns: 1_000 },
    );
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
