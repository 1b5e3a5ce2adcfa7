import { MINUTE_MS, SECOND_MS } from './units.ts';

/** A rate: `burst` at once, and after that so many per second or minute. */
export type BucketRate =
  | { readonly burst: number; readonly perSecond: number }
  | { readonly burst: number; readonly perMinute: number };

/** A token bucket: the tokens left, including fractions, and when they were counted. */
export interface Bucket {
  readonly left: number;
  readonly atMs: number;
}

/** The tokens added in this many milliseconds. */
const refillOf = (
  rate: BucketRate,
): { readonly tokens: number; readonly ms: number } => ('perSecond' in rate
  ? {
    tokens: rate.perSecond,
    ms: SECOND_MS,
  }
  : { tokens: rate.perMinute, ms: MINUTE_MS });

/** How long an empty bucket takes to be full. */
export function refillMs(rate: BucketRate): number {
  const { tokens, ms } = refillOf(rate);
  return (rate.burst * ms) / tokens;
}

/** The tokens left now; a bucket that does not exist yet is full. A clock that goes back adds nothing. */
export function bucketLeft(bucket: Bucket | null, rate: BucketRate, nowMs: number): number {
  if (!bucket) return rate.burst;
  const { tokens, ms } = refillOf(rate);
  return Math.min(rate.burst, bucket.left + (Math.max(0, nowMs - bucket.atMs) * tokens) / ms);
}

/** Takes one token. `waitMs` is 0 when there was one, else how long until there is. */
export function takeToken(
  bucket: Bucket | null,
  rate: BucketRate,
  nowMs: number,
): { readonly bucket: Bucket; readonly waitMs: number } {
  const left = bucketLeft(bucket, rate, nowMs);
  if (left >= 1) return { bucket: { left: left - 1, atMs: nowMs }, waitMs: 0 };
  const { tokens, ms } = refillOf(rate);
  return { bucket: { left, atMs: nowMs }, waitMs: Math.ceil(((1 - left) * ms) / tokens) };
}
