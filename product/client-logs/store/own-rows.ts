import { ownedRows, type OwnedRows } from '#platform/data/database/owned-rows.ts';

/** What this slice stores about a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'client_logs.batches',
    owner: 'person_id',
    order: ['id'],
    columns: ['source', 'lines', 'at'],
    erase: 'rows',
  }),
];
