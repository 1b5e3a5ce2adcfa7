import type { Tx } from '#platform/data/data.ts';
import type { BrowseTables } from './tables.ts';

/** A search that a member saved. */
export interface SearchRow {
  readonly id: number;
  readonly person_id: number;
  readonly name: string;
  readonly query: string;
  readonly notify: boolean;
  readonly region: string;
  readonly created_at: Date;
}

/** Serializes changes of a member's searches; held until the unit of work ends. */
export async function lockSearches(tx: Tx, personId: number): Promise<void> {
  await tx.lock('browse.searches', personId);
}

/** A member's searches, newest first. */
export async function findSearches(tx: Tx, personId: number): Promise<SearchRow[]> {
  return tx.sql<BrowseTables>().selectFrom('browse.searches')
    .select(['id', 'person_id', 'name', 'query', 'notify', 'region', 'created_at'])
    .where('person_id', '=', personId).orderBy('id', 'desc').execute();
}

/** Replaces the member's search of the same name. */
export async function insertSearch(tx: Tx, row: Omit<SearchRow, 'id'>): Promise<void> {
  await tx.sql<BrowseTables>().deleteFrom('browse.searches')
    .where('person_id', '=', row.person_id).where('name', '=', row.name).execute();
  await tx.sql<BrowseTables>().insertInto('browse.searches').values(row).execute();
}

/** Returns whether the member had this search. */
export async function removeSearch(tx: Tx, personId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.sql<BrowseTables>().deleteFrom('browse.searches')
    .where('person_id', '=', personId).where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Searches whose members want to be notified, in the order of their ids. */
export async function pageOfNotified(tx: Tx, afterId: number, limit: number): Promise<SearchRow[]> {
  return tx.sql<BrowseTables>().selectFrom('browse.searches')
    .select(['id', 'person_id', 'name', 'query', 'notify', 'region', 'created_at'])
    .where('notify', '=', true).where('id', '>', afterId).orderBy('id').limit(limit).execute();
}
