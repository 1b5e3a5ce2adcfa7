import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../data/clock.ts';
import { Remembered } from '../../data/remembered.ts';
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
 * Whose shared documents a request is shown, by what decides it. A person is never remembered: their session
 * may end at any moment.
 */
export class Askers {
  readonly #clock: Clock;
  readonly #remembered = new Remembered<string>(MAX_ASKERS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What `remember` was given for the same a moment ago, else null. */
  find(asking: Asking): string | null {
    const key = keyOf(asking);
    return key === null ? null : this.#remembered.get(key, this.#clock.now().getTime(), ASKER_MS);
  }

  /** @param asker everything of a document's key but its path */
  remember(asking: Asking, asker: string): void {
    const key = keyOf(asking);
    if (key !== null) this.#remembered.set(key, asker, this.#clock.now().getTime());
  }
}

/** Host, cookies, screen, language and region; no header holds a newline. */
function keyOf({ headers, region, locale }: Asking): string | null {
  const { host = '', cookie = '' } = headers;
  if (cookie.length > MAX_COOKIE_LENGTH) return null;
  return `${host}\n${region}\n${locale}\n${isPhone(headers) ? 'phone' : ''}\n${cookie}`;
}
