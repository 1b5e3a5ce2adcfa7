/**
 * A cache of at most `max` values by key; the oldest value is dropped first. Each reader says how old a value
 * may be. For data that is read far more often than it changes.
 */
export class Remembered<T> {
  readonly #max: number;
  readonly #entries = new Map<string, { readonly value: T; readonly atMs: number }>();

  constructor(max: number) {
    this.#max = max;
  }

  /** The cached value, else the result of `find`. Concurrent callers share one call. */
  ask<V>(
    this: Remembered<Promise<V>>,
    key: string,
    nowMs: number,
    maxAgeMs: number,
    find: () => Promise<V>,
  ): Promise<V> {
    const remembered = this.get(key, nowMs, maxAgeMs);
    if (remembered) return remembered;
    const asked = find();
    this.set(key, asked, nowMs);
    // An error is not cached: only its callers get it.
    asked.catch(() => this.delete(key));
    return asked;
  }

  get(key: string, nowMs: number, maxAgeMs: number): T | null {
    const entry = this.#entries.get(key);
    return entry && nowMs - entry.atMs < maxAgeMs ? entry.value : null;
  }

  set(key: string, value: T, nowMs: number): void {
    // Deleting first moves the key to the end, so that the map stays ordered by age.
    this.#entries.delete(key);
    this.#entries.set(key, { value, atMs: nowMs });
    const oldest = this.#entries.size > this.#max ? this.#entries.keys().next().value : undefined;
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  /** Keys and values that are not older than this. */
  entries(nowMs: number, maxAgeMs: number): (readonly [string, T])[] {
    return [...this.#entries].filter(([, { atMs }]) => nowMs - atMs < maxAgeMs)
      .map(([key, { value }]) => [key, value]);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  dropWhere(isMeant: (key: string, value: T) => boolean): void {
    for (const [key, { value }] of this.#entries) if (isMeant(key, value)) this.#entries.delete(key);
  }
}
