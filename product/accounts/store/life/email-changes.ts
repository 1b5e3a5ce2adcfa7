import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { findOwner, lockAddress } from '../../store.ts';
import type { AccountsTables } from '../tables.ts';

/** The address somebody wants instead of theirs; null where none waits. */
export async function pendingEmailOf(tx: Tx, personId: number): Promise<string | null> {
  const row = await tx.sql<AccountsTables>().selectFrom('accounts.email_changes').select('email')
    .where('person_id', '=', personId).executeTakeFirst();
  return row?.email ?? null;
}

/** Stores the address that waits to be confirmed, in place of an earlier one. */
export async function savePendingEmail(tx: Tx, personId: number, email: string): Promise<void> {
  await tx.sql<AccountsTables>().insertInto('accounts.email_changes')
    .values({ person_id: personId, email, asked_at: tx.now })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'person_id'])
        .doUpdateSet({ email, asked_at: tx.now })
    )
    .execute();
}

export async function deletePendingEmail(tx: Tx, personId: number): Promise<void> {
  await tx.sql<AccountsTables>().deleteFrom('accounts.email_changes').where('person_id', '=', personId)
    .execute();
}

/**
 * Makes the waiting address the person's own, confirmed. False when another address waits by now, or this one
 * became somebody else's. Password links sent to the address before end.
 */
export async function takePendingEmail(tx: Tx, personId: number, email: string): Promise<boolean> {
  await lockAddress(tx, email);
  const owner = await findOwner(tx, email);
  if (owner && owner.id !== personId) return false;
  const { rows } = await sql`delete from accounts.email_changes
    where person_id = ${personId} and email = ${email} returning 1`.execute(tx.sql<AccountsTables>());
  if (rows.length === 0) return false;
  await tx.sql<AccountsTables>().updateTable('accounts.people').set({ email, email_confirmed_at: tx.now })
    .where('id', '=', personId).execute();
  await tx.sql<AccountsTables>().deleteFrom('accounts.password_resets').where('person_id', '=', personId)
    .execute();
  return true;
}

/**
 * Restores an address that was somebody's; returns whether it counts as confirmed.
 * @param mayConfirm false where its mailbox has as many accounts as it may
 */
export async function putBackEmail(
  tx: Tx,
  personId: number,
  email: string,
  mayConfirm: boolean,
): Promise<boolean> {
  await lockAddress(tx, email);
  const owner = await findOwner(tx, email);
  const isConfirmed = mayConfirm && (owner === null || owner.id === personId);
  await tx.sql<AccountsTables>().updateTable('accounts.people')
    .set({ email, email_confirmed_at: isConfirmed ? tx.now : null }).where('id', '=', personId).execute();
  return isConfirmed;
}

/** Number of a mailbox's confirmed or unconfirmed accounts. @param besides a person not to count */
export async function countOfMailbox(
  tx: Tx,
  mailbox: string,
  { isConfirmed, besides }: { readonly isConfirmed: boolean; readonly besides: number | null },
): Promise<number> {
  const { count } = await tx.sql<AccountsTables>().selectFrom('accounts.people')
    .select((select) => select.fn.countAll<number>().as('count')).where('mailbox', '=', mailbox)
    .where('email_confirmed_at', isConfirmed ? 'is not' : 'is', null)
    .$if(besides !== null, (query) => query.where('id', '!=', besides as number))
    .executeTakeFirstOrThrow();
  return count;
}
