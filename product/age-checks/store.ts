import type { Tx } from '#platform/data/data.ts';
import { ENTRIES_PER_PAGE } from './rules.ts';
import type { AgeChecksTables } from './store/tables.ts';

export interface EntryRow {
  readonly id: number;
  readonly text: string;
  readonly at: Date;
}

/** How many entries a person keeps. */
export async function countEntries(tx: Tx, personId: number): Promise<number> {
  const { count } = await tx.sql<AgeChecksTables>().selectFrom('age_checks.entries')
    .select((query) => query.fn.countAll<number>().as('count'))
    .where('person_id', '=', personId).executeTakeFirstOrThrow();
  return count;
}

/** Keeps an entry; the row it became. */
export function insertEntry(tx: Tx, personId: number, text: string): Promise<EntryRow> {
  return tx.sql<AgeChecksTables>().insertInto('age_checks.entries')
    .values({ person_id: personId, text, at: tx.now })
    .returning(['id', 'text', 'at']).executeTakeFirstOrThrow();
}

/** A person's entries, newest first, at most a page, those older than `before`. */
export function selectEntries(tx: Tx, personId: number, before: number | null): Promise<EntryRow[]> {
  return tx.sql<AgeChecksTables>().selectFrom('age_checks.entries')
    .select(['id', 'text', 'at']).where('person_id', '=', personId)
    .$if(before !== null, (query) => query.where('id', '<', before))
    .orderBy('id', 'desc').limit(ENTRIES_PER_PAGE).execute();
}
