/** What pages load when they need it: tools/pages/page-clock.ts makes their code call `of`. */
export class PageLoads {
  #pending = 0;

  /** Whether something is still on its way. */
  get isPending(): boolean {
    return this.#pending > 0;
  }

  readonly #spoilt = new Map<RegExp, Error | 'never'>();
  /** What matched nothing yet. */
  readonly #idle = new Set<RegExp>();

  /** Learns of each file that is fetched. */
  onFetch: ((file: string) => void) | null = null;

  /**
   * Makes parts whose file matches fail with this error, or never arrive; returns what ends that, which
   * throws where no page asked for such a part.
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

/** The one of this worker. */
export const pageLoads = (): PageLoads => (globalThis as unknown as { pageLoads: PageLoads }).pageLoads;
