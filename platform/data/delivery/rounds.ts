import type { Clock } from '../clock.ts';

/** While slow handlers run, delivery looks this often for work that can start beside them. */
const LOOK_AGAIN_MS = 250;

/** Work done in rounds, never two at once. A call during a round asks for one more. */
export class Rounds {
  readonly #round: () => Promise<number>;
  #isWanted = false;
  #isStopped = false;
  #running: Promise<number> | null = null;

  constructor(round: () => Promise<number>) {
    this.#round = round;
  }

  /** Resolves with the sum of all rounds; callers during a run share its promise. */
  readonly run = (): Promise<number> => {
    if (this.#isStopped) return this.#running ?? Promise.resolve(0);
    this.#isWanted = true;
    this.#running ??= this.#work();
    return this.#running;
  };

  /** Starts no further round. */
  stop(): void {
    this.#isStopped = true;
  }

  async #work(): Promise<number> {
    let total = 0;
    try {
      do {
        this.#isWanted = false;
        total += await this.#round();
      } while (this.#isWanted && !this.#isStopped);
      return total;
    } finally {
      // Synchronously, not when the promise has settled: a caller in between needs a new run.
      this.#running = null;
    }
  }
}

/** Handlers that run side by side: how many succeeded, and when to look for more work. */
export class RunningHandlers {
  readonly #clock: Clock;
  readonly #running = new Set<Promise<void>>();
  #count = 0;
  #error: Error | null = null;
  #wake = (): void => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Runs `work`, which resolves with how much it delivered. */
  start(work: () => Promise<number>): void {
    const one = work().then(
      (count) => {
        this.#count += count;
      },
      (error: unknown) => {
        this.#error ??= error instanceof Error ? error : new Error('delivery failed', { cause: error });
      },
    ).finally(() => {
      this.#running.delete(one);
      if (this.isIdle) this.#wake();
    });
    this.#running.add(one);
  }

  /** Makes {@link pause} return at once: there may be more to take. */
  lookAgain(): void {
    this.#wake();
  }

  /** Waits until nothing runs, until {@link lookAgain}, or for a moment, whichever comes first. */
  async pause(): Promise<void> {
    if (this.isIdle) return;
    let stop = (): void => {};
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      stop = this.#clock.after('delivery looks again', LOOK_AGAIN_MS, resolve);
    });
    stop();
    this.#wake = () => {};
  }

  /** Resolves when nothing runs. */
  async ended(): Promise<void> {
    while (!this.isIdle) await Promise.all(this.#running);
  }

  /** How much was delivered since the last call. Once nothing runs, throws the first error of all of them. */
  take(): number {
    const [count, error] = [this.#count, this.#error];
    this.#count = 0;
    if (!this.isIdle || error === null) return count;
    this.#error = null;
    throw error;
  }
}
