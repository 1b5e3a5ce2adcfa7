import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { DOCUMENTS_PER_PAGE, type DocumentEvent, type DocumentKind, type DocumentStatus } from './rules.ts';
import type { Proof } from './store/columns.ts';
import type { AgreementsTables } from './store/tables.ts';

const tables = (tx: Tx) => tx.sql<AgreementsTables>();

const LINE = [
  'id',
  'person_id as personId',
  'kind',
  'version',
  'language',
  'title',
  'status',
  'issued_at as issuedAt',
  'expires_at as expiresAt',
  'signed_at as signedAt',
] as const;
const lines = (tx: Tx) => tables(tx).selectFrom('agreements.documents').select(LINE);
/** A document without its text. */
export type LineRow = Awaited<ReturnType<ReturnType<typeof lines>['execute']>>[number];

const whole = (tx: Tx) =>
  lines(tx).select([
    'text',
    'text_sha256 as textSha256',
    'secret',
    'opened_at as openedAt',
    'signature',
    'proof',
  ]);
export type DocumentRow = Awaited<ReturnType<ReturnType<typeof whole>['execute']>>[number];

export async function findDocument(tx: Tx, id: number): Promise<DocumentRow | null> {
  return await whole(tx).where('id', '=', id).executeTakeFirst() ?? null;
}

export type NewDocument = Pick<
  DocumentRow,
  'personId' | 'kind' | 'version' | 'language' | 'title' | 'text' | 'textSha256' | 'secret' | 'expiresAt'
>;
/** Stores a document; its id. */
export async function insertDocument(tx: Tx, document: NewDocument): Promise<number> {
  const { personId, textSha256, expiresAt, ...rest } = document;
  const { id } = await tables(tx).insertInto('agreements.documents').values({
    ...rest,
    person_id: personId,
    text_sha256: textSha256,
    issued_at: tx.now,
    expires_at: expiresAt,
  }).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Notes that a document was opened; false when it was before, or is no longer open. */
export async function markOpened(tx: Tx, id: number): Promise<boolean> {
  const row = await tables(tx).updateTable('agreements.documents').set({ opened_at: tx.now })
    .where('id', '=', id).where('status', '=', 'open').where('opened_at', 'is', null)
    .returning('id').executeTakeFirst();
  return row !== undefined;
}

/** Stores a signature; false when the document is not open. */
export async function markSigned(
  tx: Tx,
  id: number,
  { signature, proof }: { readonly signature: string; readonly proof: Proof },
): Promise<boolean> {
  const row = await tables(tx).updateTable('agreements.documents')
    .set({
      status: 'signed',
      signed_at: tx.now,
      signature,
      proof: sql<Proof>`${JSON.stringify(proof)}::jsonb`,
    })
    .where('id', '=', id).where('status', '=', 'open').returning('id').executeTakeFirst();
  return row !== undefined;
}

/** Ends an open document without a signature; false when it is not open. */
export async function markEnded(tx: Tx, id: number, status: 'expired' | 'withdrawn'): Promise<boolean> {
  const row = await tables(tx).updateTable('agreements.documents').set({ status })
    .where('id', '=', id).where('status', '=', 'open').returning('id').executeTakeFirst();
  return row !== undefined;
}

/** A page of a person's documents older than `before`, newest first; open ones or all. */
export function documentsOf(
  tx: Tx,
  personId: number,
  { before, isOpen }: { readonly before: number | null; readonly isOpen: boolean },
): Promise<LineRow[]> {
  return lines(tx).where('person_id', '=', personId)
    .$if(isOpen, (query) => query.where('status', '=', 'open').where('expires_at', '>', tx.now))
    .$if(before !== null, (query) => query.where('id', '<', before))
    .orderBy('id', 'desc').limit(DOCUMENTS_PER_PAGE).execute();
}

/** The newest document of a kind that a person has with this status; null for none. */
export async function newestOf(
  tx: Tx,
  personId: number,
  kind: DocumentKind,
  status: DocumentStatus,
): Promise<LineRow | null> {
  return await lines(tx).where('person_id', '=', personId).where('kind', '=', kind)
    .where('status', '=', status)
    .orderBy('version', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst() ?? null;
}

export interface DocumentFilter {
  readonly before: number | null;
  readonly status: DocumentStatus | null;
  readonly kind: DocumentKind | null;
  readonly personId: number | null;
}
/** A page of everybody's documents, newest first. */
export function selectDocuments(
  tx: Tx,
  { before, status, kind, personId }: DocumentFilter,
): Promise<LineRow[]> {
  return lines(tx)
    .$if(before !== null, (query) => query.where('id', '<', before))
    .$if(status !== null, (query) => query.where('status', '=', status))
    .$if(kind !== null, (query) => query.where('kind', '=', kind))
    .$if(personId !== null, (query) => query.where('person_id', '=', personId))
    .orderBy('id', 'desc').limit(DOCUMENTS_PER_PAGE).execute();
}

/** People who signed or can sign any version of a kind, by id after one. */
export async function holdersOf(
  tx: Tx,
  kind: DocumentKind,
  after: number,
  limit: number,
): Promise<number[]> {
  const rows = await tables(tx).selectFrom('agreements.documents').select('person_id').distinct()
    .where('kind', '=', kind).where('status', 'in', ['open', 'signed']).where('person_id', '>', after)
    .orderBy('person_id').limit(limit).execute();
  return rows.map(({ person_id: id }) => id);
}

/** Adds to the history of a document. */
export async function insertEvent(
  tx: Tx,
  documentId: number,
  event: DocumentEvent,
  { actorId, reason = null }: { readonly actorId: number | null; readonly reason?: string | null },
): Promise<void> {
  await tables(tx).insertInto('agreements.events')
    .values({ document_id: documentId, event, actor_id: actorId, reason, at: tx.now }).execute();
}

/** The history of a document, oldest first: each event happens once. */
export function eventsOf(tx: Tx, documentId: number) {
  return tables(tx).selectFrom('agreements.events').select(['event', 'actor_id as actorId', 'reason', 'at'])
    .where('document_id', '=', documentId).orderBy('id').execute();
}
