import type { BillerName, DeclineCode } from '#platform/contract/payment.ts';
import type { Tx } from '#platform/data/data.ts';
import type { Membership } from '#product/accounts/rules/current-user.ts';
import { DEFAULT_SCOPE } from '#product/site/rules.ts';
import { sql } from 'kysely';
import { OPEN_PAGE_MS, OPENING_MS, type OrderMethod, type OrderState, type Purpose } from '../rules.ts';
import type { JudgedOrder } from '../rules/payments/verdict.ts';
import type { Seller } from './columns.ts';
import { tables } from './schema.ts';

/** Origin of an order: the advert, and keyed digests of the device. */
export interface Attribution {
  readonly advertId: string | null;
  readonly device: string | null;
  /** Digest of the device's report of itself. No two reports are equal, so a repeated one is a copy. */
  readonly blackbox: string | null;
}

export interface Order extends Attribution {
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
  /** The amount in US cents, at the rate on the day of the order. */
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
  /** When it was fully reversed. */
  readonly refundedAt: Date | null;
  /** The reversed amount. */
  readonly refundedMinor: number;
  /** The seller as of the day of payment. */
  readonly seller: Seller | null;
  /** Pseudonym of the network it was made from; null if nobody was present. */
  readonly network: string | null;
  /** The buyer asked to save the card they pay with. */
  readonly keepCard: boolean;
}

export type NewOrder = Pick<
  Order,
  | 'id'
  | 'personId'
  | 'siteId'
  | 'parentId'
  | 'purpose'
  | 'parameterHash'
  | 'internalId'
  | 'tokens'
  | 'freeTokens'
  | 'membership'
  | 'membershipDays'
  | 'amountMinor'
  | 'currency'
  | 'usCents'
  | 'renews'
  | 'biller'
  | 'descriptor'
  | 'method'
  | 'cardId'
  | 'cardBrand'
  | 'cardLast4'
  | 'locale'
  | 'reUpThreshold'
  | 'base'
  | 'keepCard'
  | 'network'
  | keyof Attribution
>;

const COLUMNS = [
  'id',
  'nr',
  'person_id as personId',
  'site_id as siteId',
  'parent_id as parentId',
  'purpose',
  'parameter_hash as parameterHash',
  'internal_id as internalId',
  'tokens',
  'free_tokens as freeTokens',
  'membership',
  'membership_days as membershipDays',
  'amount_minor as amountMinor',
  'currency',
  'us_cents as usCents',
  'renews',
  'biller',
  'descriptor',
  'method',
  'card_id as cardId',
  'card_brand as cardBrand',
  'card_last4 as cardLast4',
  'locale',
  're_up_threshold as reUpThreshold',
  'base',
  'state',
  'decline',
  'reference',
  'subscription',
  'operation',
  'asked',
  'asked_at as askedAt',
  'created_at as createdAt',
  'changed_at as changedAt',
  'paid_at as paidAt',
  'refunded_at as refundedAt',
  'refunded_minor as refundedMinor',
  'advert_id as advertId',
  'device',
  'blackbox',
  'seller',
  'network',
  'keep_card as keepCard',
] as const;

const orders = (tx: Tx) => tables(tx).selectFrom('billing.orders').select(COLUMNS);

/** A UUID; PostgreSQL raises for anything else. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u;

/** Inserts an order unless its id exists; returns whether it did. */
export async function insertOrder(tx: Tx, order: NewOrder): Promise<boolean> {
  const row = await tables(tx).insertInto('billing.orders')
    .values({
      id: order.id,
      person_id: order.personId,
      site_id: order.siteId,
      parent_id: order.parentId,
      purpose: order.purpose,
      parameter_hash: order.parameterHash,
      internal_id: order.internalId,
      tokens: order.tokens,
      free_tokens: order.freeTokens,
      membership: order.membership,
      membership_days: order.membershipDays,
      amount_minor: order.amountMinor,
      currency: order.currency,
      us_cents: order.usCents,
      renews: order.renews,
      biller: order.biller,
      descriptor: order.descriptor,
      method: order.method,
      card_id: order.cardId,
      card_brand: order.cardBrand,
      card_last4: order.cardLast4,
      locale: order.locale,
      re_up_threshold: order.reUpThreshold,
      base: order.base,
      state: order.base,
      decline: null,
      reference: null,
      subscription: null,
      operation: null,
      asked_at: null,
      created_at: tx.now,
      changed_at: tx.now,
      paid_at: null,
      refunded_at: null,
      advert_id: order.advertId,
      device: order.device,
      blackbox: order.blackbox,
      seller: null,
      network: order.network,
      keep_card: order.keepCard,
    })
    .onConflict((conflict) => conflict.columns(['operator_id', 'id']).doNothing())
    .returning('id').executeTakeFirst();
  return row !== undefined;
}

/** An order by its id; null also for a malformed id. */
export async function findOrder(tx: Tx, id: string): Promise<Order | null> {
  if (!UUID.test(id)) return null;
  return (await orders(tx).where('id', '=', id).executeTakeFirst()) ?? null;
}

/**
 * Locks an order until the unit of work ends, but not its key: units that inserted an event of the order
 * share the key through the foreign key, and two of them would otherwise deadlock.
 */
export async function lockOrder(tx: Tx, id: string): Promise<Order | null> {
  if (!UUID.test(id)) return null;
  return (await orders(tx).where('id', '=', id).forNoKeyUpdate().executeTakeFirst()) ?? null;
}

/** The root order of an event without an order id: found by subscription or by transaction. */
export async function findOrderBy(tx: Tx, biller: BillerName, known: {
  readonly subscription: string | null;
  readonly references: readonly string[];
}): Promise<string | null> {
  const row = await tables(tx).selectFrom('billing.orders').select(['id', 'parent_id'])
    .where('biller', '=', biller)
    .where((where) =>
      where.or([
        ...(known.subscription === null ? [] : [where('subscription', '=', known.subscription)]),
        ...(known.references.length === 0 ? [] : [where('reference', 'in', known.references)]),
      ])
    )
    .orderBy('nr').executeTakeFirst();
  return row ? (row.parent_id ?? row.id) : null;
}

/** The columns of an order that change; buyer, product and price never do. */
export type OrderChanges = Pick<
  Order,
  | 'base'
  | 'state'
  | 'decline'
  | 'reference'
  | 'subscription'
  | 'operation'
  | 'cardId'
  | 'cardBrand'
  | 'cardLast4'
  | 'paidAt'
  | 'refundedAt'
  | 'refundedMinor'
  | 'seller'
>;

/** Changes the given columns. */
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

/** Moves an order that was not sent to its biller to another one. */
export async function moveOrder(tx: Tx, id: string, to: {
  readonly biller: BillerName;
  readonly descriptor: string;
  readonly cardId: number | null;
  readonly cardBrand: string | null;
  readonly cardLast4: string | null;
  readonly renews: boolean;
}): Promise<void> {
  await tables(tx).updateTable('billing.orders')
    .set({
      biller: to.biller,
      descriptor: to.descriptor,
      card_id: to.cardId,
      card_brand: to.cardBrand,
      card_last4: to.cardLast4,
      renews: to.renews,
    })
    .where('id', '=', id).execute();
}

/** Records an inquiry to the biller; `counts` increments the number of inquiries. */
export async function noteAsked(tx: Tx, id: string, counts: boolean): Promise<void> {
  await tables(tx).updateTable('billing.orders')
    .set((e) => ({ asked_at: tx.now, asked: counts ? e('asked', '+', 1) : e.ref('asked') }))
    .where('id', '=', id).execute();
}

/** Orders of a person with a number below `before`, newest first, without `created` ones. */
export async function listOrders(
  tx: Tx,
  personId: number,
  before: number | null,
  limit: number,
): Promise<Order[]> {
  let query = orders(tx).where('person_id', '=', personId).where('state', '<>', 'created');
  if (before !== null) query = query.where('nr', '<', before);
  return query.orderBy('nr', 'desc').limit(limit).execute();
}

/**
 * Site and language of a person's last own purchase, for charges without the person present. Defaults to the
 * first site and English.
 */
export async function habitsOf(
  tx: Tx,
  personId: number,
): Promise<{ readonly locale: string; readonly siteId: number }> {
  const row = await tables(tx).selectFrom('billing.orders').select(['locale', 'site_id as siteId'])
    .where('person_id', '=', personId).where('purpose', 'in', ['page', 'one_click'])
    .orderBy('nr', 'desc').limit(1).executeTakeFirst();
  return row ?? { locale: 'en', siteId: DEFAULT_SCOPE.siteId };
}

/** The newest order of a person with an outcome. */
export async function newestOrder(tx: Tx, personId: number): Promise<Order | null> {
  const query = orders(tx).where('person_id', '=', personId).where('state', 'not in', ['created', 'pending']);
  return (await query.orderBy('changed_at', 'desc').orderBy('nr', 'desc').limit(1).executeTakeFirst())
    ?? null;
}

/**
 * US cents of a person's purchases since a time: paid ones, charges with an open outcome, and recently opened
 * pages. Settling a debt is not a purchase: its tokens are already spent.
 * @param except an order to leave out
 */
export async function centsSince(
  tx: Tx,
  personId: number,
  since: Date,
  except: string | null = null,
): Promise<number> {
  const [opened, opening] = [OPEN_PAGE_MS, OPENING_MS].map((ms) => new Date(tx.now.getTime() - ms)) as [
    Date,
    Date,
  ];
  const { cents } = await tables(tx).selectFrom('billing.orders')
    .select(sql<number>`coalesce(sum(us_cents), 0)::bigint`.as('cents'))
    .where('person_id', '=', personId).where('purpose', '<>', 'post_pay')
    .$if(except !== null, (query) => query.where('id', '<>', except as string))
    .where((where) =>
      where.or([
        where.and([where('state', '=', 'paid'), where('paid_at', '>=', since)]),
        where.and([
          where('created_at', '>=', since),
          where.or([
            where('state', '=', 'unknown'),
            where.and([where('state', '=', 'pending'), where('purpose', '<>', 'page')]),
            // Paid, and held until its tokens can be posted.
            where.and([where('state', '=', 'pending'), where('reference', 'is not', null)]),
          ]),
        ]),
        where.and([
          where('purpose', '=', 'page'),
          where.or([
            where.and([where('state', '=', 'pending'), where('created_at', '>', opened)]),
            where.and([where('state', '=', 'created'), where('created_at', '>', opening)]),
          ]),
        ]),
      ])
    )
    .executeTakeFirstOrThrow();
  return cents;
}

/** When a person's last payment arrived, and its amount; null if they never paid. */
export async function lastPaymentOf(
  tx: Tx,
  personId: number,
): Promise<{ readonly at: Date; readonly amountMinor: number; readonly currency: string } | null> {
  const row = await tables(tx).selectFrom('billing.orders')
    .select(['paid_at as at', 'amount_minor as amountMinor', 'currency'])
    .where('person_id', '=', personId).where('paid_at', 'is not', null).where('amount_minor', '>', 0)
    .orderBy('paid_at', 'desc').orderBy('nr', 'desc').limit(1).executeTakeFirst();
  return row?.at ? { ...row, at: row.at } : null;
}

/** Whether a person has an open order for a purpose. */
export async function hasOpenOrder(tx: Tx, personId: number, purpose: Purpose): Promise<boolean> {
  const row = await tables(tx).selectFrom('billing.orders').select('id').where('person_id', '=', personId)
    .where('purpose', '=', purpose).where('state', 'in', ['unknown', 'pending']).limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Whether the person's newest order without a charge (a card check) has no outcome yet. */
export async function hasOpenCardCheck(tx: Tx, personId: number): Promise<boolean> {
  const row = await tables(tx).selectFrom('billing.orders').select('state').where('person_id', '=', personId)
    .where('purpose', '=', 'page').where('amount_minor', '=', 0).where('state', '<>', 'created')
    .orderBy('nr', 'desc').limit(1).executeTakeFirst();
  return row?.state === 'pending' || row?.state === 'unknown';
}

/** Number of a person's re-ups since a time that are paid or open. */
export async function countReUps(tx: Tx, personId: number, since: Date): Promise<number> {
  const { count } = await tables(tx).selectFrom('billing.orders')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('person_id', '=', personId).where('created_at', '>=', since).where('purpose', '=', 're_up')
    .where('state', 'in', ['paid', 'unknown', 'pending']).executeTakeFirstOrThrow();
  return count;
}

/** The number of people behind each of these digests. */
export async function peopleBehind(tx: Tx, by: 'device' | 'blackbox', digests: readonly string[]): Promise<
  ReadonlyMap<string, number>
> {
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

/** Orders for an admin's search, newest first. */
export async function findOrders(tx: Tx, search: PaymentSearch, limit: number): Promise<Order[]> {
  let query = orders(tx);
  if (search.order !== undefined) {
    if (!UUID.test(search.order)) return [];
    query = query.where('id', '=', search.order);
  }
  if (search.personId !== undefined) query = query.where('person_id', '=', search.personId);
  const { reference } = search;
  if (reference !== undefined) {
    query = query.where((where) =>
      where.or([
        where('reference', '=', reference),
        where('subscription', '=', reference),
        where(
          'id',
          'in',
          where.selectFrom('billing.events').select('order_id').$castTo<{ order_id: string }>()
            .where('order_id', 'is not', null).where((inner) =>
              inner.or([
                inner('billing.events.reference', '=', reference),
                inner('billing.events.id', '=', reference),
              ])
            ),
        ),
      ])
    );
  }
  if (search.before !== undefined) query = query.where('nr', '<', search.before);
  return query.orderBy('nr', 'desc').limit(limit).execute();
}

/** Orders of unknown outcome created before a time, oldest first. */
export async function unknownOrders(tx: Tx, since: Date, limit: number): Promise<Order[]> {
  return orders(tx).where('state', '=', 'unknown').where('created_at', '<=', since).orderBy('nr').limit(limit)
    .execute();
}

/** Orders with events that have this outcome, oldest first. */
export async function ordersWith(
  tx: Tx,
  outcome: 'mismatched' | 'over_cap',
  limit: number,
): Promise<Order[]> {
  return orders(tx)
    .where('id', 'in', (where) =>
      where.selectFrom('billing.events').select('order_id')
        .$castTo<{ order_id: string }>().where('outcome', '=', outcome).where('order_id', 'is not', null))
    .orderBy('nr').limit(limit).execute();
}
