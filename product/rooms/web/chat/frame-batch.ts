/** Longest wait of a batch: a background tab renders no frames. */
const HIDDEN_MS = 1_000;
/** Largest batch: a sleeping tab must not collect more than a room stores. */
const MAX_WAITING = 400;

/** Calls back once, soon; returns a function that cancels. */
export type Soon = (task: () => void) => () => void;

/** Calls back before the next frame, or within a second if no frame is rendered. */
const nextFrame: Soon = (task) => {
  const done = (): void => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    task();
  };
  const frame = requestAnimationFrame(done);
  const timer = setTimeout(done, HIDDEN_MS);
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
};

/**
 * Batches what arrives between two frames, in order, so that a busy chat is laid out once per frame.
 */
export class FrameBatch<T> {
  readonly #take: (items: readonly T[]) => void;
  readonly #soon: Soon;
  #waiting: T[] = [];
  #cancel: (() => void) | null = null;

  /** @param take receives the batches */
  constructor(take: (items: readonly T[]) => void, soon: Soon = nextFrame) {
    this.#take = take;
    this.#soon = soon;
  }

  add(item: T): void {
    this.#waiting.push(item);
    if (this.#waiting.length >= MAX_WAITING) return this.flush();
    this.#cancel ??= this.#soon(() => this.flush());
  }

  /** Delivers the batch now. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = null;
    const items = this.#waiting;
    this.#waiting = [];
    if (items.length > 0) this.#take(items);
  }

  /** Drops the batch. */
  drop(): void {
    this.#waiting = [];
    this.#cancel?.();
    this.#cancel = null;
  }
}
