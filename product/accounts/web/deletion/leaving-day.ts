const KEY = 'leavingOn';

/** Remembers in this tab that its person asked for a deletion. @param at when it is done, as ISO 8601 says */
export function rememberLeaving(at: string): void {
  try {
    sessionStorage.setItem(KEY, at);
  } catch {
    // Without storage the page asks for a log-in.
  }
}

/** When the account is deleted whose person asked for it in this tab; null for none. */
export function leavingDay(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** The account stays: nothing of its deletion is said any more. */
export function forgetLeaving(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // What cannot be stored needs not be forgotten.
  }
}
