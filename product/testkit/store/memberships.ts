import { sql } from 'kysely';
import type { Tx } from '../../../platform/data/data.ts';

/** Memberships that are paid up to some day ended a millisecond ago, as if that day had passed. */
export async function endMemberships(tx: Tx): Promise<void> {
  const ended = new Date(tx.now.getTime() - 1);
  await sql`update billing.memberships set ends_at = ${ended}`.execute(tx.sql());
}
