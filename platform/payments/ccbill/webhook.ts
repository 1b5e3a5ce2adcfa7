import type { CallbackReading, PaymentEvent, RawCallback, SavedCard } from '../biller.ts';
import { currencyOf, moneyOf } from '../wire/amounts.ts';
import { bareEvent, bodyFields, formFields, textOf, type Fields } from '../wire/fields.ts';
import { declineOf } from './declines.ts';
import { subaccountText, type CcbillSettings } from './settings.ts';
import { timeOf } from './times.ts';

/** The meaning of a webhook or a row of the report. */
export const WEBHOOK_TYPES: ReadonlyMap<string, PaymentEvent['type']> = new Map([
  ['NewSaleSuccess', 'paid'],
  ['UpSaleSuccess', 'paid'],
  ['CrossSaleSuccess', 'paid'],
  ['NewSaleFailure', 'declined'],
  ['UpSaleFailure', 'declined'],
  ['CrossSaleFailure', 'declined'],
  ['RenewalSuccess', 'renewed'],
  ['RenewalFailure', 'renewal_failed'],
  ['Cancellation', 'cancelled'],
  ['Expiration', 'cancelled'],
  ['Refund', 'refunded'],
  ['Void', 'refunded'],
  ['Chargeback', 'charged_back'],
  ['Return', 'charged_back'],
]);

/** Reads a webhook of this account. It is not signed, so it is only a reason to ask CCBill. */
export function readWebhook(
  raw: RawCallback,
  settings: CcbillSettings,
  isKnown: (address: string) => boolean,
): CallbackReading {
  if (!isKnown(raw.address)) return { kind: 'forged', reason: 'an address outside the networks of CCBill' };
  const name = formFields(raw.query)?.get('eventType');
  const fields = raw.method === 'POST' ? bodyFields(raw) : null;
  if (!name || !fields) {
    return { kind: 'unreadable', reason: 'no event type, or a body that is no list of fields' };
  }
  if (!isOfAccount(fields, settings)) return { kind: 'forged', reason: 'another account' };
  const type = WEBHOOK_TYPES.get(name);
  if (!type) return { kind: 'unsigned', events: [] };
  const event = eventOf(type, fields);
  return event
    ? { kind: 'unsigned', events: [event] }
    : { kind: 'unreadable', reason: `${name} without its transaction, amount or time` };
}

const isOfAccount = (fields: Fields, settings: CcbillSettings): boolean =>
  fields.get('clientAccnum') === String(settings.account)
  && (fields.get('clientSubacc') ?? '').padStart(4, '0') === subaccountText(settings.subaccount);

/**
 * The event in the fields of a webhook, or of a row of the report, which has the same names. Ids are made
 * from fields that both have: a sale is identified by its subscription, which every sale has (its number is
 * that of the first transaction), and every later event by its transaction.
 */
export function eventOf(type: PaymentEvent['type'], fields: Fields): PaymentEvent | null {
  const transaction = textOf(fields, 'transactionId');
  const subscription = textOf(fields, 'subscriptionId');
  const at = timeOf(textOf(fields, 'timestamp'));
  const reference = type === 'cancelled' ? subscription : transaction;
  if (!reference || !at) return null;
  const event = {
    ...bareEvent(idOf(type, reference, at), type, reference),
    orderId: textOf(fields, 'X-orderId'),
    at,
    subscription: isRenewing(fields) ? subscription : null,
  };
  if (type === 'declined' || type === 'renewal_failed') {
    return { ...event, decline: declineOf(textOf(fields, 'failureCode')) };
  }
  if (type === 'cancelled') return event;
  const amount = amountOf(fields);
  if (!amount) return null;
  if (type === 'refunded' || type === 'charged_back') return { ...event, amount, of: transaction };
  return { ...event, amount, card: cardOf(fields) };
}

/** The id of a reversal includes the time, because parts of a payment may be refunded one after the other. */
function idOf(type: PaymentEvent['type'], reference: string, at: Date): string {
  const reverses = type === 'refunded' || type === 'charged_back';
  return reverses ? `${type}:${reference}:${at.getTime()}` : `${type}:${reference}`;
}

const isRenewing = (fields: Fields): boolean => {
  const rebills = textOf(fields, 'rebills') ?? textOf(fields, 'recurringPeriod');
  return rebills !== null && rebills !== '0';
};

/** The name of the amount field depends on the kind of event. */
function amountOf(fields: Fields): PaymentEvent['amount'] {
  const text = textOf(fields, 'billedInitialPrice') ?? textOf(fields, 'billedAmount')
    ?? textOf(fields, 'amount');
  const code = textOf(fields, 'billedCurrencyCode') ?? textOf(fields, 'currencyCode');
  return moneyOf(text ?? undefined, currencyOf(code ?? undefined));
}

/** The card with the token for its next charge. */
function cardOf(fields: Fields): SavedCard | null {
  const [token, brand, last4] = [
    textOf(fields, 'paymentTokenId'),
    textOf(fields, 'cardType'),
    textOf(fields, 'last4'),
  ];
  if (!token || !brand || !last4 || !/^\d{4}$/.test(last4)) return null;
  const bin = textOf(fields, 'bin');
  const first6 = /^\d{6}/.exec(bin ?? '')?.[0] ?? null;
  return { token, face: { brand, first6, last4, expiry: expiryOf(fields) } };
}

function expiryOf(fields: Fields): string | null {
  const match = /^(\d{2})(\d{2})$/.exec(textOf(fields, 'expDate') ?? '');
  return match ? `${match[1]}/${match[2]}` : null;
}
