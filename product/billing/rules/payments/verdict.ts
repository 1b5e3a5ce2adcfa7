import type { DeclineCode, Money } from '../../../../platform/contract/payment.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../platform/time/units.ts';
import type { OrderState } from '../../rules.ts';
import { takenOf, type TakenBack } from './refunds.ts';

/** What a biller said of an order, as far as it decides anything. */
export interface OrderEvent {
  readonly id: string;
  readonly type:
    | 'pending' | 'paid' | 'declined' | 'expired' | 'refunded' | 'charged_back' | 'renewed'
    | 'renewal_failed' | 'cancelled';
  readonly reference: string;
  readonly of: string | null;
  readonly amount: Money | null;
  readonly decline: DeclineCode | null;
  /** When it happened, by the biller, else when we heard of it. */
  readonly at: Date;
}

/** What an order says of itself, whatever billers say. */
export interface JudgedOrder {
  readonly amount: Money;
  readonly renewal: Money | null;
  /** A code that is paid again is bought again (cash vouchers); else more money than asked for waits. */
  readonly isRepayable: boolean;
  /** Reference of the payment that paid it, once there was one. It never changes. */
  readonly mainReference: string | null;
  /** Where it stands by our own knowledge alone. */
  readonly base: 'created' | 'pending' | 'unknown' | 'expired' | 'declined';
  /** Why we declined it ourselves. */
  readonly ownDecline: DeclineCode | null;
}

/** One payment that arrived. `main` paid the order; `suspense` is money nobody ordered. */
export interface Payment {
  /** `main`, or the id of the event: the same in every order of arrival. */
  readonly key: string;
  readonly kind: 'main' | 'renewal' | 'repaid' | 'suspense';
  readonly reference: string;
  readonly amount: Money;
  readonly at: Date;
  /** The strongest of what took all of it back; null while something is left of it. */
  readonly reversal: 'refund' | 'chargeback' | null;
  /** What is back of it in all, in minor units of its currency. */
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
  /** Events whose amount or currency is not what it must be: somebody has to look. */
  readonly mismatched: readonly string[];
  /** Reversals of payments that were not heard of yet. */
  readonly waiting: readonly string[];
  /** The biller says it renews no more. */
  readonly isCancelled: boolean;
  /** Renewals that failed since it was paid for last, the first of them first. */
  readonly failedRenewals: readonly { readonly id: string; readonly decline: DeclineCode | null }[];
}

const isSame = (a: Money | null, b: Money | null): boolean =>
  a !== null && b !== null && a.minor === b.minor && a.currency === b.currency;

const byTime = (a: OrderEvent, b: OrderEvent): number =>
  a.at.getTime() - b.at.getTime() || (a.id < b.id ? -1 : 1);

/** Payments among the events, each reference once; what takes them back is added later. */
function paymentsOf(order: JudgedOrder, events: readonly OrderEvent[]): Arrival[] {
  const payments: Arrival[] = [];
  const seen = new Set<string>();
  const paid = events.filter(({ type }) => type === 'paid');
  const fits = paid.filter(({ amount }) => isSame(amount, order.amount));
  const main = fits.find(({ reference }) => reference === order.mainReference) ?? fits[0];
  if (main) {
    seen.add(main.reference);
    payments.push({
      key: 'main', kind: 'main', reference: main.reference, amount: order.amount, at: main.at,
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
 * What takes a payment back, in one go or in parts. More than it was, other money than it was, and parts of
 * what nobody ordered are cases for somebody.
 */
function withReversals(payment: Arrival, reversals: readonly OrderEvent[]): Payment & {
  readonly odd: readonly string[];
} {
  const own = reversals.filter(({ of }) => (of === null ? payment.key === 'main' : of === payment.reference));
  const { minor: paid, currency } = payment.amount;
  const fits = own.flatMap(({ id, type, amount }): TakenBack[] => {
    if (amount === null || amount.currency !== currency || (type !== 'refunded' && type !== 'charged_back')) {
      return [];
    }
    const isPart = amount.minor > 0 && amount.minor < paid && payment.kind !== 'suspense';
    return amount.minor === paid || isPart ? [{ id, type, minor: amount.minor }] : [];
  });
  const { minor, isCharged, excess } = takenOf(paid, fits);
  const isAll = fits.length > 0 && minor === paid;
  const known = new Set(fits.map(({ id }) => id));
  return {
    ...payment, backMinor: minor, isCharged, reversal: isAll ? (isCharged ? 'chargeback' : 'refund') : null,
    odd: [...own.flatMap(({ id }) => (known.has(id) ? [] : [id])), ...excess],
  };
}

/** The state of an order nobody paid: what billers said last counts less than what is final. */
function unpaidState(base: JudgedOrder['base'], types: ReadonlySet<OrderEvent['type']>): OrderState {
  if (types.has('declined')) return 'declined';
  if (types.has('expired')) return 'expired';
  return types.has('pending') ? 'pending' : base;
}

const STATE_AFTER = { refund: 'refunded', chargeback: 'charged_back' } as const;

/**
 * What follows from everything a biller said of an order, in whatever order it was heard and however often:
 * the state, and the payments to be in the books. The amounts are compared with the order; what differs pays
 * for nothing.
 */
export function judge(order: JudgedOrder, heard: readonly OrderEvent[]): Verdict {
  const events = [...new Map(heard.map((one) => [one.id, one])).values()].sort(byTime);
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
  const odd = new Set(weighed.flatMap((one) => one.odd));
  const uneven = reversals.filter(({ id }) => odd.has(id));
  const lastPaidMs = Math.max(0, ...payments.filter(({ kind }) => kind !== 'suspense')
    .map(({ at }) => at.getTime()));
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
 * Until when payments of a membership last: each adds its days to what is left at its time; what was taken
 * back adds nothing. Null for none.
 */
export function paidUntil(payments: readonly Payment[], days: number): Date | null {
  const good = payments
    .filter(({ kind, reversal }) => kind !== 'suspense' && reversal === null)
    .toSorted((a, b) => a.at.getTime() - b.at.getTime());
  const until = good.reduce((end, { at }) => Math.max(end, at.getTime()) + days * DAY_MS, 0);
  return until === 0 ? null : new Date(until);
}

/**
 * When a biller is asked again what became of a charge whose answer never came, counted from the last time.
 */
const UNKNOWN_ASKS_MS =
  [10 * SECOND_MS, 30 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS];
/** The same of a page that was opened: callbacks tell sooner, and most pages are left. */
const PENDING_ASKS_MS =
  [2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS, 48 * HOUR_MS, 96 * HOUR_MS];
/** A biller that still knows nothing of a charge after so many answers never got it: 16 minutes. */
const NOTHING_IS_FINAL_AFTER = 5;

/** How long to wait for the ask of this number (0 is the first); null when asking ends. */
export const askAfterMs = (state: 'pending' | 'unknown', asked: number): number | null =>
  (state === 'unknown' ? UNKNOWN_ASKS_MS : PENDING_ASKS_MS)[asked] ?? null;

/** Whether a biller that knows nothing of an order settles it: it was never paid. */
export const isNothingFinal = (state: 'pending' | 'unknown', asked: number): boolean =>
  asked >= (state === 'unknown' ? NOTHING_IS_FINAL_AFTER : PENDING_ASKS_MS.length);

/** Unsigned callbacks of one order make us ask its biller at most this often: each could be a stranger's. */
export const ASK_PAUSE_MS = 2 * SECOND_MS;
/** A callback that was stored and not read is read again after this. */
export const UNREAD_AFTER_MS = MINUTE_MS;
/** A callback whose biller could not be asked is taken up again after this. */
export const UNCONFIRMED_AFTER_MS = 5 * MINUTE_MS;
/** An order of unknown outcome is somebody's business after this. */
export const UNKNOWN_ALARM_MS = HOUR_MS;
