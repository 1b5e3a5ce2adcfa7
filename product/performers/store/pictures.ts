import type { Tx } from '#platform/data/data.ts';
import { namedBlobs } from '#platform/data/database/named-blobs.ts';
import { sql } from 'kysely';
import type { PerformersTables } from './tables.ts';

const tables = (tx: Tx): ReturnType<typeof tx.sql<PerformersTables>> => tx.sql<PerformersTables>();

export interface StoredPicture {
  readonly id: number;
  readonly performerId: number;
  readonly key: string;
  /** Ids: the whole picture, then the thumbnail. */
  readonly blobs: readonly string[];
  readonly width: number;
  readonly height: number;
  readonly caption: string;
}
export type NewPicture = Omit<StoredPicture, 'id' | 'caption'> & { readonly clearanceId: number };

const pictures = (tx: Tx) =>
  tables(tx).selectFrom('performers.pictures')
    .select(['id', 'performer_id as performerId', 'key', 'blobs', 'width', 'height', 'caption']);

/** In their order. */
export const findPictures = (tx: Tx, performerId: number): Promise<StoredPicture[]> =>
  pictures(tx).where('performer_id', '=', performerId).orderBy('position').orderBy('id').execute();

export const findPicture = async (tx: Tx, key: string): Promise<StoredPicture | null> =>
  await pictures(tx).where('key', '=', key).executeTakeFirst() ?? null;

/** Appends a picture. */
export async function insertPicture(
  tx: Tx,
  { performerId, clearanceId, blobs, ...picture }: NewPicture,
  position: number,
): Promise<void> {
  await tables(tx).insertInto('performers.pictures').values({
    ...picture,
    performer_id: performerId,
    clearance_id: clearanceId,
    blobs: [...blobs],
    position,
    created_at: tx.now,
  }).execute();
}

export async function updatePicture(
  tx: Tx,
  id: number,
  { position, caption }: { readonly position: number; readonly caption: string },
): Promise<void> {
  await tables(tx).updateTable('performers.pictures').set({ position, caption })
    .where('id', '=', id).execute();
}

export async function deletePictures(tx: Tx, ids: readonly number[]): Promise<void> {
  await tables(tx).deleteFrom('performers.pictures')
    .where('id', '=', sql<number>`any(${[...ids]}::bigint[])`).execute();
}

/** The pictures of this slice, which the blob sweep must not remove. */
export const pictureBlobs = [namedBlobs({ table: 'performers.pictures', column: 'blobs', many: true })];
