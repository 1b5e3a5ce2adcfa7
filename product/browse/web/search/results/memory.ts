import { SEARCH_MEMORY_MS } from '../../../rules/search/facets.ts';

const KEY = 'candela.search';

/** Where somebody left the advanced search. */
export interface LeftSearch {
  /** The query of the address. */
  readonly query: string;
  /** Pages of the list that were there. */
  readonly pages: number;
  readonly scrollY: number;
}
interface Stored extends LeftSearch {
  /** When it was left by the server's clock, in milliseconds since 1970. */
  readonly leftAt: number;
}

/** Remembers where the search was left, for this tab of the browser. */
export function rememberSearch(left: LeftSearch, nowMs: number): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ ...left, leftAt: nowMs } satisfies Stored));
  } catch {
    // Without storage the search begins again.
  }
}

/** Where the search was left, unless that is 60 seconds ago (spec 3 §9); null on the server. */
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
    // What cannot be stored needs not be forgotten.
  }
}
