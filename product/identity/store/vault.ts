import type { Tx } from '#platform/data/data.ts';
import { namedBlobs } from '#platform/data/database/named-blobs.ts';
import type { DocumentKind } from '../rules.ts';
import type { IdentityTables } from './tables.ts';

const tables = (tx: Tx) => tx.sql<IdentityTables>();

export type RecordKind = 'who' | 'document' | 'selfie';
/** A record of the vault, encrypted. */
export interface StoredRecord {
  readonly id: number;
  readonly documentKind: DocumentKind | null;
  readonly facts: string | null;
  readonly frontBlob: string | null;
  readonly backBlob: string | null;
}

export interface StoredKey {
  readonly wrapped: string;
  readonly wrappedBy: string;
}

export async function findKey(tx: Tx, performerId: number): Promise<StoredKey | null> {
  const row = await tables(tx).selectFrom('identity.keys').select(['wrapped', 'wrapped_by'])
    .where('performer_id', '=', performerId).executeTakeFirst();
  return row ? { wrapped: row.wrapped, wrappedBy: row.wrapped_by } : null;
}

/** Stores a key unless the person has one; returns the one they have. */
export async function insertKey(tx: Tx, performerId: number, key: StoredKey): Promise<StoredKey> {
  await tables(tx).insertInto('identity.keys').values({
    performer_id: performerId,
    wrapped: key.wrapped,
    wrapped_by: key.wrappedBy,
    made_at: tx.now,
  }).onConflict((conflict) => conflict.columns(['operator_id', 'performer_id']).doNothing()).execute();
  return (await findKey(tx, performerId)) ?? key;
}

export async function saveKey(tx: Tx, performerId: number, key: StoredKey): Promise<void> {
  await tables(tx).updateTable('identity.keys').set({ wrapped: key.wrapped, wrapped_by: key.wrappedBy })
    .where('performer_id', '=', performerId).execute();
}

export async function deleteKey(tx: Tx, performerId: number): Promise<void> {
  await tables(tx).deleteFrom('identity.keys').where('performer_id', '=', performerId).execute();
}

/** People whose data key is wrapped by another key than this one, locked, at most `limit`. */
export async function keysToWrapAgain(tx: Tx, wrappedBy: string, limit: number) {
  const rows = await tables(tx).selectFrom('identity.keys').select(['performer_id', 'wrapped', 'wrapped_by'])
    .where('wrapped_by', '<>', wrappedBy).orderBy('performer_id').limit(limit).forUpdate().execute();
  return rows.map((row) => ({
    performerId: row.performer_id,
    wrapped: row.wrapped,
    wrappedBy: row.wrapped_by,
  }));
}

const RECORD = [
  'id',
  'document_kind as documentKind',
  'facts',
  'front_blob as frontBlob',
  'back_blob as backBlob',
] as const;

/** The present record of a kind. */
export async function findRecord(
  tx: Tx,
  performerId: number,
  kind: RecordKind,
): Promise<StoredRecord | null> {
  const row = await tables(tx).selectFrom('identity.records').select(RECORD)
    .where('performer_id', '=', performerId).where('kind', '=', kind).where('replaced_at', 'is', null)
    .executeTakeFirst();
  return row ?? null;
}

/** Marks the present record of a kind as replaced, and returns it. */
export async function replaceRecord(
  tx: Tx,
  performerId: number,
  kind: RecordKind,
): Promise<StoredRecord | null> {
  const row = await tables(tx).updateTable('identity.records').set({ replaced_at: tx.now })
    .where('performer_id', '=', performerId).where('kind', '=', kind).where('replaced_at', 'is', null)
    .returning(RECORD).executeTakeFirst();
  return row ?? null;
}

/** Inserts the record that is the present one from now on. */
export async function insertRecord(
  tx: Tx,
  record: {
    readonly performerId: number;
    readonly kind: RecordKind;
    readonly documentKind?: DocumentKind;
    readonly facts?: string;
    readonly frontBlob?: string;
  },
): Promise<void> {
  const { performerId, kind, documentKind = null, facts = null, frontBlob = null } = record;
  await tables(tx).insertInto('identity.records').values({
    performer_id: performerId,
    kind,
    document_kind: documentKind,
    facts,
    front_blob: frontBlob,
    given_at: tx.now,
  }).execute();
}

/** Sets one picture of a record. */
export async function savePicture(
  tx: Tx,
  id: number,
  side: 'front' | 'back',
  blob: string,
): Promise<void> {
  await tables(tx).updateTable('identity.records')
    .set(side === 'front' ? { front_blob: blob } : { back_blob: blob }).where('id', '=', id).execute();
}

/** Adds a replaced record with one picture of a document, which is about to get another one. */
export async function insertReplacedPicture(tx: Tx, id: number, side: 'front' | 'back'): Promise<void> {
  const blob = side === 'front' ? 'front_blob' : 'back_blob';
  await tables(tx).insertInto('identity.records')
    .columns(['performer_id', 'kind', 'document_kind', 'given_at', 'replaced_at', blob])
    .expression((query) =>
      query.selectFrom('identity.records')
        .select(['performer_id', 'kind', 'document_kind', 'given_at'])
        .select(query.val(tx.now).as('replaced_at')).select(blob)
        .where('id', '=', id)
    ).execute();
}

/** Whether evidence names a record. */
export async function isEvidence(tx: Tx, performerId: number, recordId: number): Promise<boolean> {
  const row = await tables(tx).selectFrom('identity.evidence').select('id')
    .where('performer_id', '=', performerId)
    .where((where) =>
      where.or([
        where('who_id', '=', recordId),
        where('document_id', '=', recordId),
        where('selfie_id', '=', recordId),
      ])
    ).executeTakeFirst();
  return row !== undefined;
}

/** Deletes a record that no evidence names. */
export async function deleteRecord(tx: Tx, id: number): Promise<void> {
  await tables(tx).deleteFrom('identity.records').where('id', '=', id).execute();
}

/** Deletes the replaced records that no evidence names; returns the blobs that they had. */
export async function deleteReplaced(tx: Tx, performerId: number): Promise<readonly string[]> {
  const rows = await tables(tx).deleteFrom('identity.records as record')
    .where('record.performer_id', '=', performerId).where('record.replaced_at', 'is not', null)
    .where((is) =>
      is.not(is.exists(
        is.selectFrom('identity.evidence as evidence').select('evidence.id')
          .whereRef('evidence.performer_id', '=', 'record.performer_id')
          .where((where) =>
            where.or([
              where('evidence.who_id', '=', where.ref('record.id')),
              where('evidence.document_id', '=', where.ref('record.id')),
              where('evidence.selfie_id', '=', where.ref('record.id')),
            ])
          ),
      ))
    ).returning(['record.front_blob', 'record.back_blob']).execute();
  return rows.flatMap((row) => [row.front_blob, row.back_blob].filter((blob) => blob !== null));
}

/** Empties all records of a person; returns the blobs that they had. */
export async function emptyRecords(tx: Tx, performerId: number): Promise<readonly string[]> {
  const rows = await tables(tx).selectFrom('identity.records').select(['front_blob', 'back_blob'])
    .where('performer_id', '=', performerId).execute();
  await tables(tx).updateTable('identity.applications').set({ erased_at: tx.now })
    .where('performer_id', '=', performerId).execute();
  await tables(tx).updateTable('identity.records')
    .set({ facts: null, front_blob: null, back_blob: null, erased_at: tx.now })
    .where('performer_id', '=', performerId).where('erased_at', 'is', null).execute();
  return rows.flatMap((row) => [row.front_blob, row.back_blob].filter((blob) => blob !== null));
}

/** Replaces the index of a person's names. */
export async function saveNames(tx: Tx, performerId: number, digests: readonly string[]): Promise<void> {
  await tables(tx).deleteFrom('identity.names').where('performer_id', '=', performerId).execute();
  const unique = [...new Set(digests)];
  if (unique.length === 0) return;
  await tables(tx).insertInto('identity.names')
    .values(unique.map((digest) => ({ performer_id: performerId, digest }))).execute();
}

export const vaultBlobs = [
  namedBlobs({ table: 'identity.records', column: 'front_blob', many: false }),
  namedBlobs({ table: 'identity.records', column: 'back_blob', many: false }),
];
