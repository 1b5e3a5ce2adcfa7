import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { tables } from '../store.ts';

/** A day with a million entries takes a minute: longer than a statement of a request may. */
const SEAL_LIMIT_MS = 600_000;

/** Seals every day that is over. */
export async function sealDays(tx: Tx): Promise<void> {
  await sql.raw(`set local statement_timeout = ${SEAL_LIMIT_MS}`).execute(tables(tx));
  await sql`select ledger.seal_days(${tx.now})`.execute(tables(tx));
}
