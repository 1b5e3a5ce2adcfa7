import type { Tx } from '#platform/data/data.ts';
import type { AccountsTables } from '../tables.ts';

const tables = (tx: Tx): ReturnType<typeof tx.sql<AccountsTables>> => tx.sql<AccountsTables>();

/** Saves the link for an operator without an admin; an earlier one ends. */
export async function saveFirstAdminLink(tx: Tx, digest: string, expiresAt: Date): Promise<void> {
  await tables(tx).insertInto('accounts.first_admin_links').values({ digest, expires_at: expiresAt })
    .onConflict((conflict) =>
      conflict.columns(['operator_id']).doUpdateSet({ digest, expires_at: expiresAt })
    )
    .execute();
}

/** Uses up a link; false for a wrong or expired one. */
export async function spendFirstAdminLink(tx: Tx, digest: string): Promise<boolean> {
  const row = await tables(tx).deleteFrom('accounts.first_admin_links').where('digest', '=', digest)
    .where('expires_at', '>', tx.now).returning('digest').executeTakeFirst();
  return row !== undefined;
}

/** Called when there is an admin: no link makes another. */
export async function deleteFirstAdminLinks(tx: Tx): Promise<void> {
  await tables(tx).deleteFrom('accounts.first_admin_links').execute();
}
