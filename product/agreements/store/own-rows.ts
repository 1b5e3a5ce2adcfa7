import {
  deleteRows,
  ownedRows,
  readRows,
  type EraseRows,
  type OwnedRow,
  type OwnedRows,
} from '#platform/data/database/owned-rows.ts';
import { sql } from 'kysely';

/** 18 U.S.C. § 2257 and the card schemes ask for releases for years. */
const SIGNED = 'signed agreements and releases prove what was agreed, and the law asks for them for years';

/** What somebody never signed binds nobody. Its history goes with it. */
const eraseUnsigned: EraseRows = (tx, { id }, limit) =>
  deleteRows(tx, 'agreements.documents', sql`person_id = ${id} and signed_at is null`, limit);

/** What this slice stores about a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'agreements.documents',
    owner: 'person_id',
    order: ['id'],
    columns: [
      'kind',
      'version',
      'title',
      'text',
      'status',
      'issued_at',
      'expires_at',
      'opened_at',
      'signed_at',
      'signature',
    ],
    erase: { by: eraseUnsigned, keeps: SIGNED },
  }),
  readRows({
    table: 'agreements.events',
    owners: [],
    erase: { keeps: SIGNED },
  }, async (tx, personId, { offset, limit }) =>
    (await sql<OwnedRow>`
    select d.title, e.event, e.at, e.reason from agreements.events e
    join agreements.documents d on d.operator_id = e.operator_id and d.id = e.document_id
    where d.person_id = ${personId} order by e.id offset ${offset} limit ${limit}`.execute(tx.sql())).rows),
];
