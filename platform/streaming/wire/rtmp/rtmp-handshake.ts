import { createHmac, randomBytes } from 'node:crypto';

/**
 * The RTMP handshake (Adobe, "RTMP 1.0" §5.2): C0 C1, S0 S1 S2, C2. Encoders send it plain, or with a digest
 * in C1, which Flash introduced; these then expect one in S1 and S2.
 */

const VERSION = 3;
const PART_BYTES = 1_536;
/** C0 and C1. */
export const HELLO_BYTES = 1 + PART_BYTES;
/** C2, whose content nobody needs. */
export const ECHO_BYTES = PART_BYTES;

const DIGEST_BYTES = 32;
/** Public constants of the digest form. */
const CRUD = Buffer.from('f0eec24a8068bee82e00d0d1029e7e576eec5d2d29806fab93b8e636cfeb31ae', 'hex');
const PLAYER_KEY = Buffer.from('Genuine Adobe Flash Player 001');
const SERVER_KEY = Buffer.from('Genuine Adobe Flash Media Server 001');
/** Offset, in either layout, of the four bytes whose sum gives the position of the digest after them. */
const LAYOUTS = [772, 8] as const;
const DIGEST_PLACES = 728;

type Layout = (typeof LAYOUTS)[number];

/** The first byte shows whether this is an RTMP client at all. */
export const isRtmpVersion = (first: number): boolean => first === VERSION;

/** S0, S1 and S2 in reply to C0 and C1, {@link HELLO_BYTES} of them. */
export function answerHandshake(hello: Buffer): Buffer {
  const part = hello.subarray(1, HELLO_BYTES);
  const s1 = randomBytes(PART_BYTES);
  const layout = LAYOUTS.find((item) => isSigned(part, item));
  if (layout === undefined) {
    s1.fill(0, 0, 8);
    return Buffer.concat([Buffer.from([VERSION]), s1, part]);
  }
  // A version other than 0.0.0.0 means that there is a digest.
  s1.set([0, 0, 0, 0, 4, 5, 0, 1]);
  sign(s1, layout, SERVER_KEY);
  const s2 = randomBytes(PART_BYTES);
  const end = PART_BYTES - DIGEST_BYTES;
  const place = placeOf(part, layout);
  const secret = hmac(Buffer.concat([SERVER_KEY, CRUD]), part.subarray(place, place + DIGEST_BYTES));
  s2.set(hmac(secret, s2.subarray(0, end)), end);
  return Buffer.concat([Buffer.from([VERSION]), s1, s2]);
}

/** C0 and C1 of a client, plain or with a digest. */
export function beginHandshake(form: 'plain' | 'digest'): Buffer {
  const c1 = randomBytes(PART_BYTES);
  c1.fill(0, 0, 8);
  if (form === 'digest') {
    c1.set([9, 0, 124, 2], 4);
    sign(c1, 8, PLAYER_KEY);
  }
  return Buffer.concat([Buffer.from([VERSION]), c1]);
}

/** Whether the server's S1 has the digest that a client with a digest checks. */
export function isSignedByServer(s1: Buffer): boolean {
  return LAYOUTS.some((layout) => hasDigest(s1, layout, SERVER_KEY));
}

const isSigned = (part: Buffer, layout: Layout): boolean => hasDigest(part, layout, PLAYER_KEY);

function hasDigest(part: Buffer, layout: Layout, key: Buffer): boolean {
  const place = placeOf(part, layout);
  return digestOf(part, place, key).equals(part.subarray(place, place + DIGEST_BYTES));
}

function sign(part: Buffer, layout: Layout, key: Buffer): void {
  const place = placeOf(part, layout);
  part.set(digestOf(part, place, key), place);
}

function placeOf(part: Buffer, layout: Layout): number {
  const sum = part[layout]! + part[layout + 1]! + part[layout + 2]! + part[layout + 3]!;
  return (sum % DIGEST_PLACES) + layout + 4;
}

/** The digest of everything but the digest itself. */
function digestOf(part: Buffer, place: number, key: Buffer): Buffer {
  return hmac(key, Buffer.concat([part.subarray(0, place), part.subarray(place + DIGEST_BYTES)]));
}

const hmac = (key: Buffer, bytes: Buffer): Buffer => createHmac('sha256', key).update(bytes).digest();
