import { ownedRows, type OwnedRows } from '../../../platform/data/database/owned-rows.ts';

/** What this slice stores of a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'rooms.messages', owner: 'sender_id', order: ['performer_id', 'id'], people: ['performer_id'],
    columns: ['performer_id', 'kind', 'body', 'tokens', 'at'],
  }),
  ownedRows({
    table: 'rooms.settings', owner: 'performer_id', order: ['performer_id'],
    columns: [
      'follow_enabled', 'is_user_list_visible', 'broadcast_category', 'subject_color', 'notice',
      'notice_minutes',
    ],
  }),
  ownedRows({
    table: 'rooms.invisible', owner: 'person_id', order: ['person_id'],
    columns: ['level'],
  }),
];
