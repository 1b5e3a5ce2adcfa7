import type { Tx } from '#platform/data/data.ts';
import type { LedgerService } from '#product/ledger/server.ts';
import type { Payment } from '../../rules/payments/verdict.ts';
import type { StoredEvent } from '../../store/events.ts';
import type { Order } from '../../store/orders.ts';
import { postAll, purchaseOf, suspenseOf } from './journal.ts';

/**
 * Outcomes of payments that the marketing cap or the buyer's daily limit does not allow. `over_cap` is
 * retried until the cap is raised or the day is over. `ungiven` is a gift that is no longer owed.
 */
export const OVER_CAP = 'over_cap';
const UNGIVEN = 'ungiven';

/** A payment with the order it pays. */
export interface OrderPayment {
  readonly row: Order;
  readonly payment: Payment;
}

/**
 * The part of a payment that is not posted: all of it, with its money in `suspense`; the gift, which is
 * retried; or the gift for good.
 */
export type Shortfall = 'all' | 'gift' | 'no_gift';

const isOf = ({ reference }: Payment) => (event: StoredEvent): boolean =>
  (event.type === 'paid' || event.type === 'renewed') && event.reference === reference;

/**
 * Posts payments, each once. Bought tokens are all or nothing; a gift over the cap follows later, unless a
 * part of the payment is reversed first. Returns what is missing, by order.
 * @param of `owed`: tokens of the person's debt, for an order that settles it
 */
export async function postPayments(tx: Tx, ledger: LedgerService, of: {
  readonly order: Order;
  readonly paying: readonly OrderPayment[];
  readonly suspended: readonly Payment[];
  readonly events: readonly StoredEvent[];
  readonly owed: number;
  /** Orders whose payment would exceed the daily limit. */
  readonly overLimit: ReadonlySet<string>;
}): Promise<ReadonlyMap<string, Shortfall>> {
  const { order, paying, suspended, events, owed, overLimit } = of;
  const missing = new Map<string, Shortfall>();
  const before = (payment: Payment): string | undefined => events.find(isOf(payment))?.outcome;
  const all = paying.map((item) => ({ ...item, ...purchaseOf(item.row, item.payment.reference, owed) }));
  // Payments reversed before posting need no posting.
  const fresh = all.filter(({ row }) => row.paidAt === null && row.refundedAt === null);
  const overCap = await postAll(tx, ledger, [
    ...fresh.flatMap(({ row, bought }) => (overLimit.has(row.id) ? [] : (bought ?? []))),
    ...suspended.flatMap((payment) => suspenseOf(order, payment)),
  ]);
  const isPosted = ({ row, bought }: (typeof all)[number]): boolean =>
    row.paidAt !== null
    || (row.refundedAt === null && !overLimit.has(row.id) && !(bought && overCap.has(bought.id)));
  for (const one of all) {
    if (!isPosted(one)) missing.set(one.row.id, 'all');
    else if (one.row.paidAt !== null && before(one.payment) === UNGIVEN) missing.set(one.row.id, 'no_gift');
  }
  const gifts = all.filter(({ row, given, payment }) =>
    given && !missing.has(row.id)
    && (row.paidAt === null || (before(payment) === OVER_CAP && payment.backMinor === 0))
  );
  const late = await postAll(tx, ledger, [
    ...gifts.flatMap(({ given }) => given ?? []),
    ...fresh.flatMap(({ row, payment }) => {
      if (missing.get(row.id) === 'all') return suspenseOf(order, payment);
      return before(payment) === OVER_CAP ? suspenseOf(order, payment, true) : [];
    }),
  ]);
  for (const { row, given, payment } of all) {
    const wasDue = row.paidAt !== null && before(payment) === OVER_CAP && payment.backMinor > 0;
    if (missing.has(row.id) || !given || !(late.has(given.id) || wasDue)) continue;
    missing.set(row.id, payment.backMinor > 0 ? 'no_gift' : 'gift');
  }
  return missing;
}

/** Whether a payment was held when last judged. */
export const wasHeld = (payment: Payment, events: readonly StoredEvent[]): boolean =>
  events.some((event) => isOf(payment)(event) && event.outcome === OVER_CAP);

/** Outcomes of the events of payments that are not wholly posted. */
export const outcomesOf = (
  paying: readonly OrderPayment[],
  events: readonly StoredEvent[],
  missing: ReadonlyMap<string, Shortfall>,
): ReadonlyMap<string, string> =>
  new Map(paying.flatMap(({ row, payment }) => {
    const what = missing.get(row.id);
    const isOver = what === undefined || (what === 'all' && payment.reversal !== null);
    if (isOver) return [];
    return events.filter(isOf(payment))
      .map(({ id }) => [id, what === 'no_gift' ? UNGIVEN : OVER_CAP] as const);
  }));
