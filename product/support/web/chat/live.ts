import type { OutputOf } from '#platform/contract/call.ts';
import { changeCached, queryKeyOf } from '#platform/ui/calls/calls.ts';
import type { QueryClient } from '@tanstack/react-query';
import {
  getChatState,
  listConversations,
  readChat,
  readConversation,
  type closeConversation,
} from '../../client.ts';
import type { ChatMessageView } from '../../contract/chat.ts';

/** Adds a message once, although both the answer and the event bring it. */
const added = (messages: readonly ChatMessageView[], message: ChatMessageView): ChatMessageView[] =>
  [...messages.filter(({ id }) => id !== message.id), message].toSorted((item, other) => item.id - other.id);

/** Shows a message in the person's conversation. */
export function showMessage(cache: QueryClient, message: ChatMessageView): void {
  changeCached(cache, readChat, {}, (chat) => ({ ...chat, messages: added(chat.messages, message) }));
}

/** Shows how many of support's answers are unread. */
export function showUnread(cache: QueryClient, { unread }: { readonly unread: number }): void {
  changeCached(cache, getChatState, {}, (state) => ({ ...state, unread }));
}

/** After a change, admins read the conversation and the lists again. */
export function refreshConversation(cache: QueryClient, { id }: { readonly id: number }): void {
  void cache.invalidateQueries({ queryKey: queryKeyOf(listConversations) });
  void cache.invalidateQueries({ queryKey: queryKeyOf(readConversation, { id }) });
}

export function showClosed(cache: QueryClient, conversation: OutputOf<typeof closeConversation>): void {
  refreshConversation(cache, conversation);
}
