import { describe, expect, it } from 'vitest';
import { missingOf, smallestCovering } from './rules/products.ts';

describe('products', () => {
  it('that cover what is missing are packs, the smallest first, with what is free in them', () => {
    const [pack, more] = [{ membership: null, free_tokens: 0 }, { membership: null, free_tokens: 30 }];
    const products = [
      { membership: 'vip', free_tokens: 0, tokens: 90 },
      { ...pack, tokens: 200 },
      { ...pack, tokens: 100 },
      { ...more, tokens: 65 },
      { ...pack, tokens: 50 },
    ];
    const covering = (missing: number) => smallestCovering(products, missing)?.tokens;
    expect([50, 51, 95, 96, 100, 101, 200].map(covering)).toEqual([50, 65, 65, 100, 100, 200, 200]);
    expect(covering(201)).toBeUndefined();
    expect([missingOf(90, 5), missingOf(90, 90), missingOf(90, 91), missingOf(undefined, 0)])
      .toEqual([85, 0, 0, 0]);
  });
});
