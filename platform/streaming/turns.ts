/**
 * Runs the tasks of one key one after another, in order of arrival: an offer, the reports of its publisher
 * and a deadline never overtake each other. Keys without tasks take no memory.
 */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs `task` once all earlier tasks of this key are over, whether they succeeded or not. */
  async take<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(task);
    const over = mine.then(
      () => {},
      () => {},
    );
    this.#last.set(key, over);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === over) this.#last.delete(key);
    }
  }

  /** Waits until every task accepted so far is over. */
  async idle(): Promise<void> {
    await Promise.all(this.#last.values());
  }
}
