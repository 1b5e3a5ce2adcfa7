import type { Tx } from '#platform/data/data.ts';
import type { Queue } from '../rules/queues.ts';
import type { ModerationTables } from './tables.ts';

/** The queues that the operator has set, in their order. */
export const selectQueues = (tx: Tx): Promise<Queue[]> =>
  tx.sql<ModerationTables>().selectFrom('moderation.queues').select(['name', 'kinds', 'reasons', 'hours'])
    .orderBy('position').execute();
