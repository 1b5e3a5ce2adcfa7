/**
 * Lets tasks of one key run one after another, in the order they came: an offer, the reports of its publisher
 * and a deadline never overtake each other. Keys without tasks take no memory.
 */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs `task` when everything before it under this key is over, whether it succeeded or not. */
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

  /** Waits until every task that was taken so far is over. */
  async idle(): Promise<void> {
    await Promise.all(this.#last.values());
  }
}
