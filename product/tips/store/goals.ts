import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { tables } from './schema.ts';

export interface StoredGoal {
  readonly id: number;
  readonly title: string;
  readonly target: number;
  readonly progress: number;
}

/** Goals that are not over, the running one first. */
export async function findGoals(tx: Tx, performerId: number): Promise<StoredGoal[]> {
  return tables(tx).selectFrom('tips.goals').select(['id', 'title', 'target', 'progress'])
    .where('performer_id', '=', performerId).where('ended_at', 'is', null).orderBy('id').execute();
}

/** The running goals of these performers: the first that is not over. */
export async function findRunningGoals(
  tx: Tx,
  performerIds: readonly number[],
): Promise<ReadonlyMap<number, Pick<StoredGoal, 'target' | 'progress'>>> {
  const rows = await tables(tx).selectFrom('tips.goals').distinctOn('performer_id')
    .select(['performer_id', 'target', 'progress'])
    .where('performer_id', '=', sql<number>`any(${[...performerIds]}::bigint[])`)
    .where('ended_at', 'is', null).orderBy('performer_id').orderBy('id').execute();
  return new Map(rows.map(({ performer_id: id, ...goal }) => [id, goal]));
}

/**
 * Tokens that these performers received since a time within the last day. Performers who received none are
 * left out.
 */
export async function sumReceived(
  tx: Tx,
  performerIds: readonly number[],
  since: Date,
): Promise<ReadonlyMap<number, number>> {
  const rows = await tables(tx).selectFrom('tips.recent')
    .select((row) => ['receiver_id', row.fn.sum<number | string>('tokens').as('tokens')])
    .where('receiver_id', '=', sql<number>`any(${[...performerIds]}::bigint[])`)
    .where('at', '>=', since).groupBy('receiver_id').execute();
  return new Map(rows.map((row) => [row.receiver_id, Number(row.tokens)]));
}

export async function insertGoal(
  tx: Tx,
  performerId: number,
  goal: { readonly title: string; readonly target: number },
): Promise<void> {
  await tables(tx).insertInto('tips.goals')
    .values({ performer_id: performerId, ...goal, made_at: tx.now }).execute();
}

export async function saveProgress(
  tx: Tx,
  { id, progress }: Pick<StoredGoal, 'id' | 'progress'>,
  isReached: boolean,
): Promise<void> {
  const over = isReached ? { reached_at: tx.now, ended_at: tx.now } : {};
  await tables(tx).updateTable('tips.goals').set({ progress, ...over }).where('id', '=', id).execute();
}

/** Ends a goal before it is reached; false if it is not the performer's, or is over. */
export async function withdrawGoal(tx: Tx, performerId: number, id: number): Promise<boolean> {
  const row = await tables(tx).updateTable('tips.goals').set({ ended_at: tx.now })
    .where('performer_id', '=', performerId).where('id', '=', id).where('ended_at', 'is', null)
    .returning('id').executeTakeFirst();
  return row !== undefined;
}
