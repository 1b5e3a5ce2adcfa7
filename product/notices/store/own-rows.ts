import { ownedRows, type OwnedRows } from '../../../platform/data/database/owned-rows.ts';

/** What this slice stores of a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'notices.notices', owner: 'person_id', order: ['id'],
    columns: ['kind', 'values', 'link', 'created_at', 'read_at'],
  }),
  ownedRows({
    table: 'notices.preferences', owner: 'person_id', order: ['kind', 'channel'],
    columns: ['kind', 'channel', 'is_on'],
  }),
  ownedRows({
    table: 'notices.push_subscriptions', owner: 'person_id', order: ['id'],
    columns: ['created_at', 'reported_at'],
  }),
  ownedRows({
    table: 'notices.people', owner: 'person_id', order: ['person_id'], columns: ['push_discreet'],
  }),
];
