import type { Tx } from '#platform/data/data.ts';
import type { FanclubLevel } from '#product/accounts/rules/current-user.ts';
import { sql, type Selectable } from 'kysely';
import {
  CHAT_HISTORY_LIMIT,
  NEW_ROOM,
  ROOM_LOG_LIMIT,
  SHOWN_FACT_MS,
  SUGGESTION_CANDIDATES,
  type Activity,
  type StoredRoom,
} from './rules.ts';
import type { MessageKind } from './store/columns.ts';
import type { RoomsTables } from './store/tables.ts';

/** Columns of a message, in a room and in a show. */
export type MessageColumns = RoomsTables['rooms.messages'];

/** The quoted message as it was when the reply was written. */
export interface RepliedMessage {
  readonly id: number;
  readonly senderId: number;
  readonly excerpt: string;
}
/** A message as stored; the sender's name is looked up when it is shown. */
export interface Message {
  readonly id: number;
  readonly senderId: number;
  readonly kind: MessageKind;
  readonly body: string;
  /** Tokens of a tip; 0 for other messages. */
  readonly tokens: number;
  readonly recentTips: number;
  readonly isPerformer: boolean;
  readonly isModerator: boolean;
  readonly hasTokens: boolean;
  readonly isVip: boolean;
  readonly isSuperVip: boolean;
  /** The sender's fan club level at that time. */
  readonly fanclubLevel: FanclubLevel | null;
  readonly isInvisible: boolean;
  /** Shown without its sender. */
  readonly isAnonymous: boolean;
  readonly reply: RepliedMessage | null;
  readonly language: string | null;
  readonly at: Date;
}

export const tables = (tx: Tx): ReturnType<typeof tx.sql<RoomsTables>> => tx.sql<RoomsTables>();

/** The state of rooms by performer; rooms never used are missing. */
export async function findStates(
  tx: Tx,
  performerIds: readonly number[],
): Promise<ReadonlyMap<number, StoredRoom>> {
  if (performerIds.length === 0) return new Map();
  const rows = await tables(tx).selectFrom('rooms.rooms')
    .select(['performer_id', 'status', 'stream', 'mode', 'last_message_id as seq'])
    .where('performer_id', 'in', performerIds).execute();
  return new Map(rows.map(({ performer_id: id, ...state }) => [id, state]));
}

export async function findState(tx: Tx, performerId: number): Promise<StoredRoom> {
  return (await findStates(tx, [performerId])).get(performerId) ?? NEW_ROOM;
}

/** The state of a room, locked until the unit of work ends. */
export async function lockState(tx: Tx, performerId: number): Promise<StoredRoom> {
  await ensureRoom(tx, performerId);
  return tables(tx).selectFrom('rooms.rooms').select(['status', 'stream', 'mode', 'last_message_id as seq'])
    .where('performer_id', '=', performerId).forUpdate().executeTakeFirstOrThrow();
}

export async function saveState(
  tx: Tx,
  performerId: number,
  { status, stream, mode }: Pick<StoredRoom, 'status' | 'stream' | 'mode'>,
): Promise<void> {
  await tables(tx).updateTable('rooms.rooms').set({ status, stream, mode, changed_at: tx.now })
    .where('performer_id', '=', performerId).execute();
}

/** Performers whose rooms are online, latest first. */
export async function onlinePerformers(tx: Tx): Promise<number[]> {
  const rows = await tables(tx).selectFrom('rooms.rooms').select('performer_id')
    .where('status', '=', 'online').orderBy('changed_at', 'desc').orderBy('performer_id')
    .limit(SUGGESTION_CANDIDATES).execute();
  return rows.map((row) => row.performer_id);
}

/** The activity a performer is busy with; null for none. */
export async function findActivity(tx: Tx, performerId: number): Promise<Activity | null> {
  const row = await tables(tx).selectFrom('rooms.rooms').select('activity')
    .where('performer_id', '=', performerId).executeTakeFirst();
  return row?.activity ?? null;
}

/** Takes the lock of a performer; false when another activity holds it. */
export async function takeActivity(tx: Tx, performerId: number, activity: Activity): Promise<boolean> {
  await ensureRoom(tx, performerId);
  const taken = await tables(tx).updateTable('rooms.rooms').set({ activity })
    .where('performer_id', '=', performerId).where('activity', 'is', null).returning('performer_id')
    .executeTakeFirst();
  return taken !== undefined;
}

/** Releases the lock if this activity holds it. */
export async function releaseActivity(tx: Tx, performerId: number, activity: Activity): Promise<void> {
  await tables(tx).updateTable('rooms.rooms').set({ activity: null })
    .where('performer_id', '=', performerId).where('activity', '=', activity).execute();
}

async function ensureRoom(tx: Tx, performerId: number): Promise<void> {
  await tables(tx).insertInto('rooms.rooms')
    .values({ performer_id: performerId, status: 'offline', stream: null, changed_at: tx.now })
    .onConflict((conflict) => conflict.columns(['operator_id', 'performer_id']).doNothing()).execute();
}

/** An entry of a room's log. */
export interface Logged {
  readonly seq: number;
  readonly name: string;
  readonly payload: unknown;
  readonly named: unknown;
  readonly subjectId: number | null;
}

/** The next sequence number of a room; locks the room until the unit of work ends. */
export async function nextSeq(tx: Tx, performerId: number): Promise<number> {
  await ensureRoom(tx, performerId);
  const { last_message_id: seq } = await tables(tx).updateTable('rooms.rooms')
    .set((row) => ({ last_message_id: row('last_message_id', '+', 1) }))
    .where('performer_id', '=', performerId).returning('last_message_id').executeTakeFirstOrThrow();
  return seq;
}

/** Stores a log entry, and deletes those beyond the log's limit. */
export async function insertLogged(tx: Tx, performerId: number, entry: Logged): Promise<void> {
  const { seq, name, payload, named, subjectId } = entry;
  await tables(tx)
    .with('gone', (db) =>
      db.deleteFrom('rooms.log')
        .where('performer_id', '=', performerId).where('seq', '<=', seq - ROOM_LOG_LIMIT))
    .insertInto('rooms.log').values({
      performer_id: performerId,
      seq,
      name,
      payload: json(payload),
      named: named === null ? null : json(named),
      subject_id: subjectId,
    }).execute();
}

const json = (value: unknown) => sql<string>`${JSON.stringify(value)}::jsonb`;

/** The entries after a sequence number, oldest first; null unless the log has all of them. */
export async function findLogged(tx: Tx, performerId: number, after: number): Promise<Logged[] | null> {
  const { seq: last } = await findState(tx, performerId);
  if (after > last) return null;
  const rows = await tables(tx).selectFrom('rooms.log').selectAll()
    .where('performer_id', '=', performerId).where('seq', '>', after).where('seq', '<=', last)
    .orderBy('seq').execute();
  if (rows.length !== last - after) return null;
  return rows.map(({ seq, name, payload, named, subject_id: subjectId }) => ({
    seq,
    name,
    payload,
    named: named ?? null,
    subjectId,
  }));
}

/** Messages by id, or all of a sender. */
export type Which = { readonly ids: readonly number[] } | { readonly senderId: number };

/**
 * Replaces messages in the log, which goes further back than the history, by removals, so that they are never
 * sent again. Returns their sequence numbers.
 */
export async function removeLogged(
  tx: Tx,
  performerId: number,
  which: Which,
  names: { readonly message: string; readonly removed: string },
): Promise<number[]> {
  const entries = tables(tx).updateTable('rooms.log')
    .set({ name: names.removed, payload: sql`jsonb_build_object('ids', jsonb_build_array(seq))` })
    .where('performer_id', '=', performerId).where('name', '=', names.message).returning('seq');
  const rows = 'senderId' in which
    ? await entries.where('subject_id', '=', which.senderId).execute()
    : await entries.where('seq', '=', sql<number>`any(${[...which.ids]}::bigint[])`).execute();
  return rows.map(({ seq }) => seq);
}

/** The column values of a message, without its room. */
export function valuesOf(message: Message): Omit<Selectable<MessageColumns>, 'operator_id' | 'performer_id'> {
  const { reply } = message;
  return {
    id: message.id,
    sender_id: message.senderId,
    kind: message.kind,
    body: message.body,
    tokens: message.tokens,
    recent_tips: message.recentTips,
    is_performer: message.isPerformer,
    is_moderator: message.isModerator,
    language: message.language,
    at: message.at,
    has_tokens: message.hasTokens,
    is_vip: message.isVip,
    is_super_vip: message.isSuperVip,
    is_invisible: message.isInvisible,
    reply_to: reply?.id ?? null,
    reply_sender_id: reply?.senderId ?? null,
    reply_excerpt: reply?.excerpt ?? null,
    is_anonymous: message.isAnonymous,
    fanclub_level: message.fanclubLevel,
  };
}

/** Stores a message, and deletes those beyond the history's limit. */
export async function insertMessage(tx: Tx, performerId: number, message: Message): Promise<void> {
  // The query does not see the new message yet, although it counts towards the limit.
  const old = tables(tx).selectFrom('rooms.messages').select('id').where('performer_id', '=', performerId)
    .orderBy('id', 'desc').offset(CHAT_HISTORY_LIMIT - 1).limit(1);
  await tables(tx).with('gone', (db) =>
    db.deleteFrom('rooms.messages')
      .where('performer_id', '=', performerId).where('id', '<=', old)).insertInto('rooms.messages')
    .values({ performer_id: performerId, ...valuesOf(message) }).execute();
}

const messages = (tx: Tx, performerId: number) =>
  tables(tx).selectFrom('rooms.messages').selectAll().where('performer_id', '=', performerId);

export const messageOf = (row: Omit<Selectable<MessageColumns>, 'operator_id'>): Message => ({
  id: row.id,
  senderId: row.sender_id,
  kind: row.kind,
  body: row.body,
  tokens: row.tokens,
  recentTips: row.recent_tips,
  isPerformer: row.is_performer,
  isModerator: row.is_moderator,
  hasTokens: row.has_tokens,
  isVip: row.is_vip,
  isSuperVip: row.is_super_vip,
  isInvisible: row.is_invisible,
  reply: row.reply_to === null ? null : {
    id: row.reply_to,
    senderId: row.reply_sender_id as number,
    excerpt: row.reply_excerpt as string,
  },
  language: row.language,
  at: row.at,
  isAnonymous: row.is_anonymous,
  fanclubLevel: row.fanclub_level,
});

/** The messages of a room, oldest first. */
export async function findMessages(tx: Tx, performerId: number): Promise<Message[]> {
  const rows = await messages(tx, performerId).orderBy('id', 'desc').limit(CHAT_HISTORY_LIMIT).execute();
  return rows.toReversed().map(messageOf);
}

export async function findMessage(tx: Tx, performerId: number, id: number): Promise<Message | null> {
  const row = await messages(tx, performerId).where('id', '=', id).executeTakeFirst();
  return row ? messageOf(row) : null;
}

/** Deletes messages: by id, or all with a sender's name. Returns their ids, oldest first. */
export async function deleteMessages(
  tx: Tx,
  performerId: number,
  which: Which,
): Promise<number[]> {
  const gone = tables(tx).deleteFrom('rooms.messages').where('performer_id', '=', performerId);
  const rows = 'senderId' in which
    ? await gone.where('sender_id', '=', which.senderId).where('is_anonymous', '=', false)
      .returning('id').execute()
    : await gone.where('id', '=', sql<number>`any(${[...which.ids]}::bigint[])`).returning('id').execute();
  return rows.map(({ id }) => id).toSorted((a, b) => a - b);
}

/** Deletes quotes of removed messages from replies in the history and the log. */
export async function forgetReplies(tx: Tx, performerId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const gone = sql<number>`any(${[...ids]}::bigint[])`;
  await tables(tx).updateTable('rooms.messages')
    .set({ reply_to: null, reply_sender_id: null, reply_excerpt: null })
    .where('performer_id', '=', performerId).where('reply_to', '=', gone).execute();
  await tables(tx).updateTable('rooms.log')
    .set({ payload: sql`payload || '{"reply": null, "subject_username": null}'` })
    .where('performer_id', '=', performerId)
    .where(sql<number>`(payload #>> '{reply,id}')::bigint`, '=', gone).execute();
}

/** Records that a fact is shown; false when it already was. Deletes expired records. */
export async function insertShownFact(tx: Tx, factId: string): Promise<boolean> {
  const noted = await tables(tx)
    .with('gone', (db) =>
      db.deleteFrom('rooms.shown_facts')
        .where('at', '<', new Date(tx.now.getTime() - SHOWN_FACT_MS)))
    .insertInto('rooms.shown_facts').values({ fact_id: factId, at: tx.now })
    .onConflict((conflict) => conflict.columns(['operator_id', 'fact_id']).doNothing())
    .returning('fact_id').executeTakeFirst();
  return noted !== undefined;
}
