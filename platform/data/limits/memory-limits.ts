import { takeToken, type Bucket, type BucketRate } from '#platform/time/token-bucket.ts';
import { SECOND_MS } from '#platform/time/units.ts';
import { RateLimiterRes } from 'rate-limiter-flexible';
import type { Clock } from '../clock.ts';
import {
  isBucket,
  LibraryLimits,
  type Limiter,
  type RateLimitStore,
  type WindowLimit,
} from './rate-limits.ts';

interface Window {
  readonly used: number;
  readonly endsAtMs: number;
}

/**
 * The uses of a family's keys, in the order in which the keys began or were last used: the oldest are
 * forgotten first. The library's own memory store sets a timer per key, reads the wall clock and grows
 * without limit.
 */
class BoundedKeys<T> {
  readonly #most: number;
  readonly #values = new Map<string, T>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): T | undefined {
    return this.#values.get(key);
  }

  /** Updates a key without changing its place in the order. */
  change(key: string, value: T): void {
    this.#values.set(key, value);
  }

  /** Moves a key to the end of the order. */
  begin(key: string, value: T): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size <= this.#most) return;
    const oldest = this.#values.keys().next().value;
    if (oldest !== undefined) this.#values.delete(oldest);
  }

  delete(key: string): boolean {
    return this.#values.delete(key);
  }
}

/** A window, with the interface of the library's limiters. */
class WindowLimiter implements Limiter {
  readonly #clock: Clock;
  readonly #limit: WindowLimit;
  readonly #windows: BoundedKeys<Window>;

  constructor(clock: Clock, limit: WindowLimit, windows: BoundedKeys<Window>) {
    this.#clock = clock;
    this.#limit = limit;
    this.#windows = windows;
  }

  readonly consume: Limiter['consume'] = async (key) => {
    const nowMs = this.#clock.now().getTime();
    const { points, seconds } = this.#limit;
    const open = this.#openAt(key, nowMs);
    const used = (open?.used ?? 0) + 1;
    const endsAtMs = open?.endsAtMs ?? nowMs + seconds * SECOND_MS;
    if (open) this.#windows.change(key, { used, endsAtMs });
    else this.#windows.begin(key, { used, endsAtMs });
    return new RateLimiterRes(Math.max(0, points - used), endsAtMs - nowMs, used, !open);
  };

  readonly get: Limiter['get'] = async (key) => {
    const nowMs = this.#clock.now().getTime();
    const open = this.#openAt(key, nowMs);
    if (!open) return null;
    const { used, endsAtMs } = open;
    return new RateLimiterRes(Math.max(0, this.#limit.points - used), endsAtMs - nowMs, used, false);
  };

  readonly delete: Limiter['delete'] = async (key) => this.#windows.delete(key);

  #openAt(key: string, nowMs: number): Window | null {
    const known = this.#windows.get(key);
    return known && known.endsAtMs > nowMs ? known : null;
  }
}

/** A token bucket, with the interface of the library's limiters. */
class BucketLimiter implements Limiter {
  readonly #clock: Clock;
  readonly #rate: BucketRate;
  readonly #buckets: BoundedKeys<Bucket>;

  constructor(clock: Clock, rate: BucketRate, buckets: BoundedKeys<Bucket>) {
    this.#clock = clock;
    this.#rate = rate;
    this.#buckets = buckets;
  }

  readonly consume: Limiter['consume'] = async (key) => {
    const nowMs = this.#clock.now().getTime();
    const { bucket, waitMs } = takeToken(this.#buckets.get(key) ?? null, this.#rate, nowMs);
    this.#buckets.begin(key, bucket);
    const used = waitMs > 0 ? this.#rate.burst + 1 : this.#rate.burst - Math.floor(bucket.left);
    return new RateLimiterRes(Math.floor(bucket.left), waitMs, used, false);
  };

  readonly get: Limiter['get'] = async () => {
    throw new Error('only windows are looked at without a use');
  };

  readonly delete: Limiter['delete'] = async (key) => this.#buckets.delete(key);
}

/** Counts in this process alone, by the given clock. */
export const memoryLimits = (clock: Clock): RateLimitStore => ({
  family: (_name, { maxKeys }) => {
    const windows = new BoundedKeys<Window>(maxKeys);
    const buckets = new BoundedKeys<Bucket>(maxKeys);
    return new LibraryLimits((limit) => (isBucket(limit)
      ? new BucketLimiter(clock, limit, buckets)
      : new WindowLimiter(clock, limit, windows))
    );
  },
});
