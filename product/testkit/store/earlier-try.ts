import { sql } from 'kysely';
import type { Tx } from '#platform/data/data.ts';

/**
 * Frees the username that an earlier try of the same test gave to somebody: CI machines try again, and a name
 * that is taken would hide why the first try failed.
 */
export async function freesUsername(tx: Tx, username: string): Promise<void> {
  await sql`
    update accounts.people set username = left(username, 20) || '_' || left(id::text, 8), email = id || email
    where username = ${username}
  `.execute(tx.sql());
}
