import type { BillerName, DeclineCode } from '#platform/contract/payment.ts';
import type { Tx } from '#platform/data/data.ts';
import type { OrderEvent } from '../rules/payments/verdict.ts';
import { tables } from './schema.ts';

/** A stored callback, with card numbers masked. */
export interface StoredCallback {
  readonly id: number;
  readonly biller: string;
  readonly method: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly address: string;
  readonly at: Date;
  readonly outcome: string;
}

/** Stores a callback as unread and returns its id. */
export async function insertCallback(
  tx: Tx,
  callback: Omit<StoredCallback, 'id' | 'at' | 'outcome'>,
): Promise<number> {
  const { id } = await tables(tx).insertInto('billing.callbacks')
    .values({ ...callback, headers: JSON.stringify(callback.headers), at: tx.now })
    .returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function findCallback(tx: Tx, id: number): Promise<StoredCallback | null> {
  const row = await tables(tx).selectFrom('billing.callbacks')
    .select(['id', 'biller', 'method', 'query', 'headers', 'body', 'address', 'at', 'outcome'])
    .where('id', '=', id).executeTakeFirst();
  return row ?? null;
}

export async function closeCallback(tx: Tx, id: number, outcome: string): Promise<void> {
  await tables(tx).updateTable('billing.callbacks').set({ outcome }).where('id', '=', id).execute();
}

/** Callbacks with an outcome, since a time. */
export async function countCallbacks(tx: Tx, outcome: string, since: Date): Promise<number> {
  const { count } = await tables(tx).selectFrom('billing.callbacks')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('outcome', '=', outcome).where('at', '>=', since).executeTakeFirstOrThrow();
  return count;
}

/** Callbacks that carried events of these orders, oldest first. */
export async function callbacksOf(tx: Tx, orderIds: readonly string[]): Promise<
  (StoredCallback & { readonly orderId: string })[]
> {
  if (orderIds.length === 0) return [];
  const rows = await tables(tx).selectFrom('billing.callbacks as c')
    .innerJoin('billing.events as e', (join) =>
      join
        .onRef('e.operator_id', '=', 'c.operator_id').onRef('e.callback_id', '=', 'c.id'))
    .select([
      'c.id',
      'c.biller',
      'c.method',
      'c.query',
      'c.headers',
      'c.body',
      'c.address',
      'c.at',
      'c.outcome',
      'e.order_id as orderId',
    ])
    .where('e.order_id', 'in', orderIds).distinctOn(['e.order_id', 'c.id'])
    .orderBy('e.order_id').orderBy('c.id').execute();
  return rows.flatMap(({ orderId, ...row }) => (orderId === null ? [] : [{ ...row, orderId }]));
}

/** A stored event. */
export interface StoredEvent extends OrderEvent {
  readonly biller: BillerName;
  readonly orderId: string | null;
  readonly subscription: string | null;
  readonly outcome: string;
  readonly receivedAt: Date;
}

export interface NewEvent {
  readonly id: string;
  readonly type: OrderEvent['type'];
  readonly reference: string;
  readonly of: string | null;
  readonly subscription: string | null;
  readonly amount: OrderEvent['amount'];
  readonly decline: DeclineCode | null;
  readonly at: Date;
}

/** Stores an event and returns whether it is new. A concurrent unit with the same event waits here. */
export async function insertEvent(
  tx: Tx,
  biller: BillerName,
  orderId: string | null,
  event: NewEvent,
  callbackId: number | null,
  outcome: string,
): Promise<boolean> {
  const row = await tables(tx).insertInto('billing.events')
    .values({
      biller,
      id: event.id,
      order_id: orderId,
      type: event.type,
      reference: event.reference,
      of_reference: event.of,
      subscription: event.subscription,
      amount_minor: event.amount?.minor ?? null,
      currency: event.amount?.currency ?? null,
      decline: event.decline,
      happened_at: event.at,
      'heard_at': tx.now,
      callback_id: callbackId,
      outcome,
    })
    .onConflict((conflict) => conflict.columns(['operator_id', 'biller', 'id']).doNothing())
    .returning('id').executeTakeFirst();
  return row !== undefined;
}

const COLUMNS = [
  'biller',
  'id',
  'order_id as orderId',
  'type',
  'reference',
  'of_reference as of',
  'subscription',
  'amount_minor',
  'currency',
  'decline',
  'happened_at as at',
  'heard_at as receivedAt',
  'outcome',
] as const;

const eventOf = <Row extends { amount_minor: number | null; currency: string | null }>(
  { amount_minor: minor, currency, ...row }: Row,
) => ({ ...row, amount: minor === null || currency === null ? null : { minor, currency } });

/** Events of these orders, as they were received. */
export async function eventsOf(tx: Tx, orderIds: readonly string[]): Promise<StoredEvent[]> {
  if (orderIds.length === 0) return [];
  const rows = await tables(tx).selectFrom('billing.events').select(COLUMNS)
    .where('order_id', 'in', orderIds).orderBy('heard_at').orderBy('id').execute();
  return rows.map(eventOf);
}

/**
 * Assigns events without an order to this one, now that its subscription or transactions are known. Returns
 * whether there were any.
 */
export async function adoptEvents(tx: Tx, biller: BillerName, orderId: string, known: {
  readonly subscription: string | null;
  readonly references: readonly string[];
}): Promise<boolean> {
  if (known.subscription === null && known.references.length === 0) return false;
  const rows = await tables(tx).updateTable('billing.events')
    .set({ order_id: orderId, outcome: 'waiting' })
    .where('biller', '=', biller).where('order_id', 'is', null)
    .where((where) =>
      where.or([
        ...(known.subscription === null ? [] : [where('subscription', '=', known.subscription)]),
        ...(known.references.length === 0 ? [] : [where('of_reference', 'in', known.references)]),
      ])
    )
    .returning('id').execute();
  return rows.length > 0;
}

/** Assigns an event without an order to its order; returns whether it had none. */
export async function claimEvent(
  tx: Tx,
  biller: BillerName,
  id: string,
  orderId: string,
): Promise<boolean> {
  const row = await tables(tx).updateTable('billing.events').set({ order_id: orderId, outcome: 'waiting' })
    .where('biller', '=', biller).where('id', '=', id).where('order_id', 'is', null).returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Stores the outcome of events. */
export async function settleEvents(
  tx: Tx,
  biller: BillerName,
  ids: readonly string[],
  outcome: string,
): Promise<void> {
  if (ids.length === 0) return;
  await tables(tx).updateTable('billing.events').set({ outcome })
    .where('biller', '=', biller).where('id', 'in', ids).where('outcome', '<>', outcome).execute();
}

/** Number of events that belong to no order here. */
export async function countStrays(tx: Tx): Promise<number> {
  const { count } = await tables(tx).selectFrom('billing.events')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('outcome', '=', 'order_unknown').executeTakeFirstOrThrow();
  return count;
}
