import type { CallbackReading, PaymentEvent, RawCallback, SavedCard } from '../biller.ts';
import { moneyOf } from '../wire/amounts.ts';
import { sameText } from '../wire/digests.ts';
import { bareEvent, formFields, textOf, type Fields } from '../wire/fields.ts';
import { declineOf } from './settings.ts';

/** Synchronous postbacks about access, which we do not need; they only expect the reply GOOD. */
const ACCESS = new Set(['Probe', 'Enable', 'Disable', 'Reactivation']);
/** Stages of a subscription that are not its beginning. */
const LATER = new Set(['conversion', 'rebill']);

/**
 * Reads a postback. It is not signed: address and secret keep others out, and Segpay is asked to confirm what
 * it says.
 */
export function readPostback(
  raw: RawCallback,
  key: string,
  isKnown: (address: string) => boolean,
): CallbackReading {
  if (!isKnown(raw.address)) return { kind: 'forged', reason: 'an address outside the networks of Segpay' };
  const fields = raw.method === 'GET' ? formFields(raw.query) : null;
  if (!fields) return { kind: 'unreadable', reason: 'no GET with fields' };
  if (!sameText(fields.get('key') ?? '', key)) return { kind: 'forged', reason: 'without our key' };
  if (ACCESS.has(fields.get('action') ?? '')) return { kind: 'genuine', events: [] };
  const events = eventsOf(fields);
  return events ? { kind: 'unsigned', events } : { kind: 'unreadable', reason: 'without number or price' };
}

/** The event of a postback or report row; none for kinds we do not handle, null when fields are missing. */
export function eventsOf(fields: Fields): PaymentEvent[] | null {
  const action = fields.get('action') ?? '';
  const purchase = textOf(fields, 'purchaseid');
  const number = action === 'Cancel' ? purchase : textOf(fields, 'tranid');
  const type = typeOf(action, fields);
  if (!purchase || !number) return null;
  if (!type) return [];
  const event: PaymentEvent = {
    ...bareEvent(`${type}:${number}`, type, number),
    orderId: textOf(fields, 'ref1'),
    at: timeOf(fields),
    subscription: textOf(fields, 'rint') ? purchase : null,
  };
  if (type === 'cancelled') return [event];
  if (type === 'declined' || type === 'renewal_failed') {
    return [{ ...event, decline: declineOf(fields.get('authcode')) }];
  }
  const amount = moneyOf(fields.get('price'), fields.get('currencycode'));
  if (!amount) return null;
  const isReversal = type === 'refunded' || type === 'charged_back';
  return [{
    ...event,
    amount,
    of: isReversal ? textOf(fields, 'relatedtranid') : null,
    card: isReversal ? null : cardOf(fields, purchase),
  }];
}

/** `Charge` is what Segpay calls a chargeback. */
function typeOf(action: string, fields: Fields): PaymentEvent['type'] | null {
  if (action === 'Cancel') return 'cancelled';
  if (action === 'Void') return 'refunded';
  if (action !== 'Auth') return null;
  const kind = (fields.get('trantype') ?? '').toLowerCase();
  if (kind === 'credit') return 'refunded';
  if (kind === 'charge') return 'charged_back';
  if (kind !== 'sale') return null;
  const isLater = LATER.has((fields.get('stage') ?? '').toLowerCase());
  const isApproved = /^yes$/i.test(fields.get('approved') ?? '');
  return isApproved ? (isLater ? 'renewed' : 'paid') : (isLater ? 'renewal_failed' : 'declined');
}

/** One-click uses the number of an earlier purchase. */
function cardOf(fields: Fields, purchase: string): SavedCard | null {
  const [brand, last4] = [textOf(fields, 'cardtype'), fields.get('cclast4') ?? ''];
  if (!brand || !/^\d{4}$/.test(last4)) return null;
  const expiry = /^(\d{2})(\d{2})$/.exec(fields.get('ccexp') ?? '');
  return {
    token: purchase,
    face: {
      brand,
      last4,
      first6: /^\d{6}/.exec(fields.get('ccbin') ?? '')?.[0] ?? null,
      expiry: expiry ? `${expiry[1]}/${expiry[2]}` : null,
    },
  };
}

/** Parses an ISO 8601 time. */
function timeOf(fields: Fields): Date | null {
  const ms = Date.parse(fields.get('transtime') ?? '');
  return Number.isNaN(ms) ? null : new Date(ms);
}
