import { expect, it } from 'vitest';
import { hostileMessages, type HostileMessage } from './hostile-frames.ts';
import { sendHostile } from './hostile-run.ts';

it('ten thousand mutated messages crash nothing, and others are served all the while', async () => {
  const { messages, sockets, marks, codes, counters } = await sendHostile(10_000, 250, 1);
  expect(messages).toBeGreaterThanOrEqual(10_000);
  expect(marks).toBe(sockets / 8);
  expect(counters['faults']).toBeUndefined();
  // A forged token, or 1003 binary, 1007 malformed or not UTF-8, 1009 oversized: never a fault.
  expect([...codes.keys()].filter((code) => ![1003, 1007, 1009, 4002].includes(code))).toEqual([]);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

it('the messages are the same for the same seed, and of both kinds', () => {
  const taken = Array.from({ length: 2 }, () => {
    const messages = hostileMessages(5);
    return Array.from({ length: 2_000 }, () => messages.next().value as HostileMessage);
  });
  expect(taken[0]).toEqual(taken[1]);
  expect(new Set(taken[0]?.map(({ survives }) => survives))).toEqual(new Set([true, false]));
});
