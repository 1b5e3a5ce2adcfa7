import { ownedRows, readRows, type OwnedRow, type OwnedRows } from '#platform/data/database/owned-rows.ts';
import { sql } from 'kysely';

/** 18 U.S.C. § 2257, and similar laws elsewhere. */
const RECORDS = 'the law asks for records of age and identity of whoever was on air, until seven years after '
  + 'they stop performing (`retain_until`); of somebody never cleared nothing readable stays; either stays '
  + 'longer under a legal hold';

/** The same for the person, in the copy of their data. */
const RETENTION =
  'Encrypted; read by reviewers alone. Once you were cleared, the law asks us to retain these '
  + 'records until seven years after you stop performing (retain_until). Before that, deleting your account '
  + 'erases them. Either may take longer where a court or an authority orders it.';

/**
 * What this slice stores about a person, as they may read it. Documents are in the vault, which only
 * reviewers read: the copy says that they are there, and until when. It does not show a legal hold, of which
 * nobody under investigation may learn: neither the mark nor the replaced records that stay for it alone.
 */
export const ownRows: readonly OwnedRows[] = [
  readRows(
    { table: 'identity.applications', owners: ['performer_id'], erase: { keeps: RECORDS } },
    async (tx, id, { offset, limit }) =>
      (await sql<OwnedRow>`
      select state, hand_in, begun_at, handed_in_at, ceased_at, retain_until, erased_at,
        ${RETENTION}::text as retention
      from identity.applications where performer_id = ${id} order by id offset ${offset} limit ${limit}`
        .execute(tx.sql())).rows,
  ),
  ownedRows({
    table: 'identity.steps',
    owner: 'performer_id',
    order: ['step'],
    columns: ['step', 'state', 'reason', 'note', 'given_at', 'replacements', 'country'],
    erase: 'rows',
  }),
  readRows(
    { table: 'identity.records', owners: ['performer_id'], erase: { keeps: RECORDS } },
    async (tx, id, { offset, limit }) =>
      (await sql<OwnedRow>`
      select kind, document_kind, given_at, replaced_at, erased_at from identity.records as record
      where performer_id = ${id} and (replaced_at is null or exists (
        select from identity.evidence as evidence where evidence.performer_id = record.performer_id
          and record.id in (evidence.who_id, evidence.document_id, evidence.selfie_id)))
      order by id offset ${offset} limit ${limit}`.execute(tx.sql())).rows,
  ),
  ownedRows({
    table: 'identity.keys',
    owner: 'performer_id',
    order: ['made_at'],
    columns: ['made_at'],
    erase: { keeps: RECORDS },
  }),
  ownedRows({
    table: 'identity.names',
    owner: 'performer_id',
    order: ['digest'],
    columns: ['digest'],
    erase: { keeps: RECORDS },
  }),
  ownedRows({
    table: 'identity.decisions',
    owner: 'performer_id',
    order: ['id'],
    columns: ['hand_in', 'verdict', 'at'],
    erase: { keeps: RECORDS },
  }),
  ownedRows({
    table: 'identity.evidence',
    owner: 'performer_id',
    order: ['id'],
    columns: ['basis', 'agreement', 'made_at'],
    erase: { keeps: RECORDS },
  }),
];
