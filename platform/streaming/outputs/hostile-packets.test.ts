import { expect, it } from 'vitest';
import { heldBytes } from '../conformance/load/heap.ts';
import { feedHostilePackets } from './trial/hostile-packets.ts';

it('mutated packets become whole segments and recordings or nothing, and leave nothing behind', () => {
  feedHostilePackets(2_000, 1);
  const before = heldBytes();
  const { pictures, segments, fragments } = feedHostilePackets(20_000, 2);
  expect(pictures).toBeGreaterThan(300);
  expect(Math.min(segments, fragments)).toBeGreaterThan(20);
  expect(heldBytes() - before).toBeLessThan(8 * 1024 * 1024);
});
