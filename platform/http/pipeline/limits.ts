import type { RateLimit } from '#platform/contract/call.ts';
import type { Caller } from '#platform/contract/context.ts';
import type { RateLimits, RateLimitStore } from '#platform/data/limits/rate-limits.ts';
import { addressGroups } from '../address.ts';

/** Counters a process remembers; past that the oldest window is forgotten. About 20 MB. */
const MAX_WINDOWS = 100_000;

/**
 * Callers without an account cost nothing to make, so their address is counted too, with room for a household
 * or an office behind one address.
 */
const CALLERS_PER_ADDRESS = 20;

/** Rate limits of calls. While Redis is away each process counts its own callers. */
export class CallLimits {
  readonly #limits: RateLimits;

  constructor(store: RateLimitStore) {
    this.#limits = store.family('http.calls', { maxKeys: MAX_WINDOWS, whenAway: 'local' });
  }

  /**
   * Counts one call. Returns 0 when it is allowed, else the whole seconds until the next one is.
   * @param link the link of the call, if its limit counts links and the site made the link
   */
  async take(
    callName: string,
    limit: RateLimit,
    caller: Caller,
    address: string,
    link: string | null = null,
  ): Promise<number> {
    const { points, seconds } = limit;
    const count = (key: string, most = points): Promise<number> =>
      this.#limits.take(`${callName} ${key}`, { points: most, seconds });
    // Counting stops at a group with nothing left, so that one /64 cannot use up its whole /56.
    const countAddress = async (suffix: string, most: number): Promise<number> => {
      for (const { key, share } of addressGroups(address)) {
        const wait = await count(`a:${key}${suffix}`, most * share);
        if (wait > 0) return wait;
      }
      return 0;
    };
    if (limit.per === 'link' && link !== null) return inSeconds(await count(`l:${link}`));
    // A call with a made-up link is counted like a call without one.
    if (limit.per !== 'caller') return inSeconds(await countAddress('', points));
    if (caller.personId !== null) return inSeconds(await count(`p:${caller.personId}`));
    if (caller.sessionId === null) return inSeconds(await countAddress('', points));
    const waitAddress = await countAddress(' *', points * CALLERS_PER_ADDRESS);
    return inSeconds(waitAddress || await count(`s:${caller.sessionId}`));
  }
}

const inSeconds = (ms: number): number => Math.ceil(ms / 1000);
