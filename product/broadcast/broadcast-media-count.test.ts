import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countLost,
  countReceived,
  countRest,
  countSegment,
  countSent,
  lookAhead,
  MAX_SPANS,
  MEDIA_MEMORY_MS,
  NO_MEDIA,
  type LookAhead,
  type MediaCount,
  type StreamSecond,
} from './rules/media-seconds.ts';

const START = 1_800_000_000_000;

/** Counts the slow way, tick by tick of 100 ms. */
class SlowCount {
  readonly #segments = new Set<number>();
  readonly #seconds = new Set<number>();
  ticks = 0;

  second(at: number): void {
    for (let tick = at - 10; tick < at; tick++) {
      if (!this.#segments.has(tick)) this.ticks += 1;
      this.#seconds.add(tick);
    }
  }

  segment(from: number, length: number): void {
    for (let tick = from; tick < from + length; tick++) {
      if (!this.#segments.has(tick) && !this.#seconds.has(tick)) this.ticks += 1;
      this.#segments.add(tick);
    }
  }
}

/** The next second of the stream, which ends at this time after the start. */
const nextAfter = ({ states }: MediaCount, at = 0): StreamSecond => ({
  number: Math.max(0, ...states.keys()) + 1,
  endsAtMs: START + at,
});
const second = (count: MediaCount, at: number): MediaCount =>
  countReceived(countSent(count, nextAfter(count, at)), nextAfter(count, at));
const segment = (count: MediaCount, from: number, ms: number): MediaCount =>
  countSegment(count, START + from, ms);
const fetches = (...of: readonly number[]): number =>
  of.reduce((count, nth) => segment(count, nth * 2_000, 2_000), NO_MEDIA).sentMs;

describe('seconds of media', () => {
  it('are those of the slow count, whichever way and in whatever order they came', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('second' as const), tick: fc.integer({ min: 0, max: 5 }) }),
      fc.record({
        kind: fc.constant('segment' as const),
        tick: fc.integer({ min: 0, max: 600 }),
        length: fc.integer({ min: 9, max: 40 }),
      }),
    );
    fc.assert(fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
      const slow = new SlowCount();
      let count = NO_MEDIA;
      let tick = 0;
      for (const one of steps) {
        if (one.kind === 'second') {
          // Reports are a second apart; in a longer gap nothing was sent.
          tick += 10 + (one.tick > 3 ? one.tick * 10 : 0);
          slow.second(tick);
          count = second(count, tick * 100);
        } else {
          slow.segment(one.tick, one.length);
          count = segment(count, one.tick * 100, one.length * 100);
        }
        expect(count.sentMs).toBe(slow.ticks * 100);
      }
    }));
  });

  it('of a segment count once, also when the newest is fetched first and twice', () => {
    expect(fetches(0, 1, 2)).toBe(6_000);
    expect(fetches(2, 0, 1, 2, 0)).toBe(6_000);
    expect(fetches(5, 3, 1, 5, 3, 1)).toBe(6_000);
  });

  it('count whole though reports come early and late', () => {
    let count = NO_MEDIA;
    for (let nth = 1; nth <= 600; nth++) count = second(count, nth * 1_000 + (nth % 2 === 0 ? 180 : -180));
    expect(count.sentMs).toBe(600_000);
    expect(count.seconds).toHaveLength(1);
  });

  it('do not jump with the clock, forward or back', () => {
    const before = second(second(NO_MEDIA, 1_000), 2_000);
    for (const jump of [3_600_000, -3_600_000]) {
      const after = second(segment(second(before, jump), jump + 1_000, 2_000), 3_000);
      expect(after.sentMs).toBe(6_000);
      expect(segment(after, 3_000, 2_000).sentMs).toBe(8_000);
    }
  });

  it('that were lost do not count, up to ten and one more for each thirty that came', () => {
    const lose = (count: MediaCount, lost: number, received = 0): MediaCount =>
      [...Array<boolean>(received).fill(true), ...Array<boolean>(lost).fill(false)].reduce((before, came) => {
        const next = nextAfter(before);
        return (came ? countReceived : countLost)(countSent(before, next), next);
      }, count);
    expect(lose(NO_MEDIA, 3, 2).sentMs).toBe(2_000);
    // A viewer who reports nothing as received gets ten seconds free, however often they reconnect.
    let liar = NO_MEDIA;
    for (let times = 0; times < 20; times++) liar = lose(liar, 3);
    expect(liar.sentMs).toBe(50_000);
    // A viewer who reports in between gets one more free second per half minute paid.
    let slow = NO_MEDIA;
    for (let times = 0; times < 100; times++) slow = lose(slow, 3, 10);
    expect(slow.sentMs).toBe((1_000 + 300 - 10 - 33) * 1_000);
    let honest = NO_MEDIA;
    for (let minutes = 0; minutes < 60; minutes++) honest = lose(honest, 2, 60);
    expect(honest.sentMs).toBe(3_600_000);
  });

  it('are one for all players: what one reports is not lost by another, and silence is a loss', () => {
    const first = { number: 1, endsAtMs: START };
    const lost = countLost(countSent(NO_MEDIA, first), first);
    expect([lost.sentMs, lost.forgiven]).toEqual([0, 1]);
    const came = countReceived(countSent(lost, first), first);
    expect([came.sentMs, came.forgiven, came.received]).toEqual([1_000, 0, 1]);
    expect(countReceived(countLost(came, first), first)).toBe(came);
    // Forty seconds have no report: ten are forgiven, both while the stream goes on and at its end.
    let silent = NO_MEDIA;
    for (let number = 1; number <= 40; number += 1) {
      silent = countSent(silent, { number, endsAtMs: START + number * 1_000 });
    }
    expect(silent.sentMs).toBe(10_000);
    const over = countRest(silent, { number: 40, endsAtMs: START + 40_000 });
    expect([over.sentMs, over.forgiven]).toEqual([30_000, 10]);
    expect(countRest(over, { number: 41, endsAtMs: START + 41_000 })).toEqual(over);
    expect(silent.states.size).toBeLessThanOrEqual(20);
  });

  it('may be fetched ten seconds ahead of time, and then as they pass', () => {
    let ahead: LookAhead | null = null;
    const taken = [0, 0, 0, 0, 0, 0, 1_000, 2_000, 2_000, 60_000].map((at) => {
      const next: LookAhead | null = lookAhead(ahead ?? undefined, 2_000, at);
      ahead = next ?? ahead;
      return next !== null;
    });
    expect(taken).toEqual([true, true, true, true, true, false, false, true, false, true]);
    // Fetching the same media again is always allowed, and a clock that jumps back gives no time.
    expect(lookAhead({ aheadMs: 10_000, atMs: 5_000 }, 0, 5_000)).not.toBeNull();
    expect(lookAhead({ aheadMs: 10_000, atMs: 5_000 }, 2_000, 0)).toBeNull();
  });

  it('remember no more than they need', () => {
    let count = NO_MEDIA;
    for (let nth = 0; nth < 5_000; nth++) {
      count = segment(second(count, nth * 4_000), nth * 4_000 + 1_500, 900);
      expect(count.segments.length).toBeLessThanOrEqual(MAX_SPANS);
      expect(count.seconds.length).toBeLessThanOrEqual(MAX_SPANS);
    }
    expect(MEDIA_MEMORY_MS).toBeGreaterThan(12 * 4_000);
  });
});
