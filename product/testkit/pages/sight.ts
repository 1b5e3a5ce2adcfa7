/** An observer of what comes into sight, whose elements a test scrolls there: a DOM here has no layout. */
export class Sight {
  /** Observers that wait for their element. */
  static readonly open = new Set<Sight>();
  readonly #seen: IntersectionObserverCallback;

  constructor(seen: IntersectionObserverCallback) {
    this.#seen = seen;
  }

  observe(): void {
    Sight.open.add(this);
  }

  disconnect(): void {
    Sight.open.delete(this);
  }

  static scrolls(): void {
    for (const one of Sight.open) {
      const entry = { isIntersecting: true } as IntersectionObserverEntry;
      one.#seen([entry], one as unknown as IntersectionObserver);
    }
  }

  /** Runs a test in a browser whose observers are of this kind. */
  static async during(test: () => Promise<void>): Promise<void> {
    const native = globalThis.IntersectionObserver;
    globalThis.IntersectionObserver = Sight as unknown as typeof IntersectionObserver;
    try {
      await test();
    } finally {
      globalThis.IntersectionObserver = native;
    }
  }
}
