import type { Clock } from '#platform/data/clock.ts';
import { takeToken, type Bucket, type BucketRate } from '#platform/time/token-bucket.ts';
import { addressGroups, AddressShares } from '../address.ts';

/**
 * Most documents rendered at once. Rendering occupies the processor: at 5 ms each, one more would wait a
 * third of a second, so it gets a 503 instead.
 */
const MAX_RENDERINGS = 64;
/**
 * Most of them for one address: a browser that opens every tab of a session at once has room, and four
 * addresses are needed to take what all others wait for.
 */
const MAX_RENDERINGS_PER_ADDRESS = 16;

/**
 * Documents rendered for one address. Those in the cache are not counted: this is for pages that nobody else
 * asks for, such as searches. A session of fifty tabs opens at once; a reader opens one in some seconds.
 */
const RENDER_RATE: BucketRate = { burst: 60, perSecond: 2 };
/** Addresses that are remembered: past that the oldest is forgotten. About 4 MB. */
const MAX_ADDRESSES = 20_000;

/** No document can be rendered now: too many are, or too many for this address. */
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

/** Documents that are rendered now, with a share for each address, and how many it had of late. */
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

  /** Runs one rendering; throws {@link Busy} when there is no room for it, {@link TooMany} after too many. */
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

  /** Of an IPv6 address its /64 and its /56 are counted. */
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
