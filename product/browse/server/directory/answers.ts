import { Remembered } from '../../../../platform/data/remembered.ts';
import type { Directory, Moment } from './directory.ts';

/** Answers remembered at once, of some 50 kB each; the oldest go first. */
const MAX_ANSWERS = 256;

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

  /**
   * The answer of `key`, which names everything that it depends on beside the directory. It is frozen: the
   * host writes the same object once.
   */
  ask<T extends object>(
    key: string, directory: Directory, now: number, make: () => Promise<Readonly<T>>,
  ): Promise<Readonly<T>> {
    const known = this.#answers.get(key, now, Number.POSITIVE_INFINITY);
    if (known?.directory === directory && directory.stillHolds(known.moment, now))
      return Promise.resolve(known.value as Readonly<T>);
    // Before it is made: what changes meanwhile may be missing in it.
    const moment = directory.moment(now);
    return make().then((made) => {
      const value = Object.freeze(made);
      this.#answers.set(key, { value, directory, moment }, now);
      return value;
    });
  }
}
