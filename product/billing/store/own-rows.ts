import {
  changeRows,
  ownedRows,
  unreadRows,
  type EraseRows,
  type OwnedRows,
} from '#platform/data/database/owned-rows.ts';
import { sql } from 'kysely';

const GIVEN = 'what was paid and given is in the books; there is nothing but amounts and days in it';
const SWITCHES = 'what is left are switches that are off';

/** Billers send the buyer's name and address. */
const emptyCallbacks: EraseRows = (tx, { id }, limit) =>
  changeRows(
    tx,
    'billing.callbacks',
    sql`body = '', query = '', headers = '{}'::jsonb, address = ''`,
    sql`(body <> '' or query <> '' or address <> '') and id in (
    select e.callback_id from billing.events e join billing.orders o
      on o.operator_id = e.operator_id and o.id = e.order_id where o.person_id = ${id})`,
    limit,
  );

/** Afterwards the reasons that staff gave for changing the person's orders. */
const emptyWords: EraseRows = async (tx, person, limit) => {
  const emptied = await emptyCallbacks(tx, person, limit);
  if (emptied > 0) return emptied;
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(platform.forget_reasons('order:' || o.id, ${limit}::int)), 0)::int as count
    from billing.orders o where o.person_id = ${person.id} and exists (
      select from platform.audit a where a.subject = 'order:' || o.id and a.reason is not null)`
    .execute(tx.sql());
  return rows[0]?.count ?? 0;
};

/** What this slice stores about a person, in the form they may read. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'billing.orders',
    owner: 'person_id',
    order: ['nr'],
    columns: [
      'id',
      'state',
      'purpose',
      'tokens',
      'free_tokens',
      'membership',
      'amount_minor',
      'currency',
      'method',
      'card_brand',
      'card_last4',
      'decline',
      'created_at',
      'paid_at',
      'refunded_at',
      'refunded_minor',
    ],
    erase: {
      clears: {
        card_id: sql`null`,
        device: sql`null`,
        blackbox: sql`null`,
        advert_id: sql`null`,
        network: sql`null`,
      },
      because: 'purchases are in the books, and may still be charged back',
    },
  }),
  ownedRows({
    table: 'billing.memberships',
    owner: 'person_id',
    order: ['order_id'],
    columns: ['membership', 'ends_at', 'renews', 'price_minor', 'currency'],
    erase: { keeps: GIVEN },
  }),
  ownedRows({
    table: 'billing.re_ups',
    owner: 'person_id',
    order: ['person_id'],
    columns: ['enabled', 'threshold', 'internal_id', 'per_day'],
    erase: { clears: { enabled: sql`false`, card_id: sql`null`, in_flight: sql`null` }, because: SWITCHES },
  }),
  ownedRows({
    table: 'billing.post_pay',
    owner: 'person_id',
    order: ['person_id'],
    columns: ['enabled', 'next_charge_at'],
    erase: {
      clears: { enabled: sql`false`, card_id: sql`null`, next_charge_at: sql`null` },
      because: SWITCHES,
    },
  }),
  ownedRows({
    table: 'billing.redemptions',
    owner: 'person_id',
    order: ['code'],
    columns: ['code', 'at'],
    erase: { keeps: GIVEN },
  }),
  ownedRows({
    table: 'billing.spins',
    owner: 'person_id',
    order: ['id'],
    columns: ['prize', 'at'],
    erase: { keeps: GIVEN },
  }),
  ownedRows({
    table: 'billing.sign_up_gifts',
    owner: 'person_id',
    order: ['person_id'],
    columns: ['tokens', 'held_at', 'given_at'],
    erase: { keeps: GIVEN },
  }),
  ownedRows({
    table: 'billing.cards',
    owner: 'person_id',
    order: ['id'],
    columns: ['brand', 'first6', 'last4', 'expiry', 'is_default', 'created_at'],
    erase: 'rows',
  }),
  unreadRows('they are made of rows that the copy has', {
    table: 'billing.buyers',
    owners: ['person_id'],
    erase: { keeps: GIVEN },
  }),
  unreadRows('what billers send is for the books; the copy has the orders that it is about', {
    table: 'billing.callbacks',
    owners: [],
    erase: {
      by: emptyWords,
      keeps: 'that a biller called, and what came of it; what it said goes',
    },
  }),
];
