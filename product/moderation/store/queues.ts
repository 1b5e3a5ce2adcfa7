import type { Tx } from '#platform/data/data.ts';
import type { Queue } from '../rules/queues.ts';
import type { ModerationTables } from './tables.ts';

/** The queues that the operator has set, in their order. */
export const selectQueues = (tx: Tx): Promise<Queue[]> =>
  tx.sql<ModerationTables>().selectFrom('moderation.queues').select(['name', 'kinds', 'reasons', 'hours'])
    .orderBy('position').execute();

/** Replaces the queues of the operator. */
export async function replaceQueues(tx: Tx, queues: readonly Queue[]): Promise<void> {
  const table = tx.sql<ModerationTables>();
  await tx.lock('moderation.queues');
  await table.deleteFrom('moderation.queues').execute();
  await table.insertInto('moderation.queues').values(
    queues.map(({ name, kinds, reasons, hours }, position) => ({
      position,
      name,
      hours,
      kinds: [...kinds],
      reasons: [...reasons],
    })),
  ).execute();
}
