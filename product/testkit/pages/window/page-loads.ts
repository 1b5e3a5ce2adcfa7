/** What pages load when they need it: tools/pages/page-clock.ts makes their code call `of`. */
export class PageLoads {
  #pending = 0;

  /** Whether something is still on its way. */
  get isPending(): boolean {
    return this.#pending > 0;
  }

  /** What happens to parts whose file matches: they fail with this error, or never arrive. */
  readonly spoilt = new Map<RegExp, Error | 'never'>();

  /** Learns of each file that is fetched. */
  onFetch: ((file: string) => void) | null = null;

  of<T>(file: string, load: () => Promise<T>): Promise<T> {
    this.onFetch?.(file);
    const [, how] = [...this.spoilt].find(([pattern]) => pattern.test(file)) ?? [];
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
