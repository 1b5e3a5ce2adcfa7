import type { CallbackReading, PaymentEvent, RawCallback, SavedCard } from '../biller.ts';
import { moneyOf } from '../wire/amounts.ts';
import { bareEvent, textOf, type Fields } from '../wire/fields.ts';
import { verified } from './hashed-link.ts';
import { declineOf, RESPONSES } from './settings.ts';

type Meaning = readonly [good: PaymentEvent['type'], bad: PaymentEvent['type'] | null];

/** Kinds of transactions, with the meaning of success and failure; null when a failure means nothing. */
const KINDS: ReadonlyMap<string, Meaning> = new Map([
  ['CC_PURCHASE', ['paid', 'declined']],
  ['CC_REBILL', ['renewed', 'renewal_failed']],
  ['CC_CREDIT', ['refunded', null]],
  ['CC_VOID', ['refunded', null]],
  ['CC_CHARGEBACK', ['charged_back', null]],
  ['REBILL_CANCEL', ['cancelled', null]],
]);

/** Reads a postback: urlencoded and signed with the hash of the hosted page. */
export function readPostback(raw: RawCallback, secret: string): CallbackReading {
  const fields = verified(raw.method === 'POST' ? raw.body : '', secret);
  if (fields === 'unreadable') return { kind: 'unreadable', reason: 'no fields' };
  if (fields === 'forged') return { kind: 'forged', reason: 'the hash does not match' };
  const events = eventsOf(fields);
  return events
    ? { kind: 'genuine', events }
    : { kind: 'unreadable', reason: 'without number, invoice or amount' };
}

/**
 * The event of a transaction, in the fields of a postback or a report; none for kinds we do not handle, null
 * when fields are missing. An invoice of ours is an order; a subscription is identified by customer and
 * invoice.
 */
export function eventsOf(fields: Fields): PaymentEvent[] | null {
  const kind = KINDS.get(fields.get('transactionType') ?? '');
  const [guid, invoice] = [textOf(fields, 'guidNo'), textOf(fields, 'merchantInvoiceID')];
  if (!guid || !invoice) return null;
  const isGood = fields.get('responseCode') === RESPONSES.success;
  const type = kind?.[isGood ? 0 : 1];
  if (!type) return [];
  const event: PaymentEvent = {
    ...bareEvent(`${type}:${guid}`, type, guid),
    orderId: invoice,
    at: timeOf(fields),
    subscription: textOf(fields, 'rebillAmount') ? subscriptionOf(fields) : null,
  };
  if (!isGood) return [{ ...event, decline: declineOf(fields.get('reasonCode')) }];
  if (type === 'cancelled') return [event];
  const amount = moneyOf(fields.get('approvedAmount'), fields.get('approvedCurrency'));
  if (!amount) return null;
  const isReversal = type === 'refunded' || type === 'charged_back';
  return [{
    ...event,
    amount,
    of: isReversal ? textOf(fields, 'referenceGUID') : null,
    card: isReversal ? null : cardOf(fields),
  }];
}

/** `customer/invoice`, by which the gateway identifies a subscription. */
const subscriptionOf = (fields: Fields): string =>
  `${fields.get('merchantCustomerID') ?? ''}/${fields.get('merchantInvoiceID') ?? ''}`;

/** The customer and the invoice of a subscription. */
export function subscriptionParts(subscription: string): readonly [customer: string, invoice: string] | null {
  const at = subscription.lastIndexOf('/');
  return at > 0 ? [subscription.slice(0, at), subscription.slice(at + 1)] : null;
}

export function cardOf(fields: Fields): SavedCard | null {
  const [token, last4] = [textOf(fields, 'cardHash'), textOf(fields, 'cardLastFour')];
  if (!token || !/^\d{4}$/.test(last4 ?? '')) return null;
  const expiry = /^(\d{2})(\d{2})$/.exec(fields.get('cardExpiration') ?? '');
  return {
    token,
    face: {
      brand: textOf(fields, 'cardType') ?? 'CARD',
      last4: last4 ?? '',
      first6: /^\d{6}/.exec(fields.get('cardBin') ?? '')?.[0] ?? null,
      expiry: expiry ? `${expiry[1]}/${expiry[2]}` : null,
    },
  };
}

/** Seconds since 1970. */
function timeOf(fields: Fields): Date | null {
  const seconds = fields.get('transactionTime') ?? '';
  return /^\d{9,11}$/.test(seconds) ? new Date(Number(seconds) * 1000) : null;
}
