import { sameText, sha1Base64 } from '../wire/digests.ts';
import { formFields, type Fields } from '../wire/fields.ts';

/** Base64 of SHA-1 over `k=v&…&secret=…`, unencoded and in order. */
export const linkHash = (pairs: readonly (readonly [string, string])[], secret: string): string =>
  sha1Base64(`${pairs.map(([name, value]) => `${name}=${value}`).join('&')}&secret=${secret}`);

/** `k=v&…&hash=…`, encoded. */
export function hashedQuery(pairs: readonly (readonly [string, string])[], secret: string): string {
  const encoded = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return `${encoded}&hash=${encodeURIComponent(linkHash(pairs, secret))}`;
}

/** The fields of a hashed text without the hash; null when the hash is missing or wrong. */
export function verified(text: string, secret: string): Fields | 'unreadable' | 'forged' {
  const fields = formFields(text);
  if (!fields || fields.size === 0) return 'unreadable';
  const pairs = [...fields].filter(([name]) => name !== 'hash');
  return sameText(fields.get('hash') ?? '', linkHash(pairs, secret)) ? new Map(pairs) : 'forged';
}
