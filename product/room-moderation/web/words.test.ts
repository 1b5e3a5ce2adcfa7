import { expect, it } from 'vitest';
import { wordsOf } from './words.ts';

it('words of a field are its lines, trimmed, without empty ones and doubles', () => {
  expect(wordsOf(' one\r\n\n two words \none\n  ')).toEqual(['one', 'two words']);
  expect(wordsOf('')).toEqual([]);
});
