import type { CallbackReading, PaymentEvent, RawCallback } from '../biller.ts';
import { hmacHex, sameText } from '../wire/digests.ts';
import { bareEvent, flatFields, jsonOf, textOf } from '../wire/fields.ts';

const TYPES: ReadonlyMap<string, PaymentEvent['type']> = new Map([
  ['InvoiceReceivedPayment', 'pending'],
  ['InvoiceProcessing', 'pending'],
  ['InvoiceSettled', 'paid'],
  ['InvoiceExpired', 'expired'],
  ['InvoiceInvalid', 'declined'],
]);

/** `sha256=` and the hex HMAC-SHA256 of the raw body. */
export const btcpaySignature = (secret: string, body: string): string =>
  `sha256=${hmacHex('sha256', secret, body)}`;

/**
 * Reads a webhook. It names the invoice and never an amount. If the invoice is settled, or has expired partly
 * paid, the amount has to be asked for; everything else is believed.
 */
export function readWebhook(raw: RawCallback, store: string, secret: string): CallbackReading {
  if (!sameText(raw.headers['btcpay-sig'] ?? '', btcpaySignature(secret, raw.body))) {
    return { kind: 'forged', reason: 'the signature does not match' };
  }
  const value = raw.method === 'POST' ? jsonOf(raw.body) : undefined;
  const fields = flatFields(value);
  const name = fields && textOf(fields, 'type');
  if (!fields || !name) return { kind: 'unreadable', reason: 'no JSON object with a type' };
  if (fields.get('storeId') !== store) return { kind: 'forged', reason: 'another store' };
  const type = TYPES.get(name);
  if (!type) return { kind: 'genuine', events: [] };
  const invoice = textOf(fields, 'invoiceId');
  if (!invoice) return { kind: 'unreadable', reason: `${name} without its invoice` };
  const event = invoiceEvent(type, invoice, orderIdIn(value), timeOf(fields.get('timestamp')));
  const needsAmount = type === 'paid' || fields.get('partiallyPaid') === 'true';
  return { kind: needsAmount ? 'unsigned' : 'genuine', events: [event] };
}

export const invoiceEvent = (
  type: PaymentEvent['type'],
  invoice: string,
  orderId: string | null,
  at: Date | null,
): PaymentEvent => ({
  ...bareEvent(`${type}:${invoice}`, type, invoice),
  orderId,
  at,
  decline: type === 'declined' ? 'NDECLINED' : null,
});

/** Our order, in the metadata of the invoice. */
export function orderIdIn(value: unknown): string | null {
  const metadata = typeof value === 'object' && value !== null && 'metadata' in value ? value.metadata : null;
  const fields = flatFields(metadata);
  return fields && textOf(fields, 'orderId');
}

/** Seconds since 1970. */
function timeOf(text: string | undefined): Date | null {
  return /^\d{9,11}$/.test(text ?? '') ? new Date(Number(text) * 1000) : null;
}
