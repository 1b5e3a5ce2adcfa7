import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';

/**
 * Frees the username that an earlier attempt of the same test used: CI machines retry, and a taken name
 * would hide why the first attempt failed.
 */
export async function freesUsername(tx: Tx, username: string): Promise<void> {
  await sql`
    update accounts.people set username = left(username, 20) || '_' || left(id::text, 8), email = id || email
    where username = ${username}
  `.execute(tx.sql());
}
