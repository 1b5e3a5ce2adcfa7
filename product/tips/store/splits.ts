import type { Tx } from '#platform/data/data.ts';
import type { SplitMode, SplitReason } from '../rules/split.ts';
import { tables } from './schema.ts';

export interface Splitter {
  readonly personId: number;
  readonly tokens: number;
}
/** The last split of a performer. */
export interface StoredSplit {
  readonly splitId: string;
  readonly proposerId: number | null;
  readonly total: number;
  readonly people: number;
  readonly mode: SplitMode;
  readonly reason: SplitReason | null;
  readonly endsAt: Date;
  /** In the order in which they joined. */
  readonly splitters: readonly Splitter[];
}

export async function findSplit(tx: Tx, performerId: number): Promise<StoredSplit | null> {
  const row = await tables(tx).selectFrom('tips.splits')
    .select([
      'split_id as splitId',
      'proposer_id as proposerId',
      'total',
      'people',
      'mode',
      'reason',
      'ends_at as endsAt',
    ]).where('performer_id', '=', performerId).executeTakeFirst();
  if (!row) return null;
  const splitters = await tables(tx).selectFrom('tips.splitters').select(['person_id as personId', 'tokens'])
    .where('performer_id', '=', performerId).orderBy('place').execute();
  return { ...row, splitters };
}

/** Stores a split, replacing the previous one. */
export async function saveSplit(tx: Tx, performerId: number, split: StoredSplit): Promise<void> {
  const values = {
    split_id: split.splitId,
    proposer_id: split.proposerId,
    total: split.total,
    people: split.people,
    mode: split.mode,
    reason: split.reason,
    started_at: tx.now,
    ends_at: split.endsAt,
  };
  const { started_at: _, ...changed } = values;
  await tables(tx).insertInto('tips.splits').values({ performer_id: performerId, ...values })
    .onConflict((conflict) => conflict.columns(['operator_id', 'performer_id']).doUpdateSet(changed))
    .execute();
  await tables(tx).deleteFrom('tips.splitters').where('performer_id', '=', performerId).execute();
  if (split.splitters.length === 0) return;
  await tables(tx).insertInto('tips.splitters').values(
    split.splitters.map(({ personId, tokens }, at) => ({
      performer_id: performerId,
      person_id: personId,
      tokens,
      place: at + 1,
    })),
  ).execute();
}
