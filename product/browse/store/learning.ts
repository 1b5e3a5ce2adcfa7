import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { LEARNED_MS, MAX_LEARNED, type Learned } from '../rules/learning.ts';
import type { BrowseTables } from './tables.ts';

/** A person's choices; `learns` is null if they made none. */
export interface LearningChoice {
  readonly learns: boolean | null;
  readonly isShown: boolean;
  /** Time in a room before this does not count. */
  readonly countsFrom: Date | null;
}

/** Everything learned about one person, by performer and by tag. */
export interface AllLearned {
  readonly performers: ReadonlyMap<number, Learned>;
  readonly tags: ReadonlyMap<string, Learned>;
}

const tables = (tx: Tx): ReturnType<typeof tx.sql<BrowseTables>> => tx.sql<BrowseTables>();
const oldest = (tx: Tx): Date => new Date(tx.now.getTime() - LEARNED_MS);

/** Serializes changes to what is learned about one person: nothing is written once it is off. */
export async function lockLearning(tx: Tx, viewerId: number): Promise<void> {
  await tx.lock('browse.learning', viewerId);
}

export async function findLearningChoice(tx: Tx, viewerId: number): Promise<LearningChoice> {
  const row = await tables(tx).selectFrom('browse.learning_settings')
    .select(['learns', 'is_shown', 'counts_from']).where('viewer_id', '=', viewerId).executeTakeFirst();
  return {
    learns: row?.learns ?? null,
    isShown: row?.is_shown ?? true,
    countsFrom: row?.counts_from ?? null,
  };
}

/** Saves the given values; the rest stays unchanged. */
export async function saveLearningChoice(
  tx: Tx,
  viewerId: number,
  { learns, isShown, countsFrom }: Partial<LearningChoice>,
): Promise<void> {
  const set = {
    ...(learns === undefined ? {} : { learns }),
    ...(isShown === undefined ? {} : { is_shown: isShown }),
    ...(countsFrom === undefined ? {} : { counts_from: countsFrom }),
  };
  await tables(tx).insertInto('browse.learning_settings')
    .values({ viewer_id: viewerId, learns: null, counts_from: null, ...set })
    .onConflict((conflict) => {
      const known = conflict.columns(['operator_id', 'viewer_id']);
      return Object.keys(set).length === 0 ? known.doNothing() : known.doUpdateSet(set);
    }).execute();
}

/** Everything learned that is not too old. */
export async function findLearned(tx: Tx, viewerId: number): Promise<AllLearned> {
  const performers = await tables(tx).selectFrom('browse.learned_performers')
    .select(['performer_id', 'seconds', 'counted_until'])
    .where('viewer_id', '=', viewerId).where('counted_until', '>', oldest(tx)).execute();
  const tags = await tables(tx).selectFrom('browse.learned_tags')
    .select(['tag', 'seconds', 'counted_until'])
    .where('viewer_id', '=', viewerId).where('counted_until', '>', oldest(tx)).execute();
  return {
    performers: new Map(performers.map((row) => [row.performer_id, learnedOf(row)])),
    tags: new Map(tags.map((row) => [row.tag, learnedOf(row)])),
  };
}

const learnedOf = (row: { readonly seconds: number; readonly counted_until: Date }): Learned => ({
  seconds: row.seconds,
  countedUntil: row.counted_until,
});

/** Stores what is learned about one performer and the room's tags; deletes what exceeds the limits. */
export async function saveLearned(
  tx: Tx,
  viewerId: number,
  performerId: number,
  performer: Learned,
  tags: ReadonlyMap<string, Learned>,
): Promise<void> {
  const rowOf = ({ seconds, countedUntil }: Learned) => ({ seconds, counted_until: countedUntil });
  await tables(tx).insertInto('browse.learned_performers')
    .values({ viewer_id: viewerId, performer_id: performerId, ...rowOf(performer) })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'viewer_id', 'performer_id'])
        .doUpdateSet(rowOf(performer))
    ).execute();
  for (const [tag, learned] of tags) {
    await tables(tx).insertInto('browse.learned_tags')
      .values({ viewer_id: viewerId, tag, ...rowOf(learned) })
      .onConflict((conflict) =>
        conflict.columns(['operator_id', 'viewer_id', 'tag'])
          .doUpdateSet(rowOf(learned))
      ).execute();
  }
  await deleteBeyond(tx, viewerId);
}

async function deleteBeyond(tx: Tx, viewerId: number): Promise<void> {
  const performers = tables(tx).selectFrom('browse.learned_performers').select('performer_id')
    .where('viewer_id', '=', viewerId).orderBy('counted_until', 'desc').orderBy('performer_id', 'desc')
    .offset(MAX_LEARNED.performers);
  await tables(tx).deleteFrom('browse.learned_performers')
    .where('viewer_id', '=', viewerId).where('performer_id', 'in', performers).execute();
  const tags = tables(tx).selectFrom('browse.learned_tags').select('tag')
    .where('viewer_id', '=', viewerId).orderBy('counted_until', 'desc').orderBy('tag')
    .offset(MAX_LEARNED.tags);
  await tables(tx).deleteFrom('browse.learned_tags')
    .where('viewer_id', '=', viewerId).where('tag', 'in', tags).execute();
}

export async function deleteLearnedPerformer(tx: Tx, viewerId: number, performerId: number): Promise<void> {
  await tables(tx).deleteFrom('browse.learned_performers')
    .where('viewer_id', '=', viewerId).where('performer_id', '=', performerId).execute();
}

export async function deleteLearnedTag(tx: Tx, viewerId: number, tag: string): Promise<void> {
  await tables(tx).deleteFrom('browse.learned_tags')
    .where('viewer_id', '=', viewerId).where('tag', '=', tag).execute();
}

/** Deletes everything learned about somebody. */
export async function deleteLearned(tx: Tx, viewerId: number): Promise<void> {
  await tables(tx).deleteFrom('browse.learned_performers').where('viewer_id', '=', viewerId).execute();
  await tables(tx).deleteFrom('browse.learned_tags').where('viewer_id', '=', viewerId).execute();
}

/** When the oldest row will be too old; null without one. */
export async function learnedExpiry(tx: Tx, viewerId: number): Promise<Date | null> {
  const { rows: [row] } = await sql<{ readonly at: Date | null }>`
    select min(counted_until) as at from (
      select counted_until from browse.learned_performers where viewer_id = ${viewerId}
      union all select counted_until from browse.learned_tags where viewer_id = ${viewerId}
    ) as learned`.execute(tables(tx));
  return row?.at ? new Date(row.at.getTime() + LEARNED_MS) : null;
}

export async function deleteOldLearned(tx: Tx, viewerId: number): Promise<void> {
  await tables(tx).deleteFrom('browse.learned_performers')
    .where('viewer_id', '=', viewerId).where('counted_until', '<=', oldest(tx)).execute();
  await tables(tx).deleteFrom('browse.learned_tags')
    .where('viewer_id', '=', viewerId).where('counted_until', '<=', oldest(tx)).execute();
}
