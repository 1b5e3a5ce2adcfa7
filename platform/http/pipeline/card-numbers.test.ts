import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { call } from '../../contract/call.ts';
import { z } from 'zod';
import { holdsCardNumber, keepsCardsOut, withoutCardNumbers } from './card-numbers.ts';

/** Digits with the check digit of Luhn behind them. */
function valid(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const doubled = Number(digit) * (at % 2 === 0 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
const digits = (min: number, max: number): fc.Arbitrary<string> =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max }).map((all) => all.join(''));

describe('a card number', () => {
  it('is every valid run of 13 to 19 digits, in groups or not, wherever it stands', () => {
    fc.assert(fc.property(digits(12, 18), fc.constantFrom('', ' ', '-'), (body, gap) => {
      const number = valid(body);
      const spelled = number.replaceAll(/(.{4})(?=.)/gu, `$1${gap}`);
      expect(holdsCardNumber(`pay ${spelled}, please`)).toBe(true);
      expect(holdsCardNumber({ a: [{ b: spelled }] })).toBe(true);
      expect(holdsCardNumber({ [spelled]: null })).toBe(true);
      const wrong = `${number.slice(0, -1)}${(Number(number.at(-1)) + 1) % 10}`;
      expect(holdsCardNumber(wrong)).toBe(false);
    }));
  });

  it('is no shorter or longer run, no id, and nothing else', () => {
    fc.assert(fc.property(digits(1, 11), (body) => {
      expect(holdsCardNumber(valid(body))).toBe(false);
    }));
    fc.assert(fc.property(digits(19, 40), (body) => {
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

  it('becomes dots in stored text, when a network has such numbers', () => {
    expect(withoutCardNumbers('card=4111 1111 1111 1111&x=1')).toBe('card=•••• •••• •••• ••••&x=1');
    const transaction = valid('091234567890123456');
    expect(withoutCardNumbers(transaction)).toBe(transaction);
  });

  it('is looked for wherever it is not the format itself', () => {
    const made = (more: object) => call({
      name: 'x.y', method: 'POST', path: '/x', access: 'anyone', credential: 'cookie', input: z.object({}),
      output: z.object({}), refusals: [], summary: '', description: '', ...more,
    });
    expect(keepsCardsOut(made({}))).toBe(true);
    expect(keepsCardsOut(made({ media: { accepts: 'image/webp', answers: 'image/webp' } }))).toBe(true);
    expect(keepsCardsOut(made({ media: { accepts: 'application/sdp', answers: '' } }))).toBe(false);
    expect(keepsCardsOut(made({ credential: 'signature' }))).toBe(false);
  });
});
