/** Code that pages load on demand: tools/pages/page-clock.ts makes their code call `of`. */
export class PageLoads {
  #pending = 0;

  /** Whether something is still loading. */
  get isPending(): boolean {
    return this.#pending > 0;
  }

  readonly #spoilt = new Map<RegExp, Error | 'never'>();
  /** Patterns that have matched nothing yet. */
  readonly #idle = new Set<RegExp>();

  /** Called for each file that is fetched. */
  onFetch: ((file: string) => void) | null = null;

  /**
   * Makes chunks whose file matches fail with this error, or never arrive; returns a function that ends it,
   * which throws if no page requested such a chunk.
   */
  spoils(pattern: RegExp, how: Error | 'never'): () => void {
    this.#spoilt.set(pattern, how);
    this.#idle.add(pattern);
    return () => {
      this.#spoilt.delete(pattern);
      if (this.#idle.delete(pattern)) throw new Error(`no page loaded a part that matches ${pattern}`);
    };
  }

  of<T>(file: string, load: () => Promise<T>): Promise<T> {
    this.onFetch?.(file);
    const [pattern, how] = [...this.#spoilt].find(([one]) => one.test(file)) ?? [];
    if (pattern) this.#idle.delete(pattern);
    if (how === 'never') return new Promise(() => undefined);
    const loading = how ? Promise.reject<T>(how) : load();
    this.#pending += 1;
    const done = (): void => {
      this.#pending -= 1;
    };
    loading.then(done, done);
    return loading;
  }
}

/** The instance of this worker. */
export const pageLoads = (): PageLoads => (globalThis as unknown as { pageLoads: PageLoads }).pageLoads;
