import { RETURN_COOKIE, returnDestination } from '../rules/payments/payment-return.ts';

/** Cookies with this prefix are this host's alone (RFC 6265bis §4.1.3); it needs https. */
const cookieName = (): string =>
  (location.protocol === 'https:' ? `__Host-${RETURN_COOKIE}` : RETURN_COOKIE);
const ending = (): string => `Path=/; SameSite=Lax${location.protocol === 'https:' ? '; Secure' : ''}`;

/** Keeps where a payment was begun until the browser is closed: the biller's page may return elsewhere. */
export function keepDestination(path: string): void {
  if (returnDestination(path) === null) return;
  document.cookie = `${cookieName()}=${encodeURIComponent(path)}; ${ending()}`;
}

/** Where a payment was begun, once: null when none was. */
export function takeDestination(): string | null {
  const start = `${cookieName()}=`;
  const kept = document.cookie.split('; ').find((cookie) => cookie.startsWith(start))?.slice(start.length);
  if (kept === undefined) return null;
  document.cookie = `${start}; Max-Age=0; ${ending()}`;
  return returnDestination(decoded(kept));
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    // Somebody else wrote it.
    return null;
  }
}
