import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RawCallback } from '../biller.ts';
import { hmacHex } from '../wire/digests.ts';
import { readIpn } from './ipn.ts';

const SECRET = 'ipn-secret';
/** As it arrives: not sorted, with numbers that a float would not reproduce exactly. */
const BODY =
  '{"payment_id":5745459419,"payment_status":"finished","price_amount":10.50,"price_currency":"usd",'
  + '"pay_amount":0.00016731, "actually_paid":0.00016731,"order_id":"6f0f2a6e-5d0e-4f0c-9c3c-0d7c5a3c9d11",'
  + '"fee":{"depositFee":1e-7,"currency":"btc"},"updated_at":1768478400000}';
/** printf '%s' '{…keys sorted, no spaces, numbers as above…}' | openssl dgst -sha512 -hmac ipn-secret */
const SIGNATURE = 'e57e08229ceca4d899bcded31f96a088c012984e01867f05b22d816e4abe050a'
  + '71817d80f9cc7dee509a575f17884cf5905e0f7cdac26700e58d554533e94a2e';

const raw = (body: string, signature: string): RawCallback => ({
  method: 'POST',
  query: '',
  body,
  address: '203.0.113.1',
  headers: { 'x-nowpayments-sig': signature },
});
/** Signs JSON that is already sorted and compact. */
const signed = (body: string): RawCallback => raw(body, hmacHex('sha512', SECRET, body));
const fields = { actually_paid: 5, order_id: 'o', pay_amount: 10, payment_id: 7 };
const status = (name: string): RawCallback =>
  signed(
    JSON.stringify({ ...fields, payment_status: name, price_amount: 10.99, price_currency: 'usd' }),
  );

describe('notifications of NOWPayments', () => {
  it('are signed over sorted JSON whose numbers stay as they were written', () => {
    expect(readIpn(raw(BODY, SIGNATURE), SECRET)).toEqual({
      kind: 'genuine',
      events: [{
        id: 'finished:5745459419',
        type: 'paid',
        orderId: '6f0f2a6e-5d0e-4f0c-9c3c-0d7c5a3c9d11',
        reference: '5745459419',
        of: null,
        subscription: null,
        amount: { minor: 1050, currency: 'USD' },
        card: null,
        decline: null,
        at: new Date('2026-01-15T12:00:00Z'),
      }],
    });
    expect(readIpn(raw(BODY.replace('10.50', '10.5'), SIGNATURE), SECRET).kind).toBe('forged');
    expect(readIpn(raw(BODY.replace('10.50', '99.50'), SIGNATURE), SECRET).kind).toBe('forged');
    expect(readIpn(raw(BODY, ''), SECRET).kind).toBe('forged');
    expect(readIpn(raw(BODY, SIGNATURE), 'another').kind).toBe('forged');
  });

  it('credit only what is finished, and of a part only the part', () => {
    const typeOf = (name: string) => {
      const reading = readIpn(status(name), SECRET);
      return reading.kind === 'genuine'
        ? reading.events.map(({ type, amount }) => [type, amount?.minor])
        : reading;
    };
    expect(typeOf('waiting')).toEqual([]);
    for (const name of ['confirming', 'confirmed', 'sending']) {
      expect(typeOf(name)).toEqual([['pending', undefined]]);
    }
    expect(typeOf('finished')).toEqual([['paid', 1099]]);
    expect(typeOf('partially_paid')).toEqual([['paid', 549]]);
    expect(typeOf('failed')).toEqual([['declined', undefined]]);
    expect(typeOf('expired')).toEqual([['expired', undefined]]);
    expect(typeOf('refunded')).toEqual([['refunded', 1099]]);
    expect(typeOf('unheard of')).toEqual([]);
  });

  it('never throw, whatever comes', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), fc.string(), (body, signature) => {
      expect(['forged', 'unreadable']).toContain(readIpn(raw(body, signature), SECRET).kind);
    }));
    const value = fc.oneof(fc.string(), fc.double(), fc.constant(null), fc.integer());
    const names = fc.constantFrom(
      'payment_id',
      'payment_status',
      'price_amount',
      'price_currency',
      'updated_at',
    );
    fc.assert(fc.property(fc.dictionary(names, value), (odd) => {
      const entries = Object.entries({ ...fields, payment_status: 'finished', ...odd }).sort();
      const reading = readIpn(signed(JSON.stringify(Object.fromEntries(entries))), SECRET);
      expect(['genuine', 'unreadable', 'forged']).toContain(reading.kind);
    }));
    expect(readIpn(signed('['.repeat(60_000)), SECRET).kind).toBe('unreadable');
    expect(readIpn(signed('{"a":1,"a":2}'), SECRET).kind).toBe('unreadable');
  });
});
