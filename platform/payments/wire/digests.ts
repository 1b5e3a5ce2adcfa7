import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export const md5Hex = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex');
export const sha1Base64 = (text: string): string => createHash('sha1').update(text, 'utf8').digest('base64');
export const hmacHex = (algorithm: 'sha256' | 'sha512', secret: string, text: string): string =>
  createHmac(algorithm, secret).update(text, 'utf8').digest('hex');

/** Compares two texts in a time that does not reveal where they differ. */
export function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one, 'utf8'), Buffer.from(other, 'utf8')];
  return a.length === b.length && timingSafeEqual(a, b);
}
