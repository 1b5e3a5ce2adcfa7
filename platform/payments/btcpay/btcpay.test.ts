import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RawCallback } from '../biller.ts';
import { btcpaySignature, readWebhook } from './webhook.ts';

const SECRET = 'webhook-secret';
const BODY = '{"deliveryId":"d1","webhookId":"w1","originalDeliveryId":"d1","isRedelivery":false,'
  + '"type":"InvoiceProcessing","timestamp":1768478400,"storeId":"test-store","invoiceId":"INV1",'
  + '"metadata":{"orderId":"6f0f2a6e-5d0e-4f0c-9c3c-0d7c5a3c9d11"}}';
/** printf '%s' BODY | openssl dgst -sha256 -hmac webhook-secret */
const SIGNATURE = 'sha256=cff18cca9b6bb448cd3167172df1b09c1c1024f01d1d9ca5c657f4142fbafc98';

const raw = (body: string, signature = btcpaySignature(SECRET, body)): RawCallback => ({
  method: 'POST',
  query: '',
  body,
  address: '203.0.113.1',
  headers: { 'btcpay-sig': signature },
});
const read = (callback: RawCallback) => readWebhook(callback, 'test-store', SECRET);

describe('webhooks of BTCPay', () => {
  it('are signed over the body as it came', () => {
    expect(read(raw(BODY, SIGNATURE))).toMatchObject({
      kind: 'genuine',
      events: [{
        id: 'pending:INV1',
        type: 'pending',
        orderId: '6f0f2a6e-5d0e-4f0c-9c3c-0d7c5a3c9d11',
        reference: 'INV1',
        at: new Date('2026-01-15T12:00:00Z'),
      }],
    });
    expect(read(raw(`${BODY} `, SIGNATURE)).kind).toBe('forged');
    expect(read(raw(BODY, SIGNATURE.replace('sha256=', ''))).kind).toBe('forged');
  });

  it('say that an invoice is settled as a reason to ask, for they name no amount', () => {
    const settled = read(raw(BODY.replace('InvoiceProcessing', 'InvoiceSettled')));
    expect(settled).toMatchObject({ kind: 'unsigned', events: [{ type: 'paid', amount: null }] });
    expect(read(raw(BODY.replace('InvoiceProcessing', 'InvoiceExpired')))).toMatchObject({
      kind: 'genuine',
      events: [{ type: 'expired' }],
    });
    const expired = BODY.replace('"InvoiceProcessing"', '"InvoiceExpired","partiallyPaid":true');
    expect(read(raw(expired)).kind).toBe('unsigned');
    expect(read(raw(BODY.replace('InvoiceProcessing', 'InvoiceInvalid')))).toMatchObject({
      kind: 'genuine',
      events: [{ type: 'declined', decline: 'NDECLINED' }],
    });
    expect(read(raw(BODY.replace('InvoiceProcessing', 'InvoiceCreated')))).toEqual({
      kind: 'genuine',
      events: [],
    });
  });

  it('of another store are not ours, and a redelivery is the same event', () => {
    expect(read(raw(BODY.replace('test-store', 'other'))).kind).toBe('forged');
    const again = BODY.replace('"deliveryId":"d1"', '"deliveryId":"d2"').replace('false', 'true');
    expect(read(raw(again))).toEqual(read(raw(BODY)));
  });

  it('never throw, whatever comes', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (body) => {
      expect(['forged', 'unreadable', 'genuine', 'unsigned']).toContain(read(raw(body)).kind);
    }));
  });
});
