import type { Generated } from 'kysely';
import type { Tx } from '../../platform/data/data.ts';
import { RECENT_TIPS_MS } from './rules.ts';

interface TipsTables {
  'tips.recent': {
    operator_id: Generated<number>; tip_id: string; sender_id: number; receiver_id: number; tokens: number;
    at: Date;
  };
}

const tables = (tx: Tx): ReturnType<typeof tx.sql<TipsTables>> => tx.sql<TipsTables>();

const dayBefore = (tx: Tx): Date => new Date(tx.now.getTime() - RECENT_TIPS_MS);

/** Notes a tip and forgets those of the day before; false when it was noted already. */
export async function noteTip(tx: Tx, tip: {
  readonly tipId: string; readonly senderId: number; readonly receiverId: number; readonly tokens: number;
  readonly at: Date;
}): Promise<boolean> {
  await tables(tx).deleteFrom('tips.recent').where('at', '<', dayBefore(tx)).execute();
  const noted = await tables(tx).insertInto('tips.recent')
    .values({
      tip_id: tip.tipId, sender_id: tip.senderId, receiver_id: tip.receiverId, tokens: tip.tokens, at: tip.at,
    })
    .onConflict((conflict) => conflict.columns(['operator_id', 'tip_id']).doNothing())
    .returning('tip_id').executeTakeFirst();
  return noted !== undefined;
}

/** Tokens each of these people tipped a performer in the last 24 h; who tipped nothing is left out. */
export async function sumRecent(
  tx: Tx, senderIds: readonly number[], receiverId: number,
): Promise<ReadonlyMap<number, number>> {
  if (senderIds.length === 0) return new Map();
  const rows = await tables(tx).selectFrom('tips.recent')
    .select((row) => ['sender_id', row.fn.sum<number | string>('tokens').as('tokens')])
    .where('receiver_id', '=', receiverId).where('sender_id', 'in', senderIds)
    .where('at', '>=', dayBefore(tx)).groupBy('sender_id').execute();
  return new Map(rows.map((row) => [row.sender_id, Number(row.tokens)]));
}
