import type { Tx } from '#platform/data/data.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { sql } from 'kysely';
import { CONVERSATIONS_PER_PAGE, MAX_CHAT_MESSAGES, RETAIN_CLOSED_DAYS } from '../rules.ts';
import type { SupportTables } from './tables.ts';

const tables = (tx: Tx) => tx.sql<SupportTables>();

/** The owner of a conversation: a person, or a guest's session. */
export type Owner = { readonly personId: number } | { readonly guest: string; readonly guestName: string };

const CONVERSATION = [
  'id',
  'person_id as personId',
  'guest',
  'guest_name as guestName',
  'is_waiting as isWaiting',
  'last_message_id as lastMessageId',
  'last_text as lastText',
  'last_at as lastAt',
  'closed_at as closedAt',
] as const;
const conversations = (tx: Tx) => tables(tx).selectFrom('support.conversations').select(CONVERSATION);
export type ConversationRow = Awaited<ReturnType<ReturnType<typeof conversations>['execute']>>[number];
export interface MessageRow {
  readonly id: number;
  readonly adminId: number | null;
  readonly text: string;
  readonly at: Date;
}

export async function conversationOf(tx: Tx, owner: Owner): Promise<ConversationRow | null> {
  const all = conversations(tx);
  const own = 'personId' in owner
    ? all.where('person_id', '=', owner.personId)
    : all.where('guest', '=', owner.guest);
  return await own.executeTakeFirst() ?? null;
}

/** Locked until the unit of work ends, so that messages of one conversation come one after another. */
export async function conversationById(tx: Tx, id: number): Promise<ConversationRow | null> {
  return await conversations(tx).where('id', '=', id).forUpdate().executeTakeFirst() ?? null;
}

/** Opens a first conversation for somebody, and erases conversations closed long ago. */
export async function openConversation(tx: Tx, owner: Owner): Promise<number> {
  const { id } = await tables(tx).insertInto('support.conversations').values({
    person_id: 'personId' in owner ? owner.personId : null,
    guest: 'guest' in owner ? owner.guest : null,
    guest_name: 'guest' in owner ? owner.guestName : null,
    is_waiting: true,
    last_message_id: 0,
    last_text: '',
    last_at: tx.now,
    closed_at: null,
  }).returning('id').executeTakeFirstOrThrow();
  await tables(tx).deleteFrom('support.conversations')
    .where('closed_at', '<', new Date(tx.now.getTime() - RETAIN_CLOSED_DAYS * DAY_MS)).execute();
  return id;
}

/** Adds a message, which reopens the conversation, and deletes messages beyond the newest ones. */
export async function addMessage(
  tx: Tx,
  conversationId: number,
  { adminId, text }: Pick<MessageRow, 'adminId' | 'text'>,
): Promise<MessageRow> {
  const message = await tables(tx).insertInto('support.messages')
    .values({ conversation_id: conversationId, admin_id: adminId, text, at: tx.now })
    .returning(['id', 'admin_id as adminId', 'text', 'at']).executeTakeFirstOrThrow();
  await tables(tx).updateTable('support.conversations').set({
    is_waiting: adminId === null,
    last_message_id: message.id,
    last_text: text,
    last_at: tx.now,
    closed_at: null,
  }).where('id', '=', conversationId).execute();
  const oldest = await tables(tx).selectFrom('support.messages').select('id')
    .where('conversation_id', '=', conversationId).orderBy('id', 'desc').offset(MAX_CHAT_MESSAGES).limit(1)
    .executeTakeFirst();
  if (oldest) {
    await tables(tx).deleteFrom('support.messages').where('conversation_id', '=', conversationId)
      .where('id', '<=', oldest.id).execute();
  }
  return message;
}

/** All stored messages, oldest first. */
export async function messagesOf(tx: Tx, conversationId: number): Promise<MessageRow[]> {
  return tables(tx).selectFrom('support.messages').select(['id', 'admin_id as adminId', 'text', 'at'])
    .where('conversation_id', '=', conversationId).orderBy('id').limit(MAX_CHAT_MESSAGES).execute();
}

/** A page of open or closed conversations, the latest message first. */
export function selectConversations(
  tx: Tx,
  isClosed: boolean,
  before: number | null,
): Promise<ConversationRow[]> {
  return conversations(tx).where('closed_at', isClosed ? 'is not' : 'is', null)
    .$if(before !== null, (query) => query.where('last_message_id', '<', before))
    .orderBy('last_message_id', 'desc').limit(CONVERSATIONS_PER_PAGE).execute();
}

/** Number of support's answers after the last message that the person has seen. */
export async function countUnread(tx: Tx, id: number): Promise<number> {
  const { unread } = await tables(tx).selectFrom('support.messages as m')
    .innerJoin('support.conversations as c', 'c.id', 'm.conversation_id')
    .select(sql<number>`count(*)::bigint`.as('unread'))
    .where('c.id', '=', id).where('m.admin_id', 'is not', null)
    .whereRef('m.id', '>', 'c.read_message_id').executeTakeFirstOrThrow();
  return unread;
}

/** Marks messages as seen up to one; never moves back, and never beyond the last message. */
export async function markRead(tx: Tx, id: number, upTo: number): Promise<void> {
  await tables(tx).updateTable('support.conversations')
    .set({ read_message_id: sql<number>`least(${upTo}, last_message_id)` })
    .where('id', '=', id).where('read_message_id', '<', upTo).execute();
}

export async function markClosed(tx: Tx, id: number): Promise<void> {
  await tables(tx).updateTable('support.conversations').set({ closed_at: tx.now, is_waiting: false })
    .where('id', '=', id).where('closed_at', 'is', null).execute();
}

export async function isFlagged(tx: Tx, personId: number): Promise<boolean> {
  const row = await tables(tx).selectFrom('support.phone_people').select('person_id')
    .where('person_id', '=', personId).executeTakeFirst();
  return row !== undefined;
}

export async function saveFlag(tx: Tx, personId: number, isShown: boolean): Promise<void> {
  if (isShown) {
    await tables(tx).insertInto('support.phone_people').values({ person_id: personId, since: tx.now })
      .onConflict((conflict) => conflict.doNothing()).execute();
    return;
  }
  await tables(tx).deleteFrom('support.phone_people').where('person_id', '=', personId).execute();
}
