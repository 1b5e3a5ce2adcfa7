import { expect, it } from 'vitest';
import { decrypt, encrypt } from './encrypt.ts';

const SECRET = 'a secret of at least thirty-two characters';

it('hides a text, differently each time, and opens it again', () => {
  const [one, two] = [encrypt(SECRET, 'test', 'JBSWY3DP'), encrypt(SECRET, 'test', 'JBSWY3DP')];
  expect(one).not.toBe(two);
  expect(Buffer.from(one, 'base64url').toString('latin1')).not.toContain('JBSWY3DP');
  expect([decrypt(SECRET, 'test', one), decrypt(SECRET, 'test', two)]).toEqual(['JBSWY3DP', 'JBSWY3DP']);
  expect(decrypt(SECRET, 'test', encrypt(SECRET, 'test', 'ünï'))).toBe('ünï');
});

it('opens nothing with another secret or purpose, nor what was changed or cut', () => {
  const hidden = encrypt(SECRET, 'test', 'JBSWY3DP');
  expect(() => decrypt(`${SECRET}!`, 'test', hidden)).toThrow();
  expect(() => decrypt(SECRET, 'other', hidden)).toThrow();
  const bytes = Buffer.from(hidden, 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => decrypt(SECRET, 'test', changed.toString('base64url')), String(at)).toThrow();
  }
  expect(() => decrypt(SECRET, 'test', hidden.slice(0, -4))).toThrow();
  expect(() => decrypt(SECRET, 'test', '')).toThrow();
});
