/** Maximum concurrent jobs: enough that a few unresponsive billers cannot delay all others. */
const MAX_AT_ONCE = 8;
/** Maximum waiting jobs; a dropped one is started again by its deadline. */
const MAX_WAITING = 10_000;

/**
 * Calls billers in the background. Handlers of deadlines and facts only start jobs, so that a biller that
 * takes half a minute delays nothing else.
 */
export class Jobs {
  readonly #onError: (error: unknown) => void;
  readonly #waiting: (() => Promise<unknown>)[] = [];
  readonly #running = new Set<Promise<void>>();

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  run(work: () => Promise<unknown>): void {
    if (this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push(work);
    this.#next();
  }

  /** Resolves when no job is running. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #next(): void {
    const work = this.#running.size < MAX_AT_ONCE ? this.#waiting.shift() : undefined;
    if (!work) return;
    const job = (async () => {
      try {
        await work();
      } catch (error) {
        this.#onError(error);
      }
    })().finally(() => {
      this.#running.delete(job);
      this.#next();
    });
    this.#running.add(job);
  }
}
