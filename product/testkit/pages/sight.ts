/** An observer of visible elements, which a test scrolls into view: a DOM here has no layout. */
export class Sight {
  /** Observers that wait for their element. */
  static readonly open = new Set<Sight>();
  readonly #seen: IntersectionObserverCallback;
  readonly #margin: string;
  #element: Element | null = null;

  constructor(seen: IntersectionObserverCallback, { rootMargin = '' }: IntersectionObserverInit = {}) {
    this.#seen = seen;
    this.#margin = rootMargin;
  }

  observe(element: Element): void {
    this.#element = element;
    Sight.open.add(this);
    // A browser reports at once where an element is: here, out of view.
    queueMicrotask(() => this.#reports(false));
  }

  /** The margin of the one waiting observer, and the last tile or entry before its element. */
  static lies(): { readonly margin: string; readonly after: Element | undefined } {
    const [one] = Sight.open;
    if (!one) throw new Error('no observer waits');
    const element = one.#element;
    const before = [...document.querySelectorAll('main article')].filter((article) =>
      element
      && (article.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
    );
    return { margin: one.#margin, after: before.at(-1) };
  }

  disconnect(): void {
    Sight.open.delete(this);
  }

  static scrolls(): void {
    for (const one of Sight.open) one.#reports(true);
  }

  #reports(isIntersecting: boolean): void {
    this.#seen([{ isIntersecting } as IntersectionObserverEntry], this as unknown as IntersectionObserver);
  }

  /** Runs a test in a browser with these observers. */
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
