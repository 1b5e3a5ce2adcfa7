import type { Clock } from '#platform/data/clock.ts';
import type { StoredPage } from './stored-page.ts';

/** How old a live listing may be: nobody notices, and 500 visits per second cost one rendering. */
const FRESH_PAGE_MS = 2_000;
/**
 * Older pages are never served; between the two ages a page is served while one request renders a new one.
 */
const STALE_PAGE_MS = 10_000;
/** More than the sites × languages × looks × paths that one process serves at a time. */
export const MAX_CACHED_PAGES = 512;
/** The most memory for pages; a listing of 98 tiles takes about 20 kB. */
export const MAX_CACHED_BYTES = 32 * 1024 * 1024;

/**
 * Limits for pages of addresses that do not exist. Anybody can invent any number of them, so they are cached
 * separately and never displace an existing page.
 */
const MAX_ABSENT_PAGES = 256;
const MAX_ABSENT_BYTES = 4 * 1024 * 1024;

interface Entry {
  readonly page: StoredPage;
  readonly madeAt: number;
}

/** Pages limited by number and memory; the least recently used are dropped first. */
class BoundedPages {
  readonly #maxPages: number;
  readonly #maxBytes: number;
  readonly #entries = new Map<string, Entry>();
  bytes = 0;

  constructor(maxPages: number, maxBytes: number) {
    this.#maxPages = maxPages;
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  /** Moves an entry to the end of the order in which entries are dropped. */
  touch(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
  }

  put(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.bytes += entry.page.gzip.byteLength;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxPages && this.bytes <= this.#maxBytes) break;
      this.drop(oldest);
    }
  }

  drop(key: string): void {
    this.bytes -= this.#entries.get(key)?.page.gzip.byteLength ?? 0;
    this.#entries.delete(key);
  }
}

/** One rendering per key at a time, however many wait for it. */
export class PageCache {
  readonly #clock: Clock;
  readonly #found = new BoundedPages(MAX_CACHED_PAGES, MAX_CACHED_BYTES);
  readonly #absent = new BoundedPages(MAX_ABSENT_PAGES, MAX_ABSENT_BYTES);
  readonly #running = new Map<string, Promise<StoredPage>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get bytes(): number {
    return this.#found.bytes + this.#absent.bytes;
  }

  get size(): number {
    return this.#found.size + this.#absent.size;
  }

  /**
   * The page of `key`: fresh from the cache, else rendered. Only pages with status 200, 404 and 410 are
   * cached.
   */
  async get(key: string, render: () => Promise<StoredPage>): Promise<StoredPage> {
    const pages = this.#found.get(key) ? this.#found : this.#absent;
    const entry = pages.get(key);
    const age = entry ? this.#clock.now().getTime() - entry.madeAt : Infinity;
    if (!entry || age >= STALE_PAGE_MS) return this.#renderOnce(key, render);
    pages.touch(key, entry);
    // A failed refresh changes nothing: the page stays until it is too old, and then the failure shows.
    if (age >= FRESH_PAGE_MS) this.#renderOnce(key, render).catch(() => undefined);
    return entry.page;
  }

  /** The page that `get` would return for `key`, if that is possible without rendering or waiting. */
  ready(key: string): StoredPage | null {
    const entry = this.#found.get(key);
    if (!entry) return null;
    const age = this.#clock.now().getTime() - entry.madeAt;
    const isSent = age < FRESH_PAGE_MS || (age < STALE_PAGE_MS && this.#running.has(key));
    return isSent ? entry.page : null;
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
    this.#found.drop(key);
    this.#absent.drop(key);
    const isAbsent = page.status === 404 || page.status === 410;
    const pages = page.status === 200 ? this.#found : isAbsent ? this.#absent : null;
    pages?.put(key, { page, madeAt: this.#clock.now().getTime() });
  }
}
