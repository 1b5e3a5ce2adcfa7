import type { Tx } from '#platform/data/data.ts';
import type { SuspensionCause, SuspensionNotice } from '../../rules/staff/suspensions.ts';

interface SuspensionTables {
  'accounts.people': { id: number; suspension_cause: SuspensionCause | null; suspension_message: string };
}

/** Saves what a suspended person reads from now on. */
export async function saveSuspensionNotice(
  tx: Tx, id: number, { cause, message }: SuspensionNotice,
): Promise<void> {
  await tx.sql<SuspensionTables>().updateTable('accounts.people')
    .set({ suspension_cause: cause, suspension_message: message }).where('id', '=', id).execute();
}
