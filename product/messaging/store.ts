import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import type { MessagingTables } from './store/tables.ts';

type Relations = 'messaging.follows' | 'messaging.hides';

const tables = (tx: Tx): ReturnType<typeof tx.sql<MessagingTables>> => tx.sql<MessagingTables>();

/** A stored performer in a viewer's list. */
export interface RelationLine {
  /** The larger, the newer. */
  readonly id: number;
  readonly performer_id: number;
  readonly created_at: Date;
}

/** Locks a viewer's follows and hides, so that they change in one unit of work at a time. */
export async function lockRelations(tx: Tx, viewerId: number): Promise<void> {
  await tx.lock('messaging.relations', viewerId);
}

async function isRelated(tx: Tx, table: Relations, viewerId: number, performerId: number): Promise<boolean> {
  const row = await tables(tx).selectFrom(table).select('id')
    .where('viewer_id', '=', viewerId).where('performer_id', '=', performerId).executeTakeFirst();
  return row !== undefined;
}
export const isFollowed = (tx: Tx, viewerId: number, performerId: number): Promise<boolean> =>
  isRelated(tx, 'messaging.follows', viewerId, performerId);
export const isHidden = (tx: Tx, viewerId: number, performerId: number): Promise<boolean> =>
  isRelated(tx, 'messaging.hides', viewerId, performerId);

async function countOf(tx: Tx, table: Relations, viewerId: number): Promise<number> {
  const { count } = await tables(tx).selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('viewer_id', '=', viewerId).executeTakeFirstOrThrow();
  return count;
}
export const countFollows = (tx: Tx, viewerId: number): Promise<number> =>
  countOf(tx, 'messaging.follows', viewerId);
export const countHides = (tx: Tx, viewerId: number): Promise<number> =>
  countOf(tx, 'messaging.hides', viewerId);

async function insertRelation(
  tx: Tx,
  table: Relations,
  viewerId: number,
  performerId: number,
): Promise<void> {
  await tables(tx).insertInto(table)
    .values({ viewer_id: viewerId, performer_id: performerId, created_at: tx.now }).execute();
}

/** Returns whether there was one. */
async function deleteRelation(
  tx: Tx,
  table: Relations,
  viewerId: number,
  performerId: number,
): Promise<boolean> {
  const gone = await tables(tx).deleteFrom(table)
    .where('viewer_id', '=', viewerId).where('performer_id', '=', performerId)
    .returning('id').executeTakeFirst();
  return gone !== undefined;
}

/** Stores and counts a follow that is not stored yet. */
export async function insertFollow(tx: Tx, viewerId: number, performerId: number): Promise<void> {
  await insertRelation(tx, 'messaging.follows', viewerId, performerId);
  await tables(tx).insertInto('messaging.follower_counts').values({ performer_id: performerId, followers: 1 })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'performer_id'])
        .doUpdateSet({ followers: sql`follower_counts.followers + 1` })
    )
    .execute();
}

/** Deletes a follow and its count; returns whether there was one. */
export async function deleteFollow(tx: Tx, viewerId: number, performerId: number): Promise<boolean> {
  if (!(await deleteRelation(tx, 'messaging.follows', viewerId, performerId))) return false;
  await tables(tx).updateTable('messaging.follower_counts').set({ followers: sql`followers - 1` })
    .where('performer_id', '=', performerId).execute();
  return true;
}

export const insertHide = (tx: Tx, viewerId: number, performerId: number): Promise<void> =>
  insertRelation(tx, 'messaging.hides', viewerId, performerId);
export const deleteHide = (tx: Tx, viewerId: number, performerId: number): Promise<boolean> =>
  deleteRelation(tx, 'messaging.hides', viewerId, performerId);

/** Newest first, older than `before`. */
async function linesOf(
  tx: Tx,
  table: Relations,
  viewerId: number,
  limit: number,
  before?: number,
): Promise<readonly RelationLine[]> {
  let query = tables(tx).selectFrom(table).select(['id', 'performer_id', 'created_at'])
    .where('viewer_id', '=', viewerId);
  if (before !== undefined) query = query.where('id', '<', before);
  return query.orderBy('id', 'desc').limit(limit).execute();
}
export const findFollows = (
  tx: Tx,
  viewerId: number,
  limit: number,
  before?: number,
): Promise<readonly RelationLine[]> => linesOf(tx, 'messaging.follows', viewerId, limit, before);
export const findHides = (
  tx: Tx,
  viewerId: number,
  limit: number,
  before?: number,
): Promise<readonly RelationLine[]> => linesOf(tx, 'messaging.hides', viewerId, limit, before);

/** Number of followers of each of these performers; performers without any are left out. */
export async function countFollowers(
  tx: Tx,
  performerIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (performerIds.length === 0) return new Map();
  const rows = await tables(tx).selectFrom('messaging.follower_counts')
    .select(['performer_id', 'followers'])
    .where(sql<boolean>`performer_id = any(${[...performerIds]}::bigint[])`)
    .where('followers', '>', 0).execute();
  return new Map(rows.map(({ performer_id: id, followers }) => [id, followers]));
}

/** Number of followers of a performer who began since a time, and still follow. */
export async function countFollowersSince(tx: Tx, performerId: number, since: Date): Promise<number> {
  const { count } = await tables(tx).selectFrom('messaging.follows')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('performer_id', '=', performerId).where('created_at', '>', since).executeTakeFirstOrThrow();
  return count;
}
