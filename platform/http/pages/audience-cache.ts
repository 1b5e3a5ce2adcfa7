import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '#platform/data/clock.ts';
import { Remembered } from '#platform/data/remembered.ts';
import { isPhone } from './devices.ts';

/**
 * How long the meaning of a request's headers is cached. Logging in sets a new cookie, so headers of a guest
 * never come to identify a person; the pass of the entry gate, which ends after weeks, may end that much
 * later.
 */
const ASKER_MS = 5_000;
/** The most viewers that a process remembers; the oldest are dropped first. */
export const MAX_ASKERS = 10_000;
/** Longer cookies are evaluated each time: together the stored ones stay below 20 MB. */
const MAX_COOKIE_LENGTH = 1024;

/** What the host reads of each request before it knows the caller. */
export interface Asking {
  readonly headers: IncomingHttpHeaders;
  readonly region: string;
  readonly locale: string;
}

/**
 * Caches which shared answers a request gets, by the headers that decide it. People who are logged in are
 * never cached: their session may end at any moment.
 */
export class AudienceCache<T extends string | object = string> {
  readonly #clock: Clock;
  readonly #maxAgeMs: number;
  readonly #remembered = new Remembered<T>(MAX_ASKERS);

  /** @param maxAgeMs how long the meaning of headers is cached */
  constructor(clock: Clock, maxAgeMs = ASKER_MS) {
    this.#clock = clock;
    this.#maxAgeMs = maxAgeMs;
  }

  /** The value that `remember` stored for the same headers a moment ago, else null. */
  find(asking: Asking, use = ''): T | null {
    const key = keyOf(asking, use);
    return key === null ? null : this.#remembered.get(key, this.#clock.now().getTime(), this.#maxAgeMs);
  }

  /**
   * @param asker all of an answer's key except its path
   * @param use the purpose, where that makes a difference
   */
  remember(asking: Asking, asker: T, use = ''): void {
    const key = keyOf(asking, use);
    if (key !== null) this.#remembered.set(key, asker, this.#clock.now().getTime());
  }
}

/** Host, cookies, screen, language and region; no header holds a newline. */
function keyOf({ headers, region, locale }: Asking, use: string): string | null {
  const { host = '', cookie = '' } = headers;
  if (cookie.length > MAX_COOKIE_LENGTH) return null;
  return `${use}\n${host}\n${region}\n${locale}\n${isPhone(headers) ? 'phone' : ''}\n${cookie}`;
}
