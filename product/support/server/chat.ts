import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Caller } from '#platform/contract/context.ts';
import { personChannel, sessionChannel, type Channel } from '#platform/contract/event.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { cleanLines } from '#platform/text/clean-text.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import type { SiteService } from '#product/site/server.ts';
import {
  answerConversation,
  chatClosed,
  chatMessage,
  chatUnread,
  closeConversation,
  conversationChanged,
  getChatState,
  listConversations,
  markChatRead,
  noSuchConversation,
  readChat,
  readConversation,
  sendChat,
  showLiveHelp,
  type ChatMessageView,
  type ConversationView,
} from '../contract/chat.ts';
import { CONVERSATIONS_PER_PAGE } from '../rules.ts';
import {
  addMessage,
  conversationById,
  conversationOf,
  countUnread,
  markClosed,
  markRead,
  messagesOf,
  openConversation,
  selectConversations,
  type ConversationRow,
  type MessageRow,
  type Owner,
} from '../store/chat.ts';
import { isChatOpen } from './asking.ts';

export interface ChatParts {
  readonly data: Data;
  readonly accounts: AccountsService;
  readonly site: SiteService;
  readonly extensions: Extensions;
}

/** Calls for chat with support: of a person, and of the admins who answer. */
export const chatHandlers = (
  parts: ChatParts,
): CallHandler[] => [...ownHandlers(parts), ...adminHandlers(parts)];

/** The owner of a caller's conversation; null before there is a session. */
function ownerOf({ personId, sessionId, username }: Caller): Owner | null {
  if (personId !== null) return { personId };
  return sessionId === null ? null : { guest: sessionId, guestName: username ?? '' };
}

const viewOf = ({ id, text, adminId, at }: MessageRow): ChatMessageView => ({
  id,
  text,
  from_support: adminId !== null,
  at: at.toISOString(),
});

/** The tabs of the conversation's person, or of the guest's session. */
const channelOf = (
  { personId, guest }: Pick<ConversationRow, 'personId' | 'guest'>,
): Channel => (personId === null ? sessionChannel(guest ?? '') : personChannel(personId));

/** Sends a message to the tabs of the person, and an event without it to those of every admin. */
async function sendMessage(
  { accounts }: ChatParts,
  tx: Tx,
  conversation: Pick<ConversationRow, 'id' | 'personId' | 'guest'>,
  message: ChatMessageView,
): Promise<void> {
  const { id } = conversation;
  await tx.send(channelOf(conversation), chatMessage, message);
  if (message.from_support) {
    await tx.send(channelOf(conversation), chatUnread, { unread: await countUnread(tx, id) });
  }
  await sendChanged(accounts, tx, id);
}

async function sendChanged(accounts: AccountsService, tx: Tx, id: number): Promise<void> {
  for (const adminId of await accounts.adminIds(tx)) {
    await tx.send(personChannel(adminId), conversationChanged, { id });
  }
}

const ownHandlers = (parts: ChatParts): CallHandler[] => [
  handleCall(showLiveHelp)((_input, { scope, caller }) =>
    parts.data.tx(scope, async (tx) => ({
      show: await isChatOpen(parts, tx, caller),
    }))
  ),
  handleCall(getChatState)((_input, { scope, caller }) =>
    parts.data.tx(scope, async (tx) => {
      if (!(await isChatOpen(parts, tx, caller))) return { show: false, unread: 0, provider: null };
      const owner = ownerOf(caller);
      const conversation = owner && await conversationOf(tx, owner);
      const { supportScript: script, supportOrigins: origins } = await parts.site.settingsIn(tx);
      return {
        show: true,
        unread: conversation ? await countUnread(tx, conversation.id) : 0,
        provider: script === null ? null : { script, origins: [...origins] },
      };
    })
  ),
  handleCall(markChatRead)(({ up_to: upTo }, { scope, caller, refuse }) =>
    parts.data.tx(scope, async (tx) => {
      const owner = ownerOf(caller);
      if (owner === null || !(await isChatOpen(parts, tx, caller))) return refuse(chatClosed);
      const conversation = await conversationOf(tx, owner);
      if (!conversation) return { unread: 0 };
      await markRead(tx, conversation.id, upTo);
      const unread = await countUnread(tx, conversation.id);
      await tx.send(channelOf(conversation), chatUnread, { unread });
      return { unread };
    })
  ),
  handleCall(readChat)((_input, { scope, caller, refuse }) =>
    parts.data.tx(scope, async (tx) => {
      if (!(await isChatOpen(parts, tx, caller))) return refuse(chatClosed);
      const owner = ownerOf(caller);
      const conversation = owner && await conversationOf(tx, owner);
      return { messages: conversation ? (await messagesOf(tx, conversation.id)).map(viewOf) : [] };
    })
  ),
  handleCall(sendChat)(({ text }, { scope, caller, refuse }) =>
    parts.data.tx(scope, async (tx) => {
      const owner = ownerOf(caller);
      if (owner === null || !(await isChatOpen(parts, tx, caller))) return refuse(chatClosed);
      const id = (await conversationOf(tx, owner))?.id ?? await openConversation(tx, owner);
      const message = viewOf(await addMessage(tx, id, { adminId: null, text: cleanLines(text) }));
      const { personId, guest } = { personId: null, guest: null, ...owner };
      await sendMessage(parts, tx, { id, personId, guest }, message);
      return message;
    })
  ),
];

const adminHandlers = (parts: ChatParts): CallHandler[] => {
  const { data, accounts } = parts;
  const viewsOf = async (tx: Tx, rows: readonly ConversationRow[]): Promise<ConversationView[]> => {
    const people = await accounts.findMany(tx, rows.flatMap(({ personId }) => personId ?? []));
    return rows.map(({ id, personId, guestName, isWaiting, lastText, lastAt, closedAt }) => ({
      id,
      username: (personId === null ? guestName : people.get(personId)?.username) ?? '',
      is_waiting: isWaiting,
      last_text: lastText,
      last_at: lastAt.toISOString(),
      closed_at: closedAt?.toISOString() ?? null,
    }));
  };
  const viewIn = async (tx: Tx, row: ConversationRow): Promise<ConversationView> =>
    (await viewsOf(tx, [row]))[0] as ConversationView;
  return [
    handleCall(listConversations)(({ before, closed = false }, { scope }) =>
      data.tx(scope, async (tx) => {
        const rows = await selectConversations(tx, closed, before ?? null);
        const next = rows.length === CONVERSATIONS_PER_PAGE ? rows.at(-1)?.lastMessageId ?? null : null;
        return { conversations: await viewsOf(tx, rows), next };
      })
    ),
    handleCall(readConversation)(({ id }, { scope, refuse }) =>
      data.tx(scope, async (tx) => {
        const row = await conversationById(tx, id);
        if (!row) return refuse(noSuchConversation);
        return { conversation: await viewIn(tx, row), messages: (await messagesOf(tx, id)).map(viewOf) };
      })
    ),
    handleCall(answerConversation)(({ id, text }, { scope, caller, refuse }) =>
      data.tx(scope, async (tx) => {
        const row = await conversationById(tx, id);
        if (!row) return refuse(noSuchConversation);
        const message = viewOf(
          await addMessage(tx, id, { adminId: caller.personId, text: cleanLines(text) }),
        );
        await tx.audit({ action: 'support.answer', actorId: caller.personId, subject: `conversation:${id}` });
        await sendMessage(parts, tx, row, message);
        return message;
      })
    ),
    handleCall(closeConversation)(({ id }, { scope, caller, refuse }) =>
      data.tx(scope, async (tx) => {
        const row = await conversationById(tx, id);
        if (!row) return refuse(noSuchConversation);
        await markClosed(tx, id);
        await tx.audit({ action: 'support.close', actorId: caller.personId, subject: `conversation:${id}` });
        await sendChanged(accounts, tx, id);
        return viewIn(tx, { ...row, isWaiting: false, closedAt: row.closedAt ?? tx.now });
      })
    ),
  ];
};
