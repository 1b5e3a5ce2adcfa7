import { event } from '#platform/contract/event.ts';
import { z } from 'zod';
import { ChatMessage } from '../contract.ts';
import { MAX_SENT_LENGTH } from '../rules.ts';
import { MAX_SHOW_CHAT_KEY_LENGTH, SHOW_CHAT_KINDS } from '../rules/show-chat.ts';

/** The chat of the running show, for one person who may read it. */
const ShowChat = z.object({
  /** Identifies the show: another show has another key. */
  key: z.string().max(MAX_SHOW_CHAT_KEY_LENGTH),
  kind: z.enum(SHOW_CHAT_KINDS),
  /** False for spies, who only read. */
  may_write: z.boolean(),
  /** Viewers who spy on the show can read along. */
  is_overheard: z.boolean(),
});
export type ShowChatView = z.infer<typeof ShowChat>;

export const showChatState = event({
  name: 'v3.show_chat.state',
  socket: 'room',
  from: 'server',
  shape: z.object({ chat: ShowChat.nullable(), messages: z.array(ChatMessage) }),
  description: 'The chat of the show that this viewer is in, with its last messages (at most 200), after '
    + 'joining and when a show begins or ends for them; `chat` is null without one. It replaces what was '
    + 'known. Nothing of it is in the log of the room.',
});
export const showMessage = event({
  name: 'v3.show_chat.message',
  socket: 'room',
  from: 'server',
  shape: z.object({ chat: z.string(), message: ChatMessage }),
  description: 'One message in the chat of a show, to those alone who may read it; `reply` quotes only '
    + 'what the reader could read. Ids count apart from those of the room. A refused message returns to its '
    + 'sender as in the room.',
});
export const showMessagesRemoved = event({
  name: 'v3.show_chat.removed',
  socket: 'room',
  from: 'server',
  shape: z.object({ chat: z.string(), ids: z.array(z.int()) }),
  description: 'Messages of the chat of a show were removed.',
});
export const sayInShow = event({
  name: 'v3.show_chat.message',
  socket: 'room',
  from: 'client',
  access: 'anyone',
  shape: z.object({
    chat: z.string().max(MAX_SHOW_CHAT_KEY_LENGTH),
    message: z.string().max(MAX_SENT_LENGTH),
    reply_to: z.int().positive().optional(),
  }),
  description: 'Sends a message to the chat of a show, `chat` says which. It is never shown in the room: '
    + 'when that show is over, or the sender only spies on it, the message returns.',
});
