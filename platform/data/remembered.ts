/**
 * Values by key for a short while, each as young as its reader asks; at most `max`, then the one set longest
 * ago goes. For what is asked for far more often than it changes.
 */
export class Remembered<T> {
  readonly #max: number;
  readonly #kept = new Map<string, { readonly value: T; readonly atMs: number }>();

  constructor(max: number) {
    this.#max = max;
  }

  /** What is remembered, else what is asked now; several who ask at once share one answer. */
  ask<V>(
    this: Remembered<Promise<V>>, key: string, nowMs: number, maxAgeMs: number, find: () => Promise<V>,
  ): Promise<V> {
    const remembered = this.get(key, nowMs, maxAgeMs);
    if (remembered) return remembered;
    const asked = find();
    this.set(key, asked, nowMs);
    // A fault is nobody's answer but of those who met it.
    asked.catch(() => this.delete(key));
    return asked;
  }

  get(key: string, nowMs: number, maxAgeMs: number): T | null {
    const kept = this.#kept.get(key);
    return kept && nowMs - kept.atMs < maxAgeMs ? kept.value : null;
  }

  set(key: string, value: T, nowMs: number): void {
    // Deleting first moves the key to the end, so that the map stays ordered by age.
    this.#kept.delete(key);
    this.#kept.set(key, { value, atMs: nowMs });
    const oldest = this.#kept.size > this.#max ? this.#kept.keys().next().value : undefined;
    if (oldest !== undefined) this.#kept.delete(oldest);
  }

  delete(key: string): void {
    this.#kept.delete(key);
  }

  dropWhere(isMeant: (key: string) => boolean): void {
    for (const key of this.#kept.keys()) if (isMeant(key)) this.#kept.delete(key);
  }
}
