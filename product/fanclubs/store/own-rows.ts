import { ownedRows, type OwnedRows } from '../../../platform/data/database/owned-rows.ts';

/** What this slice stores of a person, as they may read it. What was paid stays in the ledger. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'fanclubs.clubs', owner: 'performer_id', order: ['performer_id'],
    columns: [
      'enabled', 'description', 'price_supporter', 'price_insider', 'price_legend', 'perks', 'saved_at',
    ],
    erase: 'rows',
  }),
  ownedRows({
    table: 'fanclubs.memberships', owner: 'member_id', order: ['id'], people: ['performer_id'],
    columns: [
      'performer_id', 'level', 'price', 'paid', 'paid_from', 'paid_until', 'renews', 'next_level', 'since',
      'ended_at',
    ],
    alsoOf: ['performer_id'], erase: 'rows',
  }),
  ownedRows({
    table: 'fanclubs.dues', owner: 'member_id', order: ['paid_at', 'operation'], people: ['performer_id'],
    columns: ['performer_id', 'kind', 'level', 'tokens', 'paid_at'], alsoOf: ['performer_id'], erase: 'rows',
  }),
  ownedRows({
    table: 'fanclubs.announcements', owner: 'person_id', order: ['person_id'], columns: ['seen_at'],
    erase: 'rows',
  }),
];
