/** What pages load when they need it: tools/pages/page-clock.ts makes their code call `of`. */
export class PageLoads {
  #pending = 0;

  /** Whether something is still on its way. */
  get isPending(): boolean {
    return this.#pending > 0;
  }

  of<T>(loading: Promise<T>): Promise<T> {
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
