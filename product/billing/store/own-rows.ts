import { ownedRows, type OwnedRows } from '../../../platform/data/database/owned-rows.ts';

/** What this slice stores of a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'billing.orders', owner: 'person_id', order: ['nr'],
    columns: [
      'id', 'state', 'purpose', 'tokens', 'free_tokens', 'membership', 'amount_minor', 'currency',
      'method', 'card_brand', 'card_last4', 'decline', 'created_at', 'paid_at', 'refunded_at',
      'refunded_minor',
    ],
  }),
  ownedRows({
    table: 'billing.cards', owner: 'person_id', order: ['id'],
    columns: ['brand', 'first6', 'last4', 'expiry', 'is_default', 'created_at'],
  }),
  ownedRows({
    table: 'billing.memberships', owner: 'person_id', order: ['order_id'],
    columns: ['membership', 'ends_at', 'renews', 'price_minor', 'currency'],
  }),
  ownedRows({
    table: 'billing.re_ups', owner: 'person_id', order: ['person_id'],
    columns: ['enabled', 'threshold', 'internal_id', 'per_day'],
  }),
  ownedRows({
    table: 'billing.post_pay', owner: 'person_id', order: ['person_id'],
    columns: ['enabled', 'next_charge_at'],
  }),
  ownedRows({
    table: 'billing.redemptions', owner: 'person_id', order: ['code'],
    columns: ['code', 'at'],
  }),
  ownedRows({
    table: 'billing.spins', owner: 'person_id', order: ['id'],
    columns: ['prize', 'at'],
  }),
  ownedRows({
    table: 'billing.sign_up_gifts', owner: 'person_id', order: ['person_id'],
    columns: ['tokens', 'held_at', 'given_at'],
  }),
];
