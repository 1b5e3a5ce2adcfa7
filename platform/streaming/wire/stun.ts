import { createHmac, timingSafeEqual } from 'node:crypto';

/** Binding requests of ICE (STUN, RFC 8489; ICE, RFC 8445 §7.1): read, checked and rewritten. */

const HEAD_BYTES = 20;
const COOKIE = 0x2112a442;
const BINDING_REQUEST = 0x0001;
const ATTRIBUTE = {
  user: 0x0006,
  integrity: 0x0008,
  fingerprint: 0x8028,
  controlled: 0x8029,
  controlling: 0x802a,
};
const INTEGRITY_BYTES = 20;
const TIEBREAKER_BYTES = 8;
const FINGERPRINT_XOR = 0x5354554e;
/** Chromium's are below 150 bytes. */
const MAX_REQUEST_BYTES = 548;

interface Attribute {
  readonly type: number;
  /** Where its header begins. */
  readonly at: number;
  readonly value: Buffer;
}

/** Attributes of a message, in order; null when it is incomplete. */
function attributesOf(message: Buffer): Attribute[] | null {
  const found: Attribute[] = [];
  for (let at = HEAD_BYTES; at < message.length;) {
    if (at + 4 > message.length) return null;
    const [type, length] = [message.readUInt16BE(at), message.readUInt16BE(at + 2)];
    if (at + 4 + length > message.length) return null;
    found.push({ type, at, value: message.subarray(at + 4, at + 4 + length) });
    at += 4 + Math.ceil(length / 4) * 4;
  }
  return found;
}

/** Whether a datagram is a binding request, with which every candidate pair begins. */
export const isBindingRequest = (message: Buffer): boolean =>
  message.length >= HEAD_BYTES && message.length <= MAX_REQUEST_BYTES
  && message.readUInt16BE(0) === BINDING_REQUEST && message.readUInt32BE(4) === COOKIE
  && message.readUInt16BE(2) === message.length - HEAD_BYTES;

/** A binding request with a valid signature. */
export interface SignedRequest {
  /** Our ICE user that it is addressed to. */
  readonly user: string;
  readonly isTiebreakerZero: boolean;
  /** The same request with this tiebreaker, signed again. */
  readonly withTiebreaker: (tiebreaker: Buffer) => Buffer;
}

/**
 * Reads a binding request; null when it is invalid, or not signed with the user's password.
 * @param passwordOf the password of one of our ICE users; null for an unknown user
 */
export function readBindingRequest(
  message: Buffer,
  passwordOf: (user: string) => string | null,
): SignedRequest | null {
  const attributes = isBindingRequest(message) ? attributesOf(message) : null;
  const named = (type: number): Attribute | undefined => attributes?.find((item) => item.type === type);
  const [name, integrity] = [named(ATTRIBUTE.user), named(ATTRIBUTE.integrity)];
  if (!name || integrity?.value.length !== INTEGRITY_BYTES) return null;
  const user = name.value.toString('latin1').split(':', 1)[0]!;
  const password = passwordOf(user);
  if (password === null) return null;
  const isSigned = timingSafeEqual(integrity.value, signatureOf(message.subarray(0, integrity.at), password));
  if (!isSigned) return null;
  const role = named(ATTRIBUTE.controlling) ?? named(ATTRIBUTE.controlled);
  const isWhole = role?.value.length === TIEBREAKER_BYTES && role.at < integrity.at;
  return {
    user,
    isTiebreakerZero: isWhole && role.value.every((byte) => byte === 0),
    withTiebreaker: (tiebreaker) => {
      const body = Buffer.from(message.subarray(0, integrity.at));
      if (isWhole) tiebreaker.copy(body, role.at + 4, 0, TIEBREAKER_BYTES);
      return sign(body, password);
    },
  };
}

/** The signature covers everything before it, with a length that includes it (RFC 8489 §14.5). */
function signatureOf(before: Buffer, password: string): Buffer {
  const body = Buffer.from(before);
  body.writeUInt16BE(before.length - HEAD_BYTES + 4 + INTEGRITY_BYTES, 2);
  return createHmac('sha1', password).update(body).digest();
}

/** A message with its signature and its fingerprint (RFC 8489 §14.7) at the end. */
function sign(body: Buffer, password: string): Buffer {
  const signed = Buffer.concat([
    body,
    headOf(ATTRIBUTE.integrity, INTEGRITY_BYTES),
    signatureOf(body, password),
    headOf(ATTRIBUTE.fingerprint, 4),
    Buffer.alloc(4),
  ]);
  signed.writeUInt16BE(signed.length - HEAD_BYTES, 2);
  signed.writeUInt32BE((crc32(signed.subarray(0, -8)) ^ FINGERPRINT_XOR) >>> 0, signed.length - 4);
  return signed;
}

function headOf(type: number, length: number): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(length, 2);
  return head;
}

/** A binding request as a controlling agent sends it. */
export function writeBindingRequest(
  of: { readonly user: string; readonly password: string; readonly tiebreaker: Buffer; readonly id: Buffer },
): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(BINDING_REQUEST, 0);
  head.writeUInt32BE(COOKIE, 4);
  const name = Buffer.from(of.user);
  const padding = Buffer.alloc(Math.ceil(name.length / 4) * 4 - name.length);
  const priority = Buffer.from('002400046e0001ff', 'hex');
  return sign(
    Buffer.concat([
      head,
      of.id,
      headOf(ATTRIBUTE.user, name.length),
      name,
      padding,
      priority,
      headOf(ATTRIBUTE.controlling, TIEBREAKER_BYTES),
      of.tiebreaker,
    ]),
    of.password,
  );
}

/** CRC-32 (ITU V.42), bit by bit: at most one request a second is signed. */
function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
