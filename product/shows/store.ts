import type { Tx } from '#platform/data/data.ts';
import { dayOf } from '#platform/time/days.ts';
import { sql } from 'kysely';
import { VOTES_COUNT_MS, type RatingToday, type Vote, type Votes } from './rules/ratings.ts';
import type { ShowsTables } from './store/tables.ts';

const tables = (tx: Tx): ReturnType<typeof tx.sql<ShowsTables>> => tx.sql<ShowsTables>();

/** Stores a viewer's vote for today (UTC), replacing an earlier vote of the same day. */
export async function saveVote(tx: Tx, performerId: number, viewerId: number, vote: Vote): Promise<void> {
  const said = { is_up: vote === 'RATE_UP', voted_at: tx.now };
  await tables(tx).insertInto('shows.votes')
    .values({ performer_id: performerId, viewer_id: viewerId, day: dayOf(tx.now), ...said })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'performer_id', 'viewer_id', 'day']).doUpdateSet(said)
    )
    .execute();
}

/** A viewer's vote on a performer today (UTC). */
export async function voteOfToday(tx: Tx, performerId: number, viewerId: number): Promise<RatingToday> {
  const row = await tables(tx).selectFrom('shows.votes').select('is_up')
    .where('performer_id', '=', performerId).where('viewer_id', '=', viewerId)
    .where('day', '=', dayOf(tx.now)).executeTakeFirst();
  if (!row) return 'RATE_NO';
  return row.is_up ? 'RATE_UP' : 'RATE_DOWN';
}

/**
 * The newest vote of each viewer within the period that counts, by performer; performers without votes are
 * left out.
 * @param ofPrivates only votes by viewers whose private show with the performer had begun by then
 */
export async function countVotes(
  tx: Tx,
  performerIds: readonly number[],
  ofPrivates = false,
): Promise<ReadonlyMap<number, Votes>> {
  if (performerIds.length === 0) return new Map();
  const since = dayOf(new Date(tx.now.getTime() - VOTES_COUNT_MS));
  const newest = tables(tx).selectFrom('shows.votes').distinctOn(['performer_id', 'viewer_id'])
    .select(['performer_id', 'is_up'])
    .where('performer_id', 'in', [...performerIds]).where('day', '>', since)
    .$if(
      ofPrivates,
      (query) =>
        query.where((of) =>
          of.exists(
            of.selectFrom('shows.privates as show').select('show.id')
              .whereRef('show.performer_id', '=', 'shows.votes.performer_id')
              .whereRef('show.viewer_id', '=', 'shows.votes.viewer_id')
              .where('show.phase', '=', 'ended').whereRef('show.started_at', '<=', 'shows.votes.voted_at'),
          )
        ),
    )
    .orderBy('performer_id').orderBy('viewer_id').orderBy('day', 'desc');
  const rows = await tables(tx).selectFrom(newest.as('newest')).groupBy('performer_id').select([
    'performer_id',
    sql<number>`count(*) filter (where is_up)::int`.as('up'),
    sql<number>`count(*) filter (where not is_up)::int`.as('down'),
  ]).execute();
  return new Map(rows.map(({ performer_id: id, up, down }) => [id, { up, down }]));
}
