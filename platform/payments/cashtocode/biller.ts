import { decimalOf } from '#platform/text/money.ts';
import { z } from 'zod';
import type { Biller, CallbackReading, Order, Outside, PageOutcome, RawCallback } from '../biller.ts';
import { moneyOf } from '../wire/amounts.ts';
import { ask } from '../wire/ask.ts';
import { hmacHex, sameText } from '../wire/digests.ts';
import { exactObject } from '../wire/exact-json.ts';
import { bareEvent, jsonOf, plainReply, textOf } from '../wire/fields.ts';
import { isSold } from './amounts.ts';

/**
 * One merchant at CashtoCode. Its documents are not public: the paths, the field names and the signature of
 * callbacks are from memory and must be compared with the contract, so the signature is a setting.
 */
export interface CashtocodeSettings {
  readonly api: string;
  readonly merchant: string;
  readonly password: string;
  readonly signature: {
    /** Name of the header, in lower case. */
    readonly header: string;
    readonly algorithm: 'sha256' | 'sha512';
    readonly secret: string;
  };
  readonly descriptor: string;
}

const Made = z.object({ payUrl: z.url() });

/**
 * CashtoCode: a code that is paid in cash at a till, minutes to days later. The same code may be paid again:
 * each payment has its own number and its own event. There are no refunds or chargebacks, and no way to ask
 * for the state of a payment.
 */
export function cashtocodeBiller(settings: CashtocodeSettings, outside: Outside): Biller {
  return {
    name: 'cashtocode',
    abilities: { methods: ['voucher'], charges: false, saves: false, renews: false, answers: false },
    descriptor: settings.descriptor,
    page: (order) => code(settings, outside, order),
    charge: async () => ({ kind: 'unreachable', reason: 'CashtoCode keeps no cards' }),
    cardForm: async () => null,
    cardOf: async () => null,
    cancel: async () => 'unknown',
    find: async () => ({ kind: 'unreachable', reason: 'CashtoCode cannot be asked' }),
    read: (raw) => readCallback(raw, settings.signature),
    reply: plainReply,
  };
}

async function code(settings: CashtocodeSettings, outside: Outside, order: Order): Promise<PageOutcome> {
  if (order.renewal || !isSold(order.amount, order.payer.country)) {
    return { kind: 'unreachable', reason: 'an amount CashtoCode does not sell there' };
  }
  const basic = Buffer.from(`${settings.merchant}:${settings.password}`).toString('base64');
  const answer = await ask(outside.fetch, `${settings.api}/merchant/paygen`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      amount: Number(decimalOf(order.amount)),
      currency: order.amount.currency,
      transactionId: order.id,
      account: order.payer.ref,
      registered: true,
      successfulRedirectUrl: order.returnUrl,
      cancelUrl: order.returnUrl,
      ...(order.payer.country && { country: order.payer.country }),
    }),
  });
  const made = answer.kind === 'answer' && answer.status === 200 ? Made.safeParse(jsonOf(answer.body)) : null;
  return made?.success
    ? { kind: 'page', url: made.data.payUrl, until: null }
    : { kind: 'unreachable', reason: 'no code' };
}

/** Hex HMAC over the raw body, in a configurable header. */
function readCallback(raw: RawCallback, signature: CashtocodeSettings['signature']): CallbackReading {
  const given = (raw.headers[signature.header] ?? '').toLowerCase();
  if (!sameText(given, hmacHex(signature.algorithm, signature.secret, raw.body))) {
    return { kind: 'forged', reason: 'the signature does not match' };
  }
  const fields = raw.method === 'POST' ? exactObject(raw.body)?.fields : undefined;
  if (!fields) return { kind: 'unreadable', reason: 'no JSON object' };
  const [payment, orderId] = [textOf(fields, 'paymentId'), textOf(fields, 'transactionId')];
  const type = ({ paid: 'paid', expired: 'expired' } as const)[fields.get('status') ?? ''];
  if (!payment || !orderId) return { kind: 'unreadable', reason: 'without its numbers' };
  if (!type) return { kind: 'genuine', events: [] };
  const amount = moneyOf(fields.get('amount'), fields.get('currency'));
  if (type === 'paid' && !amount) return { kind: 'unreadable', reason: 'paid without an amount' };
  const ms = Date.parse(fields.get('at') ?? '');
  return {
    kind: 'genuine',
    events: [{
      ...bareEvent(`${type}:${payment}`, type, payment),
      orderId,
      amount: type === 'paid' ? amount : null,
      at: Number.isNaN(ms) ? null : new Date(ms),
    }],
  };
}
