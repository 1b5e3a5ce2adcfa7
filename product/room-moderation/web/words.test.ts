import { expect, it } from 'vitest';
import { wordsOf } from './words.ts';

it('reads words of a field, one per line, trimmed, without empty lines and duplicates', () => {
  expect(wordsOf(' one\r\n\n two words \none\n  ')).toEqual(['one', 'two words']);
  expect(wordsOf('')).toEqual([]);
});
