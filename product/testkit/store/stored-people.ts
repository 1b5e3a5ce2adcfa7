import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';

/** Stores a display name as it was before names were checked. */
export async function storesDisplayName(tx: Tx, personId: number, name: string): Promise<void> {
  await sql`update accounts.people set display_name = ${name} where id = ${personId}`.execute(tx.sql());
}

/** Everybody's email addresses. */
export async function storedAddresses(tx: Tx): Promise<string[]> {
  const { rows } = await sql<{ email: string }>`
    select email from accounts.people order by id`.execute(tx.sql());
  return rows.map(({ email }) => email);
}

/** Removes every role, as somebody else may do at any moment, without using the person's session. */
export async function takesRoles(tx: Tx, personId: number): Promise<void> {
  await sql`update accounts.people set roles = '{}' where id = ${personId}`.execute(tx.sql());
}

/** What the audit log says was done to somebody, in order. */
export async function auditedActions(tx: Tx, personId: number): Promise<string[]> {
  const { rows } = await sql<{ action: string }>`
    select action from platform.audit where subject = ${`person:${personId}`} order by id`.execute(tx.sql());
  return rows.map(({ action }) => action);
}

/** The text of the last message to an address or a number; '' for none. */
export async function lastMessageTo(tx: Tx, to: string): Promise<string> {
  const { rows } = await sql<{ body: string }>`select body from notices.outbox
    where recipient = ${to} order by id desc limit 1`.execute(tx.sql());
  return rows[0]?.body ?? '';
}

/** Takes the address of somebody whose account came without one. */
export async function takesEmail(tx: Tx, personId: number): Promise<void> {
  await sql`update accounts.people set email = '', email_confirmed_at = null
    where id = ${personId}`.execute(tx.sql());
}
