import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { HISTORY_MS, MAX_HISTORY, SAME_VISIT_MS, type HistoryCursor } from '../rules/history.ts';
import type { BrowseTables } from './tables.ts';

/** One performer in somebody's history, as stored. */
export interface View {
  readonly performer_id: number;
  readonly first_at: Date;
  readonly last_at: Date;
  readonly seconds: number;
}

const tables = (tx: Tx): ReturnType<typeof tx.sql<BrowseTables>> => tx.sql<BrowseTables>();
const oldest = (tx: Tx): Date => new Date(tx.now.getTime() - HISTORY_MS);

/** Serializes changes of one person's history: nothing is written once it is off. */
export async function lockHistory(tx: Tx, viewerId: number): Promise<void> {
  await tx.lock('browse.history', viewerId);
}

export async function isHistoryOn(tx: Tx, viewerId: number): Promise<boolean> {
  const row = await tables(tx).selectFrom('browse.history_settings').select('is_on')
    .where('viewer_id', '=', viewerId).executeTakeFirst();
  return row?.is_on ?? true;
}

export async function saveHistoryOn(tx: Tx, viewerId: number, isOn: boolean): Promise<void> {
  const set = { is_on: isOn, changed_at: tx.now };
  await tables(tx).insertInto('browse.history_settings').values({ viewer_id: viewerId, ...set })
    .onConflict((conflict) => conflict.columns(['operator_id', 'viewer_id']).doUpdateSet(set)).execute();
}

/** Whether the last visit is so recent that returning continues it. */
export async function isSameVisit(tx: Tx, viewerId: number, performerId: number): Promise<boolean> {
  const row = await tables(tx).selectFrom('browse.views').select('last_at')
    .where('viewer_id', '=', viewerId).where('performer_id', '=', performerId)
    .where('last_at', '>', new Date(tx.now.getTime() - SAME_VISIT_MS)).executeTakeFirst();
  return row !== undefined;
}

/** Stores that somebody entered a room now; true when it is the only room of their history. */
export async function saveView(tx: Tx, viewerId: number, performerId: number): Promise<boolean> {
  await tables(tx).insertInto('browse.views').values({
    viewer_id: viewerId,
    performer_id: performerId,
    first_at: tx.now,
    last_at: tx.now,
    counted_until: tx.now,
  }).onConflict((conflict) =>
    conflict.columns(['operator_id', 'viewer_id', 'performer_id'])
      .doUpdateSet({ last_at: tx.now })
  ).execute();
  const { count } = await tables(tx).selectFrom('browse.views')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('viewer_id', '=', viewerId).executeTakeFirstOrThrow();
  if (count > MAX_HISTORY) await deleteBeyond(tx, viewerId);
  return count === 1;
}

/** Deletes the oldest rows beyond the limit of a history. */
async function deleteBeyond(tx: Tx, viewerId: number): Promise<void> {
  const beyond = tables(tx).selectFrom('browse.views').select('performer_id')
    .where('viewer_id', '=', viewerId)
    .orderBy('last_at', 'desc').orderBy('performer_id', 'desc').offset(MAX_HISTORY);
  await tables(tx).deleteFrom('browse.views')
    .where('viewer_id', '=', viewerId).where('performer_id', 'in', beyond).execute();
}

/**
 * Adds a stay that ends now to a room's watch time in the history. Time that another tab already counted is
 * not added again; rooms no longer in the history get nothing.
 */
export async function addStay(tx: Tx, viewerId: number, performerId: number, since: Date): Promise<void> {
  await tables(tx).updateTable('browse.views').set({
    last_at: tx.now,
    counted_until: tx.now,
    seconds: sql`seconds + floor(extract(epoch from ${tx.now}::timestamptz
      - greatest(counted_until, ${since}::timestamptz)))::int`,
  }).where('viewer_id', '=', viewerId).where('performer_id', '=', performerId)
    .where('counted_until', '<=', tx.now).execute();
}

/** A person's history, latest room first. */
export async function listViews(
  tx: Tx,
  viewerId: number,
  limit: number,
  before: HistoryCursor | null = null,
): Promise<readonly View[]> {
  let query = tables(tx).selectFrom('browse.views')
    .select(['performer_id', 'first_at', 'last_at', 'seconds'])
    .where('viewer_id', '=', viewerId).where('last_at', '>', oldest(tx));
  if (before) {
    const { at, performerId } = before;
    query = query.where(sql<boolean>`(last_at, performer_id) < (${at}::timestamptz, ${performerId}::bigint)`);
  }
  return query.orderBy('last_at', 'desc').orderBy('performer_id', 'desc').limit(limit).execute();
}

export async function deleteViews(tx: Tx, viewerId: number): Promise<void> {
  await tables(tx).deleteFrom('browse.views').where('viewer_id', '=', viewerId).execute();
}

/** Deletes what is too old; returns when the next row will be, null if there is none. */
export async function deleteOldViews(tx: Tx, viewerId: number): Promise<Date | null> {
  await tables(tx).deleteFrom('browse.views')
    .where('viewer_id', '=', viewerId).where('last_at', '<=', oldest(tx)).execute();
  const row = await tables(tx).selectFrom('browse.views').select('last_at')
    .where('viewer_id', '=', viewerId).orderBy('last_at').limit(1).executeTakeFirst();
  return row ? new Date(row.last_at.getTime() + HISTORY_MS) : null;
}
