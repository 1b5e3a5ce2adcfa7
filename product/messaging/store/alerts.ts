import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import type { MessagingTables } from './tables.ts';

/** Whether to notify the followers now; if so, no other broadcast does until `restMs` have passed. */
export async function takeAlert(tx: Tx, performerId: number, restMs: number): Promise<boolean> {
  const rested = new Date(tx.now.getTime() - restMs);
  const taken = await tx.sql<MessagingTables>().insertInto('messaging.alerts')
    .values({ performer_id: performerId, alerted_at: tx.now })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'performer_id'])
        .doUpdateSet({ alerted_at: tx.now }).where(sql<boolean>`alerts.alerted_at <= ${rested}`)
    )
    .returning('performer_id').executeTakeFirst();
  return taken !== undefined;
}

/** Followers of a performer after a given one, in the order in which they began. */
export async function followersAfter(
  tx: Tx,
  performerId: number,
  afterId: number,
  limit: number,
): Promise<readonly { readonly id: number; readonly viewer_id: number }[]> {
  return tx.sql<MessagingTables>().selectFrom('messaging.follows').select(['id', 'viewer_id'])
    .where('performer_id', '=', performerId).where('id', '>', afterId)
    .orderBy('id').limit(limit).execute();
}
