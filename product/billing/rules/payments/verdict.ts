import type { DeclineCode, Money } from '#platform/contract/payment.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#platform/time/units.ts';
import type { OrderState } from '../../rules.ts';
import { reversedOf, type Reversal } from './refunds.ts';

/** An event of a biller about an order. */
export interface OrderEvent {
  readonly id: string;
  readonly type:
    | 'pending'
    | 'paid'
    | 'declined'
    | 'expired'
    | 'refunded'
    | 'charged_back'
    | 'renewed'
    | 'renewal_failed'
    | 'cancelled';
  readonly reference: string;
  readonly of: string | null;
  readonly amount: Money | null;
  readonly decline: DeclineCode | null;
  /** When it happened, by the biller's clock, else when it was received. */
  readonly at: Date;
}

/** The state of an order apart from billers' events. */
export interface JudgedOrder {
  readonly amount: Money;
  readonly renewal: Money | null;
  /** True: a second payment is another purchase (cash vouchers). False: it goes to suspense. */
  readonly isRepayable: boolean;
  /** Reference of the payment that paid it; it never changes. */
  readonly mainReference: string | null;
  /** The state that applies without events. */
  readonly base: 'created' | 'pending' | 'unknown' | 'expired' | 'declined';
  /** The decline reason that applies without an event. */
  readonly ownDecline: DeclineCode | null;
}

/** A received payment. `main` paid the order; `suspense` is money nobody ordered. */
export interface Payment {
  /** `main`, or the id of the event: independent of the order of arrival. */
  readonly key: string;
  readonly kind: 'main' | 'renewal' | 'repaid' | 'suspense';
  readonly reference: string;
  readonly amount: Money;
  readonly at: Date;
  /** How the whole payment was reversed; null while a part remains. */
  readonly reversal: 'refund' | 'chargeback' | null;
  /** The reversed amount, in minor units of its currency. */
  readonly backMinor: number;
  /** Some of it was charged back. */
  readonly isCharged: boolean;
}
type Arrival = Omit<Payment, 'reversal' | 'backMinor' | 'isCharged'>;

export interface Verdict {
  readonly state: OrderState;
  readonly mainReference: string | null;
  readonly decline: DeclineCode | null;
  readonly payments: readonly Payment[];
  /** Events with a wrong amount or currency, which need attention. */
  readonly mismatched: readonly string[];
  /** Reversals of payments not yet received. */
  readonly waiting: readonly string[];
  /** The biller no longer renews it. */
  readonly isCancelled: boolean;
  /** Renewals that failed since the last payment, oldest first. */
  readonly failedRenewals: readonly { readonly id: string; readonly decline: DeclineCode | null }[];
}

const isSame = (a: Money | null, b: Money | null): boolean =>
  a !== null && b !== null && a.minor === b.minor && a.currency === b.currency;

const byTime = (a: OrderEvent, b: OrderEvent): number =>
  a.at.getTime() - b.at.getTime() || (a.id < b.id ? -1 : 1);

/** Payments among the events, each reference once, without their reversals. */
function paymentsOf(order: JudgedOrder, events: readonly OrderEvent[]): Arrival[] {
  const payments: Arrival[] = [];
  const seen = new Set<string>();
  const paid = events.filter(({ type }) => type === 'paid');
  const fits = paid.filter(({ amount }) => isSame(amount, order.amount));
  const main = fits.find(({ reference }) => reference === order.mainReference) ?? fits[0];
  if (main) {
    seen.add(main.reference);
    payments.push({
      key: 'main',
      kind: 'main',
      reference: main.reference,
      amount: order.amount,
      at: main.at,
    });
  }
  for (const { id, type, reference, amount, at } of events) {
    if ((type !== 'paid' && type !== 'renewed') || seen.has(reference) || amount === null) continue;
    seen.add(reference);
    const isRenewal = type === 'renewed' && isSame(amount, order.renewal);
    const isRepaid = type === 'paid' && order.isRepayable && isSame(amount, order.amount);
    const kind = isRenewal ? 'renewal' : isRepaid ? 'repaid' : 'suspense';
    payments.push({ key: id, kind, reference, amount, at });
  }
  return payments;
}

/**
 * Adds a payment's full and partial reversals. `odd` ones need attention: they exceed the payment, are in
 * another currency, or reverse a part of money nobody ordered.
 */
function withReversals(payment: Arrival, reversals: readonly OrderEvent[]): Payment & {
  readonly odd: readonly string[];
} {
  const own = reversals.filter(({ of }) => (of === null ? payment.key === 'main' : of === payment.reference));
  const { minor: paid, currency } = payment.amount;
  const fits = own.flatMap(({ id, type, amount }): Reversal[] => {
    if (amount === null || amount.currency !== currency || (type !== 'refunded' && type !== 'charged_back')) {
      return [];
    }
    const isPart = amount.minor > 0 && amount.minor < paid && payment.kind !== 'suspense';
    return amount.minor === paid || isPart ? [{ id, type, minor: amount.minor }] : [];
  });
  const { minor, isCharged, excess } = reversedOf(paid, fits);
  const isAll = fits.length > 0 && minor === paid;
  const known = new Set(fits.map(({ id }) => id));
  return {
    ...payment,
    backMinor: minor,
    isCharged,
    reversal: isAll ? (isCharged ? 'chargeback' : 'refund') : null,
    odd: [...own.flatMap(({ id }) => (known.has(id) ? [] : [id])), ...excess],
  };
}

/** The state of an unpaid order: a final event outweighs later ones. */
function unpaidState(base: JudgedOrder['base'], types: ReadonlySet<OrderEvent['type']>): OrderState {
  if (types.has('declined')) return 'declined';
  if (types.has('expired')) return 'expired';
  return types.has('pending') ? 'pending' : base;
}

const STATE_AFTER = { refund: 'refunded', chargeback: 'charged_back' } as const;

/**
 * The state and payments of an order, from all events of its biller: the same for any order of arrival and
 * any repetition. A payment with another amount or currency than the order's pays for nothing.
 */
export function judge(order: JudgedOrder, received: readonly OrderEvent[]): Verdict {
  const events = [...new Map(received.map((item) => [item.id, item])).values()].sort(byTime);
  const reversals = events.filter(({ type }) => type === 'refunded' || type === 'charged_back');
  const weighed = paymentsOf(order, events).map((payment) => withReversals(payment, reversals));
  const payments = weighed.map(({ odd: _odd, ...payment }): Payment => payment);
  const main = payments.find(({ kind }) => kind === 'main');
  const paidFor = (event: OrderEvent): Payment | undefined =>
    payments.find(({ key, reference }) => (event.of === null ? key === 'main' : event.of === reference));
  const types = new Set(events.map(({ type }) => type));
  const declined = events.findLast(({ type }) => type === 'declined');
  const state = main ? (main.reversal ? STATE_AFTER[main.reversal] : 'paid') : unpaidState(order.base, types);
  const suspended = payments.filter(({ kind }) => kind === 'suspense').map(({ key }) => key);
  const odd = new Set(weighed.flatMap((item) => item.odd));
  const uneven = reversals.filter(({ id }) => odd.has(id));
  const lastPaidMs = Math.max(
    0,
    ...payments.filter(({ kind }) => kind !== 'suspense')
      .map(({ at }) => at.getTime()),
  );
  return {
    state,
    mainReference: main?.reference ?? order.mainReference,
    decline: state === 'declined' ? (declined?.decline ?? order.ownDecline ?? 'NDECLINED') : null,
    payments,
    mismatched: [...suspended, ...uneven.map(({ id }) => id)],
    waiting: reversals.filter((event) => paidFor(event) === undefined).map(({ id }) => id),
    isCancelled: types.has('cancelled') || (main !== undefined && types.has('expired')),
    failedRenewals: events.filter(({ type, at }) => type === 'renewal_failed' && at.getTime() > lastPaidMs)
      .map(({ id, decline }) => ({ id, decline })),
  };
}

/**
 * The end of a membership: each payment adds its days to the remaining ones, and a reversed payment adds
 * nothing. Null if no payment counts.
 */
export function paidUntil(payments: readonly Payment[], days: number): Date | null {
  const good = payments
    .filter(({ kind, reversal }) => kind !== 'suspense' && reversal === null)
    .toSorted((a, b) => a.at.getTime() - b.at.getTime());
  const until = good.reduce((end, { at }) => Math.max(end, at.getTime()) + days * DAY_MS, 0);
  return until === 0 ? null : new Date(until);
}

/** Pauses between inquiries to a biller about a charge without a response. */
const UNKNOWN_ASKS_MS = [
  10 * SECOND_MS,
  30 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
  DAY_MS,
];
/** The same for an opened page: callbacks arrive sooner, and most people leave the page. */
const PENDING_ASKS_MS = [
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
  DAY_MS,
  48 * HOUR_MS,
  96 * HOUR_MS,
];
/** After this many inquiries (16 minutes) without a record, the biller never received the charge. */
const NOTHING_IS_FINAL_AFTER = 5;

/** Wait before inquiry number `asked` (0 is the first); null after the last. */
export const askAfterMs = (state: 'pending' | 'unknown', asked: number): number | null =>
  (state === 'unknown' ? UNKNOWN_ASKS_MS : PENDING_ASKS_MS)[asked] ?? null;

/** Whether an answer without a record of an order is final: it was never paid. */
export const isNothingFinal = (state: 'pending' | 'unknown', asked: number): boolean =>
  asked >= (state === 'unknown' ? NOTHING_IS_FINAL_AFTER : PENDING_ASKS_MS.length);

/** Pause between inquiries caused by unsigned callbacks of one order, which anybody can send. */
export const ASK_PAUSE_MS = 2 * SECOND_MS;
/** Pause before reading an unfinished callback again. */
export const UNREAD_AFTER_MS = MINUTE_MS;
/** Pause before confirming a callback again when its biller could not be reached. */
export const UNCONFIRMED_AFTER_MS = 5 * MINUTE_MS;
/** An order of unknown outcome raises an alarm after this. */
export const UNKNOWN_ALARM_MS = HOUR_MS;
