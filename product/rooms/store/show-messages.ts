import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { CHAT_HISTORY_LIMIT } from '../rules.ts';
import { messageOf, valuesOf, type Message } from '../store.ts';
import type { RoomsTables } from './tables.ts';

const table = (tx: Tx) => tx.sql<RoomsTables>();

const of = (tx: Tx, performerId: number, key: string) =>
  table(tx).selectFrom('rooms.show_messages').selectAll()
    .where('performer_id', '=', performerId).where('show_key', '=', key);

/** Stores a message of a show's chat under the next id, and deletes those beyond the limit. */
export async function insertShowMessage(
  tx: Tx,
  performerId: number,
  key: string,
  message: Omit<Message, 'id'>,
): Promise<Message> {
  const { id: _none, ...values } = valuesOf({ ...message, id: 0 });
  const row = await table(tx).insertInto('rooms.show_messages')
    .values({ performer_id: performerId, show_key: key, ...values }).returning('id')
    .executeTakeFirstOrThrow();
  await table(tx).deleteFrom('rooms.show_messages').where('performer_id', '=', performerId)
    .where('show_key', '=', key).where(
      'id',
      '<=',
      sql<number>`(select id from rooms.show_messages
      where performer_id = ${performerId} and show_key = ${key}
      order by id desc offset ${CHAT_HISTORY_LIMIT} limit 1)`,
    ).execute();
  return { ...message, id: row.id };
}

/** The messages of a show's chat since a moment, oldest first. */
export async function findShowMessages(
  tx: Tx,
  performerId: number,
  key: string,
  since: Date | null,
): Promise<Message[]> {
  const rows = await of(tx, performerId, key)
    .$if(since !== null, (query) => query.where('at', '>=', since as Date))
    .orderBy('id', 'desc').limit(CHAT_HISTORY_LIMIT).execute();
  return rows.toReversed().map(messageOf);
}

export async function findShowMessage(
  tx: Tx,
  performerId: number,
  key: string,
  id: number,
): Promise<Message | null> {
  const row = await of(tx, performerId, key).where('id', '=', id).executeTakeFirst();
  return row ? messageOf(row) : null;
}

/** Times of the messages that these messages of a show's chat quote, by id; deleted ones are missing. */
export async function findQuotedTimes(
  tx: Tx,
  performerId: number,
  key: string,
  messages: readonly Message[],
): Promise<ReadonlyMap<number, Date>> {
  const ids = messages.flatMap(({ reply }) => (reply ? [reply.id] : []));
  if (ids.length === 0) return new Map();
  const rows = await table(tx).selectFrom('rooms.show_messages').select(['id', 'at'])
    .where('performer_id', '=', performerId).where('show_key', '=', key).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, at }) => [id, at]));
}

/** Deletes somebody's messages in a show's chat, and quotes of them. Returns the ids. */
export async function deleteShowMessages(
  tx: Tx,
  performerId: number,
  key: string,
  senderId: number,
): Promise<number[]> {
  const rows = await table(tx).deleteFrom('rooms.show_messages').where('performer_id', '=', performerId)
    .where('show_key', '=', key).where('sender_id', '=', senderId).where('is_anonymous', '=', false)
    .returning('id').execute();
  await table(tx).updateTable('rooms.show_messages')
    .set({ reply_to: null, reply_sender_id: null, reply_excerpt: null })
    .where('performer_id', '=', performerId).where('show_key', '=', key)
    .where('reply_sender_id', '=', senderId).execute();
  return rows.map(({ id }) => id).toSorted((a, b) => a - b);
}

/** Deletes messages of a performer's shows up to a moment. */
export async function deleteOldShowMessages(tx: Tx, performerId: number, upTo: Date): Promise<void> {
  await table(tx).deleteFrom('rooms.show_messages').where('performer_id', '=', performerId)
    .where('at', '<=', upTo).execute();
}

/** Time of the oldest stored message of a performer's shows; null without one. */
export async function oldestShowMessageAt(tx: Tx, performerId: number): Promise<Date | null> {
  const row = await table(tx).selectFrom('rooms.show_messages').select('at')
    .where('performer_id', '=', performerId).orderBy('at').limit(1).executeTakeFirst();
  return row?.at ?? null;
}
