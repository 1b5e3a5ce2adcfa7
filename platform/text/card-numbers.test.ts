import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { holdsCardNumber, withoutCardNumbers } from './card-numbers.ts';

/** Appends the Luhn check digit. */
function valid(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const doubled = Number(digit) * (at % 2 === 0 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
const digits = (min: number, max: number): fc.Arbitrary<string> =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max }).map((all) => all.join(''));

/** First digits and lengths of each network's card numbers. */
const NETWORKS = [
  ['4', 13],
  ['4', 16],
  ['4', 19],
  ['51', 16],
  ['55', 16],
  ['2221', 16],
  ['2720', 16],
  ['34', 15],
  ['37', 15],
  ['300', 14],
  ['36', 14],
  ['38', 14],
  ['6011', 16],
  ['644', 16],
  ['65', 16],
  ['65', 19],
  ['3528', 16],
  ['3589', 16],
  ['62', 16],
  ['62', 19],
  ['5018', 13],
  ['6759', 19],
  ['2200', 16],
] as const;
const number: fc.Arbitrary<string> = fc.constantFrom(...NETWORKS).chain(([prefix, length]) =>
  digits(length - prefix.length - 1, length - prefix.length - 1).map((body) => valid(prefix + body))
);

const VISA = '4111111111111111';
const inGroups = (gap: string): string => VISA.replaceAll(/(.{4})(?=.)/gu, `$1${gap}`);
const WRITTEN = [
  '4111 1111 1111 1111 12/29 123',
  '12/29 4111 1111 1111 1111 123',
  '4111 1111 1111 1111 1229 123',
  '1229 4111 1111 1111 1111 123',
  '4111111111111111 1229 123',
  '41111111111111111229123',
  '12294111111111111111',
  '4111111111111111123',
  '94111111111111111',
  '1234111111111111111',
  '4111 1111 1111 1111123',
  '41111111111111115500005555555559',
  '4111 1111 1111 1111 5500 0055 5555 5559',
  '3782 822463 10005',
  '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1',
  '41 11 11 11 11 11 11 11',
  '411111 1111111111',
  '4111 111111111111',
  'visa4111111111111111exp1229cvv123',
  'number:4111-1111-1111-1111;',
  '４１１１１１１１１１１１１１１１',
  '④①①①①①①①①①①①①①①①',
  '٤١١١١١١١١١١١١١١١',
  '४१११११११११११११११',
  '𝟜𝟙𝟙𝟙 𝟙𝟙𝟙𝟙 𝟙𝟙𝟙𝟙 𝟙𝟙𝟙𝟙',
  ...['\uFE0F\u20E3', '\u200B', '\u2060\u200D', '\u0000'].map((gap) => [...VISA].join(gap)),
  ...[
    ' ',
    '-',
    '.',
    '\u00A0',
    '\n',
    '\r\n',
    '\t',
    '\u2009',
    '\u3000',
    '\u2013',
    '\u2014',
    '\u2212',
    '\u00AD',
    ' - ',
    '  ',
    '\n\n',
    '·',
    ',',
    '/',
    '_',
    ':',
    '|',
    '*',
    ', ',
  ].map(inGroups),
];

type Texts = Readonly<Record<string, readonly string[]>>;
const TEXTS = JSON.parse(readFileSync(new URL('ordinary-texts.json', import.meta.url), 'utf8')) as Texts;
/** Texts that people write; each of the others contains a number of 13 digits or more. */
const LONG_NUMBERS = new Set([
  'parcel number',
  'EAN-13 or ISBN',
  'IBAN',
  'biller transaction of 19 digits',
  'snowflake of 18 or 19 digits',
  'random 16 digits',
]);

describe('a card number', () => {
  it('is every valid number of a network, in groups or not, wherever it stands', () => {
    fc.assert(fc.property(number, fc.constantFrom('', ' ', '-', '\u00A0', '.'), (text, gap) => {
      const spelled = text.replaceAll(/(.{4})(?=.)/gu, `$1${text.length === 16 ? gap : ''}`);
      expect(holdsCardNumber(`pay ${spelled}, please`)).toBe(true);
      expect(holdsCardNumber(`pay ${spelled} 12/29 123`)).toBe(true);
      expect(holdsCardNumber({ a: [{ b: spelled }] })).toBe(true);
      expect(holdsCardNumber({ [spelled]: null })).toBe(true);
      expect(withoutCardNumbers(`pay ${spelled}, please`)).not.toMatch(/\d{5}|\d/u);
    }));
  });

  it('with one digit that is wrong is none', () => {
    fc.assert(fc.property(number.filter((text) => text.length < 17), (text) => {
      const wrong = `${text.slice(0, -1)}${(Number(text.at(-1)) + 1) % 10}`;
      // Such a number may contain a shorter one of its network.
      fc.pre(!['36', '38', '30', '50', '67', '4'].some((prefix) => text.startsWith(prefix)));
      fc.pre(!/\d(?:3[47])/u.test(wrong));
      expect(holdsCardNumber(wrong)).toBe(false);
    }));
  });

  it.each(WRITTEN)('is found however it is written: %j', (written) => {
    expect(holdsCardNumber(written)).toBe(true);
    expect(holdsCardNumber(`my card ${written} ok?`)).toBe(true);
  });

  it('is no shorter number, no id, and nothing else', () => {
    fc.assert(fc.property(digits(1, 11), (body) => {
      expect(holdsCardNumber(valid(body))).toBe(false);
    }));
    fc.assert(fc.property(fc.uuid(), (id) => {
      expect(holdsCardNumber(id)).toBe(false);
    }));
    for (const nothing of [null, undefined, true, 42, '', {}, []]) {
      expect(holdsCardNumber(nothing)).toBe(false);
    }
    expect(holdsCardNumber(4_111_111_111_111_111)).toBe(true);
  });

  it('is looked for to a depth beyond which nothing is believed', () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 100; level += 1) deep = [deep];
    expect(holdsCardNumber(deep)).toBe(true);
  });

  it('becomes dots in stored text; a longer number that holds such digits stays', () => {
    expect(withoutCardNumbers('card=4111 1111 1111 1111&x=1')).toBe('card=•••• •••• •••• ••••&x=1');
    expect(withoutCardNumbers('4111.1111.1111.1111 12/29 123')).toBe('••••.••••.••••.•••• 12/29 123');
    expect(withoutCardNumbers('𝟜𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙!')).toBe(`${'•'.repeat(16)}!`);
    const transaction = `091${VISA}`;
    expect(withoutCardNumbers(transaction)).toBe(transaction);
    expect(holdsCardNumber(transaction)).toBe(true);
    expect(holdsCardNumber(transaction, false)).toBe(false);
  });
});

describe('texts that people write, none of them a card number', () => {
  const kinds = Object.entries(TEXTS);
  const refused = (texts: readonly string[]) => texts.filter((text) => holdsCardNumber(text));

  it.each(kinds.filter(([kind]) => !LONG_NUMBERS.has(kind)))('are not refused: %s', (_kind, texts) => {
    expect(texts.length).toBeGreaterThanOrEqual(50);
    expect(refused(texts)).toEqual([]);
  });

  it('are refused in at most one of ten numbers of 13 digits or more', () => {
    const long = kinds.filter(([kind]) => LONG_NUMBERS.has(kind)).flatMap(([, texts]) => texts);
    expect(long).toHaveLength(900);
    expect(refused(long).length).toBeLessThanOrEqual(90);
  });
});
