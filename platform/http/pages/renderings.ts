import type { Clock } from '#platform/data/clock.ts';
import { takeToken, type Bucket, type BucketRate } from '#platform/time/token-bucket.ts';
import { addressGroups, AddressShares } from '../address.ts';

/**
 * Most documents rendered at once. Rendering occupies the processor: at 5 ms each, one more would wait a
 * third of a second, so it gets a 503 instead.
 */
const MAX_RENDERINGS = 64;
/**
 * Most of them for one address: enough for a browser that reopens all tabs of a session, and few enough that
 * it takes four addresses to use up the total.
 */
const MAX_RENDERINGS_PER_ADDRESS = 16;

/**
 * Rate of documents rendered for one address. Cached documents are not counted, so this limits pages that
 * nobody else requests, such as searches. A session of fifty tabs opens at once; people open one
 * every few seconds.
 */
const RENDER_RATE: BucketRate = { burst: 60, perSecond: 2 };
/** Addresses that are remembered: past that the oldest is forgotten. About 4 MB. */
const MAX_ADDRESSES = 20_000;

/** No document can be rendered now: too many are being rendered, in all or for this address. */
export class Busy extends Error {
  constructor() {
    super('too many documents are rendered');
    this.name = 'Busy';
  }
}

/** An address has asked for too many documents of its own. */
export class TooMany extends Error {
  readonly waitSeconds: number;

  constructor(waitMs: number) {
    super('too many documents for this address');
    this.name = 'TooMany';
    this.waitSeconds = Math.ceil(waitMs / 1_000);
  }
}

/** The documents being rendered, with a share for each address, and the recent rate of each address. */
export class Renderings {
  readonly #clock: Clock;
  readonly #rate: BucketRate;
  readonly #buckets = new Map<string, Bucket>();
  readonly #byAddress = new AddressShares(MAX_RENDERINGS_PER_ADDRESS);
  #all = 0;

  constructor(clock: Clock, rate: BucketRate = RENDER_RATE) {
    this.#clock = clock;
    this.#rate = rate;
  }

  /** Runs one rendering. Throws {@link Busy} when there is no room, {@link TooMany} above the rate. */
  async run<T>(address: string, render: () => Promise<T>): Promise<T> {
    if (this.#all >= MAX_RENDERINGS || !this.#byAddress.hasRoom(address)) throw new Busy();
    this.#take(address);
    this.#all += 1;
    this.#byAddress.add(address);
    try {
      return await render();
    } finally {
      this.#all -= 1;
      this.#byAddress.remove(address);
    }
  }

  /** An IPv6 address counts under its /64 and its /56. */
  #take(address: string): void {
    const nowMs = this.#clock.now().getTime();
    const { burst, ...refill } = this.#rate;
    for (const { key, share } of addressGroups(address)) {
      const rate = 'perSecond' in refill
        ? { burst: burst * share, perSecond: refill.perSecond * share }
        : { burst: burst * share, perMinute: refill.perMinute * share };
      const { bucket, waitMs } = takeToken(this.#buckets.get(key) ?? null, rate, nowMs);
      this.#buckets.delete(key);
      this.#buckets.set(key, bucket);
      for (const oldest of this.#buckets.keys()) {
        if (this.#buckets.size <= MAX_ADDRESSES) break;
        this.#buckets.delete(oldest);
      }
      if (waitMs > 0) throw new TooMany(waitMs);
    }
  }
}
