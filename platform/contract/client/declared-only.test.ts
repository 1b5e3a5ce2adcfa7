import { describe, expect, it } from 'vitest';
import type { z as Zod } from 'zod';
import { z } from './declared-only.ts';

describe('the stand-in for zod', () => {
  it('takes every declaration a contract can make', () => {
    const stand = z as typeof Zod;
    const Shape = stand.object({ id: stand.int().min(1), name: stand.string().max(3).optional() });
    expect(Shape.extend({ more: Shape.shape.name }).partial()).toBe(z);
    expect(String(Shape)).toBe('shape');
  });
});
