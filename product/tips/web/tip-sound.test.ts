import { expect, it } from 'vitest';
import { tipLevel } from './tip-sound.ts';

it('has five levels: under 15, 100, 500, 1,000 and above', () => {
  expect([1, 14, 15, 99, 100, 499, 500, 999, 1_000, 100_000].map(tipLevel))
    .toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
});
