import { expect, it } from 'vitest';
import { VirtualClock } from '../clock.ts';
import { SessionQueue } from './session-queue.ts';

it('passes a session on to whoever waits longest', async () => {
  const queue = new SessionQueue(1, new VirtualClock());
  const release = await queue.take('import');
  const order: string[] = [];
  const waits = ['first', 'second'].map(async (name) => {
    const free = await queue.take(name);
    order.push(name);
    return free;
  });
  release();
  (await waits[0])?.();
  (await waits[1])?.();
  expect([order, queue.isQuiet]).toEqual([['first', 'second'], true]);
});

it('refuses whoever waited for 20 seconds, and says who holds the sessions', async () => {
  const clock = new VirtualClock();
  const queue = new SessionQueue(1, clock);
  await queue.take('import');
  let error: unknown = null;
  const waits = queue.take('tip').catch((thrown: unknown) => {
    error = thrown;
  });
  clock.advance(19_999);
  await Promise.resolve();
  expect(error).toBeNull();
  clock.advance(1);
  await waits;
  expect(String(error)).toBe('Error: tip waited 20000 ms for the database, held by: import');
});
