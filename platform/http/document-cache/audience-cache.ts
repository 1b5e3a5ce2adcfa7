import type { Clock } from '#platform/data/clock.ts';
import { Remembered } from '#platform/data/remembered.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { isPhone } from '../pages/devices.ts';

/**
 * How long the meaning of a request's headers is cached. Logging in sets a new cookie, so headers of a guest
 * never come to identify a person; the pass of the entry gate, which ends after weeks, may end that much
 * later.
 */
const AUDIENCE_MS = 5_000;
/** The most viewers that a process remembers; the oldest are dropped first. */
export const MAX_REMEMBERED = 10_000;
/** Longer cookies are evaluated each time: together the stored ones stay below 20 MB. */
const MAX_COOKIE_LENGTH = 1024;

/** What the host reads of each request before it knows the caller. */
export interface Asking {
  readonly headers: IncomingHttpHeaders;
  readonly region: string;
  readonly locale: string;
  /** What was decided in another epoch counts no more. */
  readonly epoch: string;
}

/**
 * Caches which audience a request belongs to, by the headers that decide it; the viewers of an audience get
 * the same documents. People who are logged in must not be put in: their session may end at any moment.
 */
export class AudienceCache {
  readonly #clock: Clock;
  readonly #audiences = new Remembered<string>(MAX_REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The audience that the same headers had a moment ago, else null. */
  find(asking: Asking): string | null {
    const key = keyOf(asking);
    return key === null ? null : this.#audiences.get(key, this.#clock.now().getTime(), AUDIENCE_MS);
  }

  remember(asking: Asking, audience: string): void {
    const key = keyOf(asking);
    if (key !== null) this.#audiences.set(key, audience, this.#clock.now().getTime());
  }
}

/** Epoch, host, cookies, screen, language and region; no header holds a newline. */
function keyOf({ headers, region, locale, epoch }: Asking): string | null {
  const { host = '', cookie = '' } = headers;
  if (cookie.length > MAX_COOKIE_LENGTH) return null;
  return `${epoch}\n${host}\n${region}\n${locale}\n${isPhone(headers) ? 'phone' : ''}\n${cookie}`;
}
