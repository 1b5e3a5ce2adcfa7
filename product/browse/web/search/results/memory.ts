import { SEARCH_MEMORY_MS } from '../../../rules/search/facets.ts';

const KEY = 'candela.search';

/** A stored search and position in its results. */
export interface LeftSearch {
  /** The query of the address. */
  readonly query: string;
  /** Number of loaded pages. */
  readonly pages: number;
  readonly scrollY: number;
}
interface Stored extends LeftSearch {
  /** When the search was left, by the server's clock, in milliseconds since 1970. */
  readonly leftAt: number;
}

/** Stores where the search was left, for this browser tab. */
export function rememberSearch(left: LeftSearch, nowMs: number): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ ...left, leftAt: nowMs } satisfies Stored));
  } catch {
    // Without storage the search starts from the beginning.
  }
}

/** The stored search if it was left less than 60 seconds ago (spec 3 §9); null on the server. */
export function leftSearch(nowMs: number): LeftSearch | null {
  if (globalThis.sessionStorage === undefined) return null;
  try {
    const stored = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Stored | null;
    return stored && nowMs - stored.leftAt < SEARCH_MEMORY_MS ? stored : null;
  } catch {
    return null;
  }
}

export function forgetSearch(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Without storage there is nothing to delete.
  }
}
