import { ownedRows, type OwnedRows } from '../../../platform/data/database/owned-rows.ts';

/** What this slice stores of a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'shows.votes', owner: 'viewer_id', order: ['day', 'performer_id'], people: ['performer_id'],
    columns: ['performer_id', 'day', 'is_up', 'voted_at'], alsoOf: ['performer_id'], erase: 'rows',
  }),
];
