import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAllowed, redirectState, redirectTarget } from './rules/redirects.ts';

const HOSTS = ['partner.example'];

describe('where a redirect key may lead', () => {
  it('is a path of this site, or an https address of an allowed host', () => {
    for (const path of ['/', '/girls', '/girls/', '/a.b/c..d?x=//y#z', '/?next=https://evil.example']) {
      expect([path, redirectTarget(path)]).toEqual([path, { kind: 'path', target: path }]);
    }
    for (const address of ['https://partner.example', 'https://Partner.example/a//b?c#d']) {
      expect(redirectTarget(address)).toEqual({ kind: 'site', target: address, host: 'partner.example' });
      expect(isAllowed(redirectTarget(address), HOSTS)).toBe(true);
    }
  });

  it('is nothing that browsers read as another address', () => {
    for (const typed of [
      '',
      'girls',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/\t/evil.example',
      '/ /evil.example',
      '/./',
      '/..//evil.example',
      '/.//evil.example',
      '/a/%2e%2e/b',
      '/a//b',
      '/redir/abc',
      '/redir',
      '/REDIR/abc',
      'http://partner.example',
      'HTTPS:partner.example',
      'https:/partner.example',
      'https://partner.example:8443/',
      'https://partner.example@evil.example/',
      'https://partner.example:secret@evil.example/',
      'https://partner.example\\@evil.example',
      'https://partner.example\u3002evil.example',
      'https://localhost/',
      'javascript:alert(1)',
      'data:text/html,hello',
      `/${'a'.repeat(500)}`,
    ]) expect([typed, redirectTarget(typed)]).toEqual([typed, null]);
  });

  it('is never on a host that is not allowed, as browsers read it', () => {
    const part = fc.constantFrom(
      '/',
      '\\',
      '@',
      ':',
      '.',
      '?',
      '#',
      '%2e',
      'https:',
      'partner.example',
      'evil.example',
      'a',
      '\t',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), fc.boolean(), (parts, isAddress) => {
        const typed = `${isAddress ? 'https://' : '/'}${parts.join('')}`;
        const target = redirectTarget(typed);
        if (!isAllowed(target, HOSTS)) return;
        const { origin } = new URL(target.target, 'https://own.example');
        expect(target.kind === 'path' ? 'https://own.example' : 'https://partner.example').toBe(origin);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the state of a redirect key', () => {
  const key = {
    target: 'https://partner.example/',
    expiresAt: new Date('2027-01-01T00:00:00Z'),
    withdrawnAt: null,
    maxUses: 2,
    uses: 1,
  };
  it('is active until its time, its uses, its withdrawal or the removal of its host', () => {
    const now = new Date('2026-12-31T23:59:59Z');
    expect(redirectState(key, now, HOSTS)).toBe('active');
    expect(redirectState(key, key.expiresAt, HOSTS)).toBe('expired');
    expect(redirectState({ ...key, uses: 2 }, now, HOSTS)).toBe('used_up');
    expect(redirectState({ ...key, uses: 2, maxUses: null }, now, HOSTS)).toBe('active');
    expect(redirectState({ ...key, withdrawnAt: now }, now, HOSTS)).toBe('withdrawn');
    expect(redirectState(key, now, [])).toBe('host_removed');
    expect(redirectState({ ...key, target: '/girls' }, now, [])).toBe('active');
  });
});
