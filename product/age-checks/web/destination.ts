import { returnPath } from '#product/accounts/web/me.ts';

/** Where a check began, for this tab: the provider's page returns elsewhere. */
const KEY = 'candela.verifyFrom';
/** The page of age verification, where providers return to. */
export const VERIFY_PATH = '/verify-age';
/** The page of the card form, a document of its own. */
export const CARD_PATH = '/verify-age/card';

/** Stores where a check begins. The pages of age verification are no destination: what was stored stays. */
export function keepDestination(path: string): void {
  try {
    if (!path.startsWith(VERIFY_PATH)) sessionStorage.setItem(KEY, path);
    else if (!hasBegun()) sessionStorage.setItem(KEY, '/');
  } catch {
    // The browser stores nothing: the person goes on from the home page.
  }
}

/** Whether a check was begun in this tab and has not been passed. */
export function hasBegun(): boolean {
  try {
    return sessionStorage.getItem(KEY) !== null;
  } catch {
    return false;
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
