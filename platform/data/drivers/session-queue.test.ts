import { expect, it } from 'vitest';
import { VirtualClock } from '../clock.ts';
import { SessionQueue } from './session-queue.ts';

it('gives a session up to whoever waits longest, and refuses after 20 seconds with who holds it', async () => {
  const clock = new VirtualClock();
  const queue = new SessionQueue(1, clock);
  const release = await queue.take('import');
  const order: string[] = [];
  const waits = ['first', 'second'].map(async (name) => {
    const free = await queue.take(name);
    order.push(name);
    return free;
  });
  clock.advance(19_999);
  release();
  const free = await waits[0];
  expect([order, queue.isQuiet]).toEqual([['first'], false]);
  const late = queue.take('late');
  const refused = expect(Promise.all([late, waits[1]])).rejects.toThrow(/held by: first$/u);
  clock.advance(20_000);
  await refused;
  free?.();
  expect(queue.isQuiet).toBe(true);
});
