import type { Generated } from 'kysely';
import type { Tx } from '../../platform/data/data.ts';
import {
  CHAT_HISTORY_LIMIT, EMPTY_ROOM, SHOWN_FACT_MS, SUGGESTION_CANDIDATES, type ChatStatus, type RoomState,
} from './rules.ts';

interface RoomsTables {
  'rooms.rooms': {
    operator_id: Generated<number>; performer_id: number; status: ChatStatus; stream: string | null;
    changed_at: Date; last_message_id: Generated<number>;
  };
  'rooms.messages': {
    operator_id: Generated<number>; performer_id: number; id: number; sender_id: number;
    kind: 'message' | 'tip'; body: string; tokens: number; recent_tips: number;
    is_performer: boolean; is_moderator: boolean; language: string | null; at: Date;
  };
  'rooms.shown_facts': { operator_id: Generated<number>; fact_id: string; at: Date };
}

/** A message as stored; who said it is a person, whose name is looked up when it is shown. */
export interface Message {
  readonly id: number;
  readonly senderId: number;
  readonly kind: 'message' | 'tip';
  readonly body: string;
  /** Tipped with it; 0 for plain messages. */
  readonly tokens: number;
  readonly recentTips: number;
  readonly isPerformer: boolean;
  readonly isModerator: boolean;
  readonly language: string | null;
  readonly at: Date;
}

const tables = (tx: Tx): ReturnType<typeof tx.sql<RoomsTables>> => tx.sql<RoomsTables>();

/** The state of rooms by performer; rooms never used are left out. */
export async function findStates(
  tx: Tx, performerIds: readonly number[],
): Promise<ReadonlyMap<number, RoomState>> {
  if (performerIds.length === 0) return new Map();
  const rows = await tables(tx).selectFrom('rooms.rooms').select(['performer_id', 'status', 'stream'])
    .where('performer_id', 'in', performerIds).execute();
  return new Map(rows.map(({ performer_id: id, status, stream }) => [id, { status, stream }]));
}

export async function findState(tx: Tx, performerId: number): Promise<RoomState> {
  return (await findStates(tx, [performerId])).get(performerId) ?? EMPTY_ROOM;
}

/** The state of a room, locked until the unit ends. */
export async function lockState(tx: Tx, performerId: number): Promise<RoomState> {
  await ensureRoom(tx, performerId);
  return tables(tx).selectFrom('rooms.rooms').select(['status', 'stream'])
    .where('performer_id', '=', performerId).forUpdate().executeTakeFirstOrThrow();
}

export async function saveState(tx: Tx, performerId: number, { status, stream }: RoomState): Promise<void> {
  await tables(tx).updateTable('rooms.rooms').set({ status, stream, changed_at: tx.now })
    .where('performer_id', '=', performerId).execute();
}

/** Performers whose rooms are online, the latest first. */
export async function onlinePerformers(tx: Tx): Promise<number[]> {
  const rows = await tables(tx).selectFrom('rooms.rooms').select('performer_id')
    .where('status', '=', 'online').orderBy('changed_at', 'desc').orderBy('performer_id')
    .limit(SUGGESTION_CANDIDATES).execute();
  return rows.map((row) => row.performer_id);
}

async function ensureRoom(tx: Tx, performerId: number): Promise<void> {
  await tables(tx).insertInto('rooms.rooms')
    .values({ performer_id: performerId, status: 'offline', stream: null, changed_at: tx.now })
    .onConflict((conflict) => conflict.columns(['operator_id', 'performer_id']).doNothing()).execute();
}

/** Adds a message with the next number of its room, and drops the one that no longer fits the history. */
export async function insertMessage(
  tx: Tx, performerId: number, message: Omit<Message, 'id' | 'at'>,
): Promise<Message> {
  await ensureRoom(tx, performerId);
  const { last_message_id: id } = await tables(tx).updateTable('rooms.rooms')
    .set((row) => ({ last_message_id: row('last_message_id', '+', 1) }))
    .where('performer_id', '=', performerId).returning('last_message_id').executeTakeFirstOrThrow();
  await tables(tx).insertInto('rooms.messages').values({
    performer_id: performerId, id, sender_id: message.senderId, kind: message.kind, body: message.body,
    tokens: message.tokens, recent_tips: message.recentTips, is_performer: message.isPerformer,
    is_moderator: message.isModerator, language: message.language, at: tx.now,
  }).execute();
  await tables(tx).deleteFrom('rooms.messages')
    .where('performer_id', '=', performerId).where('id', '<=', id - CHAT_HISTORY_LIMIT).execute();
  return { ...message, id, at: tx.now };
}

/** The messages of a room, oldest first. */
export async function findMessages(tx: Tx, performerId: number): Promise<Message[]> {
  const rows = await tables(tx).selectFrom('rooms.messages').selectAll()
    .where('performer_id', '=', performerId).orderBy('id', 'desc').limit(CHAT_HISTORY_LIMIT).execute();
  return rows.toReversed().map((row) => ({
    id: row.id, senderId: row.sender_id, kind: row.kind, body: row.body, tokens: row.tokens,
    recentTips: row.recent_tips, isPerformer: row.is_performer, isModerator: row.is_moderator,
    language: row.language, at: row.at,
  }));
}

/** Notes that a fact is being shown; false when it was before. Forgets facts of the day before yesterday. */
export async function noteShown(tx: Tx, factId: string): Promise<boolean> {
  await tables(tx).deleteFrom('rooms.shown_facts')
    .where('at', '<', new Date(tx.now.getTime() - SHOWN_FACT_MS)).execute();
  const noted = await tables(tx).insertInto('rooms.shown_facts').values({ fact_id: factId, at: tx.now })
    .onConflict((conflict) => conflict.columns(['operator_id', 'fact_id']).doNothing())
    .returning('fact_id').executeTakeFirst();
  return noted !== undefined;
}
