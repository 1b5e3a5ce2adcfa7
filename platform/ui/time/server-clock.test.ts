import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ServerClock } from './server-clock.ts';

const HOUR_MS = 3_600_000;
const NOON = Date.parse('2026-01-15T12:00:00.000Z');

/** A page's two clocks: the wall clock, which can be set, and the running time. */
const device = { wall: 0, running: 0 };
const passes = (ms: number, whileAwake = true): void => {
  device.wall += ms;
  if (whileAwake) device.running += ms;
};
beforeEach(() => {
  Object.assign(device, { wall: NOON, running: 1_000 });
  vi.spyOn(Date, 'now').mockImplementation(() => device.wall);
  vi.spyOn(performance, 'now').mockImplementation(() => device.running);
});
afterEach(() => void vi.restoreAllMocks());

/** A call that takes this long in each direction, to a server whose time is `serverMs` when it answers. */
function calls(clock: ServerClock, serverMs: number, thereMs = 40, backMs = 40): void {
  const measured = clock.begin();
  passes(thereMs + backMs);
  measured(String(serverMs));
}

describe.each([['an hour ahead', HOUR_MS], ['right', 0], ['an hour behind', -HOUR_MS]])(
  'a page whose browser\'s clock is %s',
  (_how, aheadMs) => {
    it('knows the server\'s time from the document on, and better with each answer', () => {
      device.wall += aheadMs;
      const clock = new ServerClock(NOON);
      expect(clock.now()).toBe(NOON);
      // The document was three seconds on its way.
      calls(clock, NOON + 3_040);
      expect(clock.now()).toBe(NOON + 3_080);
      passes(10 * 60_000);
      expect(clock.now()).toBe(NOON + 10 * 60_000 + 3_080);
    });
  },
);

it('is off by half of the fastest way there and back at most, however slow the others were', () => {
  const clock = new ServerClock();
  calls(clock, NOON + 500, 500, 9_500);
  calls(clock, NOON + 10_000 + 30, 30, 10);
  calls(clock, NOON + 10_040 + 2_000, 2_000, 3_000);
  expect(Math.abs(clock.now() - (NOON + 15_040))).toBeLessThanOrEqual(20);
});

it('goes on as before when the browser\'s clock is set, and asks the server', () => {
  const clock = new ServerClock(NOON);
  calls(clock, NOON + 40);
  let asked = 0;
  clock.asksBy(() => {
    asked += 1;
  });
  clock.check();
  expect(asked).toBe(0);
  const before = clock.now();
  device.wall += HOUR_MS;
  expect(clock.now()).toBe(before);
  clock.check();
  clock.check();
  expect(asked).toBe(1);
  calls(clock, NOON + 120);
  clock.check();
  expect([asked, clock.now()]).toEqual([1, before + 80]);
});

it('is asked again after a sleep in which its running time stood still, and is right with the answer', () => {
  const clock = new ServerClock(NOON);
  calls(clock, NOON + 40);
  let asked = 0;
  clock.asksBy(() => {
    asked += 1;
  });
  passes(HOUR_MS, false);
  clock.check();
  expect(asked).toBe(1);
  let changes = 0;
  clock.subscribe(() => {
    changes += 1;
  });
  calls(clock, NOON + HOUR_MS + 120);
  expect([clock.now(), changes]).toEqual([NOON + HOUR_MS + 160, 1]);
});

it('follows a server whose clock was set back', () => {
  const clock = new ServerClock(NOON);
  calls(clock, NOON + 40);
  calls(clock, NOON - 5_000);
  expect(clock.now()).toBe(NOON - 5_000 + 40);
});

it('reads no time in what is none', () => {
  const clock = new ServerClock(NOON);
  for (const text of [null, 'noon', 'NaN']) clock.begin()(text);
  expect(clock.now()).toBe(NOON);
});

it('puts what a document carries into a cache as old as it is, by the clock the cache reads', () => {
  device.wall -= HOUR_MS;
  const clock = new ServerClock(NOON);
  expect(clock.storedAt(NOON - 3_000)).toBe(NOON - HOUR_MS - 3_000);
  expect(clock.storedAt(NOON + 1)).toBe(NOON - HOUR_MS);
});
