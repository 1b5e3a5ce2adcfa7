import type { Tx } from '#platform/data/data.ts';
import { MAX_IGNORES } from '../rules/ignores.ts';
import type { MessagingTables } from './tables.ts';

const tables = (tx: Tx) => tx.sql<MessagingTables>();

/** Ids of everybody a person ignores. */
export async function ignoredBy(tx: Tx, personId: number): Promise<readonly number[]> {
  const rows = await tables(tx).selectFrom('messaging.ignores').select('ignored_id')
    .where('person_id', '=', personId).limit(MAX_IGNORES).execute();
  return rows.map(({ ignored_id: id }) => id);
}

/** Newest first, older than `before`. */
export async function findIgnores(tx: Tx, personId: number, limit: number, before: number | null) {
  return tables(tx).selectFrom('messaging.ignores')
    .select(['id', 'ignored_id as ignoredId', 'created_at as since']).where('person_id', '=', personId)
    .$if(before !== null, (query) => query.where('id', '<', before as number))
    .orderBy('id', 'desc').limit(limit).execute();
}

export async function insertIgnore(tx: Tx, personId: number, ignoredId: number): Promise<void> {
  await tables(tx).insertInto('messaging.ignores')
    .values({ person_id: personId, ignored_id: ignoredId, created_at: tx.now }).execute();
}

/** Returns whether there was one. */
export async function deleteIgnore(tx: Tx, personId: number, ignoredId: number): Promise<boolean> {
  const gone = await tables(tx).deleteFrom('messaging.ignores')
    .where('person_id', '=', personId).where('ignored_id', '=', ignoredId)
    .returning('id').executeTakeFirst();
  return gone !== undefined;
}
