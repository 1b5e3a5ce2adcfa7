const KEY = 'leavingOn';

/** Remembers in this tab that its person asked for a deletion. @param at when it becomes final, ISO 8601 */
export function rememberLeaving(at: string): void {
  try {
    sessionStorage.setItem(KEY, at);
  } catch {
    // Without storage the page asks for a log-in.
  }
}

/** When the deletion asked for in this tab becomes final; null for none. */
export function leavingDay(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** Called when the account stays: pages no longer mention a deletion. */
export function forgetLeaving(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Without storage there is nothing to delete.
  }
}
