import {
  deleteRows,
  ownedRows,
  readRows,
  unreadRows,
  type EraseRows,
  type OwnedRow,
  type OwnedRows,
} from '#platform/data/database/owned-rows.ts';
import { sql } from 'kysely';

const eraseMessages: EraseRows = (tx, { id }, limit) =>
  deleteRows(
    tx,
    'support.messages',
    sql`conversation_id in (select c.id from support.conversations c where c.person_id = ${id})`,
    limit,
  );

/** The person's requests, and those that a guest sent with an address that this person has confirmed. */
const eraseRequests: EraseRows = (tx, { id, email, isEmailConfirmed }, limit) =>
  deleteRows(
    tx,
    'support.requests',
    sql`(person_id = ${id}
    or (${isEmailConfirmed}::boolean and person_id is null and lower(email) = ${email}))`,
    limit,
  );

/** What this slice stores about a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'support.requests',
    owner: 'person_id',
    order: ['id'],
    columns: ['topic', 'message', 'email', 'at', 'closed_at'],
    erase: { by: eraseRequests },
  }),
  ownedRows({
    table: 'support.phone_people',
    owner: 'person_id',
    order: ['since'],
    columns: ['since'],
    erase: 'rows',
  }),
  readRows({
    table: 'support.messages',
    owners: [],
    erase: { by: eraseMessages },
  }, async (tx, personId, { offset, limit }) =>
    (await sql<OwnedRow>`
    select m.text, m.at, m.admin_id is not null as by_support from support.messages m
    join support.conversations c on c.operator_id = m.operator_id and c.id = m.conversation_id
    where c.person_id = ${personId} order by m.id offset ${offset} limit ${limit}`.execute(tx.sql())).rows),
  unreadRows('they are made of rows that the copy has', {
    table: 'support.conversations',
    owners: ['person_id'],
    erase: 'rows',
  }),
];
