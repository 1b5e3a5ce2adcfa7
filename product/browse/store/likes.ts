import type { Tx } from '#platform/data/data.ts';
import { dayOf } from '#platform/time/days.ts';
import { sql } from 'kysely';
import { ALL_TIME, BOARD_DEPTH, boardDays, monthOf, pastMonths } from '../rules/popular/likes.ts';
import type { BrowseTables } from './tables.ts';

const tables = (tx: Tx): ReturnType<typeof tx.sql<BrowseTables>> => tx.sql<BrowseTables>();

export interface LikeCount {
  readonly performerId: number;
  readonly likes: number;
}

/** Serializes likes of one person, so that two at once cannot both be the last of the day. */
export async function lockLiker(tx: Tx, likerId: number): Promise<void> {
  await tx.lock('browse.likes', likerId);
}

/** Performers whom somebody liked today. */
export async function likedOn(tx: Tx, likerId: number, day: string): Promise<readonly number[]> {
  const rows = await tables(tx).selectFrom('browse.likes').select('performer_id')
    .where('liker_id', '=', likerId).where('day', '=', day).execute();
  return rows.map((row) => row.performer_id);
}

/** Number of likes that somebody gave since the first of a month. */
export async function givenSince(tx: Tx, likerId: number, month: string): Promise<number> {
  const { given } = await tables(tx).selectFrom('browse.likes')
    .select(sql<number>`count(*)`.as('given'))
    .where('liker_id', '=', likerId).where('day', '>=', `${month}-01`).executeTakeFirstOrThrow();
  return given;
}

/**
 * Stores and counts a like of today; deletes what no board shows any more.
 * @returns the performer's likes this month
 */
export async function addLike(
  tx: Tx,
  likerId: number,
  performer: { readonly id: number; readonly gender: string | null },
): Promise<number> {
  const [day, month] = [dayOf(tx.now), monthOf(tx.now)];
  await tables(tx).deleteFrom('browse.likes').where('liker_id', '=', likerId)
    .where('day', '<', `${month}-01`).execute();
  await tables(tx).insertInto('browse.likes')
    .values({ liker_id: likerId, performer_id: performer.id, day, at: tx.now }).execute();
  const oldest = { day: boardDays(tx.now).at(-1) ?? day, month: pastMonths(tx.now).at(-1) ?? month };
  await tables(tx).deleteFrom('browse.like_counts').where('performer_id', '=', performer.id)
    .where('period', '!=', ALL_TIME).where((row) =>
      row.or([
        row.and([row(sql`length(period)`, '=', day.length), row('period', '<', oldest.day)]),
        row.and([row(sql`length(period)`, '=', month.length), row('period', '<', oldest.month)]),
      ])
    ).execute();
  const counted = await tables(tx).insertInto('browse.like_counts')
    .values([day, month, ALL_TIME].map((period) => ({
      performer_id: performer.id,
      period,
      gender: performer.gender,
      likes: 1,
      reached_at: tx.now,
    })))
    .onConflict((conflict) =>
      conflict
        .columns(['operator_id', 'performer_id', 'period']).doUpdateSet((row) => ({
          likes: sql<number>`browse.like_counts.likes + 1`,
          reached_at: tx.now,
          gender: row.ref('excluded.gender'),
        }))
    )
    .returning(['period', 'likes']).execute();
  return counted.find(({ period }) => period === month)?.likes ?? 0;
}

/** Performers with most likes in a period, most first, up to the limit of boards. */
export async function boardOf(tx: Tx, period: string, gender: string | null): Promise<readonly LikeCount[]> {
  let rows = tables(tx).selectFrom('browse.like_counts').select(['performer_id as performerId', 'likes'])
    .where('period', '=', period).orderBy('likes', 'desc').orderBy('reached_at').orderBy('performer_id')
    .limit(BOARD_DEPTH);
  if (gender !== null) rows = rows.where('gender', '=', gender);
  return rows.execute();
}

/** The same of the last thirty days together. */
export async function boardOfDays(tx: Tx, gender: string): Promise<readonly LikeCount[]> {
  return tables(tx).selectFrom('browse.like_counts')
    .select(['performer_id as performerId', sql<number>`sum(likes)::bigint`.as('likes')])
    .where('period', 'in', [...boardDays(tx.now)]).where('gender', '=', gender)
    .groupBy('performer_id').orderBy(sql`sum(likes)`, 'desc').orderBy(sql`max(reached_at)`)
    .orderBy('performer_id').limit(BOARD_DEPTH).execute();
}

/** Winners of past months, newest first. */
export async function pastWinners(tx: Tx): Promise<readonly (LikeCount & { readonly month: string })[]> {
  return tables(tx).selectFrom('browse.like_counts').distinctOn('period')
    .select(['period as month', 'performer_id as performerId', 'likes'])
    .where('period', 'in', [...pastMonths(tx.now)])
    .orderBy('period', 'desc').orderBy('likes', 'desc').orderBy('reached_at').orderBy('performer_id')
    .execute();
}
