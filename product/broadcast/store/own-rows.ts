import { ownedRows, unreadRows, type EraseRows, type OwnedRows } from '#platform/data/database/owned-rows.ts';
import { sql } from 'kysely';
import { PORTRAIT_REMOVAL } from '../rules.ts';

/** Several performers can share one portrait: the blob is deleted with the last of them. */
const erasePortrait: EraseRows = async (tx, { id }) => {
  const { rows } = await sql<{ blob: string }>`delete from broadcast.portraits where performer_id = ${id}
    returning blob_id as blob`.execute(tx.sql());
  for (const { blob } of rows) {
    const left = await sql`select from broadcast.portraits where blob_id = ${blob} limit 1`.execute(tx.sql());
    if (left.rows.length > 0) continue;
    await tx.schedule({ kind: PORTRAIT_REMOVAL, key: blob, at: tx.now });
  }
  return 0;
};

/** Personal data that this slice stores, as the person may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'broadcast.broadcasts',
    owner: 'performer_id',
    order: ['id'],
    columns: ['made_at', 'started_at', 'ended_at', 'end_reason', 'peak_viewers'],
    erase: {
      clears: { login_session: sql`null` },
      because: 'the law asks which clearance was valid while somebody was on air',
    },
  }),
  ownedRows({
    table: 'broadcast.details',
    owner: 'performer_id',
    order: ['performer_id'],
    columns: ['title', 'tags'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'broadcast.streamer_settings',
    owner: 'performer_id',
    order: ['performer_id'],
    columns: ['streaming_tech', 'standby_enabled', 'standby_notifications_enabled'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'broadcast.studios',
    owner: 'performer_id',
    order: ['performer_id'],
    columns: ['studio'],
    erase: 'rows',
  }),
  ...['browser_keys', 'stream_keys'].map((table) =>
    unreadRows('they hold digests and keys alone', {
      table: `broadcast.${table}`,
      owners: ['performer_id'],
      erase: 'rows',
    })
  ),
  unreadRows('it is what runs now', {
    table: 'broadcast.standbys',
    owners: ['performer_id'],
    erase: 'rows',
  }),
  unreadRows('the house sets them', {
    table: 'broadcast.portraits',
    owners: ['performer_id'],
    erase: { by: erasePortrait },
  }),
];
