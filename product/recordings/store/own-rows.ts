import { sql } from 'kysely';
import {
  ownedRows, unreadRows, type EraseRows, type OwnedRows,
} from '../../../platform/data/database/owned-rows.ts';
import { FILE_REMOVAL } from '../rules.ts';

/** The files go after the commit, in the process that has them. */
const eraseRecordings: EraseRows = async (tx, { id }) => {
  const { rows } = await sql<{ file: string }>`
    delete from recordings.recordings where performer_id = ${id} returning file`.execute(tx.sql());
  for (const { file } of rows) await tx.schedule({ kind: FILE_REMOVAL, key: file, at: tx.now });
  return 0;
};

/** What this slice stores of a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'recordings.recordings', owner: 'performer_id', order: ['id'],
    columns: ['title', 'mode', 'show_id', 'state', 'started_at', 'ended_at', 'duration_ms', 'bytes'],
    erase: { by: eraseRecordings },
  }),
  ownedRows({
    table: 'recordings.choices', owner: 'performer_id', order: ['performer_id'],
    columns: ['public_enabled', 'public_price_tokens', 'public_changed_at'],
    erase: 'rows',
  }),
  unreadRows('it is what runs now', {
    table: 'recordings.tests', owners: ['performer_id'], erase: 'rows',
  }),
  unreadRows('it is about who else is seen in a recording', {
    table: 'recordings.recording_people', owners: ['performer_id'],
    erase: { keeps: 'recordings of others need to say who is seen in them, and on which clearance' },
  }),
];
