import { sql } from 'kysely';
import {
  changeRows, ownedRows, type EraseRows, type OwnedRows,
} from '#platform/data/database/owned-rows.ts';
import { removeCopies } from '../store.ts';

/**
 * Reports survive an erasure. A report loses the reporter's name and words if the reporter is erased, and the
 * reported text, details and note if the reported person is. By then it has been stored for as long
 * as an account is in deletion.
 */
const eraseReports: EraseRows = async (tx, { id }, limit) => {
  const { rows } = await sql<{ blob: string }>`
    select distinct picture_blob as blob from moderation.reports
    where subject_id = ${id} and picture_blob is not null`.execute(tx.sql());
  await sql`update moderation.reports set picture_blob = null where subject_id = ${id}`.execute(tx.sql());
  await removeCopies(tx, rows.map(({ blob }) => blob));
  return await changeRows(tx, 'moderation.reports', sql`reporter_id = null, details = ''`,
    sql`reporter_id = ${id}`, limit)
  + await changeRows(tx, 'moderation.reports', sql`snapshot = '', details = '', note = ''`,
    sql`subject_id = ${id} and (snapshot <> '' or details <> '' or note <> '')`, limit);
};

/** Personal data as the person may read it: reports they sent, and never who reported them. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'moderation.reports', owner: 'reporter_id', order: ['id'], people: ['subject_id'],
    columns: ['kind', 'subject_id', 'reason', 'details', 'at', 'closed_at', 'outcome'],
    erase: {
      by: eraseReports, keeps: 'that something was reported and how it was decided is retained for a year',
    },
  }),
];
