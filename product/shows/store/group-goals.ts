import type { Tx } from '#platform/data/data.ts';
import { sql, type Selectable, type Updateable } from 'kysely';
import type { TicketState } from '../rules/ticket-show.ts';
import type { ShowsTables } from './tables.ts';

type GroupGoalsTable = ShowsTables['shows.group_goals'];
type GiftsTable = ShowsTables['shows.group_goal_gifts'];
export type GroupGoalRow = Selectable<GroupGoalsTable>;
export type GiftRow = Selectable<GiftsTable>;
export type GroupGoalChange = Omit<Updateable<GroupGoalsTable>, 'operator_id' | 'id' | 'performer_id'>;

const tables = (tx: Tx): ReturnType<typeof tx.sql<ShowsTables>> => tx.sql<ShowsTables>();

/** Serializes changes to a performer's group goal until the unit ends. */
export async function lockGroupGoal(tx: Tx, performerId: number): Promise<void> {
  await tx.lock('shows.group_goals', performerId);
}

export const insertGroupGoal = async (
  tx: Tx,
  goal: Pick<GroupGoalRow, 'performer_id' | 'title' | 'tokens' | 'ends_at'>,
): Promise<GroupGoalRow> =>
  tables(tx).insertInto('shows.group_goals')
    .values({ ...goal, started_at: tx.now, away_since: null, ended_at: null, end_reason: null })
    .returningAll().executeTakeFirstOrThrow();

/** The running group goal of a performer. */
export async function findOpenGroupGoal(tx: Tx, performerId: number): Promise<GroupGoalRow | null> {
  return (await tables(tx).selectFrom('shows.group_goals').selectAll()
    .where('performer_id', '=', performerId).where('end_reason', 'is', null).executeTakeFirst()) ?? null;
}

export async function findGroupGoal(tx: Tx, id: number): Promise<GroupGoalRow | null> {
  return (await tables(tx).selectFrom('shows.group_goals').selectAll().where('id', '=', id)
    .executeTakeFirst()) ?? null;
}

/** Running goals, after a start of the site. */
export const findRunningGroupGoals = (tx: Tx): Promise<GroupGoalRow[]> =>
  tables(tx).selectFrom('shows.group_goals').selectAll().where('end_reason', 'is', null).orderBy('id')
    .execute();

export const changeGroupGoal = async (tx: Tx, id: number, change: GroupGoalChange): Promise<GroupGoalRow> =>
  tables(tx).updateTable('shows.group_goals').set(change).where('id', '=', id).returningAll()
    .executeTakeFirstOrThrow();

export async function insertGift(
  tx: Tx,
  gift: Pick<GiftRow, 'goal_id' | 'viewer_id' | 'operation' | 'asked' | 'tokens'>,
): Promise<void> {
  await tables(tx).insertInto('shows.group_goal_gifts')
    .values({ ...gift, given_at: tx.now, state: 'held', settled_at: null }).execute();
}

/** The gift with this operation as its hold. */
export async function findGift(tx: Tx, operation: string): Promise<GiftRow | null> {
  return (await tables(tx).selectFrom('shows.group_goal_gifts').selectAll()
    .where('operation', '=', operation).executeTakeFirst()) ?? null;
}

/** How often somebody gave to a goal, how often everybody did, and the tokens of that person. */
export async function countGifts(
  tx: Tx,
  goalId: number,
  viewerId: number,
): Promise<{ readonly all: number; readonly times: number; readonly own: number }> {
  return tables(tx).selectFrom('shows.group_goal_gifts').where('goal_id', '=', goalId).select([
    sql<number>`count(*)::int`.as('all'),
    sql<number>`count(*) filter (where viewer_id = ${viewerId})::int`.as('times'),
    sql<number>`coalesce(sum(tokens) filter (where viewer_id = ${viewerId}), 0)::int`.as('own'),
  ]).executeTakeFirstOrThrow();
}

/** Gifts of a goal whose tokens are set aside, oldest first. */
export const findHeldGifts = (tx: Tx, goalId: number, atMost: number): Promise<GiftRow[]> =>
  tables(tx).selectFrom('shows.group_goal_gifts').selectAll().where('goal_id', '=', goalId)
    .where('state', '=', 'held').orderBy('id').limit(atMost).execute();

export async function settleGift(tx: Tx, id: number, state: Exclude<TicketState, 'held'>): Promise<void> {
  await tables(tx).updateTable('shows.group_goal_gifts').set({ state, settled_at: tx.now })
    .where('id', '=', id).execute();
}
