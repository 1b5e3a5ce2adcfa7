import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '#platform/data/clock.ts';
import { Remembered } from '#platform/data/remembered.ts';
import { isPhone } from './devices.ts';

/**
 * What a request's headers stood for counts this long. Somebody who logs in gets a cookie of their own, so
 * headers that stood for nobody never come to stand for a person; the gate, which ends after weeks, may end
 * this much later.
 */
const ASKER_MS = 5_000;
/** Visitors of a process that are remembered; the oldest go first. */
export const MAX_ASKERS = 10_000;
/** Cookies that are longer are looked at each time: together those that are remembered stay below 20 MB. */
const MAX_COOKIE_LENGTH = 1024;

/** What the host reads of each request before it knows who asks. */
export interface Asking {
  readonly headers: IncomingHttpHeaders;
  readonly region: string;
  readonly locale: string;
}

/**
 * Whose shared answers a request is given, by what decides it. A person is never remembered: their session
 * may end at any moment.
 */
export class AudienceCache<T extends string | object = string> {
  readonly #clock: Clock;
  readonly #maxAgeMs: number;
  readonly #remembered = new Remembered<T>(MAX_ASKERS);

  /** @param maxAgeMs how long what headers stood for counts */
  constructor(clock: Clock, maxAgeMs = ASKER_MS) {
    this.#clock = clock;
    this.#maxAgeMs = maxAgeMs;
  }

  /** What `remember` was given for the same a moment ago, else null. */
  find(asking: Asking, use = ''): T | null {
    const key = keyOf(asking, use);
    return key === null ? null : this.#remembered.get(key, this.#clock.now().getTime(), this.#maxAgeMs);
  }

  /**
   * @param asker everything of an answer's key but its path
   * @param use what for, where that makes a difference
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
