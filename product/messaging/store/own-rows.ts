import { ownedRows, type OwnedRows } from '../../../platform/data/database/owned-rows.ts';

/** What this slice stores of a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'messaging.follows', owner: 'viewer_id', order: ['id'], people: ['performer_id'],
    columns: ['performer_id', 'created_at'],
  }),
  ownedRows({
    table: 'messaging.hides', owner: 'viewer_id', order: ['id'], people: ['performer_id'],
    columns: ['performer_id', 'created_at'],
  }),
  ownedRows({
    table: 'messaging.notes', owner: 'author_id', order: ['subject_id'], people: ['subject_id'],
    columns: ['subject_id', 'note', 'updated_at'],
  }),
];
