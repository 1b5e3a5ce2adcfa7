import { ownedRows, type OwnedRows } from '#platform/data/database/owned-rows.ts';

/** What this slice stores about a person, as they may read it; their entries go with them. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'age_checks.entries',
    owner: 'person_id',
    order: ['id'],
    columns: ['text', 'at'],
    erase: 'rows',
  }),
];
