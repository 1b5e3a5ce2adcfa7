import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketLeft, refillMs, takeToken, type Bucket, type BucketRate } from './token-bucket.ts';

const RATES: readonly BucketRate[] = [
  { burst: 5, perSecond: 0.25 },
  { burst: 8, perSecond: 1 },
  { burst: 120, perSecond: 30 },
  { burst: 4, perMinute: 8 },
  { burst: 10, perMinute: 30 },
];
const perMsOf = (
  rate: BucketRate,
): number => ('perSecond' in rate ? rate.perSecond / 1_000 : rate.perMinute / 60_000);

describe('a token bucket', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 100 });

  it('allows a burst and then the rate, over any span, at every rate', () => {
    fc.assert(fc.property(gaps, fc.constantFrom(...RATES), (waits, rate) => {
      let bucket: Bucket | null = null;
      let [nowMs, allowed] = [0, 0];
      for (const wait of waits) {
        nowMs += wait;
        const next = takeToken(bucket, rate, nowMs);
        bucket = next.bucket;
        if (next.waitMs === 0) allowed += 1;
      }
      expect(allowed).toBeLessThanOrEqual(rate.burst + nowMs * perMsOf(rate));
      expect(allowed).toBeGreaterThan(0);
    }));
  });

  it('says to the millisecond when the next token is there', () => {
    fc.assert(fc.property(gaps, fc.constantFrom(...RATES), (waits, rate) => {
      let bucket: Bucket | null = null;
      let nowMs = 0;
      for (const wait of waits) {
        nowMs += wait;
        const next = takeToken(bucket, rate, nowMs);
        bucket = next.bucket;
        if (next.waitMs === 0) continue;
        expect(bucketLeft(bucket, rate, nowMs + next.waitMs)).toBeGreaterThanOrEqual(1 - 1e-9);
        expect(bucketLeft(bucket, rate, nowMs + next.waitMs - 2)).toBeLessThan(1);
      }
    }));
  });

  it('is full before its first use and after the time it takes to fill', () => {
    for (const rate of RATES) {
      expect(bucketLeft(null, rate, 0)).toBe(rate.burst);
      expect(bucketLeft({ left: 0, atMs: 0 }, rate, refillMs(rate))).toBe(rate.burst);
      expect(bucketLeft({ left: 0, atMs: 0 }, rate, refillMs(rate) - 1)).toBeLessThan(rate.burst);
    }
  });

  it('is not fooled by a clock that goes back', () => {
    const rate = { burst: 5, perSecond: 0.5 };
    const { bucket } = takeToken({ left: 0, atMs: 10_000 }, rate, 0);
    expect(takeToken(bucket, rate, 0).waitMs).toBe(2_000);
  });
});
