/** A tab in the background draws no frames; what waits is handed on after this all the same. */
const HIDDEN_MS = 1_000;
/** More than this never waits: the room keeps no more either, and a tab asleep must not fill up. */
const MAX_WAITING = 400;

/** Calls back once, soon; answers how to call it off. */
export type Soon = (task: () => void) => () => void;

/** Before the next frame, or within a second where none is drawn. */
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
 * Gathers what arrives between two frames, so that a page is laid out once a frame however much was said. The
 * order stays.
 */
export class FrameBatch<T> {
  readonly #take: (items: readonly T[]) => void;
  readonly #soon: Soon;
  #waiting: T[] = [];
  #cancel: (() => void) | null = null;

  /** @param take what the batches are handed to */
  constructor(take: (items: readonly T[]) => void, soon: Soon = nextFrame) {
    this.#take = take;
    this.#soon = soon;
  }

  add(item: T): void {
    this.#waiting.push(item);
    if (this.#waiting.length >= MAX_WAITING) return this.flush();
    this.#cancel ??= this.#soon(() => this.flush());
  }

  /** Hands on now what waits. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = null;
    const items = this.#waiting;
    this.#waiting = [];
    if (items.length > 0) this.#take(items);
  }

  /** Forgets what waits. */
  drop(): void {
    this.#waiting = [];
    this.#cancel?.();
    this.#cancel = null;
  }
}
