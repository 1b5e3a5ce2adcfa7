import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { PLAIN_TEXT } from '#product/accounts/rules.ts';
import { z } from 'zod';
import { MAX_CHAT_LENGTH } from '../rules.ts';

const slice = 'support';
export const chatClosed = refusal({
  slice,
  code: 'chat_closed',
  kind: 'denied',
  description: 'Chat with support is for people who are logged in and have a card, and for performers.',
});
export const noSuchConversation = refusal({
  slice,
  code: 'no_such_conversation',
  kind: 'absent',
  description: 'No conversation of this operator has this id.',
});

const ChatMessage = z.object({
  id: z.int(),
  text: z.string(),
  from_support: z.boolean(),
  /** ISO 8601. */
  at: z.string(),
});
export type ChatMessageView = z.infer<typeof ChatMessage>;
const Text = z.string().trim().min(1).max(MAX_CHAT_LENGTH).regex(PLAIN_TEXT);
/** As many messages as a person types in a minute. */
const TYPED = { points: 20, seconds: 60, per: 'caller' } as const;

export const showLiveHelp = call({
  name: 'support.showLiveHelp',
  method: 'GET',
  path: '/billing/show-live-help',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ show: z.boolean() }),
  refusals: [],
  summary: 'Whether chat with support is shown',
  description: 'To people who are logged in and have a card, and to performers; to everyone while the '
    + 'operator’s test flag is on.',
  requirements: ['A-327', 'A-330', 'A-356'],
});

export const getChatState = call({
  name: 'support.getChatState',
  method: 'GET',
  path: '/support/chat/state',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    /** Whether chat with support is open to the caller. */
    show: z.boolean(),
    /** Answers by support that the caller has not seen. */
    unread: z.int(),
    /** The script of the operator's chat provider, and the origins it needs; null without one. */
    provider: z.object({ script: z.string(), origins: z.array(z.string()) }).nullable(),
  }),
  refusals: [],
  summary: 'Chat with support: whether it is open, and what is unread',
  description: 'Callers who may not chat get no unread count and no provider.',
  requirements: ['A-393'],
});
export const markChatRead = call({
  name: 'support.markChatRead',
  method: 'POST',
  path: '/support/chat/read',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ up_to: z.int().positive() }),
  output: z.object({ unread: z.int() }),
  refusals: [chatClosed],
  summary: 'Mark answers of support as read',
  description: 'Up to a message that was seen. Other tabs receive `v3.support.unread`.',
});
export const readChat = call({
  name: 'support.readChat',
  method: 'GET',
  path: '/support/chat',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ messages: z.array(ChatMessage) }),
  refusals: [chatClosed],
  summary: 'The own conversation with support',
  description: 'The last 100 messages, oldest first. A guest’s conversation is that of the session.',
});
export const sendChat = call({
  name: 'support.sendChat',
  method: 'POST',
  path: '/support/chat',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ text: Text }),
  output: ChatMessage,
  refusals: [chatClosed],
  limit: TYPED,
  summary: 'Write to support',
  description: 'Opens the conversation when there is none, or when it was closed. Admins receive '
    + '`v3.support.conversation`.',
});

const Conversation = z.object({
  id: z.int(),
  /** Username; for a guest, the name that begins with guest_. */
  username: z.string(),
  /** Whether the last message waits for an answer. */
  is_waiting: z.boolean(),
  last_text: z.string(),
  last_at: z.string(),
  closed_at: z.string().nullable(),
});
export type ConversationView = z.infer<typeof Conversation>;
const ById = z.object({ id: z.int().positive() });
const admin = { access: 'admin', credential: 'cookie' } as const;

export const listConversations = call({
  ...admin,
  name: 'support.listConversations',
  method: 'GET',
  path: '/admin/support/conversations',
  input: z.object({ before: z.int().positive().optional(), closed: z.boolean().optional() }),
  output: z.object({ conversations: z.array(Conversation), next: z.int().nullable() }),
  refusals: [],
  summary: 'Conversations with support',
  description: 'Open ones, or with `closed` the others; the latest message first, 50 a page. `next` is '
    + '`before` of the page after this.',
});
export const readConversation = call({
  ...admin,
  name: 'support.readConversation',
  method: 'GET',
  path: '/admin/support/conversations/:id',
  input: ById,
  output: z.object({ conversation: Conversation, messages: z.array(ChatMessage) }),
  refusals: [noSuchConversation],
  summary: 'One conversation with support',
  description: 'The last 100 messages, oldest first.',
});
export const answerConversation = call({
  ...admin,
  name: 'support.answerConversation',
  method: 'POST',
  path: '/admin/support/conversations/:id',
  input: ById.extend({ text: Text }),
  output: ChatMessage,
  refusals: [noSuchConversation],
  limit: TYPED,
  summary: 'Answer a conversation',
  description: 'The person receives `v3.support.message`. Opens a closed one again. Audited, without the '
    + 'text.',
});
export const closeConversation = call({
  ...admin,
  name: 'support.closeConversation',
  method: 'POST',
  path: '/admin/support/conversations/:id/close',
  input: ById,
  output: Conversation,
  refusals: [noSuchConversation],
  summary: 'Close a conversation',
  description: 'The next message opens it again. Closed conversations are erased after 180 days. Audited.',
});

export const chatMessage = event({
  name: 'v3.support.message',
  socket: 'both',
  from: 'server',
  shape: ChatMessage,
  description: 'A message in the own conversation with support, to every tab of the person, or of the '
    + 'guest’s session.',
});
export const chatUnread = event({
  name: 'v3.support.unread',
  socket: 'both',
  from: 'server',
  shape: z.object({ unread: z.int() }),
  description: 'The number of unread answers of support changed: to every tab of the person, or of the '
    + 'guest’s session.',
});
export const conversationChanged = event({
  name: 'v3.support.conversation',
  socket: 'both',
  from: 'server',
  shape: z.object({ id: z.int() }),
  description: 'To admins: a conversation has a message more, or was closed.',
});
