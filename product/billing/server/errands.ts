/** Errands under way at once: as many silent processors as may keep others waiting. */
const MAX_AT_ONCE = 8;
/** Errands that wait; each is written down as a deadline, so one that is dropped comes again. */
const MAX_WAITING = 10_000;

/**
 * Work with the world outside that nobody waits for: deadlines and facts only start it, so that a processor
 * that is silent for half a minute holds up nothing else.
 */
export class Errands {
  readonly #onFault: (error: unknown) => void;
  readonly #waiting: (() => Promise<unknown>)[] = [];
  readonly #underWay = new Set<Promise<void>>();

  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault;
  }

  run(work: () => Promise<unknown>): void {
    if (this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push(work);
    this.#next();
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #next(): void {
    const work = this.#underWay.size < MAX_AT_ONCE ? this.#waiting.shift() : undefined;
    if (!work) return;
    const turn = (async () => {
      try {
        await work();
      } catch (error) {
        this.#onFault(error);
      }
    })().finally(() => {
      this.#underWay.delete(turn);
      this.#next();
    });
    this.#underWay.add(turn);
  }
}
