import { sql } from 'kysely';
import type { BillerName, DeclineCode } from '../../../platform/contract/payment.ts';
import type { Tx } from '../../../platform/data/data.ts';
import { DEFAULT_SCOPE } from '../../site/rules.ts';
import type { Membership, OrderMethod, OrderState, Purpose } from '../rules.ts';
import type { JudgedOrder } from '../rules/payments/verdict.ts';
import { tables, type Seller } from './schema.ts';

/** Where an order came from, and keyed digests of the device it was made with. */
export interface Trace {
  readonly advertId: string | null;
  readonly device: string | null;
  /** Of what the device reported of itself: no two reports are the same; one that comes twice is copied. */
  readonly blackbox: string | null;
}

export interface Order extends Trace {
  readonly id: string;
  readonly nr: number;
  readonly personId: number;
  readonly siteId: number;
  readonly parentId: string | null;
  readonly purpose: Purpose;
  readonly parameterHash: string;
  readonly internalId: string;
  readonly tokens: number;
  readonly freeTokens: number;
  readonly membership: Membership | null;
  readonly membershipDays: number | null;
  readonly amountMinor: number;
  readonly currency: string;
  /** The amount in US cents at the rate of the order's day. */
  readonly usCents: number;
  readonly renews: boolean;
  readonly biller: BillerName;
  readonly descriptor: string;
  readonly method: OrderMethod;
  readonly cardId: number | null;
  readonly cardBrand: string | null;
  readonly cardLast4: string | null;
  readonly locale: string;
  readonly reUpThreshold: number | null;
  readonly base: JudgedOrder['base'];
  readonly state: OrderState;
  readonly decline: DeclineCode | null;
  readonly reference: string | null;
  readonly subscription: string | null;
  readonly operation: string | null;
  readonly asked: number;
  readonly askedAt: Date | null;
  readonly createdAt: Date;
  readonly changedAt: Date;
  readonly paidAt: Date | null;
  /** When all of it was back. */
  readonly refundedAt: Date | null;
  /** What is back of it, all or a part. */
  readonly refundedMinor: number;
  /** Who sold, on the day it was paid. */
  readonly seller: Seller | null;
}

export type NewOrder = Pick<
  Order,
  'id' | 'personId' | 'siteId' | 'parentId' | 'purpose' | 'parameterHash' | 'internalId' | 'tokens'
  | 'freeTokens' | 'membership' | 'membershipDays' | 'amountMinor' | 'currency' | 'usCents' | 'renews'
  | 'biller' | 'descriptor' | 'method' | 'cardId' | 'cardBrand' | 'cardLast4' | 'locale' | 'reUpThreshold'
  | 'base' | keyof Trace
>;

const COLUMNS = [
  'id', 'nr', 'person_id as personId', 'site_id as siteId', 'parent_id as parentId', 'purpose',
  'parameter_hash as parameterHash', 'internal_id as internalId', 'tokens', 'free_tokens as freeTokens',
  'membership', 'membership_days as membershipDays', 'amount_minor as amountMinor', 'currency',
  'us_cents as usCents', 'renews', 'biller', 'descriptor', 'method', 'card_id as cardId',
  'card_brand as cardBrand', 'card_last4 as cardLast4', 'locale', 're_up_threshold as reUpThreshold', 'base',
  'state', 'decline', 'reference', 'subscription', 'operation', 'asked', 'asked_at as askedAt',
  'created_at as createdAt', 'changed_at as changedAt', 'paid_at as paidAt', 'refunded_at as refundedAt',
  'refunded_minor as refundedMinor', 'advert_id as advertId', 'device', 'blackbox',
  'seller',
] as const;

const orders = (tx: Tx) => tables(tx).selectFrom('billing.orders').select(COLUMNS);

/** A UUID as PostgreSQL reads it; anything else would raise. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u;

/** Writes an order unless there is one of its id; whether it was written. */
export async function insertOrder(tx: Tx, order: NewOrder): Promise<boolean> {
  const row = await tables(tx).insertInto('billing.orders')
    .values({
      id: order.id, person_id: order.personId, site_id: order.siteId, parent_id: order.parentId,
      purpose: order.purpose, parameter_hash: order.parameterHash, internal_id: order.internalId,
      tokens: order.tokens, free_tokens: order.freeTokens, membership: order.membership,
      membership_days: order.membershipDays, amount_minor: order.amountMinor, currency: order.currency,
      us_cents: order.usCents, renews: order.renews, biller: order.biller, descriptor: order.descriptor,
      method: order.method, card_id: order.cardId, card_brand: order.cardBrand, card_last4: order.cardLast4,
      locale: order.locale, re_up_threshold: order.reUpThreshold, base: order.base, state: order.base,
      decline: null, reference: null, subscription: null, operation: null, asked_at: null,
      created_at: tx.now, changed_at: tx.now, paid_at: null, refunded_at: null,
      advert_id: order.advertId, device: order.device, blackbox: order.blackbox,
      seller: null,
    })
    .onConflict((conflict) => conflict.columns(['operator_id', 'id']).doNothing())
    .returning('id').executeTakeFirst();
  return row !== undefined;
}

/** An order by our id; null for what is no id, too. */
export async function findOrder(tx: Tx, id: string): Promise<Order | null> {
  if (!UUID.test(id)) return null;
  return (await orders(tx).where('id', '=', id).executeTakeFirst()) ?? null;
}

/**
 * The same, kept from everybody else until the unit ends. Its key is not: units that have just kept an event
 * of the order share that (the event refers to it), and two of them would wait for each other for ever.
 */
export async function lockOrder(tx: Tx, id: string): Promise<Order | null> {
  if (!UUID.test(id)) return null;
  return (await orders(tx).where('id', '=', id).forNoKeyUpdate().executeTakeFirst()) ?? null;
}

/** The order a biller means that names no order of ours: by what renews, or by a transaction of it. */
export async function findOrderBy(tx: Tx, biller: BillerName, known: {
  readonly subscription: string | null; readonly references: readonly string[];
}): Promise<string | null> {
  const row = await tables(tx).selectFrom('billing.orders').select(['id', 'parent_id'])
    .where('biller', '=', biller)
    .where((where) => where.or([
      ...(known.subscription === null ? [] : [where('subscription', '=', known.subscription)]),
      ...(known.references.length === 0 ? [] : [where('reference', 'in', known.references)]),
    ]))
    .orderBy('nr').executeTakeFirst();
  return row ? (row.parent_id ?? row.id) : null;
}

/** What an order may become; who bought what for how much stays. */
export type OrderChanges = Pick<Order,
  | 'base' | 'state' | 'decline' | 'reference' | 'subscription' | 'operation' | 'cardId' | 'cardBrand'
  | 'cardLast4' | 'paidAt' | 'refundedAt' | 'refundedMinor' | 'seller'>;

/** Changes what is named. */
export async function changeOrder(tx: Tx, id: string, changes: Partial<OrderChanges>): Promise<void> {
  const { cardId, cardBrand, cardLast4, paidAt, refundedAt, refundedMinor, seller, ...same } = changes;
  await tables(tx).updateTable('billing.orders')
    .set({
      ...same,
      ...(cardId === undefined ? {} : { card_id: cardId }),
      ...(cardBrand === undefined ? {} : { card_brand: cardBrand }),
      ...(cardLast4 === undefined ? {} : { card_last4: cardLast4 }),
      ...(paidAt === undefined ? {} : { paid_at: paidAt }),
      ...(refundedAt === undefined ? {} : { refunded_at: refundedAt }),
      ...(refundedMinor === undefined ? {} : { refunded_minor: refundedMinor }),
      ...(seller === undefined ? {} : { seller: seller && JSON.stringify(seller) }),
      changed_at: tx.now,
    })
    .where('id', '=', id).execute();
}

/** Gives an order that was not sent to a biller to another one. */
export async function moveOrder(tx: Tx, id: string, to: {
  readonly biller: BillerName; readonly descriptor: string; readonly cardId: number | null;
  readonly cardBrand: string | null; readonly cardLast4: string | null; readonly renews: boolean;
}): Promise<void> {
  await tables(tx).updateTable('billing.orders')
    .set({
      biller: to.biller, descriptor: to.descriptor, card_id: to.cardId, card_brand: to.cardBrand,
      card_last4: to.cardLast4, renews: to.renews,
    })
    .where('id', '=', id).execute();
}

/** Notes that the biller was asked; `counts` moves the asking on. */
export async function noteAsked(tx: Tx, id: string, counts: boolean): Promise<void> {
  await tables(tx).updateTable('billing.orders')
    .set((e) => ({ asked_at: tx.now, asked: counts ? e('asked', '+', 1) : e.ref('asked') }))
    .where('id', '=', id).execute();
}

/** Orders of a person, newest first, older than place `before`; those nobody was shown are left out. */
export async function listOrders(
  tx: Tx, personId: number, before: number | null, limit: number,
): Promise<Order[]> {
  let query = orders(tx).where('person_id', '=', personId).where('state', '<>', 'created');
  if (before !== null) query = query.where('nr', '<', before);
  return query.orderBy('nr', 'desc').limit(limit).execute();
}

/**
 * Where and in which language somebody last bought something themselves: what is charged later while nobody
 * looks is of the same shop. The first site, in English, before that.
 */
export async function habitsOf(
  tx: Tx, personId: number,
): Promise<{ readonly locale: string; readonly siteId: number }> {
  const row = await tables(tx).selectFrom('billing.orders').select(['locale', 'site_id as siteId'])
    .where('person_id', '=', personId).where('purpose', 'in', ['page', 'one_click'])
    .orderBy('nr', 'desc').limit(1).executeTakeFirst();
  return row ?? { locale: 'en', siteId: DEFAULT_SCOPE.siteId };
}

/** The newest order of a person that came to anything. */
export async function newestOrder(tx: Tx, personId: number): Promise<Order | null> {
  const query = orders(tx).where('person_id', '=', personId).where('state', 'not in', ['created', 'pending']);
  return (await query.orderBy('changed_at', 'desc').orderBy('nr', 'desc').limit(1).executeTakeFirst())
    ?? null;
}

/**
 * US cents a person bought for since a time: paid, and charges that may yet turn out to be. Pages that were
 * only opened count nothing.
 */
export async function centsSince(tx: Tx, personId: number, since: Date): Promise<number> {
  const { cents } = await tables(tx).selectFrom('billing.orders')
    .select(sql<number>`coalesce(sum(us_cents), 0)::bigint`.as('cents'))
    .where('person_id', '=', personId).where('created_at', '>=', since)
    .where('purpose', '<>', 'post_pay')
    .where((where) => where.or([
      where('state', 'in', ['paid', 'unknown']),
      where.and([where('state', '=', 'pending'), where('purpose', '<>', 'page')]),
      // Paid for, and kept until its tokens can be booked.
      where.and([where('state', '=', 'pending'), where('reference', 'is not', null)]),
    ]))
    .executeTakeFirstOrThrow();
  return cents;
}

/** Whether a person has an order for a purpose whose end nobody knows. */
export async function hasOpenOrder(tx: Tx, personId: number, purpose: Purpose): Promise<boolean> {
  const row = await tables(tx).selectFrom('billing.orders').select('id').where('person_id', '=', personId)
    .where('purpose', '=', purpose).where('state', 'in', ['unknown', 'pending']).limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Re-ups of a person since a time that were paid or may be. */
export async function countReUps(tx: Tx, personId: number, since: Date): Promise<number> {
  const { count } = await tables(tx).selectFrom('billing.orders')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('person_id', '=', personId).where('created_at', '>=', since).where('purpose', '=', 're_up')
    .where('state', 'in', ['paid', 'unknown', 'pending']).executeTakeFirstOrThrow();
  return count;
}

/** How many people bought with each of these devices, and sent each of these reports of one. */
export async function peopleBehind(tx: Tx, by: 'device' | 'blackbox', digests: readonly string[]): Promise<
ReadonlyMap<string, number>> {
  if (digests.length === 0) return new Map();
  const rows = await tables(tx).selectFrom('billing.orders')
    .select((e) => [e.ref(by).as('digest'), sql<number>`count(distinct person_id)::bigint`.as('people')])
    .where(by, 'in', digests).groupBy(by).execute();
  return new Map(rows.map(({ digest, people }) => [digest ?? '', people]));
}

export interface PaymentSearch {
  readonly reference?: string | undefined;
  readonly order?: string | undefined;
  readonly personId?: number | undefined;
  readonly before?: number | undefined;
}

/** Orders as staff look for them, newest first. */
export async function findOrders(tx: Tx, search: PaymentSearch, limit: number): Promise<Order[]> {
  let query = orders(tx);
  if (search.order !== undefined) {
    if (!UUID.test(search.order)) return [];
    query = query.where('id', '=', search.order);
  }
  if (search.personId !== undefined) query = query.where('person_id', '=', search.personId);
  const { reference } = search;
  if (reference !== undefined) {
    query = query.where((where) => where.or([
      where('reference', '=', reference), where('subscription', '=', reference),
      where('id', 'in', where.selectFrom('billing.events').select('order_id').$castTo<{ order_id: string }>()
        .where('order_id', 'is not', null).where((inner) => inner.or([
          inner('billing.events.reference', '=', reference), inner('billing.events.id', '=', reference),
        ]))),
    ]));
  }
  if (search.before !== undefined) query = query.where('nr', '<', search.before);
  return query.orderBy('nr', 'desc').limit(limit).execute();
}

/** Orders whose outcome nobody knows since a time, oldest first. */
export async function unknownOrders(tx: Tx, since: Date, limit: number): Promise<Order[]> {
  return orders(tx).where('state', '=', 'unknown').where('created_at', '<=', since).orderBy('nr').limit(limit)
    .execute();
}

/** Orders with events of an outcome, oldest first: amounts that are not theirs, marketing that is used up. */
export async function ordersWith(
  tx: Tx, outcome: 'mismatched' | 'over_cap', limit: number,
): Promise<Order[]> {
  return orders(tx)
    .where('id', 'in', (where) => where.selectFrom('billing.events').select('order_id')
      .$castTo<{ order_id: string }>().where('outcome', '=', outcome).where('order_id', 'is not', null))
    .orderBy('nr').limit(limit).execute();
}
