import type { CallbackReading, PaymentEvent, RawCallback } from '../biller.ts';
import { moneyOf, scaled } from '../wire/amounts.ts';
import { hmacHex, sameText } from '../wire/digests.ts';
import { exactObject } from '../wire/exact-json.ts';
import { bareEvent, textOf, type Fields } from '../wire/fields.ts';

/** Statuses of a payment; `waiting` is only a page that was opened. */
const STATUSES: ReadonlyMap<string, PaymentEvent['type'] | null> = new Map([
  ['waiting', null],
  ['confirming', 'pending'],
  ['confirmed', 'pending'],
  ['sending', 'pending'],
  ['partially_paid', 'paid'],
  ['finished', 'paid'],
  ['failed', 'declined'],
  ['refunded', 'refunded'],
  ['expired', 'expired'],
]);

/** Hex HMAC-SHA512 over the JSON with sorted keys, every number as it was written. */
const ipnSignature = (secret: string, sorted: string): string => hmacHex('sha512', secret, sorted);

export function readIpn(raw: RawCallback, secret: string): CallbackReading {
  const body = raw.method === 'POST' ? exactObject(raw.body) : null;
  if (!body) return { kind: 'unreadable', reason: 'no JSON object' };
  const signature = raw.headers['x-nowpayments-sig'] ?? '';
  if (!sameText(signature.toLowerCase(), ipnSignature(secret, body.sorted))) {
    return { kind: 'forged', reason: 'the signature does not match' };
  }
  const events = eventsOf(body.fields);
  return events
    ? { kind: 'genuine', events }
    : { kind: 'unreadable', reason: 'without number, status or price' };
}

/**
 * The event of a payment in a notification or an answer; none until somebody pays, null when fields are
 * missing. A partial payment counts as paid with its part of the price, so that it never equals the price of
 * the order.
 */
export function eventsOf(fields: Fields): PaymentEvent[] | null {
  const [number, status] = [textOf(fields, 'payment_id'), textOf(fields, 'payment_status')];
  const price = moneyOf(fields.get('price_amount'), fields.get('price_currency'));
  if (!number || !status || !price) return null;
  const type = STATUSES.get(status);
  if (!type) return [];
  const event = {
    ...bareEvent(`${type === 'pending' ? 'pending' : status}:${number}`, type, number),
    at: timeOf(fields),
    orderId: textOf(fields, 'order_id'),
  };
  if (type === 'declined') return [{ ...event, decline: 'NDECLINED' }];
  if (type === 'refunded') return [{ ...event, amount: price, of: number }];
  if (type !== 'paid') return [event];
  const part = status === 'finished' ? price.minor : partOf(price.minor, fields);
  return part === null ? null : [{ ...event, amount: { ...price, minor: part } }];
}

/** The part of the price that arrived, in its smallest unit and rounded down; computed in whole numbers. */
function partOf(minor: number, fields: Fields): number | null {
  const [paid, asked] = [scaled(fields.get('actually_paid')), scaled(fields.get('pay_amount'))];
  if (paid === null || asked === null || asked === 0n) return null;
  const part = Number(BigInt(minor) * paid / asked);
  return Number.isSafeInteger(part) ? part : null;
}

/** Parses milliseconds or an ISO 8601 time. */
function timeOf(fields: Fields): Date | null {
  const text = fields.get('updated_at') ?? '';
  const ms = /^\d{12,14}$/.test(text) ? Number(text) : Date.parse(text);
  return Number.isNaN(ms) ? null : new Date(ms);
}
