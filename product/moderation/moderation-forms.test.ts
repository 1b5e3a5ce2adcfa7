import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  mayAppeal,
  mayWait,
  pageOfAddress,
  REFERENCE_PATTERN,
  referenceFrom,
  requestFault,
} from './rules/requests.ts';

it('a reference has ten characters that nobody confuses', () => {
  fc.assert(fc.property(fc.uint8Array({ minLength: 10, maxLength: 10 }), (bytes) => {
    expect(referenceFrom(bytes)).toMatch(REFERENCE_PATTERN);
    expect(referenceFrom(bytes)).toMatch(/^[^01IOLU]{10}$/u);
  }));
});

it('a copyright notice names the work, and a take-down comes from who is shown', () => {
  const of = (
    kind: 'take_down' | 'copyright' | 'complaint',
    relation: 'self' | 'other',
    work: string | null,
  ) => requestFault({ kind, relation, work });
  expect([of('copyright', 'self', null), of('copyright', 'self', 'My video')]).toEqual([
    'work_missing',
    null,
  ]);
  expect([of('take_down', 'other', null), of('take_down', 'self', null)]).toEqual(['not_depicted', null]);
  expect(of('complaint', 'other', null)).toBeNull();
  expect([mayAppeal({ relation: 'self' }), mayAppeal({ relation: 'other' })]).toEqual([true, false]);
});

it('a take-down waits however many others do, and only 20 of its own network', () => {
  expect([mayWait('take_down', { own: 0, all: 5_000 }), mayWait('take_down', { own: 19, all: 90_000 })])
    .toEqual([true, true]);
  expect([mayWait('take_down', { own: 20, all: 20 }), mayWait('complaint', { own: 20, all: 20 })])
    .toEqual([false, false]);
  for (const kind of ['complaint', 'copyright'] as const) {
    expect([mayWait(kind, { own: 0, all: 4_999 }), mayWait(kind, { own: 0, all: 5_000 })])
      .toEqual([true, false]);
  }
});

it('an address names a page with and without a host, and not by other schemes', () => {
  expect(pageOfAddress('https://Candela.example:8443/lena/bio?x=1#y'))
    .toEqual({ host: 'candela.example', path: '/lena/bio' });
  expect(pageOfAddress(' /lena ')).toEqual({ host: null, path: '/lena' });
  expect(pageOfAddress('https://candela.example@evil.example/lena')?.host).toBe('evil.example');
  const none = [
    'https://candela.example',
    'javascript:alert(1)',
    'the second picture',
    '//evil.example/lena',
  ];
  for (const no of none) {
    expect(pageOfAddress(no)).toBeNull();
  }
});
