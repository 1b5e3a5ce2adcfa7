import type { Tx } from '#platform/data/data.ts';
import type { SuspensionNotice } from '../../rules/staff/suspensions.ts';
import type { AccountsTables } from '../tables.ts';

/** Saves what a suspended person reads from now on. */
export async function saveSuspensionNotice(
  tx: Tx,
  id: number,
  { cause, message }: SuspensionNotice,
): Promise<void> {
  await tx.sql<AccountsTables>().updateTable('accounts.people')
    .set({ suspension_cause: cause, suspension_message: message }).where('id', '=', id).execute();
}
