import type { Tx } from '../../../../platform/data/data.ts';
import type { LedgerService } from '../../../ledger/server.ts';
import type { Payment } from '../../rules/payments/verdict.ts';
import type { StoredEvent } from '../../store/events.ts';
import type { Order } from '../../store/orders.ts';
import { enter, purchaseOf, suspenseOf } from '../callbacks/books.ts';

/**
 * Outcomes of the events of payments whose tokens would cost more marketing than is left. `over_cap` waits:
 * it is tried again until the cap is raised. `ungiven` is a gift that nobody owes any more.
 */
export const OVER_CAP = 'over_cap';
const UNGIVEN = 'ungiven';

/** A payment that is for something, with the order it pays. */
export interface Paying {
  readonly row: Order;
  readonly payment: Payment;
}

/**
 * What of a payment is not in the books: all of it, its money being in `suspense`; the gift, which is tried
 * again; or the gift for good.
 */
export type Shortfall = 'all' | 'gift' | 'no_gift';

const isOf = ({ reference }: Payment) => (event: StoredEvent): boolean =>
  (event.type === 'paid' || event.type === 'renewed') && event.reference === reference;

/**
 * Enters payments into the books, each once. What somebody paid for is all or nothing; a gift that cannot be
 * given now follows later, unless something of the payment goes back before. Answers what is missing, by
 * order.
 * @param of `owed` are the tokens of the person's debt, where the order pays for that
 */
export async function enterPayments(tx: Tx, ledger: LedgerService, of: {
  readonly order: Order; readonly paying: readonly Paying[]; readonly suspended: readonly Payment[];
  readonly events: readonly StoredEvent[]; readonly owed: number;
}): Promise<ReadonlyMap<string, Shortfall>> {
  const { order, paying, suspended, events, owed } = of;
  const missing = new Map<string, Shortfall>();
  const before = (payment: Payment): string | undefined => events.find(isOf(payment))?.outcome;
  const all = paying.map((one) => ({ ...one, ...purchaseOf(one.row, one.payment.reference, owed) }));
  // What went back before it was ever booked is over.
  const fresh = all.filter(({ row }) => row.paidAt === null && row.refundedAt === null);
  const beyond = await enter(tx, ledger, [
    ...fresh.flatMap(({ bought }) => bought ?? []),
    ...suspended.flatMap((payment) => suspenseOf(order, payment)),
  ]);
  const isBooked = ({ row, bought }: (typeof all)[number]): boolean =>
    row.paidAt !== null || (row.refundedAt === null && !(bought && beyond.has(bought.id)));
  for (const one of all) {
    if (!isBooked(one)) missing.set(one.row.id, 'all');
    else if (one.row.paidAt !== null && before(one.payment) === UNGIVEN) missing.set(one.row.id, 'no_gift');
  }
  const gifts = all.filter(({ row, given, payment }) => given && !missing.has(row.id)
    && (row.paidAt === null || (before(payment) === OVER_CAP && payment.backMinor === 0)));
  const late = await enter(tx, ledger, [
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

/** Events of payments that are not wholly in the books, with the outcome that says so. */
export const outcomesOf = (
  paying: readonly Paying[], events: readonly StoredEvent[], missing: ReadonlyMap<string, Shortfall>,
): ReadonlyMap<string, string> => new Map(paying.flatMap(({ row, payment }) => {
  const what = missing.get(row.id);
  const isOver = what === undefined || (what === 'all' && payment.reversal !== null);
  if (isOver) return [];
  return events.filter(isOf(payment))
    .map(({ id }) => [id, what === 'no_gift' ? UNGIVEN : OVER_CAP] as const);
}));
