import { ownedRows, type OwnedRows } from '../../../platform/data/database/owned-rows.ts';

/** What this slice stores of a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'performers.listings', owner: 'performer_id', order: ['performer_id'],
    columns: [
      'region', 'country', 'age_range', 'ethnicity', 'private_price', 'exclusive_price', 'spy_price',
      'control_rate', 'time_zone', 'schedule', 'changed_at',
    ],
  }),
  ownedRows({
    table: 'performers.pictures', owner: 'performer_id', order: ['position', 'id'],
    columns: ['key', 'width', 'height', 'caption', 'created_at'],
  }),
];
