import type { BucketRate } from '#platform/time/token-bucket.ts';
import type { RateLimiterRes } from 'rate-limiter-flexible';

/** Allows `points` uses in a window that begins with the first of them; further uses do not prolong it. */
export interface WindowLimit {
  readonly points: number;
  readonly seconds: number;
}
export type RateLimit = WindowLimit | BucketRate;

/** One use of a key. */
export interface Use {
  readonly key: string;
  readonly limit: WindowLimit;
}

/** Counts uses of keys that belong together: a family. */
export interface RateLimits {
  /** Counts one use. Returns 0 when it is allowed, else the milliseconds until one is. */
  readonly take: (key: string, limit: RateLimit) => Promise<number>;
  /** Counts one use of every key, or of none if any key has no use left. Returns the longest wait. */
  readonly takeAll: (uses: readonly Use[]) => Promise<number>;
  /** Forgets the uses of a key under a limit. */
  readonly forget: (key: string, limit: RateLimit) => Promise<void>;
}

export interface FamilyOptions {
  /** Keys this process remembers at once; the oldest are forgotten first. */
  readonly maxKeys: number;
  /**
   * What happens while the shared store is away. `local`: each process counts for itself, so limits hold
   * less strictly. `refuse`: nothing is allowed, for what must not be guessed.
   */
  readonly whenAway: 'local' | 'refuse';
}

/** Where uses are counted: in this process, or in a Redis that processes share. */
export interface RateLimitStore {
  /** @param name unique in the program; names the owner of the keys */
  readonly family: (name: string, options: FamilyOptions) => RateLimits;
}

/** The part of the library's limiters that is used. Each limiter has one limit. */
export interface Limiter {
  /** The result has more points than the limit when none was left. Rejects when the store is away. */
  readonly consume: (key: string) => Promise<RateLimiterRes>;
  readonly get: (key: string) => Promise<RateLimiterRes | null>;
  readonly delete: (key: string) => Promise<boolean>;
}

export const isBucket = (limit: RateLimit): limit is BucketRate => 'burst' in limit;

/** Counts with limiters of the library, one for each limit of the family. Rejects when the store is away. */
export class LibraryLimits implements RateLimits {
  readonly #limiterOf: (limit: RateLimit) => Limiter;
  readonly #limiters = new Map<string, Limiter>();

  constructor(limiterOf: (limit: RateLimit) => Limiter) {
    this.#limiterOf = limiterOf;
  }

  readonly take = async (key: string, limit: RateLimit): Promise<number> => {
    const { consumedPoints, msBeforeNext } = await this.#limiter(limit).consume(key);
    const points = isBucket(limit) ? limit.burst : limit.points;
    return consumedPoints > points ? Math.max(1, msBeforeNext) : 0;
  };

  readonly takeAll = async (uses: readonly Use[]): Promise<number> => {
    const waits = await Promise.all(uses.map(({ key, limit }) => this.#spentFor(key, limit)));
    const waitMs = Math.max(0, ...waits);
    if (waitMs > 0) return waitMs;
    return Math.max(0, ...await Promise.all(uses.map(({ key, limit }) => this.take(key, limit))));
  };

  readonly forget = async (key: string, limit: RateLimit): Promise<void> => {
    await this.#limiter(limit).delete(key);
  };

  /** How long until a window has a use left; 0 when it has one now. */
  async #spentFor(key: string, limit: WindowLimit): Promise<number> {
    const used = await this.#limiter(limit).get(key);
    return used && used.consumedPoints >= limit.points ? Math.max(1, used.msBeforeNext) : 0;
  }

  #limiter(limit: RateLimit): Limiter {
    const name = isBucket(limit) ? JSON.stringify(limit) : `${limit.points} in ${limit.seconds} s`;
    const known = this.#limiters.get(name) ?? this.#limiterOf(limit);
    this.#limiters.set(name, known);
    return known;
  }
}
