import { ownedRows, type OwnedRows } from '../../../platform/data/database/owned-rows.ts';

/** What this slice stores of a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'tips.tips', owner: 'sender_id', order: ['id'], people: ['receiver_id'],
    columns: ['receiver_id', 'tokens', 'comment', 'title', 'is_anonymous', 'at'],
  }),
  ownedRows({
    table: 'tips.menu_items', owner: 'performer_id', order: ['id'],
    columns: ['title', 'price', 'ended_at'],
  }),
  ownedRows({
    table: 'tips.goals', owner: 'performer_id', order: ['id'],
    columns: ['title', 'target', 'progress', 'made_at', 'reached_at', 'ended_at'],
  }),
];
