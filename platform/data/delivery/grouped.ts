/** Runs one statement at a time. Items that arrive meanwhile share the next statement. */
export class Grouped<Item> {
  readonly #run: (items: readonly Item[]) => Promise<unknown>;
  #waiting: Item[] = [];
  #current: Promise<unknown> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(run: (items: readonly Item[]) => Promise<unknown>) {
    this.#run = run;
  }

  /** Resolves when a statement has run with these items. Rejects when it failed. */
  add(items: readonly Item[]): Promise<void> {
    this.#waiting.push(...items);
    this.#next ??= this.#flush();
    return this.#next;
  }

  async #flush(): Promise<void> {
    await this.#current;
    const items = this.#waiting;
    this.#waiting = [];
    this.#next = null;
    const running = this.#run(items);
    this.#current = running.catch(() => undefined);
    await running;
  }
}
