import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RawCallback } from '../biller.ts';
import { simulatedAccounts } from '../simulators/accounts.ts';
import { hmacHex } from '../wire/digests.ts';
import { isSold } from './amounts.ts';
import { cashtocodeBiller } from './biller.ts';

const { cashtocode } = simulatedAccounts('http://127.0.0.1:1', 'http://127.0.0.1:1');
const signature = { header: 'x-signature', algorithm: 'sha256', secret: 'cash-secret' } as const;
const biller = cashtocodeBiller({ ...cashtocode, signature }, {
  now: () => new Date('2026-01-15T12:00:00Z'),
  fetch: () => Promise.reject(new Error('no network here')),
});
const BODY = '{"paymentId":"p-1","transactionId":"6f0f2a6e-5d0e-4f0c-9c3c-0d7c5a3c9d11","status":"paid",'
  + '"amount":50,"currency":"EUR","at":"2026-01-15T12:00:00Z"}';
/** printf '%s' BODY | openssl dgst -sha256 -hmac cash-secret */
const SIGNATURE = 'b9d887059844f241c3069598e9f3ca423d0ea6ca34c15ef627fb09a406c71ab0';
const raw = (body: string, given = hmacHex('sha256', signature.secret, body)): RawCallback => ({
  method: 'POST',
  query: '',
  body,
  address: '203.0.113.1',
  headers: { 'x-signature': given },
});

describe('codes of CashtoCode', () => {
  it('are sold in fixed amounts where a country has them, else within a range', () => {
    const euros = (whole: number) => ({ minor: whole * 100, currency: 'EUR' });
    expect([10, 25, 50, 100, 200, 300, 400, 500].every((whole) => isSold(euros(whole), 'AT'))).toBe(true);
    expect(isSold(euros(200), 'DE')).toBe(false);
    expect(isSold(euros(100), 'DE')).toBe(true);
    expect(isSold(euros(50), 'FR')).toBe(false);
    expect(isSold({ minor: 1099, currency: 'USD' }, 'US')).toBe(false);
    expect([500, 20_000].map((minor) => isSold({ minor, currency: 'USD' }, 'US'))).toEqual([true, true]);
    expect([400, 20_100].map((minor) => isSold({ minor, currency: 'USD' }, 'US'))).toEqual([false, false]);
    expect(isSold({ minor: 2000, currency: 'GBP' }, null)).toBe(true);
  });

  it('that are paid again are paid again, each payment with a number of its own', () => {
    const first = biller.read(raw(BODY, SIGNATURE));
    expect(first).toMatchObject({
      kind: 'genuine',
      events: [{ id: 'paid:p-1', type: 'paid', amount: { minor: 5000, currency: 'EUR' } }],
    });
    expect(biller.read(raw(BODY.replace('p-1', 'p-2')))).toMatchObject({ events: [{ id: 'paid:p-2' }] });
    expect(biller.read(raw(BODY.replace('50', '500'), SIGNATURE)).kind).toBe('forged');
    expect(biller.read(raw(BODY.replace('50', '"x"'))).kind).toBe('unreadable');
  });

  it('never make the reader throw', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (body) => {
      expect(['genuine', 'unreadable']).toContain(biller.read(raw(body)).kind);
    }));
  });
});
