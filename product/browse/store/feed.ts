import type { Tx } from '#platform/data/data.ts';
import { FEED_DEPTH, FEED_GAP_MS, FEED_MS, type FeedKind } from '../rules/popular/feed.ts';
import type { BrowseTables } from './tables.ts';

export interface FeedRow {
  readonly id: number;
  readonly kind: FeedKind;
  readonly performerId: number;
  readonly at: Date;
  /** Posts only. */
  readonly postId: number | null;
}

const before = (tx: Tx, ms: number): Date => new Date(tx.now.getTime() - ms);

/** Adds an item, unless it is too old or the performer went live shortly before; deletes old items. */
export async function addToFeed(
  tx: Tx,
  { kind, performerId, gender, at, postId }: Omit<FeedRow, 'id'> & { readonly gender: string },
): Promise<void> {
  const feed = tx.sql<BrowseTables>();
  await feed.deleteFrom('browse.feed').where('at', '<', before(tx, FEED_MS)).execute();
  if (at < before(tx, FEED_MS)) return;
  const recent = postId === null && await feed.selectFrom('browse.feed').select('id')
    .where('performer_id', '=', performerId).where('kind', '=', kind)
    .where('at', '>', new Date(at.getTime() - FEED_GAP_MS)).executeTakeFirst();
  if (recent) return;
  await feed.insertInto('browse.feed')
    .values({ kind, performer_id: performerId, gender, at, post_id: postId }).execute();
}

export async function isInFeed(tx: Tx, postId: number): Promise<boolean> {
  const row = await tx.sql<BrowseTables>().selectFrom('browse.feed').select('id')
    .where('post_id', '=', postId).executeTakeFirst();
  return row !== undefined;
}

/** Removes a post. */
export async function removeFromFeed(tx: Tx, postId: number): Promise<void> {
  await tx.sql<BrowseTables>().deleteFrom('browse.feed').where('post_id', '=', postId).execute();
}

/** The feed of a gender, newest first, up to the limit of feeds. */
export async function listFeed(tx: Tx, gender: string): Promise<readonly FeedRow[]> {
  return tx.sql<BrowseTables>().selectFrom('browse.feed')
    .select(['id', 'kind', 'performer_id as performerId', 'at', 'post_id as postId'])
    .where('gender', '=', gender).where('at', '>=', before(tx, FEED_MS))
    .orderBy('at', 'desc').orderBy('id', 'desc').limit(FEED_DEPTH).execute();
}
