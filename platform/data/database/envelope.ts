import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
/** Bytes of a key, and of a nonce and a tag (NIST SP 800-38D §8.2.1, §5.2.1.2). */
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A key that encrypts other keys, derived from a secret. */
export interface WrappingKey {
  /** Names the key without revealing it: 16 hex digits. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** Derives a key for one purpose from a secret (HKDF-SHA256, RFC 5869). */
export function wrappingKey(secret: string, purpose: string): WrappingKey {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', `wrap ${purpose}`, KEY_BYTES));
  return { bytes, id: createHmac('sha256', bytes).update('id').digest('hex').slice(0, 16) };
}

/** A new random key for data. */
export const newDataKey = (): Buffer => randomBytes(KEY_BYTES);

/**
 * Encrypts bytes with AES-256-GCM. The result is nonce, tag and ciphertext, and differs each time.
 * @param context what the bytes belong to; they can be decrypted with the same context only
 */
export function encryptBytes(key: Buffer, context: string, bytes: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(context));
  const hidden = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), hidden]);
}

/** Decrypts a result of {@link encryptBytes}; throws for another key or context, and for changed bytes. */
export function decryptBytes(key: Buffer, context: string, encrypted: Uint8Array): Buffer {
  const bytes = Buffer.from(encrypted.buffer, encrypted.byteOffset, encrypted.byteLength);
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
}

/** Wraps a data key for storage, base64url. */
export const wrapKey = (by: WrappingKey, context: string, dataKey: Buffer): string =>
  encryptBytes(by.bytes, context, dataKey).toString('base64url');

/** Unwraps a result of {@link wrapKey}; throws for another wrapping key or context. */
export const unwrapKey = (by: WrappingKey, context: string, wrapped: string): Buffer =>
  decryptBytes(by.bytes, context, Buffer.from(wrapped, 'base64url'));
