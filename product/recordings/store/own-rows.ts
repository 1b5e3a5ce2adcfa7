import { ownedRows, type OwnedRows } from '../../../platform/data/database/owned-rows.ts';

/** What this slice stores of a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'recordings.recordings', owner: 'performer_id', order: ['id'],
    columns: ['title', 'mode', 'state', 'started_at', 'ended_at', 'duration_ms', 'bytes'],
  }),
  ownedRows({
    table: 'recordings.choices', owner: 'performer_id', order: ['performer_id'],
    columns: ['public_enabled', 'public_price_tokens', 'public_changed_at'],
  }),
];
