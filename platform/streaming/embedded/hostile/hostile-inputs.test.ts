import { expect, it } from 'vitest';
import { heldBytes } from '../../conformance/load/heap.ts';
import { feedHostile } from './hostile-inputs.ts';

const INPUTS = 4_000;

it.each(['rtp', 'rtcp', 'offers', 'fragments', 'frames'] as const)(
  'mutated %s are taken or refused, and nothing else happens',
  (kind) => {
    feedHostile(kind, 100, 1);
    const before = heldBytes();
    const { taken } = feedHostile(kind, INPUTS, 2);
    expect(taken).toBeGreaterThan(INPUTS / 20);
    expect(taken).toBeLessThan(INPUTS);
    expect(heldBytes() - before).toBeLessThan(8 * 1024 * 1024);
  },
);
