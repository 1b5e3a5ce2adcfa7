import {
  changeRows,
  deleteRows,
  ownedRows,
  readRows,
  unreadRows,
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

/** Why a decision and what it did stay: who decides on an appeal needs them. */
const DECIDED = 'how a case was decided, without what anybody typed, is retained for a year';

/** What staff typed about the person, and what the person typed in an appeal. */
const eraseTexts: EraseRows = (tx, { id }, limit) =>
  deleteRows(
    tx,
    'moderation.texts',
    sql`event_id in (select e.id from moderation.events e join moderation.cases c
      on c.operator_id = e.operator_id and c.id = e.case_id where c.subject_id = ${id})`,
    limit,
  );

/** Requests that somebody sent with an address that this person has confirmed. */
const eraseRequests: EraseRows = (tx, { email, isEmailConfirmed }, limit) =>
  changeRows(
    tx,
    'moderation.requests',
    sql`name = '', email = '', statement = '', signature = '', work = null`,
    sql`${isEmailConfirmed}::boolean and lower(email) = ${email}`,
    limit,
  );

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
  unreadRows('statements of reasons say what was decided, and why', {
    table: 'moderation.cases',
    owners: ['subject_id', 'claimed_by'],
    erase: { keeps: DECIDED },
  }),
  unreadRows('it is the work of the site’s staff', {
    table: 'moderation.events',
    owners: ['by_id'],
    erase: { keeps: DECIDED },
  }),
  unreadRows('it is the work of the site’s staff', {
    table: 'moderation.texts',
    owners: [],
    erase: { by: eraseTexts },
  }),
  unreadRows('requests are sent without an account; their link shows them', {
    table: 'moderation.requests',
    owners: [],
    erase: { by: eraseRequests, keeps: DECIDED },
  }),
  ownedRows({
    table: 'moderation.statements',
    owner: 'person_id',
    order: ['id'],
    columns: ['record', 'at', 'withdrawn_at'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'moderation.strikes',
    owner: 'person_id',
    order: ['at', 'case_id'],
    columns: ['at', 'expires_at', 'removed_at'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'moderation.suspensions',
    owner: 'person_id',
    order: ['starts_at', 'case_id'],
    columns: ['starts_at', 'ends_at', 'ended_at'],
    erase: 'rows',
  }),
  unreadRows('statements of reasons say what was removed', {
    table: 'moderation.removals',
    owners: ['subject_id'],
    erase: 'rows',
  }),
];
