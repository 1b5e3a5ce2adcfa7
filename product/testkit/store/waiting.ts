import { sql } from 'kysely';
import type { Tx } from '../../../platform/data/data.ts';

/** How often it is looked, and how long between: a database of one writer never says that anybody waits. */
const LOOKS = 40;
const PAUSE_SECONDS = 0.025;

/**
 * Resolves when another session waits for a lock of this database: what was begun beside a unit of work has
 * come as far as it can. With one writer it cannot have begun; then this resolves after a second.
 */
export async function untilSomebodyWaits(tx: Tx): Promise<void> {
  for (let look = 0; look < LOOKS; look += 1) {
    const { rows } = await sql`select from pg_locks l, pg_database d
      where d.datname = current_database() and not l.granted and (l.database is null or l.database = d.oid)`
      .execute(tx.sql());
    if (rows.length > 0) return;
    await sql`select pg_sleep(${PAUSE_SECONDS})`.execute(tx.sql());
  }
}
