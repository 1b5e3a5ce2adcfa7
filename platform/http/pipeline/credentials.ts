import type { CookieOptions } from '#platform/contract/context.ts';
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * Browsers store 50 cookies or more per host (RFC 6265 §6.1); we set a handful and read no more than this.
 */
const MAX_COOKIES = 64;

const COOKIE_NAME = /^[\w.-]+$/u;
/** cookie-octet of RFC 6265 §4.1.1: nothing that could end the header or the pair. */
const COOKIE_VALUE = /^[\x21\x23-\x2B\x2D-\x3A\x3C-\x5B\x5D-\x7E]*$/u;

/** Names and values of a Cookie header. The first of equal names wins; malformed pairs are left out. */
export function parseCookies(header: string | undefined): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of (header ?? '').split(';', MAX_COOKIES)) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(at, 0)).trim();
    const value = pair
      .slice(at + 1)
      .trim()
      .replace(/^"(.*)"$/u, '$1');
    if (name !== '' && COOKIE_VALUE.test(value) && !cookies.has(name)) cookies.set(name, value);
  }
  return cookies;
}

/**
 * Over TLS every cookie is bound to its exact host: the `__Host-` prefix makes browsers refuse it from a
 * parent domain or without Secure (RFC 6265bis §4.1.3.2).
 */
export const cookieName = (name: string, secure: boolean): string => (secure ? `__Host-${name}` : name);

/** One Set-Cookie line. Throws for a name or value that could carry another header or attribute. */
export function serializeCookie(
  name: string,
  value: string | null,
  secure: boolean,
  options: CookieOptions = {},
): string {
  if (!COOKIE_NAME.test(name)) throw new Error('cookie name is not a token');
  if (value !== null && !COOKIE_VALUE.test(value)) {
    throw new Error(`value of cookie ${name} is not cookie-octets`);
  }
  const parts = [`${cookieName(name, secure)}=${value ?? ''}`, 'Path=/', 'SameSite=Lax'];
  if (options.httpOnly !== false) parts.push('HttpOnly');
  if (secure) parts.push('Secure');
  if (value === null) parts.push('Max-Age=0');
  else if (options.maxAgeSeconds !== undefined) parts.push(`Max-Age=${Math.floor(options.maxAgeSeconds)}`);
  return parts.join('; ');
}

/** The token of `Authorization: Bearer …` (RFC 6750 §2.1), else null. */
export function bearerOf(headers: IncomingHttpHeaders): string | null {
  return /^bearer +([\w.~+/-]+=*)$/iu.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** Equal in constant time for equal lengths. */
export function sameSecret(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/**
 * Whether a request with effects comes from a page of the same origin. Browsers say so in `Sec-Fetch-Site`,
 * or at least in `Origin`; a request with neither is not trusted. A sibling subdomain (`same-site`) may
 * belong to somebody else.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, origin: string): boolean {
  const fetchSite = headers['sec-fetch-site'];
  if (headers.origin !== undefined && headers.origin !== origin) return false;
  if (fetchSite !== undefined) return fetchSite === 'same-origin';
  return headers.origin !== undefined;
}

/**
 * Whether a request comes from a page of another origin. Programs that are not browsers send no origin and
 * are not pages.
 */
export function isFromElsewhere(headers: IncomingHttpHeaders, origin: string): boolean {
  if (headers.origin !== undefined && headers.origin !== origin) return true;
  const fetchSite = headers['sec-fetch-site'];
  return fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none';
}

/** Headers that decide who requests what. Repeated ones are a way to make two servers disagree. */
const SINGLE_HEADERS = [
  'host',
  'authorization',
  'content-type',
  'content-length',
  'origin',
  'sec-fetch-site',
  'x-csrf-token',
  'idempotency-key',
];

const SINGLE_LENGTHS = new Set(SINGLE_HEADERS.map(({ length }) => length));

/** The name of a header that occurs twice but may occur only once, else null. */
export function duplicatedHeader(rawHeaders: readonly string[]): string | null {
  let seen = 0;
  // Runs for each request: the length of most names already rules them out.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    const nth = SINGLE_LENGTHS.has(name.length) ? SINGLE_HEADERS.indexOf(name.toLowerCase()) : -1;
    if (nth < 0) continue;
    if ((seen & (1 << nth)) !== 0) return name.toLowerCase();
    seen |= 1 << nth;
  }
  return null;
}

/** An Idempotency-Key is 1 to 255 visible ASCII characters. */
export const isIdempotencyKey = (value: string): boolean => /^[\x21-\x7E]{1,255}$/u.test(value);

/** The highest port there is (RFC 9293 §3.1). */
const MAX_PORT = 65_535;

/** Host name of a Host header in lower case without port; null when it is invalid. */
export function hostNameOf(host: string | undefined): string | null {
  const match = /^([a-z0-9](?:[a-z0-9.-]{0,252})|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/u.exec(
    (host ?? '').toLowerCase(),
  );
  return Number(match?.[2] ?? 0) > MAX_PORT ? null : match?.[1] ?? null;
}
