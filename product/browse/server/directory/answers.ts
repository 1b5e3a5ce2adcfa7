import { Remembered } from '#platform/data/remembered.ts';
import type { Directory, Moment } from './directory.ts';

/** Maximum answers in memory, about 50 kB each; the oldest are dropped first. */
const MAX_ANSWERS = 256;

interface Answer {
  readonly value: object;
  readonly directory: Directory;
  readonly moment: Moment;
}

/**
 * Recent answers of listings, to reuse for equal calls: only for viewers who may perceive the same
 * performers, and never after somebody was hidden (see `Directory.stillHolds`). Answers with one person's
 * data must not be stored here.
 */
export class Answers {
  readonly #answers = new Remembered<Answer>(MAX_ANSWERS);
  readonly #now: () => number;

  /** @param now milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * The answer of `key`. The key names everything besides the directory that the answer depends on: the
   * query, the site, the language and the audience. It is frozen, so the host serializes it once.
   */
  ask<T extends object>(
    key: string,
    directory: Directory,
    make: () => Promise<Readonly<T>>,
  ): Promise<Readonly<T>> {
    const now = this.#now();
    const known = this.#answers.get(key, now, Number.POSITIVE_INFINITY);
    if (known?.directory === directory && directory.stillHolds(known.moment, now)) {
      return Promise.resolve(known.value as Readonly<T>);
    }
    // Taken before the answer is made, which may miss changes from now on.
    const moment = directory.moment(now);
    return make().then((made) => {
      const value = Object.freeze(made);
      this.#answers.set(key, { value, directory, moment }, now);
      return value;
    });
  }
}
