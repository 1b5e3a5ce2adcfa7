import { expect, it } from 'vitest';
import { allocateAsUsualInChildren, ALLOCATION } from './allocation.ts';

it('children of the site allocate as usual, unless whoever starts it says how', () => {
  const env = { ...ALLOCATION, MALLOC_ARENA_MAX: '4', PATH: '/bin' };
  allocateAsUsualInChildren(env);
  expect(env).toEqual({ MALLOC_ARENA_MAX: '4', PATH: '/bin' });
});
