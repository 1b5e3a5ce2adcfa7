import { returnPath } from '#product/accounts/web/me.ts';

/** Where a check began, for this tab: the provider's page returns elsewhere. */
const KEY = 'candela.verifyFrom';
/** The page of age verification, where providers return to. */
export const VERIFY_PATH = '/verify-age';
/** The page of the card form, a document of its own. */
export const CARD_PATH = '/verify-age/card';

/** Stores where a check begins; the pages of age verification itself are no destination. */
export function keepDestination(path: string): void {
  if (path.startsWith(VERIFY_PATH)) return;
  try {
    sessionStorage.setItem(KEY, path);
  } catch {
    // The browser stores nothing: the person goes on from the home page.
  }
}

/** Returns and forgets where the check began, always a path of this site; null without one. */
export function takeDestination(): string | null {
  try {
    const stored = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return stored === null ? null : returnPath(stored);
  } catch {
    return null;
  }
}
