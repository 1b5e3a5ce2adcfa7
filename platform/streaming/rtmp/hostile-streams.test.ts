import { expect, it } from 'vitest';
import { heldBytes } from '../conformance/load/heap.ts';
import { Dice } from '../conformance/network/dice.ts';
import { feedHostileStreams } from './hostile-streams.ts';

/** `rtmp.prove.ts` feeds a million. */
const INPUTS = { conversations: 8_000, commands: 6_000, tags: 6_000 } as const;

it.each(['conversations', 'commands', 'tags'] as const)(
  'mutated %s of RTMP are taken or refused, and nothing else happens',
  (kind) => {
    const dice = new Dice(1);
    feedHostileStreams(kind, 100, dice);
    const before = heldBytes();
    const { taken } = feedHostileStreams(kind, INPUTS[kind], dice);
    expect(taken).toBeGreaterThan(INPUTS[kind] / 20);
    expect(taken).toBeLessThan(INPUTS[kind]);
    expect(heldBytes() - before).toBeLessThan(8 * 1_024 * 1_024);
  },
);
