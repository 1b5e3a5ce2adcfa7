import { expect, it } from 'vitest';
import { levelOf, troubleOf } from './camera.ts';

it('classifies camera errors by what a person can do about them', () => {
  const named = (name: string): Error => Object.assign(new Error('no'), { name });
  const names = [
    'NotAllowedError',
    'NotFoundError',
    'OverconstrainedError',
    'NotReadableError',
    'TypeError',
    'Other',
  ];
  expect(names.map((name) => troubleOf(named(name))))
    .toEqual(['denied', 'missing', 'missing', 'busy', 'unsupported', 'failed']);
});

it('maps silence to 0, full scale to 1, and −30 dBFS to a half', () => {
  expect(levelOf([0, 0, 0])).toBe(0);
  expect(levelOf([1, -1, 1, -1])).toBe(1);
  expect(levelOf([0.0316, -0.0316])).toBeCloseTo(0.5, 1);
  expect(levelOf([])).toBe(0);
});
