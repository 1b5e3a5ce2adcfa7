import fc from 'fast-check';
import { expect, it } from 'vitest';
import { StreamTimes } from './stream-times.ts';

const START = 1_800_000_000_000;
/** Clock of the publisher at the start of the test. */
const SENDER = 3_900_000_000_000;

/** The n-th segment, of two seconds, whose first frame arrived this long after it was sent. */
const segment = (number: number, lateMs: number, reportLateMs = 0) => ({
  startsAt: START + number * 2_000 + lateMs,
  sent: { atMs: SENDER + number * 2_000, behindMs: START - SENDER + reportLateMs },
});

it('segments of a stream and of a rendition begin together, whichever comes first and however late', () => {
  const late = fc.integer({ min: 0, max: 2_900 });
  const order = fc.array(fc.constantFrom('one', 'one~360', 'one~240'), { minLength: 3, maxLength: 30 });
  fc.assert(fc.property(order, late, late, (streams, smallMs, smallerMs) => {
    const times = new StreamTimes();
    const lateOf = new Map([['one', 0], ['one~360', smallMs], ['one~240', smallerMs]]);
    for (const [number, stream] of streams.entries()) {
      const at = times.place(stream, segment(number, lateOf.get(stream) ?? 0));
      expect(at).toBe(START + number * 2_000);
    }
  }));
});

it('whoever knows best how late a stream is decides for all sizes', () => {
  const times = new StreamTimes();
  expect(times.place('one~360', segment(0, 900, 900))).toBe(START + 900);
  expect(times.place('one', segment(1, 0))).toBe(START + 2_000);
  expect(times.place('one~360', segment(2, 900, 900))).toBe(START + 4_000);
});

it('goes by arrival without a report, by streams apart, and follows a jump of the clock', () => {
  const times = new StreamTimes();
  expect(times.place('one~360', { startsAt: START + 700, sent: null })).toBe(START + 700);
  times.place('one', segment(0, 0));
  expect(times.place('two', segment(0, 400, 400))).toBe(START + 400);
  expect(times.place('one', segment(1, 0, 3_500))).toBe(START + 5_500);
  times.retain(['one~360']);
  expect(times.place('one', segment(2, 0, 4_000))).toBe(START + 4_000 + 3_500);
  times.retain(['two']);
  expect(times.place('one', segment(2, 0, 4_000))).toBe(START + 8_000);
});
