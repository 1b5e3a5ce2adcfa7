import type { Tx } from '#platform/data/data.ts';
import type { Selectable } from 'kysely';
import { EFFECTS_RETAINED_MS } from '../rules.ts';
import { tables, type EffectRow } from './schema.ts';

export type StoredEffect = Selectable<EffectRow>;
export type NewEffect =
  & Pick<
    StoredEffect,
    'performer_id' | 'source' | 'kind' | 'title' | 'tokens' | 'comment' | 'sender_name'
  >
  & Partial<Pick<StoredEffect, 'show_chat'>>;

/** Stores a waiting effect, and deletes old ones; null if its source has made one already. */
export async function insertEffect(tx: Tx, effect: NewEffect): Promise<StoredEffect | null> {
  await tables(tx).deleteFrom('tips.effects').where('performer_id', '=', effect.performer_id)
    .where('at', '<', new Date(tx.now.getTime() - EFFECTS_RETAINED_MS)).execute();
  const row = await tables(tx).insertInto('tips.effects')
    .values({ ...effect, state: 'waiting', at: tx.now })
    .onConflict((conflict) => conflict.columns(['operator_id', 'source', 'kind']).doNothing())
    .returningAll().executeTakeFirst();
  return row ?? null;
}

/** An effect, locked until the unit ends. */
export async function lockEffect(tx: Tx, id: number): Promise<StoredEffect | null> {
  const row = await tables(tx).selectFrom('tips.effects').selectAll().where('id', '=', id).forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

export async function changeEffect(
  tx: Tx,
  id: number,
  changed: Partial<Pick<StoredEffect, 'state' | 'tries' | 'done_at'>>,
): Promise<StoredEffect> {
  return tables(tx).updateTable('tips.effects').set(changed).where('id', '=', id).returningAll()
    .executeTakeFirstOrThrow();
}

export async function findEffects(
  tx: Tx,
  performerId: number,
  before: number | undefined,
  limit: number,
): Promise<StoredEffect[]> {
  let rows = tables(tx).selectFrom('tips.effects').selectAll().where('performer_id', '=', performerId)
    .orderBy('id', 'desc').limit(limit);
  if (before !== undefined) rows = rows.where('id', '<', before);
  return rows.execute();
}
