import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  mayAppeal,
  pathOfAddress,
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

it('the path of an address is found with and without a host, and not of other schemes', () => {
  expect(pathOfAddress('https://candela.example/lena/bio?x=1#y')).toBe('/lena/bio');
  expect(pathOfAddress(' /lena ')).toBe('/lena');
  expect([pathOfAddress('https://candela.example'), pathOfAddress('javascript:alert(1)')]).toEqual([
    null,
    null,
  ]);
  expect(pathOfAddress('the second picture')).toBeNull();
});
