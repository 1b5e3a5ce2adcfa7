import type { CallFunction } from '#platform/contract/client.ts';
import { logLeaving } from '#product/client-logs/web/leaving.ts';
import { RETURN_COOKIE, returnDestination } from '../rules/payments/payment-return.ts';

/** Restricts a cookie to this host (RFC 6265bis §4.1.3); it needs https. */
const cookieName = (): string => (location.protocol === 'https:' ? `__Host-${RETURN_COOKIE}` : RETURN_COOKIE);
const ending = (): string => `Path=/; SameSite=Lax${location.protocol === 'https:' ? '; Secure' : ''}`;

/** Stores where a payment began for this browser session: the biller's page may return elsewhere. */
export function keepDestination(path: string): void {
  if (returnDestination(path) === null) return;
  document.cookie = `${cookieName()}=${encodeURIComponent(path)}; ${ending()}`;
}

/**
 * Opens a biller's or bank's page in this tab, and logs its link; no other code leaves for one.
 * @param back path where the payment began, and where it continues afterwards
 */
export function leave(call: CallFunction, link: string, back: string): null {
  logLeaving(call, link);
  keepDestination(back);
  location.assign(link);
  return null;
}

/** Returns and deletes the path where a payment began; null without one. */
export function takeDestination(): string | null {
  const start = `${cookieName()}=`;
  const stored = document.cookie.split('; ').find((cookie) => cookie.startsWith(start))?.slice(start.length);
  if (stored === undefined) return null;
  document.cookie = `${start}; Max-Age=0; ${ending()}`;
  return returnDestination(decoded(stored));
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    // Other code wrote the cookie.
    return null;
  }
}
