import { ownedRows, type OwnedRows } from '../../../platform/data/database/owned-rows.ts';

/** What this slice stores of a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'broadcast.broadcasts', owner: 'performer_id', order: ['id'],
    columns: ['made_at', 'started_at', 'ended_at', 'end_reason', 'peak_viewers'],
  }),
  ownedRows({
    table: 'broadcast.details', owner: 'performer_id', order: ['performer_id'],
    columns: ['title', 'tags'],
  }),
  ownedRows({
    table: 'broadcast.streamer_settings', owner: 'performer_id', order: ['performer_id'],
    columns: ['streaming_tech', 'standby_enabled', 'standby_notifications_enabled'],
  }),
  ownedRows({
    table: 'broadcast.studios', owner: 'performer_id', order: ['performer_id'], columns: ['studio'],
  }),
];
