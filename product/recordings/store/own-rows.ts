import { ownedRows, unreadRows, type EraseRows, type OwnedRows } from '#platform/data/database/owned-rows.ts';
import { sql } from 'kysely';
import { showRecordingDeleted } from '../contract.ts';
import { FILE_REMOVAL, showOf, type RecordingMode } from '../rules.ts';

/**
 * The files are removed after the commit, by the process that has them; viewers lose the recordings of shows.
 */
const eraseRecordings: EraseRows = async (tx, { id }) => {
  const { rows } = await sql<{ file: string; mode: RecordingMode; show_id: number | null }>`
    delete from recordings.recordings where performer_id = ${id}
    returning file, mode, show_id`.execute(tx.sql());
  for (const { file, mode, show_id: showId } of rows) {
    await tx.schedule({ kind: FILE_REMOVAL, key: file, at: tx.now });
    const show = showOf({ mode, showId });
    if (show) await tx.publish(showRecordingDeleted, `performer:${id}`, { performerId: id, ...show });
  }
  return 0;
};

/** Erasure also removes evidence: by then it has been stored for as long as a deletion takes. */
const eraseEvidence: EraseRows = async (tx, { id }) => {
  const { rows } = await sql<{ file: string }>`
    delete from recordings.evidence where performer_id = ${id} returning file`.execute(tx.sql());
  for (const { file } of rows) await tx.schedule({ kind: FILE_REMOVAL, key: file, at: tx.now });
  return 0;
};

/** What this slice stores about a person, for their own copy. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'recordings.recordings',
    owner: 'performer_id',
    order: ['id'],
    columns: [
      'title',
      'mode',
      'show_id',
      'state',
      'consent_at',
      'consent_version',
      'started_at',
      'ended_at',
      'duration_ms',
      'bytes',
    ],
    erase: { by: eraseRecordings },
  }),
  ownedRows({
    table: 'recordings.choices',
    owner: 'performer_id',
    order: ['performer_id'],
    columns: ['public_enabled', 'public_price_tokens', 'public_changed_at'],
    erase: 'rows',
  }),
  unreadRows('whoever is reported learns nothing of it', {
    table: 'recordings.evidence',
    owners: ['performer_id'],
    erase: { by: eraseEvidence },
  }),
  unreadRows('it is what runs now', {
    table: 'recordings.tests',
    owners: ['performer_id'],
    erase: 'rows',
  }),
  unreadRows('it is about who else is seen in a recording', {
    table: 'recordings.recording_people',
    owners: ['performer_id'],
    erase: { keeps: 'recordings of others need to say who is seen in them, and on which clearance' },
  }),
];
