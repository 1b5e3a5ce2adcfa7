import { createHash, randomBytes, randomUUID } from 'node:crypto';

/**
 * Bits of an opaque id: 2^128 cannot be guessed, whatever the rate limit (OWASP asks for 64 in a session id).
 */
const OPAQUE_BITS = 128;

/** An opaque random id in base64url, e.g. for sessions and streams. `bits` is a multiple of 8. */
export function randomId(bits: number = OPAQUE_BITS): string {
  if (bits % 8 !== 0 || bits < OPAQUE_BITS) {
    throw new RangeError(`an opaque id has whole bytes and at least ${OPAQUE_BITS} bits`);
  }
  return randomBytes(bits / 8).toString('base64url');
}

/** A random UUID (RFC 9562 §5.4). */
export const uuidV4 = (): string => randomUUID();

/** The UUID of a name within a namespace UUID (RFC 9562 §5.5): the same two always give the same one. */
export function uuidV5(namespace: string, name: string): string {
  const space = Buffer.from(namespace.replaceAll('-', ''), 'hex');
  if (space.length !== 16) throw new TypeError('the namespace of a version 5 UUID is a UUID');
  const bytes = createHash('sha1').update(space).update(name, 'utf8').digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
