import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digest, seal, unseal } from './seal.ts';

const secret = 'a secret of the site';

describe('seal', () => {
  it('opens what it sealed, whatever the value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), (value) => {
        fc.pre(Buffer.byteLength(JSON.stringify(value)) < 600);
        expect(unseal(secret, 'p', seal(secret, 'p', value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('is safe in a cookie and an address', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(seal(secret, 'p', text)).toMatch(/^[\w.-]+$/);
      }),
    );
  });

  it('opens nothing after any one character is changed, added or cut', () => {
    const sealed = seal(secret, 'p', { stream: 'abc', expires: 12 });
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.constantFrom(...'Ab9-_.=', ''), (at, character) => {
        const forged = sealed.slice(0, at) + character + sealed.slice(at + 1);
        fc.pre(forged !== sealed);
        expect(unseal(secret, 'p', forged)).toBeNull();
      }),
      { numRuns: 1_000 },
    );
  });

  it('opens nothing under another secret or purpose, and nothing that is no seal', () => {
    const sealed = seal(secret, 'entry', 1);
    expect(() => seal(secret, 'entry', 'x'.repeat(1_000))).toThrow('too large');
    expect(unseal('another secret', 'entry', sealed)).toBeNull();
    expect(unseal(secret, 'playback', sealed)).toBeNull();
    for (const text of [null, '', '.', 'a', 'a.b', 'a.b.c', 'x'.repeat(5_000), `${sealed}.`, `${sealed}=`]) {
      expect(unseal(secret, 'entry', text)).toBeNull();
    }
  });

  it('digests the same text to the same name under one purpose only', () => {
    expect(digest(secret, 'a', 'x')).toBe(digest(secret, 'a', 'x'));
    expect(digest(secret, 'a', 'x')).not.toBe(digest(secret, 'b', 'x'));
    expect(digest(secret, 'a', 'x')).not.toBe(digest('other', 'a', 'x'));
    expect(digest(secret, 'a', 'x')).toMatch(/^[\w-]{22}$/);
  });
});
