import {
  changeRows,
  readRows,
  type EraseRows,
  type OwnedRow,
  type OwnedRows,
} from '#platform/data/database/owned-rows.ts';
import { sql } from 'kysely';
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
  return await changeRows(
    tx,
    'moderation.reports',
    sql`reporter_id = null, details = ''`,
    sql`reporter_id = ${id}`,
    limit,
  )
    + await changeRows(
      tx,
      'moderation.reports',
      sql`snapshot = '', details = '', note = ''`,
      sql`subject_id = ${id} and (snapshot <> '' or details <> '' or note <> '')`,
      limit,
    );
};

/**
 * Personal data as the person may read it: reports they sent, and never who reported them. A message is named
 * by its room and id alone: its author may have tipped without a name.
 */
export const ownRows: readonly OwnedRows[] = [
  readRows({
    table: 'moderation.reports',
    owners: ['reporter_id'],
    people: ['subject_id', 'room_id'],
    erase: {
      by: eraseReports,
      keeps: 'that something was reported and how it was decided is retained for a year',
    },
  }, async (tx, id, { offset, limit }) =>
    (await sql<OwnedRow>`
    select kind, case when kind <> 'message' then subject_id end as subject_id, room_id, target_id, reason,
      details, at, closed_at, outcome
    from moderation.reports where reporter_id = ${id}
    order by id offset ${offset} limit ${limit}`.execute(tx.sql())).rows),
];
