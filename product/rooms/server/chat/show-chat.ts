import type { DeadlineHandler } from '#platform/contract/bind.ts';
import { topicPersonChannel, type AnyEvent, type PayloadOf } from '#platform/contract/event.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import type { ChatMessageView } from '../../contract.ts';
import {
  showChatState,
  showMessage,
  showMessagesRemoved,
  type ShowChatView,
} from '../../contract/show-chat.ts';
import { readShowChats, showChats } from '../../extension-points.ts';
import { roomTopic } from '../../rules.ts';
import {
  hasRead,
  hasReadQuote,
  readersOf,
  SHOW_CHAT_MS,
  showChatAccess,
  type ReadSpan,
  type RunningShowChat,
  type ShowChatAccess,
} from '../../rules/show-chat.ts';
import type { Message } from '../../store.ts';
import {
  deleteOldShowMessages,
  deleteShowMessages,
  findQuotedTimes,
  findShowMessages,
  oldestShowMessageAt,
} from '../../store/show-messages.ts';
import type { RoomsDependencies } from '../dependencies.ts';

/** The running show of a performer that has a chat of its own; null for none. */
export const runningChat = (
  extensions: Extensions,
  tx: Tx,
  performerId: number,
): Promise<RunningShowChat | null> => extensions.one(showChats)(tx, performerId);

/**
 * Sends an event only to people who may read a show's chat now, each on their own channel of the room. The
 * unit of work decides, not what a socket once subscribed to.
 */
async function sendToReaders<E extends AnyEvent>(
  tx: Tx,
  performerId: number,
  chat: RunningShowChat,
  event: E,
  payload: PayloadOf<E>,
): Promise<void> {
  for (const personId of readersOf(chat)) {
    await tx.send(topicPersonChannel(roomTopic(performerId), personId), event, payload);
  }
}

/** Messages for a person who read during some spans: without quotes of messages outside of these. */
async function quotingOf(
  tx: Tx,
  performerId: number,
  key: string,
  messages: readonly Message[],
): Promise<(spans: readonly ReadSpan[]) => Message[]> {
  const times = await findQuotedTimes(tx, performerId, key, messages);
  return (spans) =>
    messages.map((message) => {
      const { at, reply } = message;
      return reply === null || hasReadQuote(spans, { at, quotedAt: times.get(reply.id) })
        ? message
        : { ...message, reply: null };
    });
}

/** Sends a message to everybody who may read it now, with the quote only if they read the quoted message. */
export async function sendMessageToReaders(
  tx: Tx,
  performerId: number,
  chat: RunningShowChat,
  message: Message,
  viewOf: (message: Message) => Promise<ChatMessageView>,
): Promise<void> {
  const quoting = await quotingOf(tx, performerId, chat.key, [message]);
  const whole = await viewOf(message);
  let unquoted: ChatMessageView | null = null;
  for (const personId of readersOf(chat)) {
    const [shown] = quoting(spansOf(showChatAccess(chat, personId)));
    const view = shown === message ? whole : (unquoted ??= await viewOf({ ...message, reply: null }));
    await tx.send(topicPersonChannel(roomTopic(performerId), personId), showMessage, {
      chat: chat.key,
      message: view,
    });
  }
}

/** The spans that somebody reads of the running show. */
const spansOf = (
  access: ShowChatAccess | null,
): ReadSpan[] => (access ? [{ since: access.since, until: null }] : []);

/** The messages of a history as one person receives them. */
type ViewsOf = (tx: Tx, performerId: number, messages: readonly Message[]) => Promise<ChatMessageView[]>;

/** The chat of the running show for one person; null if they may not read it. */
async function stateFor(
  tx: Tx,
  performerId: number,
  chat: RunningShowChat | null,
  personId: number | null,
  viewsOf: ViewsOf,
): Promise<PayloadOf<typeof showChatState> | null> {
  const access = chat && showChatAccess(chat, personId);
  if (!chat || !access) return null;
  const messages = await findShowMessages(tx, performerId, chat.key, access.since);
  const quoting = await quotingOf(tx, performerId, chat.key, messages);
  const view: ShowChatView = {
    key: chat.key,
    kind: chat.kind,
    may_write: access.mayWrite,
    is_overheard: chat.isOpenToSpies,
  };
  return { chat: view, messages: await viewsOf(tx, performerId, quoting(spansOf(access))) };
}

export const NO_SHOW_CHAT: PayloadOf<typeof showChatState> = { chat: null, messages: [] };

/** Stored messages that somebody read in the chat of a show, running or over; null if they read none. */
export async function showChatRead(
  extensions: Extensions,
  tx: Tx,
  performerId: number,
  which: { readonly key: string; readonly personId: number },
  viewsOf: ViewsOf,
): Promise<ChatMessageView[] | null> {
  const { key, personId } = which;
  const spans = await extensions.one(readShowChats)(tx, performerId, key, personId);
  if (spans.length === 0) return null;
  const messages = await findShowMessages(tx, performerId, key, null);
  const read = messages.filter(({ at }) => hasRead(spans, at));
  return viewsOf(tx, performerId, (await quotingOf(tx, performerId, key, read))(spans));
}

/** The show chat of somebody who joins the room; null if there is none for them. */
export const showChatOnJoining = async (
  extensions: Extensions,
  tx: Tx,
  performerId: number,
  personId: number | null,
  viewsOf: ViewsOf,
): Promise<PayloadOf<typeof showChatState> | null> => (personId === null
  ? null
  : stateFor(tx, performerId, await runningChat(extensions, tx, performerId), personId, viewsOf));

/** Sends each person the show chat that they may read now, or that there is none. */
export async function sendShowChat(
  extensions: Extensions,
  tx: Tx,
  performerId: number,
  personIds: readonly number[],
  viewsOf: ViewsOf,
): Promise<void> {
  const chat = await runningChat(extensions, tx, performerId);
  for (const personId of personIds) {
    const state = await stateFor(tx, performerId, chat, personId, viewsOf);
    await tx.send(topicPersonChannel(roomTopic(performerId), personId), showChatState, state ?? NO_SHOW_CHAT);
  }
}

/** Removes what somebody wrote in the running show, as a ban or a silence does in the room. */
export async function removeFromShow(
  extensions: Extensions,
  tx: Tx,
  performerId: number,
  senderId: number,
): Promise<void> {
  const chat = await runningChat(extensions, tx, performerId);
  if (!chat) return;
  const ids = await deleteShowMessages(tx, performerId, chat.key, senderId);
  if (ids.length > 0) {
    await sendToReaders(tx, performerId, chat, showMessagesRemoved, { chat: chat.key, ids });
  }
}

const OLD = 'rooms.showChatOld';

/**
 * Messages are deleted after a day, oldest first. A new one leaves the deadline of the oldest as it is.
 * While that deadline is being handled, the next one is set for the oldest message left.
 */
export async function scheduleForgetting(tx: Tx, performerId: number, keepExisting = true): Promise<void> {
  const oldest = await oldestShowMessageAt(tx, performerId);
  if (oldest === null) return;
  await tx.schedule({
    kind: OLD,
    key: String(performerId),
    at: new Date(oldest.getTime() + SHOW_CHAT_MS),
    keepExisting,
  });
}

/** Deletes messages of shows after a day, and sets the next deadline for the oldest message left. */
export const showChatDeadline = ({ data }: Pick<RoomsDependencies, 'data'>): DeadlineHandler => ({
  kind: OLD,
  handle: ({ operatorId, key }) =>
    data.tx({ operatorId }, async (tx) => {
      await deleteOldShowMessages(tx, Number(key), new Date(tx.now.getTime() - SHOW_CHAT_MS));
      await scheduleForgetting(tx, Number(key), false);
    }),
});
