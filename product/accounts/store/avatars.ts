import type { Tx } from '#platform/data/data.ts';
import { namedBlobs } from '#platform/data/database/named-blobs.ts';
import type { AccountsTables } from './tables.ts';

const tables = (tx: Tx): ReturnType<typeof tx.sql<AccountsTables>> => tx.sql<AccountsTables>();

/** A stored avatar. */
export interface StoredAvatar {
  readonly personId: number;
  readonly key: string;
  /** Ids, largest size first. */
  readonly blobs: readonly string[];
}

export async function findAvatar(tx: Tx, key: string): Promise<StoredAvatar | null> {
  return await tables(tx).selectFrom('accounts.avatars').select(['person_id as personId', 'key', 'blobs'])
    .where('key', '=', key).executeTakeFirst() ?? null;
}

/** Id of the blob of somebody's avatar, in its largest size; null without one. */
export async function avatarBlob(tx: Tx, personId: number): Promise<string | null> {
  const row = await tables(tx).selectFrom('accounts.avatars').select('blobs')
    .where('person_id', '=', personId).executeTakeFirst();
  return row?.blobs[0] ?? null;
}

/** Deadline that removes the blobs of a replaced avatar, after the unit of work that replaced it. */
export const AVATAR_REMOVAL = 'accounts.avatarRemoval';

/** Replaces the avatar of a locked person, and its URL; returns the one before. Null means none. */
export async function replaceAvatar(
  tx: Tx,
  personId: number,
  next: Omit<StoredAvatar, 'personId'> | null,
  address: string | null,
): Promise<StoredAvatar | null> {
  const before = await tables(tx).deleteFrom('accounts.avatars').where('person_id', '=', personId)
    .returning(['person_id as personId', 'key', 'blobs']).executeTakeFirst();
  if (next) {
    await tables(tx).insertInto('accounts.avatars')
      .values({ person_id: personId, key: next.key, blobs: [...next.blobs] }).execute();
  }
  await tables(tx).updateTable('accounts.people').set({ avatar_url: address })
    .where('id', '=', personId).execute();
  return before ?? null;
}

/** The blobs of this slice that the sweep must not delete. */
export const avatarBlobs = [namedBlobs({ table: 'accounts.avatars', column: 'blobs', many: true })];
