import { sql, type Generated, type Selectable } from 'kysely';
import type { Tx } from '../../platform/data/data.ts';
import type { SplitMode, SplitReason } from './rules/split.ts';
import {
  EFFECTS_RETAINED_MS, OLD_ITEM_MS, RECENT_TIPS_MS, TIP_DAYS_PAGE, type EffectKind, type EffectState,
} from './rules.ts';

interface TipRow {
  operator_id: Generated<number>; id: Generated<number>; tip_id: string; sender_id: number;
  receiver_id: number; tokens: number; comment: string; type: string; source_id: string | null; vr: boolean;
  app_data: unknown; title: string | null; is_anonymous: boolean; at: Date;
}
interface MenuItemRow {
  operator_id: Generated<number>; id: Generated<number>; performer_id: number; title: string; price: number;
  place: number; ended_at: Date | null;
}
interface GoalRow {
  operator_id: Generated<number>; id: Generated<number>; performer_id: number; title: string; target: number;
  progress: Generated<number>; made_at: Date; reached_at: Date | null; ended_at: Date | null;
}
interface EffectRow {
  operator_id: Generated<number>; id: Generated<number>; performer_id: number; source: string;
  kind: EffectKind; state: EffectState; title: string; tokens: number; comment: string;
  show_chat: Generated<string | null>;
  sender_name: string | null; tries: Generated<number>; done_at: Date | null; at: Date;
}
interface TipsTables {
  'tips.recent': {
    operator_id: Generated<number>; tip_id: string; sender_id: number; receiver_id: number; tokens: number;
    at: Date; is_anonymous: boolean;
  };
  'tips.tippers': {
    operator_id: Generated<number>; sender_id: number; receiver_id: number; first_at: Date;
  };
  'tips.tips': TipRow;
  'tips.menu_items': MenuItemRow;
  'tips.goals': GoalRow;
  'tips.splits': {
    operator_id: Generated<number>; performer_id: number; split_id: string; proposer_id: number | null;
    total: number; people: number; mode: SplitMode; reason: SplitReason | null; started_at: Date;
    ends_at: Date;
  };
  'tips.splitters': {
    operator_id: Generated<number>; performer_id: number; person_id: number; place: number; tokens: number;
  };
  'tips.effects': EffectRow;
  'tips.overlays': { operator_id: Generated<number>; performer_id: number; digest: string; made_at: Date };
  'tips.rules': { operator_id: Generated<number>; daily_limit: number | null; changed_at: Date };
  'tips.allowed': {
    operator_id: Generated<number>; tip_id: string; sender_id: number; day: string; tokens: number;
  };
}

const tables = (tx: Tx): ReturnType<typeof tx.sql<TipsTables>> => tx.sql<TipsTables>();

const dayBefore = (tx: Tx): Date => new Date(tx.now.getTime() - RECENT_TIPS_MS);

/** What of a person's tips changes in one unit at a time; held until the unit ends. */
export async function lockTips(
  tx: Tx, what: 'goals' | 'split' | 'menu' | 'overlay' | 'day', personId: number,
): Promise<void> {
  const key = `tips.${what}:${tx.operatorId}:${personId}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tables(tx));
}

/** A tip in the histories, which are retained for good. */
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

/** Stores a tip; false when it was stored before. */
export async function storeTip(tx: Tx, tip: StoredTip): Promise<boolean> {
  const stored = await tables(tx).insertInto('tips.tips').values({
    tip_id: tip.tipId, sender_id: tip.senderId, receiver_id: tip.receiverId, tokens: tip.tokens,
    comment: tip.comment, type: tip.type, source_id: tip.sourceId, vr: tip.vr,
    app_data: sql`${JSON.stringify(tip.appData)}::jsonb`, title: tip.title, is_anonymous: tip.isAnonymous,
    at: tip.at,
  }).onConflict((conflict) => conflict.columns(['operator_id', 'tip_id']).doNothing())
    .returning('id').executeTakeFirst();
  return stored !== undefined;
}

/** Notes a tip among those of the day, and forgets those of the day before. */
export async function noteRecent(tx: Tx, tip: StoredTip): Promise<void> {
  await tables(tx)
    .with('gone', (db) => db.deleteFrom('tips.recent').where('at', '<', dayBefore(tx)))
    .with('noted', (db) => db.insertInto('tips.recent').values({
      tip_id: tip.tipId, sender_id: tip.senderId, receiver_id: tip.receiverId, tokens: tip.tokens, at: tip.at,
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

/** When somebody last tipped a performer, by name or not; null for never. */
export async function lastTipAt(tx: Tx, senderId: number, receiverId: number): Promise<Date | null> {
  const row = await tables(tx).selectFrom('tips.tips').select('at').where('sender_id', '=', senderId)
    .where('receiver_id', '=', receiverId).orderBy('at', 'desc').limit(1).executeTakeFirst();
  return row?.at ?? null;
}

/**
 * Tokens each of these people tipped a performer by name in the last 24 h; who tipped nothing is left out.
 * The sum stands beside names, where it would give away who tipped anonymously.
 */
export async function sumRecent(
  tx: Tx, senderIds: readonly number[], receiverId: number,
): Promise<ReadonlyMap<number, number>> {
  if (senderIds.length === 0) return new Map();
  const rows = await tables(tx).selectFrom('tips.recent')
    .select((row) => ['sender_id', row.fn.sum<number | string>('tokens').as('tokens')])
    .where('receiver_id', '=', receiverId).where('sender_id', 'in', senderIds)
    .where('is_anonymous', '=', false).where('at', '>=', dayBefore(tx)).groupBy('sender_id').execute();
  return new Map(rows.map((row) => [row.sender_id, Number(row.tokens)]));
}

/** Tokens that somebody tipped a performer in the last 24 h, by name or not: for that person alone. */
export async function sumOwnRecent(tx: Tx, senderId: number, receiverId: number): Promise<number> {
  const row = await tables(tx).selectFrom('tips.recent')
    .select((one) => one.fn.sum<number | string | null>('tokens').as('tokens'))
    .where('receiver_id', '=', receiverId).where('sender_id', '=', senderId)
    .where('at', '>=', dayBefore(tx)).executeTakeFirst();
  return Number(row?.tokens ?? 0);
}

export type Side = 'sent' | 'received';
const COLUMN = { sent: 'sender_id', received: 'receiver_id' } as const;

export interface TipFilters {
  readonly before?: number | undefined;
  /** `YYYY-MM-DD`, of UTC. */
  readonly day?: string | undefined;
  readonly type?: string | undefined;
  /** The other side. */
  readonly otherId?: number | undefined;
}
export type TipLine = Selectable<TipRow>;

/** Tips somebody sent or received, newest first. Anonymous ones are never found by who sent them. */
export async function findTips(
  tx: Tx, side: Side, personId: number, filters: TipFilters, limit: number,
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

/** Days with tips, newest first. @param before a day to stop at; null for the newest */
export async function findTipDays(
  tx: Tx, side: Side, personId: number, before: string | null,
): Promise<{ day: string; tokens: number; tips: number }[]> {
  const day = sql<string>`(at at time zone 'UTC')::date`;
  let rows = tables(tx).selectFrom('tips.tips').where(COLUMN[side], '=', personId);
  if (before !== null) rows = rows.where('at', '<', sql<Date>`${before}::date at time zone 'UTC'`);
  return rows.select([
    day.as('day'), sql<number>`sum(tokens)::bigint`.as('tokens'), sql<number>`count(*)`.as('tips'),
  ]).groupBy(day).orderBy(day, 'desc').limit(TIP_DAYS_PAGE).execute();
}

export interface MenuItem {
  readonly id: number;
  readonly title: string;
  readonly price: number;
}

export async function findMenu(tx: Tx, performerId: number): Promise<MenuItem[]> {
  return tables(tx).selectFrom('tips.menu_items').select(['id', 'title', 'price'])
    .where('performer_id', '=', performerId).where('ended_at', 'is', null).orderBy('place').execute();
}

/** An item that can be ordered: on the menu, or until just now. */
export async function findItem(tx: Tx, performerId: number, id: number): Promise<MenuItem | null> {
  const row = await tables(tx).selectFrom('tips.menu_items').select(['id', 'title', 'price'])
    .where('performer_id', '=', performerId).where('id', '=', id)
    .where((item) => item.or([
      item('ended_at', 'is', null), item('ended_at', '>', new Date(tx.now.getTime() - OLD_ITEM_MS)),
    ])).executeTakeFirst();
  return row ?? null;
}

/** Ends the items that are not listed, and writes the menu in its order. An item without an id is new. */
export async function replaceMenu(
  tx: Tx, performerId: number,
  items: readonly { readonly id: number | null; readonly title: string; readonly price: number }[],
): Promise<void> {
  const listed = items.flatMap(({ id }) => id ?? []);
  await tables(tx).updateTable('tips.menu_items').set({ ended_at: tx.now })
    .where('performer_id', '=', performerId).where('ended_at', 'is', null)
    .where('id', '!=', sql<number>`all(${listed}::bigint[])`).execute();
  for (const [place, { id, title, price }] of items.entries()) {
    if (id === null) {
      await tables(tx).insertInto('tips.menu_items')
        .values({ performer_id: performerId, title, price, place }).execute();
    } else await tables(tx).updateTable('tips.menu_items').set({ place }).where('id', '=', id).execute();
  }
}

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
  tx: Tx, performerIds: readonly number[],
): Promise<ReadonlyMap<number, Pick<StoredGoal, 'target' | 'progress'>>> {
  const rows = await tables(tx).selectFrom('tips.goals').distinctOn('performer_id')
    .select(['performer_id', 'target', 'progress'])
    .where('performer_id', '=', sql<number>`any(${[...performerIds]}::bigint[])`)
    .where('ended_at', 'is', null).orderBy('performer_id').orderBy('id').execute();
  return new Map(rows.map(({ performer_id: id, ...goal }) => [id, goal]));
}

/** Tokens that these performers received since a time of the last day; who received none is missing. */
export async function sumReceived(
  tx: Tx, performerIds: readonly number[], since: Date,
): Promise<ReadonlyMap<number, number>> {
  const rows = await tables(tx).selectFrom('tips.recent')
    .select((row) => ['receiver_id', row.fn.sum<number | string>('tokens').as('tokens')])
    .where('receiver_id', '=', sql<number>`any(${[...performerIds]}::bigint[])`)
    .where('at', '>=', since).groupBy('receiver_id').execute();
  return new Map(rows.map((row) => [row.receiver_id, Number(row.tokens)]));
}

export async function insertGoal(
  tx: Tx, performerId: number, goal: { readonly title: string; readonly target: number },
): Promise<void> {
  await tables(tx).insertInto('tips.goals')
    .values({ performer_id: performerId, ...goal, made_at: tx.now }).execute();
}

export async function saveProgress(
  tx: Tx, { id, progress }: Pick<StoredGoal, 'id' | 'progress'>, isReached: boolean,
): Promise<void> {
  const over = isReached ? { reached_at: tx.now, ended_at: tx.now } : {};
  await tables(tx).updateTable('tips.goals').set({ progress, ...over }).where('id', '=', id).execute();
}

/** Ends a goal before it was reached; false when it is not the performer's, or over. */
export async function withdrawGoal(tx: Tx, performerId: number, id: number): Promise<boolean> {
  const row = await tables(tx).updateTable('tips.goals').set({ ended_at: tx.now })
    .where('performer_id', '=', performerId).where('id', '=', id).where('ended_at', 'is', null)
    .returning('id').executeTakeFirst();
  return row !== undefined;
}

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
      'split_id as splitId', 'proposer_id as proposerId', 'total', 'people', 'mode', 'reason',
      'ends_at as endsAt',
    ]).where('performer_id', '=', performerId).executeTakeFirst();
  if (!row) return null;
  const splitters = await tables(tx).selectFrom('tips.splitters').select(['person_id as personId', 'tokens'])
    .where('performer_id', '=', performerId).orderBy('place').execute();
  return { ...row, splitters };
}

/** Writes a split in the place of the one before. */
export async function saveSplit(tx: Tx, performerId: number, split: StoredSplit): Promise<void> {
  const values = {
    split_id: split.splitId, proposer_id: split.proposerId, total: split.total, people: split.people,
    mode: split.mode, reason: split.reason, started_at: tx.now, ends_at: split.endsAt,
  };
  const { started_at: _, ...changed } = values;
  await tables(tx).insertInto('tips.splits').values({ performer_id: performerId, ...values })
    .onConflict((conflict) => conflict.columns(['operator_id', 'performer_id']).doUpdateSet(changed))
    .execute();
  await tables(tx).deleteFrom('tips.splitters').where('performer_id', '=', performerId).execute();
  if (split.splitters.length === 0) return;
  await tables(tx).insertInto('tips.splitters').values(split.splitters.map(({ personId, tokens }, at) =>
    ({ performer_id: performerId, person_id: personId, tokens, place: at + 1 }))).execute();
}

export type StoredEffect = Selectable<EffectRow>;
export type NewEffect = Pick<
  StoredEffect, 'performer_id' | 'source' | 'kind' | 'title' | 'tokens' | 'comment' | 'sender_name'
> & Partial<Pick<StoredEffect, 'show_chat'>>;

/** Writes an effect that waits, and forgets those of long ago; null when its source made one before. */
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
  tx: Tx, id: number, changed: Partial<Pick<StoredEffect, 'state' | 'tries' | 'done_at'>>,
): Promise<StoredEffect> {
  return tables(tx).updateTable('tips.effects').set(changed).where('id', '=', id).returningAll()
    .executeTakeFirstOrThrow();
}

export async function findEffects(
  tx: Tx, performerId: number, before: number | undefined, limit: number,
): Promise<StoredEffect[]> {
  let rows = tables(tx).selectFrom('tips.effects').selectAll().where('performer_id', '=', performerId)
    .orderBy('id', 'desc').limit(limit);
  if (before !== undefined) rows = rows.where('id', '<', before);
  return rows.execute();
}

export interface StoredOverlay {
  readonly performerId: number;
  readonly digest: string;
  readonly madeAt: Date;
}

export async function findOverlay(
  tx: Tx, by: { readonly performerId: number } | { readonly digest: string },
): Promise<StoredOverlay | null> {
  const rows = tables(tx).selectFrom('tips.overlays')
    .select(['performer_id as performerId', 'digest', 'made_at as madeAt']);
  const row = await ('digest' in by ? rows.where('digest', '=', by.digest)
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

/** Tokens of a day (`YYYY-MM-DD`) that count towards the limit of a sender. */
export async function tippedOn(tx: Tx, senderId: number, day: string): Promise<number> {
  const { sum } = await tables(tx).selectFrom('tips.allowed')
    .select(sql<number>`coalesce(sum(tokens), 0)::bigint`.as('sum'))
    .where('sender_id', '=', senderId).where('day', '=', day).executeTakeFirstOrThrow();
  return sum;
}

/**
 * Lets a tip through if the sender's day has room for it; the same tip again is let through again. Lock the
 * day first.
 * @param day `YYYY-MM-DD`
 */
export async function allowTip(
  tx: Tx, tip: { readonly tipId: string; readonly senderId: number; readonly tokens: number },
  day: string, limit: number,
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

/** A tip that was let through and then refused leaves its room in the day. */
export async function disallowTip(tx: Tx, tipId: string): Promise<void> {
  await tables(tx).deleteFrom('tips.allowed').where('tip_id', '=', tipId).execute();
}
