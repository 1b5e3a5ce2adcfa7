import { createHmac, timingSafeEqual } from 'node:crypto';

/** The longest sealed text: cookies and tokens stay far below, and a longer one is not one of ours. */
const MAX_SEALED_LENGTH = 1_024;

/**
 * HMAC-SHA256 of a text under a key derived for one purpose, so that a seal is valid for that purpose only.
 */
function mac(secret: string, purpose: string, text: string): Buffer {
  const key = createHmac('sha256', secret).update(purpose).digest();
  return createHmac('sha256', key).update(text).digest();
}

/**
 * Seals a small JSON value: readable by anyone, changeable by nobody. The answer is
 * `base64url(JSON).base64url(HMAC-SHA256)`, safe in cookies, headers and addresses. It carries no expiry of
 * its own: put one in the value. Throws when the result would be longer than 1,024 characters.
 */
export function seal(secret: string, purpose: string, value: unknown): string {
  const text = Buffer.from(JSON.stringify(value)).toString('base64url');
  const sealed = `${text}.${mac(secret, purpose, text).toString('base64url')}`;
  if (sealed.length > MAX_SEALED_LENGTH) throw new Error(`the value for ${purpose} is too large to seal`);
  return sealed;
}

/** Opens a result of {@link seal} with the same secret and purpose; null for anything else. Never throws. */
export function unseal(secret: string, purpose: string, sealed: string | null): unknown {
  if (!sealed || sealed.length > MAX_SEALED_LENGTH) return null;
  const [text, signature, ...rest] = sealed.split('.');
  if (!text || !signature || rest.length > 0) return null;
  const expected = mac(secret, purpose, text).toString('base64url');
  // Compares texts, not bytes: base64url can spell the same bytes in several ways, and only ours is valid.
  if (signature.length !== expected.length) return null;
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return null;
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown;
}

/** A keyed digest that names something (a session, an address) without revealing it. 128 bits, base64url. */
export function digest(secret: string, purpose: string, text: string): string {
  return mac(secret, purpose, text).subarray(0, 16).toString('base64url');
}
