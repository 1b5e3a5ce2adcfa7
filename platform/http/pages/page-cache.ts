import type { Clock } from '../../data/clock.ts';

/** A rendered document, ready to send. */
export interface StoredPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Gzip (RFC 1952) of the HTML. */
  readonly gzip: Buffer;
}

/**
 * A live listing may be this old: nobody sees the difference, and 500 visitors a second cost one rendering.
 */
const FRESH_PAGE_MS = 2_000;
/** Never served when older than this; in between it is served while one request renders a new one. */
const STALE_PAGE_MS = 10_000;
/** Sites × languages × looks × paths in use at one time, far above what one process serves. */
export const MAX_CACHED_PAGES = 512;
/** At most this much memory; a listing of 98 tiles is about 20 kB. */
export const MAX_CACHED_BYTES = 32 * 1024 * 1024;

interface Entry {
  readonly page: StoredPage;
  readonly madeAt: number;
}

/** Least recently used pages leave first. One rendering per key at a time, however many wait for it. */
export class PageCache {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #running = new Map<string, Promise<StoredPage>>();
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The page of `key`: fresh from the cache, else rendered. Only responses with status 200 are cached. */
  async get(key: string, render: () => Promise<StoredPage>): Promise<StoredPage> {
    const entry = this.#entries.get(key);
    const age = entry ? this.#clock.now().getTime() - entry.madeAt : Infinity;
    if (!entry || age >= STALE_PAGE_MS) return this.#renderOnce(key, render);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    // A failed refresh changes nothing: the page stays until it is too old, and then the failure shows.
    if (age >= FRESH_PAGE_MS) this.#renderOnce(key, render).catch(() => undefined);
    return entry.page;
  }

  #renderOnce(key: string, render: () => Promise<StoredPage>): Promise<StoredPage> {
    const running = this.#running.get(key);
    if (running) return running;
    const started = render()
      .then((page) => {
        this.#put(key, page);
        return page;
      })
      .finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }

  #put(key: string, page: StoredPage): void {
    this.#drop(key);
    if (page.status !== 200) return;
    this.#entries.set(key, { page, madeAt: this.#clock.now().getTime() });
    this.#bytes += page.gzip.byteLength;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_CACHED_PAGES && this.#bytes <= MAX_CACHED_BYTES) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.page.gzip.byteLength ?? 0;
    this.#entries.delete(key);
  }
}
