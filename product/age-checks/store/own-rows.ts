import { ownedRows, type OwnedRows } from '#platform/data/database/owned-rows.ts';

/** What this slice stores about a person, as they may read it; all of it goes with them. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'age_checks.proofs',
    owner: 'person_id',
    order: ['id'],
    columns: ['provider', 'method', 'liveness', 'is_anonymous', 'minimum_age', 'proved_at', 'expires_at'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'age_checks.attempts',
    owner: 'person_id',
    order: ['created_at', 'id'],
    columns: ['kind', 'state', 'created_at'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'age_checks.support_checks',
    owner: 'person_id',
    order: ['id'],
    columns: ['message', 'asked_at', 'decision', 'decided_at'],
    erase: 'rows',
  }),
];
