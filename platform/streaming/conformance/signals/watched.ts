import { systemClock } from '#platform/data/clock.ts';

/** Long enough for a starved machine; whatever comes at all comes within a second or two. */
const FACT_TIMEOUT_MS = 15_000;

/** A message shows the end of the last value, which matters most. */
const MAX_REPORTED = 2_000;

/** Resolves when `holds` is true, checked at each change; rejects after a while with the last value. */
export class Watched<V> {
  #value: V | null = null;
  readonly #checks = new Set<() => void>();

  get value(): V | null {
    return this.#value;
  }

  set(value: V): void {
    this.#value = value;
    for (const check of this.#checks) check();
  }

  until(what: string, holds: (value: V) => boolean): Promise<V> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        if (this.#value === null || !holds(this.#value)) return;
        this.#checks.delete(check);
        cancel();
        resolve(this.#value);
      };
      const cancel = systemClock.after(what, FACT_TIMEOUT_MS, () => {
        this.#checks.delete(check);
        const seen = JSON.stringify(this.#value);
        reject(new Error(`never came true: ${what}; last seen …${seen.slice(-MAX_REPORTED)}`));
      });
      this.#checks.add(check);
      check();
    });
  }
}
