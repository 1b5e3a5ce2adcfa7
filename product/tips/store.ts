import type { Tx } from '#platform/data/data.ts';
import { sql, type Selectable } from 'kysely';
import { RECENT_TIPS_MS, TIP_DAYS_PAGE } from './rules.ts';
import { tables, type TipRow } from './store/schema.ts';

const dayBefore = (tx: Tx): Date => new Date(tx.now.getTime() - RECENT_TIPS_MS);

/** Serializes changes to a person's tips until the unit ends. */
export async function lockTips(
  tx: Tx,
  what: 'goals' | 'split' | 'menu' | 'overlay' | 'day',
  personId: number,
): Promise<void> {
  await tx.lock(`tips.${what}`, personId);
}

/** A tip in the histories, which are retained permanently. */
export interface StoredTip {
  readonly tipId: string;
  readonly senderId: number;
  readonly receiverId: number;
  readonly tokens: number;
  readonly comment: string;
  readonly type: string;
  readonly sourceId: string | null;
  readonly vr: boolean;
  readonly appData: Readonly<Record<string, unknown>>;
  readonly title: string | null;
  readonly isAnonymous: boolean;
  readonly at: Date;
}

/** Stores a tip; false if it was stored already. */
export async function storeTip(tx: Tx, tip: StoredTip): Promise<boolean> {
  const stored = await tables(tx).insertInto('tips.tips').values({
    tip_id: tip.tipId,
    sender_id: tip.senderId,
    receiver_id: tip.receiverId,
    tokens: tip.tokens,
    comment: tip.comment,
    type: tip.type,
    source_id: tip.sourceId,
    vr: tip.vr,
    app_data: sql`${JSON.stringify(tip.appData)}::jsonb`,
    title: tip.title,
    is_anonymous: tip.isAnonymous,
    at: tip.at,
  }).onConflict((conflict) => conflict.columns(['operator_id', 'tip_id']).doNothing())
    .returning('id').executeTakeFirst();
  return stored !== undefined;
}

/** Adds a tip to those of the last day, and removes older ones. */
export async function noteRecent(tx: Tx, tip: StoredTip): Promise<void> {
  await tables(tx)
    .with('gone', (db) => db.deleteFrom('tips.recent').where('at', '<', dayBefore(tx)))
    .with('noted', (db) =>
      db.insertInto('tips.recent').values({
        tip_id: tip.tipId,
        sender_id: tip.senderId,
        receiver_id: tip.receiverId,
        tokens: tip.tokens,
        at: tip.at,
        is_anonymous: tip.isAnonymous,
      }).onConflict((conflict) => conflict.columns(['operator_id', 'tip_id']).doNothing()))
    .insertInto('tips.tippers')
    .values({ sender_id: tip.senderId, receiver_id: tip.receiverId, first_at: tip.at })
    .onConflict((conflict) => conflict.columns(['operator_id', 'receiver_id', 'sender_id']).doNothing())
    .execute();
}

/** Whether somebody ever tipped a performer. */
export async function hasTipped(tx: Tx, senderId: number, receiverId: number): Promise<boolean> {
  const row = await tables(tx).selectFrom('tips.tippers').select('first_at')
    .where('receiver_id', '=', receiverId).where('sender_id', '=', senderId).executeTakeFirst();
  return row !== undefined;
}

/** When somebody last tipped a performer, anonymously or not; null for never. */
export async function lastTipAt(tx: Tx, senderId: number, receiverId: number): Promise<Date | null> {
  const row = await tables(tx).selectFrom('tips.tips').select('at').where('sender_id', '=', senderId)
    .where('receiver_id', '=', receiverId).orderBy('at', 'desc').limit(1).executeTakeFirst();
  return row?.at ?? null;
}

/**
 * Tokens that each of these people tipped a performer in the last 24 h, without anonymous tips; people
 * without any are left out. The sum is shown beside names, where it would reveal who tipped anonymously.
 */
export async function sumRecent(
  tx: Tx,
  senderIds: readonly number[],
  receiverId: number,
): Promise<ReadonlyMap<number, number>> {
  if (senderIds.length === 0) return new Map();
  const rows = await tables(tx).selectFrom('tips.recent')
    .select((row) => ['sender_id', row.fn.sum<number | string>('tokens').as('tokens')])
    .where('receiver_id', '=', receiverId).where('sender_id', 'in', senderIds)
    .where('is_anonymous', '=', false).where('at', '>=', dayBefore(tx)).groupBy('sender_id').execute();
  return new Map(rows.map((row) => [row.sender_id, Number(row.tokens)]));
}

/**
 * Tokens that somebody tipped a performer in the last 24 h, including anonymous tips: only for that person.
 */
export async function sumOwnRecent(tx: Tx, senderId: number, receiverId: number): Promise<number> {
  const row = await tables(tx).selectFrom('tips.recent')
    .select((builder) => builder.fn.sum<number | string | null>('tokens').as('tokens'))
    .where('receiver_id', '=', receiverId).where('sender_id', '=', senderId)
    .where('at', '>=', dayBefore(tx)).executeTakeFirst();
  return Number(row?.tokens ?? 0);
}

export type Side = 'sent' | 'received';
const COLUMN = { sent: 'sender_id', received: 'receiver_id' } as const;

export interface TipFilters {
  readonly before?: number | undefined;
  /** `YYYY-MM-DD` in UTC. */
  readonly day?: string | undefined;
  readonly type?: string | undefined;
  /** The other person. */
  readonly otherId?: number | undefined;
}
export type TipLine = Selectable<TipRow>;

/** Tips somebody sent or received, newest first. A filter by sender never finds anonymous tips. */
export async function findTips(
  tx: Tx,
  side: Side,
  personId: number,
  filters: TipFilters,
  limit: number,
): Promise<TipLine[]> {
  const { before, day, type, otherId } = filters;
  let rows = tables(tx).selectFrom('tips.tips').selectAll().where(COLUMN[side], '=', personId)
    .orderBy('id', 'desc').limit(limit);
  if (before !== undefined) rows = rows.where('id', '<', before);
  if (type !== undefined) rows = rows.where('type', '=', type);
  if (otherId !== undefined) rows = rows.where(side === 'sent' ? 'receiver_id' : 'sender_id', '=', otherId);
  if (otherId !== undefined && side === 'received') rows = rows.where('is_anonymous', '=', false);
  if (day !== undefined) {
    rows = rows.where('at', '>=', sql<Date>`${day}::date at time zone 'UTC'`)
      .where('at', '<', sql<Date>`(${day}::date + 1) at time zone 'UTC'`);
  }
  return rows.execute();
}

/** Days with tips, newest first. @param before the day to stop at; null for the newest */
export async function findTipDays(
  tx: Tx,
  side: Side,
  personId: number,
  before: string | null,
): Promise<{ day: string; tokens: number; tips: number }[]> {
  const day = sql<string>`(at at time zone 'UTC')::date`;
  let rows = tables(tx).selectFrom('tips.tips').where(COLUMN[side], '=', personId);
  if (before !== null) rows = rows.where('at', '<', sql<Date>`${before}::date at time zone 'UTC'`);
  return rows.select([
    day.as('day'),
    sql<number>`sum(tokens)::bigint`.as('tokens'),
    sql<number>`count(*)`.as('tips'),
  ]).groupBy(day).orderBy(day, 'desc').limit(TIP_DAYS_PAGE).execute();
}

export interface StoredOverlay {
  readonly performerId: number;
  readonly digest: string;
  readonly madeAt: Date;
}

export async function findOverlay(
  tx: Tx,
  by: { readonly performerId: number } | { readonly digest: string },
): Promise<StoredOverlay | null> {
  const rows = tables(tx).selectFrom('tips.overlays')
    .select(['performer_id as performerId', 'digest', 'made_at as madeAt']);
  const row = await ('digest' in by
    ? rows.where('digest', '=', by.digest)
    : rows.where('performer_id', '=', by.performerId)).executeTakeFirst();
  return row ?? null;
}

export async function deleteOverlay(tx: Tx, performerId: number): Promise<void> {
  await tables(tx).deleteFrom('tips.overlays').where('performer_id', '=', performerId).execute();
}

export async function insertOverlay(tx: Tx, performerId: number, digest: string): Promise<void> {
  await tables(tx).insertInto('tips.overlays')
    .values({ performer_id: performerId, digest, made_at: tx.now }).execute();
}

/** Tokens one person can tip in a day; null without a limit. */
export async function findDailyLimit(tx: Tx): Promise<number | null> {
  const row = await tables(tx).selectFrom('tips.rules').select('daily_limit').executeTakeFirst();
  return row?.daily_limit ?? null;
}

export async function saveDailyLimit(tx: Tx, limit: number | null): Promise<void> {
  const values = { daily_limit: limit, changed_at: tx.now };
  await tables(tx).insertInto('tips.rules').values(values)
    .onConflict((conflict) => conflict.column('operator_id').doUpdateSet(values)).execute();
}

/** Tokens of a day (`YYYY-MM-DD`) that count towards a sender's limit. */
export async function tippedOn(tx: Tx, senderId: number, day: string): Promise<number> {
  const { sum } = await tables(tx).selectFrom('tips.allowed')
    .select(sql<number>`coalesce(sum(tokens), 0)::bigint`.as('sum'))
    .where('sender_id', '=', senderId).where('day', '=', day).executeTakeFirstOrThrow();
  return sum;
}

/**
 * Counts a tip towards the sender's daily limit if it fits; the same tip is always accepted again. Lock the
 * day first.
 * @param day `YYYY-MM-DD`
 */
export async function allowTip(
  tx: Tx,
  tip: { readonly tipId: string; readonly senderId: number; readonly tokens: number },
  day: string,
  limit: number,
): Promise<boolean> {
  const { tipId, senderId, tokens } = tip;
  const known = await tables(tx).selectFrom('tips.allowed').select('tip_id').where('tip_id', '=', tipId)
    .executeTakeFirst();
  if (known) return true;
  if ((await tippedOn(tx, senderId, day)) + tokens > limit) return false;
  await tables(tx).deleteFrom('tips.allowed').where('sender_id', '=', senderId).where('day', '<', day)
    .execute();
  await tables(tx).insertInto('tips.allowed').values({ tip_id: tipId, sender_id: senderId, day, tokens })
    .execute();
  return true;
}

/** Removes a refused tip from the sender's daily limit. */
export async function disallowTip(tx: Tx, tipId: string): Promise<void> {
  await tables(tx).deleteFrom('tips.allowed').where('tip_id', '=', tipId).execute();
}
