import { z } from 'zod';
import { call } from '../../platform/contract/call.ts';
import type { Scope } from '../../platform/contract/context.ts';
import { event } from '../../platform/contract/event.ts';
import { refusal } from '../../platform/contract/refusal.ts';
import { slot } from '../../platform/contract/slot.ts';
import { StreamView } from '../broadcast/contract.ts';
import { CHAT_MODES, CHAT_STATUSES, MAX_SENT_LENGTH } from './rules.ts';

const slice = 'rooms';
export const roomUnknown = refusal({
  slice, code: 'room_unknown', kind: 'absent',
  description: 'There is no such performer, or not for this viewer. `suggestions` names live rooms.',
});
export const roomForbidden = refusal({
  slice, code: 'room_forbidden', kind: 'denied',
  description: 'This viewer may not enter any room yet (entry gate), or not this one (banned).',
});

export const ChatMessage = z.object({
  /** Grows within a room; a viewer drops what it has. 0 for what only the sender hears (errors). */
  id: z.int(),
  username: z.string(),
  display_name: z.string(),
  message: z.string(),
  is_tip: z.boolean(),
  /** Tip amount in tokens, 0 for plain messages. */
  value: z.int(),
  recent_tips: z.int(),
  subject_username: z.string().nullable(),
  is_invisible_mode: z.boolean(),
  is_moderation_message: z.boolean(),
  type: z.enum(['message', 'tip', 'notice']),
  action: z.string().nullable(),
  error: z.boolean(),
  errorMessage: z.string().nullable(),
  background: z.string().nullable(),
  fontStyle: z.string().nullable(),
  color: z.string().nullable(),
  weight: z.string().nullable(),
  is_model: z.boolean(),
  is_moderator: z.boolean(),
  is_guest: z.boolean(),
  user_language: z.string().nullable(),
  at: z.string(),
});
export type ChatMessageView = z.infer<typeof ChatMessage>;

export const ChatUser = z.object({
  username: z.string(), display_name: z.string(), is_model: z.boolean(), is_guest: z.boolean(),
  is_moderator: z.boolean(), tokens: z.int().nullable(), recentTips: z.int(),
});

/** GET chat/react/{username}; M1 answers the groups it has, later slices fill the rest. */
export const RoomData = z.object({
  user: z.object({
    id: z.int(), username: z.string(), displayName: z.string(), gender: z.string().nullable(),
    avatarUrl: z.string().nullable(), profilePictureUrl: z.string().nullable(),
    profilePictureThumbUrl: z.string().nullable(), offlinePictureUrl: z.string().nullable(),
    status: z.string(), roleList: z.array(z.string()), tagListNew: z.array(z.string()),
    about: z.string(), languages: z.array(z.string()),
  }),
  chat: z.object({
    status: z.enum(CHAT_STATUSES), mode: z.enum(CHAT_MODES), subjectText: z.string(),
    subjectColor: z.string().nullable(),
    moderatorUsernameList: z.array(z.string()), silencedUsernameList: z.array(z.string()),
    lastOnlineAt: z.string().nullable(), userCount: z.int(),
  }),
  stream: StreamView,
  auth: z.object({
    friendStatus: z.string().nullable(), isBanned: z.boolean(),
    isStreamer: z.boolean(), isModerator: z.boolean(),
  }),
  seo: z.object({ title: z.string(), description: z.string(), h1: z.string() }),
});
export type RoomDataView = z.infer<typeof RoomData>;

export const getRoom = call({
  name: 'rooms.getRoom', method: 'GET', path: '/chat/react/:username', access: 'anyone', credential: 'cookie',
  input: z.object({
    username: z.string().max(64), 'gender-hide': z.string().max(16).optional(),
  }),
  output: RoomData,
  refusals: [roomUnknown, roomForbidden],
  limit: { points: 240, seconds: 60, per: 'caller' },
  summary: 'Room data',
  description: 'Everything the room page starts with. Usernames are lower-cased and trimmed. Refusals carry '
    + '`suggestions`: usernames of live rooms.',
  requirements: ['B-320', 'B-321'],
});

/** Both ways: a viewer says `{message}`, everybody in the room gets the whole message. */
export const sayInChat = event({
  name: 'v3.chat.message', socket: 'room', from: 'client', access: 'anyone',
  shape: z.object({ message: z.string().max(MAX_SENT_LENGTH) }),
  description: 'Says something in the joined room; members only. What is refused comes back to the sender '
    + 'alone, with `error` and `errorMessage`: guests are asked to log in.',
  requirements: ['B-005'],
});
export const chatMessage = event({
  name: 'v3.chat.message', socket: 'room', from: 'server', shape: ChatMessage,
  description: 'One chat message, appended to the list.', requirements: ['B-360'],
});
export const chatHistory = event({
  name: 'v3.chat.history', socket: 'room', from: 'server',
  shape: z.object({ messages: z.array(ChatMessage) }),
  description: 'The last messages of the room (at most 200), sent after joining.', requirements: ['B-361'],
});
export const userCount = event({
  name: 'v3.chat.user_count', socket: 'room', from: 'server', shape: z.object({ user_count: z.int() }),
  description: 'People watching in the room, guests included, the performer not; at most one every 5 s.',
});
export const userList = event({
  name: 'v3.chat.user_list', socket: 'room', from: 'server',
  shape: z.object({ count: z.int(), users: z.array(ChatUser) }),
  description: 'Members watching (at most 200 named), at most one every 5 s, to those who may see it.',
});
export const startUserList = event({
  name: 'v3.chat.userlist.start', socket: 'room', from: 'client', access: 'anyone', shape: z.object({}),
  description: 'Starts the user list feed for the streamer or a site moderator; nothing for anybody else.',
});
export const stopUserList = event({
  name: 'v3.chat.userlist.stop', socket: 'room', from: 'client', access: 'anyone', shape: z.object({}),
  description: 'Stops the user list feed.',
});
export const chatUpdate = event({
  name: 'v3.chat.update', socket: 'room', from: 'server',
  shape: z.object({
    id: z.int(), status: z.enum(CHAT_STATUSES), stream_name: z.string().nullable(),
    private_exclusive: z.boolean(),
  }),
  description: 'The chat status or stream of the room changed.',
});
export const chatSubject = event({
  name: 'v3.chat.subject', socket: 'room', from: 'server',
  shape: z.object({ subject: z.string(), subject_color: z.string().nullable() }),
  description: 'The topic of the room changed.',
});

/** What later slices know of viewers in a room. */
export interface ViewerStanding {
  /** Tokens each of these people tipped a performer in the last 24 h; nobody means 0. Opens a unit of its
   * own. */
  readonly recentTips: (
    scope: Scope, personIds: readonly number[], performerId: number,
  ) => Promise<ReadonlyMap<number, number>>;
}
export const viewerStanding = slot<ViewerStanding>({
  name: 'rooms.viewerStanding', description: 'Recent tips (24 h) of viewers to a performer.',
  fallback: { recentTips: async () => new Map() },
});
