import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import type { BrowseTables } from './tables.ts';

/** A performer's names and bio in the normal form of searches. */
export interface BioWords {
  readonly performerId: number;
  readonly words: readonly string[];
}

const tables = (tx: Tx): ReturnType<typeof tx.sql<BrowseTables>> => tx.sql<BrowseTables>();

/** PostgreSQL ends a search that takes longer. PGlite cannot; there the index and the limit bound it. */
const SEARCH_LIMIT_MS = 250;

/** Stores the words by which search finds these performers. */
export async function saveBios(tx: Tx, bios: readonly BioWords[]): Promise<void> {
  if (bios.length === 0) return;
  await tables(tx).insertInto('browse.bios')
    .values(bios.map(({ performerId, words }) => ({
      performer_id: performerId,
      words: ` ${words.join(' ')} `,
    })))
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'performer_id'])
        .doUpdateSet((bio) => ({ words: bio.ref('excluded.words') }))
    )
    .execute();
}

/** Whether bios written before the table existed have been filled in. */
export const isFilled = async (tx: Tx): Promise<boolean> =>
  await tables(tx).selectFrom('browse.bio_fills').select('operator_id').executeTakeFirst() !== undefined;

export async function markFilled(tx: Tx): Promise<void> {
  await tables(tx).insertInto('browse.bio_fills').defaultValues()
    .onConflict((conflict) => conflict.doNothing()).execute();
}

/**
 * Performers with every term in some word, at most `most`, unordered. A short term matches the beginning of a
 * word. Throws when PostgreSQL ends the query for taking too long.
 */
export async function findBios(tx: Tx, terms: readonly string[], most: number): Promise<BioWords[]> {
  const patterns = terms.toSorted((a, b) => b.length - a.length)
    .map((term) => (term.length < 3 ? `% ${term}%` : `%${term}%`));
  await sql`select set_config('statement_timeout', ${String(SEARCH_LIMIT_MS)}, true)`.execute(tables(tx));
  const { rows } = await sql<{ performer_id: number; words: string }>`
    select performer_id, words from browse.find_bios(${patterns[0]}, ${patterns}::text[], ${most})`
    .execute(tables(tx));
  return rows.map((row) => ({ performerId: row.performer_id, words: row.words.trim().split(' ') }));
}
