import { expect, it } from 'vitest';
import { verdictOf } from './connection.ts';

it('a connection carries a picture with a quarter to spare, and nothing is said of what is unknown', () => {
  expect(verdictOf(2_000_000, 2.5)).toBe('enough');
  expect(verdictOf(2_000_000, 2.49)).toBe('short');
  expect(verdictOf(null, 10)).toBe('unknown');
  expect(verdictOf(2_000_000, undefined)).toBe('unknown');
  expect(verdictOf(2_000_000, 0)).toBe('unknown');
});
