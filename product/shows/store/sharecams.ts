import type { Tx } from '#platform/data/data.ts';
import type { Selectable, Updateable } from 'kysely';
import { RECEIPTS_PAGE } from '../rules/private.ts';
import { OPEN_SHARECAM_PHASES } from '../rules/sharecam.ts';
import type { ShowsTables } from './tables.ts';

type SharecamsTable = ShowsTables['shows.sharecams'];

/** A sharecam as stored, from the request on. */
export type SharecamRow = Selectable<SharecamsTable>;
export type SharecamChange = Omit<
  Updateable<SharecamsTable>,
  'operator_id' | 'id' | 'performer_id' | 'viewer_id'
>;

const tables = (tx: Tx): ReturnType<typeof tx.sql<ShowsTables>> => tx.sql<ShowsTables>();

/** Serializes changes to a performer's sharecams until the unit ends. */
export async function lockSharecams(tx: Tx, performerId: number): Promise<void> {
  await tx.lock('shows.sharecams', performerId);
}

/** A new request; null if the viewer already has an open sharecam, here or elsewhere. */
export async function insertSharecam(
  tx: Tx,
  request: Pick<SharecamRow, 'performer_id' | 'viewer_id' | 'mode' | 'price' | 'deadline'>,
): Promise<SharecamRow | null> {
  const row = await tables(tx).insertInto('shows.sharecams')
    .values({
      ...request,
      phase: 'requested',
      adult_at: tx.now,
      requested_at: tx.now,
      accepted_at: null,
      ready_at: null,
      ended_at: null,
      end_reason: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll().executeTakeFirst();
  return row ?? null;
}

/** A sharecam, locked until the unit ends. */
export async function findSharecam(tx: Tx, id: number): Promise<SharecamRow | null> {
  return (await tables(tx).selectFrom('shows.sharecams').selectAll().where('id', '=', id).forUpdate()
    .executeTakeFirst()) ?? null;
}

/** The open sharecam of a viewer with any performer. */
export async function findOwnSharecam(tx: Tx, viewerId: number): Promise<SharecamRow | null> {
  return (await tables(tx).selectFrom('shows.sharecams').selectAll().where('viewer_id', '=', viewerId)
    .where('phase', 'in', [...OPEN_SHARECAM_PHASES]).executeTakeFirst()) ?? null;
}

/** Open sharecams of a performer, oldest first: requests and running cameras. */
export const findSharecams = (tx: Tx, performerId: number): Promise<SharecamRow[]> =>
  tables(tx).selectFrom('shows.sharecams').selectAll().where('performer_id', '=', performerId)
    .where('phase', 'in', [...OPEN_SHARECAM_PHASES]).orderBy('id').execute();

/** Cameras that ran when the site stopped. */
export const findRunningSharecams = (tx: Tx): Promise<SharecamRow[]> =>
  tables(tx).selectFrom('shows.sharecams').selectAll().where('phase', 'in', ['started', 'ready'])
    .orderBy('id').execute();

export const changeSharecam = async (tx: Tx, id: number, change: SharecamChange): Promise<SharecamRow> =>
  tables(tx).updateTable('shows.sharecams').set(change).where('id', '=', id).returningAll()
    .executeTakeFirstOrThrow();

/** Finished paid cameras of a person, as viewer and as performer; newest first. */
export const findSharecamReceipts = (
  tx: Tx,
  personId: number,
  before: number | null,
): Promise<SharecamRow[]> =>
  tables(tx).selectFrom('shows.sharecams').selectAll().where('phase', '=', 'ended')
    .where('mode', '=', 'public')
    .where((e) => e.or([e('viewer_id', '=', personId), e('performer_id', '=', personId)]))
    .$if(before !== null, (query) => query.where('id', '<', before ?? 0))
    .orderBy('id', 'desc').limit(RECEIPTS_PAGE + 1).execute();
