import type { RateLimit } from '../../contract/call.ts';
import type { Caller } from '../../contract/context.ts';
import type { Clock } from '../../data/clock.ts';

interface Window {
  used: number;
  readonly endsAtMs: number;
}

/** Counters kept at once; past that the oldest window is forgotten. About 20 MB. */
const MAX_WINDOWS = 100_000;

/**
 * Callers without an account cost nothing to make, so their address is counted too, with room for a household
 * or an office behind one address.
 */
const CALLERS_PER_ADDRESS = 20;

/** Counts calls in fixed windows that begin with the first one; driven by the clock, so tests move time. */
export class RateLimits {
  readonly #clock: Clock;
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts one call. Answers 0 when it may go on, else the whole seconds until it makes sense to come back.
   */
  take(callName: string, limit: RateLimit, caller: Caller, address: string): number {
    const byAddress = `${callName} a:${address}`;
    if (limit.per === 'address') return this.takeFrom(callName, limit, address);
    if (caller.personId !== null)
      return this.#count(`${callName} p:${caller.personId}`, limit.points, limit.seconds);
    if (caller.sessionId === null) return this.#count(byAddress, limit.points, limit.seconds);
    const waitAddress = this.#count(`${byAddress} *`, limit.points * CALLERS_PER_ADDRESS, limit.seconds);
    return waitAddress || this.#count(`${callName} s:${caller.sessionId}`, limit.points, limit.seconds);
  }

  /** Counts for an address alone, whoever calls; also for what comes by other ways than HTTP. */
  takeFrom(name: string, { points, seconds }: Omit<RateLimit, 'per'>, address: string): number {
    return this.#count(`${name} a:${address}`, points, seconds);
  }

  #count(key: string, points: number, seconds: number): number {
    const nowMs = this.#clock.now().getTime();
    const open = this.#windows.get(key);
    if (open && open.endsAtMs > nowMs) {
      if (open.used >= points) return Math.ceil((open.endsAtMs - nowMs) / 1000);
      open.used += 1;
      return 0;
    }
    // Deleting first moves the key to the end, so that the map stays ordered by the begin of its windows.
    this.#windows.delete(key);
    this.#windows.set(key, { used: 1, endsAtMs: nowMs + seconds * 1000 });
    if (this.#windows.size > MAX_WINDOWS) {
      const oldest = this.#windows.keys().next().value;
      if (oldest !== undefined) this.#windows.delete(oldest);
    }
    return 0;
  }
}
