import { shared } from '#platform/contract/bind.ts';
import { Remembered } from '#platform/data/remembered.ts';
import type { Directory, Moment } from './directory.ts';

/** Answers remembered at once, of some 50 kB each; the oldest go first. */
const MAX_ANSWERS = 256;

/** What an answer is of, and for whom. */
interface Asked {
  readonly key: string;
  /** Those who perceive the same. */
  readonly audience: string;
  readonly directory: Directory;
}

interface Answer {
  readonly value: object;
  readonly directory: Directory;
  readonly moment: Moment;
}

/**
 * Listings that were answered a moment ago, to give again to whoever asks for the same: only to viewers who
 * may perceive the same performers, and never once somebody was hidden since (see `Directory.stillHolds`).
 * What is one person's own has no place here.
 */
export class Answers {
  readonly #answers = new Remembered<Answer>(MAX_ANSWERS);
  readonly #now: () => number;

  /** @param now milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * The answer of `key`, which names everything that it depends on beside the directory: what was asked for,
   * the site, the language and the audience. The host writes it once, and may give it again by itself to the
   * same audience, for as long as it would be given again here.
   */
  ask<T extends object>(
    { key, audience, directory }: Asked, make: () => Promise<Readonly<T>>,
  ): Promise<Readonly<T>> {
    const now = this.#now();
    const known = this.#answers.get(key, now, Number.POSITIVE_INFINITY);
    if (known?.directory === directory && directory.stillHolds(known.moment, now))
      return Promise.resolve(known.value as Readonly<T>);
    // Before it is made: what changes meanwhile may be missing in it.
    const moment = directory.moment(now);
    return make().then((made) => {
      const value = shared(made, { audience, holds: () => directory.stillHolds(moment, this.#now()) });
      this.#answers.set(key, { value, directory, moment }, now);
      return value;
    });
  }
}
