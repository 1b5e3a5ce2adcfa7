import { sql } from 'kysely';
import { ownedRows, type OwnedRow, type OwnedRows } from '../../../platform/data/database/owned-rows.ts';

/** What this slice stores of a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'support.requests', owner: 'person_id', order: ['id'],
    columns: ['topic', 'message', 'email', 'at', 'closed_at'],
  }),
  ownedRows({
    table: 'support.phone_people', owner: 'person_id', order: ['since'],
    columns: ['since'],
  }),
  {
    table: 'support.messages', people: [],
    read: async (tx, personId, { offset, limit }) => (await sql<OwnedRow>`
      select m.text, m.at, m.admin_id is not null as by_support from support.messages m
      join support.conversations c on c.operator_id = m.operator_id and c.id = m.conversation_id
      where c.person_id = ${personId} order by m.id offset ${offset} limit ${limit}`.execute(tx.sql())).rows,
  },
];
