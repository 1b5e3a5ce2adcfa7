import type { Tx } from '#platform/data/data.ts';
import { namedBlobs } from '#platform/data/database/named-blobs.ts';
import { sql, type Selectable } from 'kysely';
import { POSTS_PAGE, type PostAudience } from '../rules/posts.ts';
import type { FanclubsTables } from './tables.ts';

const tables = (tx: Tx): ReturnType<typeof tx.sql<FanclubsTables>> => tx.sql<FanclubsTables>();

/** The picture of a post as stored. */
export interface PostPicture {
  readonly key: string;
  readonly blob: string;
  readonly width: number;
  readonly height: number;
}
export interface StoredPost {
  readonly id: number;
  readonly performerId: number;
  readonly audience: PostAudience;
  readonly body: string;
  readonly isPinned: boolean;
  readonly at: Date;
  readonly changedAt: Date | null;
  /** Increases with each change. */
  readonly revision: number;
  readonly picture: PostPicture | null;
}

function storedOf(row: Selectable<FanclubsTables['fanclubs.posts']>): StoredPost {
  const { picture_key: key, picture_blob: blob, picture_width: width, picture_height: height } = row;
  return {
    id: row.id,
    performerId: row.performer_id,
    audience: row.audience,
    body: row.body,
    isPinned: row.is_pinned,
    at: row.created_at,
    changedAt: row.changed_at,
    revision: row.revision,
    picture: key === null || blob === null || width === null || height === null
      ? null
      : { key, blob, width, height },
  };
}

/** Serializes changes to a performer's posts: their limit holds, and at most one is pinned. */
export async function lockPosts(tx: Tx, performerId: number): Promise<void> {
  await tx.lock('fanclubs.posts', performerId);
}

const posts = (tx: Tx) => tables(tx).selectFrom('fanclubs.posts').selectAll();

/** A page of posts that are not pinned, newest first, with one more if there is another page. */
export async function postsBefore(
  tx: Tx,
  performerId: number,
  before: number | undefined,
): Promise<readonly StoredPost[]> {
  let query = posts(tx).where('performer_id', '=', performerId).where('is_pinned', '=', false);
  if (before !== undefined) query = query.where('id', '<', before);
  return (await query.orderBy('id', 'desc').limit(POSTS_PAGE + 1).execute()).map(storedOf);
}

export async function findPinned(tx: Tx, performerId: number): Promise<StoredPost | null> {
  const row = await posts(tx).where('performer_id', '=', performerId).where('is_pinned', '=', true)
    .executeTakeFirst();
  return row ? storedOf(row) : null;
}

export async function findPost(tx: Tx, id: number): Promise<StoredPost | null> {
  const row = await posts(tx).where('id', '=', id).executeTakeFirst();
  return row ? storedOf(row) : null;
}

export async function findByPicture(tx: Tx, key: string): Promise<StoredPost | null> {
  const row = await posts(tx).where('picture_key', '=', key).executeTakeFirst();
  return row ? storedOf(row) : null;
}

const publicAmong = (tx: Tx, ids: readonly number[]) =>
  tables(tx).selectFrom('fanclubs.posts').where('id', '=', sql<number>`any(${[...ids]}::bigint[])`)
    .where('audience', '=', 'everyone')
    .where(
      'performer_id',
      'in',
      tables(tx).selectFrom('fanclubs.clubs').select('performer_id')
        .where('enabled', '=', true),
    );

/** Which of these posts are for everybody and belong to an open club. */
export async function findPublicIds(tx: Tx, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  return new Set((await publicAmong(tx, ids).select('id').execute()).map(({ id }) => id));
}

/** The same, with their contents. */
export async function findPublic(tx: Tx, ids: readonly number[]): Promise<readonly StoredPost[]> {
  return ids.length === 0 ? [] : (await publicAmong(tx, ids).selectAll().execute()).map(storedOf);
}

export async function countPosts(tx: Tx, performerId: number): Promise<number> {
  const { count } = await tables(tx).selectFrom('fanclubs.posts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('performer_id', '=', performerId).executeTakeFirstOrThrow();
  return count;
}

export async function insertPost(
  tx: Tx,
  { performerId, clearanceId, audience, body }: {
    readonly performerId: number;
    readonly clearanceId: number;
    readonly audience: PostAudience;
    readonly body: string;
  },
): Promise<StoredPost> {
  return storedOf(
    await tables(tx).insertInto('fanclubs.posts').values({
      performer_id: performerId,
      clearance_id: clearanceId,
      audience,
      body,
      created_at: tx.now,
    }).returningAll().executeTakeFirstOrThrow(),
  );
}

/** Omitted fields stay as they are. */
export interface PostUpdate {
  readonly audience?: PostAudience;
  readonly body?: string;
  readonly changedAt?: Date;
  /** The clearance under which the text is published. */
  readonly clearanceId?: number;
  readonly isPinned?: boolean;
  /** The picture with the current clearance; null removes it. */
  readonly picture?: (PostPicture & { readonly clearanceId: number }) | null;
}

/** Changes a post of a performer; throws if it is not theirs. */
export async function updatePost(
  tx: Tx,
  { id, performerId }: Pick<StoredPost, 'id' | 'performerId'>,
  { audience, body, changedAt, clearanceId, isPinned, picture }: PostUpdate,
): Promise<StoredPost> {
  return storedOf(
    await tables(tx).updateTable('fanclubs.posts').set({
      revision: sql<number>`revision + 1`,
      ...(audience === undefined ? {} : { audience }),
      ...(body === undefined ? {} : { body }),
      ...(changedAt === undefined ? {} : { changed_at: changedAt }),
      ...(clearanceId === undefined ? {} : { clearance_id: clearanceId }),
      ...(isPinned === undefined ? {} : { is_pinned: isPinned }),
      ...(picture === undefined ? {} : {
        picture_key: picture?.key ?? null,
        picture_blob: picture?.blob ?? null,
        picture_width: picture?.width ?? null,
        picture_height: picture?.height ?? null,
        ...(picture ? { clearance_id: picture.clearanceId } : {}),
      }),
    }).where('id', '=', id).where('performer_id', '=', performerId)
      .returningAll().executeTakeFirstOrThrow(),
  );
}

/** Unpins the performer's other posts. */
export async function unpinOthers(tx: Tx, performerId: number, id: number): Promise<void> {
  await tables(tx).updateTable('fanclubs.posts').set({ is_pinned: false })
    .where('performer_id', '=', performerId).where('is_pinned', '=', true).where('id', '<>', id).execute();
}

export async function removePost(
  tx: Tx,
  { id, performerId }: Pick<StoredPost, 'id' | 'performerId'>,
): Promise<void> {
  await tables(tx).deleteFrom('fanclubs.posts').where('id', '=', id)
    .where('performer_id', '=', performerId).execute();
}

/** The pictures of this slice, which the sweep of blobs must not delete. */
export const postBlobs = [namedBlobs({ table: 'fanclubs.posts', column: 'picture_blob', many: false })];
