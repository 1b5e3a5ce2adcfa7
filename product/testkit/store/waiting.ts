import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';

/** Attempts and the pause between them. */
const LOOKS = 40;
const PAUSE_SECONDS = 0.025;

/**
 * Resolves when another session waits for a lock of this database: work started concurrently with a unit of
 * work can't proceed any further. With one writer it can't have started, so this resolves at once.
 */
export async function untilSomebodyWaits(tx: Tx): Promise<void> {
  const { rows: [{ name } = { name: '' }] } = await sql<{ name: string }>`select version() as name`
    .execute(tx.sql());
  if (name.includes('PGlite')) return;
  for (let look = 0; look < LOOKS; look += 1) {
    const { rows } = await sql`select from pg_locks l, pg_database d
      where d.datname = current_database() and not l.granted and (l.database is null or l.database = d.oid)`
      .execute(tx.sql());
    if (rows.length > 0) return;
    await sql`select pg_sleep(${PAUSE_SECONDS})`.execute(tx.sql());
  }
}
