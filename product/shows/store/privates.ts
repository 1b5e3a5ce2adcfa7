import type { Tx } from '#platform/data/data.ts';
import type { Selectable, Updateable } from 'kysely';
import { RECEIPTS_PAGE, UNFINISHED_PAGE } from '../rules/private.ts';
import type { ShowsTables } from './tables.ts';

type PrivatesTable = ShowsTables['shows.privates'];

/** A private show as stored, from the request on. */
export type PrivateRow = Selectable<PrivatesTable>;
export type PrivateChange = Omit<
  Updateable<PrivatesTable>,
  'operator_id' | 'id' | 'performer_id' | 'viewer_id'
>;

const tables = (tx: Tx): ReturnType<typeof tx.sql<ShowsTables>> => tx.sql<ShowsTables>();

/** Serializes changes to a performer's requests until the unit ends. */
export async function lockPrivates(tx: Tx, performerId: number): Promise<void> {
  await tx.lock('shows.privates', performerId);
}

export const insertRequest = async (
  tx: Tx,
  request: Pick<
    PrivateRow,
    | 'performer_id'
    | 'viewer_id'
    | 'exclusive'
    | 'recording'
    | 'price'
    | 'limit_tokens'
    | 'pre_tip'
    | 'deadline'
    | 'recording_viewer_at'
    | 'recording_viewer_version'
  >,
): Promise<PrivateRow> =>
  tables(tx).insertInto('shows.privates')
    .values({
      ...request,
      phase: 'requested',
      requested_at: tx.now,
      accepted_at: null,
      started_at: null,
      ended_at: null,
      end_reason: null,
    })
    .returningAll().executeTakeFirstOrThrow();

/** A show without a lock: it can change before the unit ends. */
export async function readPrivate(tx: Tx, id: number): Promise<PrivateRow | null> {
  return (await tables(tx).selectFrom('shows.privates').selectAll().where('id', '=', id)
    .executeTakeFirst()) ?? null;
}

/** A show, locked until the unit ends. */
export async function findPrivate(tx: Tx, id: number): Promise<PrivateRow | null> {
  return (await tables(tx).selectFrom('shows.privates').selectAll().where('id', '=', id).forUpdate()
    .executeTakeFirst()) ?? null;
}

/** The pending request of a viewer to a performer, locked until the unit ends. */
export async function findRequest(tx: Tx, performerId: number, viewerId: number): Promise<PrivateRow | null> {
  return (await tables(tx).selectFrom('shows.privates').selectAll()
    .where('performer_id', '=', performerId).where('viewer_id', '=', viewerId)
    .where('phase', '=', 'requested').forUpdate().executeTakeFirst()) ?? null;
}

/** Pending requests to a performer, oldest first. */
export const findQueue = (tx: Tx, performerId: number): Promise<PrivateRow[]> =>
  tables(tx).selectFrom('shows.privates').selectAll().where('performer_id', '=', performerId)
    .where('phase', '=', 'requested').orderBy('id').execute();

/** A viewer's pending requests to any performer. */
export const findOwnRequests = (tx: Tx, viewerId: number): Promise<PrivateRow[]> =>
  tables(tx).selectFrom('shows.privates').selectAll().where('viewer_id', '=', viewerId)
    .where('phase', '=', 'requested').orderBy('id').execute();

/** The show of a performer or a viewer that is starting or running. */
export async function findRunning(
  tx: Tx,
  column: 'performer_id' | 'viewer_id',
  personId: number,
): Promise<PrivateRow | null> {
  return (await tables(tx).selectFrom('shows.privates').selectAll().where(column, '=', personId)
    .where('phase', 'in', ['starting', 'running']).executeTakeFirst()) ?? null;
}

/** Which of these performers are in an exclusive show. */
export async function findExclusive(
  tx: Tx,
  performerIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (performerIds.length === 0) return new Set();
  const rows = await tables(tx).selectFrom('shows.privates').select('performer_id')
    .where('performer_id', 'in', [...performerIds]).where('exclusive', '=', true)
    .where('phase', 'in', ['starting', 'running']).execute();
  return new Set(rows.map(({ performer_id: id }) => id));
}

/** Shows that are starting or running, after a start of the site. */
export const findAllRunning = (tx: Tx): Promise<PrivateRow[]> =>
  tables(tx).selectFrom('shows.privates').selectAll().where('phase', 'in', ['starting', 'running'])
    .orderBy('id').execute();

/** One page of finished shows whose recordings are not completed, by id, after `after`. */
export const findUnfinished = (tx: Tx, after: number): Promise<PrivateRow[]> =>
  tables(tx).selectFrom('shows.privates').selectAll().where('phase', '=', 'ended').where('id', '>', after)
    .where('recording_performer_at', 'is not', null).where('recorded_ms', 'is', null)
    .orderBy('id').limit(UNFINISHED_PAGE).execute();

export const changePrivate = async (tx: Tx, id: number, change: PrivateChange): Promise<PrivateRow> =>
  tables(tx).updateTable('shows.privates').set(change).where('id', '=', id).returningAll()
    .executeTakeFirstOrThrow();

/** Accepted shows of a person that are over, newest first. */
export const findReceipts = (tx: Tx, personId: number, before: number | null): Promise<PrivateRow[]> =>
  tables(tx).selectFrom('shows.privates').selectAll().where('phase', '=', 'ended')
    .where((e) => e.or([e('viewer_id', '=', personId), e('performer_id', '=', personId)]))
    .$if(before !== null, (query) => query.where('id', '<', before ?? 0))
    .orderBy('id', 'desc').limit(RECEIPTS_PAGE + 1).execute();
