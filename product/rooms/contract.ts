import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { AVATAR_KEY } from '#product/accounts/rules/avatar.ts';
import { FANCLUB_LEVELS } from '#product/accounts/rules/current-user.ts';
import { StreamView } from '#product/broadcast/contract.ts';
import { CamSettings } from '#product/broadcast/contract/settings.ts';
import { OfflineVideo, PublicRecording } from '#product/recordings/contract.ts';
import { z } from 'zod';
import {
  BROADCAST_CATEGORIES,
  CHAT_MODES,
  CHAT_STATUSES,
  MAX_SENT_LENGTH,
  ROOM_MODES,
  SOUNDS,
  STREAM_STATUSES,
} from './rules.ts';
import { FONT_STYLES, FONT_WEIGHTS, MESSAGE_BACKGROUNDS, MESSAGE_COLORS } from './rules/message-style.ts';

const slice = 'rooms';
export const roomUnknown = refusal({
  slice,
  code: 'room_unknown',
  kind: 'absent',
  description: 'No such performer, or this viewer may not perceive them. `suggestions` names live rooms.',
});
export const roomGone = refusal({
  slice,
  code: 'room_gone',
  kind: 'gone',
  description: 'The performer of this name deleted their account for good. `suggestions` names live rooms.',
});
export const roomForbidden = refusal({
  slice,
  code: 'room_forbidden',
  kind: 'denied',
  description: 'This viewer may not enter any room yet (entry gate), or not this one (banned).',
});

export const roomBanned = refusal({
  slice,
  code: 'room_banned',
  kind: 'denied',
  description: 'Banned from the room. Carries `reason` and `until` (null: permanently).',
});
export const roomKicked = refusal({
  slice,
  code: 'room_kicked',
  kind: 'denied',
  description: 'Kicked from the room until `until`. Carries `reason`.',
});

/**
 * A person on a room's sockets (spec 3 §3). `tokens`, `email_confirmed`, `has_cc`, `has_purchase` and
 * `recent_purchases` (paid in 30 days) are private: the person receives their own in user lists and in the
 * history; everybody else, and every live message, has null. Tiers (`is_vip`, `is_super_vip`,
 * `has_tokens`) and recent tips are public, because they decide the colour of the name.
 */
const person = {
  username: z.string(),
  display_name: z.string(),
  gender: z.string().nullable(),
  is_model: z.boolean(),
  is_moderator: z.boolean(),
  is_guest: z.boolean(),
  /** A member of the site's staff: the page shows a badge. Absent means no. */
  is_staff: z.boolean().optional(),
  is_vip: z.boolean(),
  is_super_vip: z.boolean(),
  has_tokens: z.boolean(),
  /** The person's level in the performer's fan club; null if not a member. */
  fanclub_level: z.enum(FANCLUB_LEVELS).nullable(),
  email_confirmed: z.boolean().nullable(),
  has_cc: z.boolean().nullable(),
  has_purchase: z.boolean().nullable(),
  recent_purchases: z.int().nullable(),
  tokens: z.int().nullable(),
  /** Tokens tipped to this performer in the last 24 h. */
  recentTips: z.int(),
  /** Id of the receiving socket, in a person's data about themselves; null in everything else. */
  socket_id: z.string().nullable(),
};

export const ChatMessage = z.object({
  /**
   * Sequence number in the room's log. It grows, with gaps for other events. Clients drop ids they already
   * have. 0 for messages returned to their sender (errors).
   */
  id: z.int(),
  ...person,
  message: z.string(),
  is_tip: z.boolean(),
  recent_tips: z.int(),
  /** Tip amount in tokens, 0 for plain messages. */
  value: z.int(),
  /**
   * The person a message is about: the author of the quoted message, or of the one that moderation returned.
   */
  subject_username: z.string().nullable(),
  is_invisible_mode: z.boolean(),
  /** Moderation of the room returned this message to its sender. */
  is_moderation_message: z.boolean(),
  type: z.enum(['message', 'tip', 'notice']),
  action: z.string().nullable(),
  error: z.boolean(),
  errorMessage: z.string().nullable(),
  /**
   * Style by the rule of `rules/message-style.ts`, in names of the design; null means the page's normal text.
   */
  background: z.enum(MESSAGE_BACKGROUNDS).nullable(),
  fontStyle: z.enum(FONT_STYLES).nullable(),
  /** Colour of the sender's name; of the whole line for a notice. */
  color: z.enum(MESSAGE_COLORS).nullable(),
  weight: z.enum(FONT_WEIGHTS).nullable(),
  /** The quoted message as it was when this reply was written; null for none. */
  reply: z.object({
    id: z.int(),
    display_name: z.string(),
    excerpt: z.string(),
    is_staff: z.boolean().optional(),
  }).nullable(),
  user_language: z.string().nullable(),
  at: z.string(),
});
export type ChatMessageView = z.infer<typeof ChatMessage>;

export const ChatUser = z.object({
  ...person,
  invisible_mode_level: z.int().min(0).max(2),
  /**
   * Key of the avatar at `/avatars/{key}`. Null without one, for people who hide, and for performers: who may
   * see a performer's avatar depends on the region, which a socket does not know.
   */
  avatar: z.string().regex(AVATAR_KEY).nullable(),
});
export type ChatUserView = z.infer<typeof ChatUser>;

/** Public settings of a room. */
export const ModelSettings = z.object({
  followEnabled: z.boolean(),
  hasCamPassword: z.boolean(),
  /**
   * Changes with every new password, 0 without one: viewers who entered an earlier password are asked again.
   */
  camPasswordNumber: z.int(),
  broadcastCategory: z.enum(BROADCAST_CATEGORIES).nullable(),
  /** The user list is open to all viewers. */
  isUserListVisible: z.boolean(),
  /** An assistant that writes for the performer; null for none. */
  aiBot: z.object({ isEnabled: z.boolean(), name: z.string() }).nullable(),
});
export type ModelSettingsView = z.infer<typeof ModelSettings>;

/**
 * The fields of GET chat/react/{username} that rooms owns. Parts of later slices (`roomPart` of
 * rules/room-part.ts) add theirs, in the groups `user`, `chat`, `auth` and `userSetting` and on the top
 * level.
 */
export const RoomData = z.object({
  username: z.string(),
  user: z.object({
    id: z.int(),
    username: z.string(),
    displayName: z.string(),
    gender: z.string().nullable(),
    /** A member of the site's staff. Absent means no. */
    isStaff: z.boolean().optional(),
    avatarUrl: z.string().nullable(),
    profilePictureUrl: z.string().nullable(),
    profilePictureThumbUrl: z.string().nullable(),
    offlinePictureUrl: z.string().nullable(),
    /**
     * Chat status; SUSPENDED only for the performer and room admins, as nobody else may enter such a room.
     */
    status: z.enum([...CHAT_STATUSES, 'SUSPENDED']),
    tagListNew: z.array(z.string()),
    about: z.string(),
    languages: z.array(z.string()),
    roleList: z.array(z.string()),
    isVoyeur: z.boolean(),
    showPornProfileLink: z.boolean(),
    streaming_partners: z.array(z.object({ username: z.string(), displayName: z.string() })),
  }),
  chat: z.object({
    status: z.enum(CHAT_STATUSES),
    /** The mode of the show or room this viewer takes part in: decides about the video. */
    mode: z.enum(CHAT_MODES),
    /** The mode of the chat, set with `/setmode`; says nothing about the video. */
    roomMode: z.enum(ROOM_MODES),
    subjectText: z.string(),
    subjectColor: z.string().nullable(),
    /** Empty for viewers who don't moderate the room. */
    moderatorUsernameList: z.array(z.string()),
    silencedUsernameList: z.array(z.string()),
    emoticonList: z.array(z.object({ code: z.string(), text: z.string() })),
    /** Names that `/play_sound` accepts; empty for viewers who may not play them. */
    soundList: z.array(z.string()),
    lastOnlineAt: z.string().nullable(),
    userCount: z.int(),
  }),
  /** By username, for viewers who may see the list now; the socket sends changes. */
  chatUserList: z.record(
    z.string(),
    ChatUser.pick({
      tokens: true,
      recentTips: true,
      invisible_mode_level: true,
    }),
  ),
  chatUserCount: z.int(),
  /** Empty: the socket sends the last messages with their sequence number, so that none is lost. */
  chatMessageList: z.array(ChatMessage),
  /** The viewer's own mode, else the room's. */
  mode: z.enum(CHAT_MODES),
  vr: z.object({ status: z.enum(['online', 'offline']) }),
  /** Without name and token while the stream is not for this viewer. */
  stream: StreamView,
  /** What the video panel shows this viewer: `streamStatus` of rules.ts. */
  streamStatus: z.enum(STREAM_STATUSES),
  isShowGuestOverlay: z.boolean(),
  ccVerification: z.object({
    isRequired: z.boolean(),
    hasCard: z.boolean(),
    billingProduct: z.string().nullable(),
  }),
  /** The law of this viewer's location requires a proof of age that is missing. */
  isAgeVerificationRequired: z.boolean(),
  auth: z.object({
    isBanned: z.boolean(),
    isStreamer: z.boolean(),
    /** Moderator of this room or of the site. */
    isModerator: z.boolean(),
    /** The streamer, site moderators and MODEL_ADMIN. */
    isRoomAdmin: z.boolean(),
    /** Room admins and the room's moderators: they see the moderation panel. */
    canModerate: z.boolean(),
    /** A logged-in performer in somebody else's room. */
    isAnotherModel: z.boolean(),
    /** May start the user list. */
    seesUsers: z.boolean(),
    /** The viewer's own level; see `v3.user.invisible-mode`. */
    invisible_mode_level: z.int(),
  }),
  userSetting: z.object({
    ...ModelSettings.shape,
    /** This viewer must enter the camera password first. */
    hasCamPassword: z.boolean(),
    /** Filled in for room admins only: devices are private. */
    camSettings: CamSettings,
    public_recording: PublicRecording,
    offlineVideo: OfflineVideo,
  }),
  /**
   * `fullBioHtml` is the performer's bio as escaped paragraphs; `wording` names the variant of the room's
   * title and description in an experiment (/experiments).
   */
  seo: z.object({
    title: z.string(),
    description: z.string(),
    h1: z.string(),
    fullBioHtml: z.string(),
    wording: z.string().optional(),
  }),
});
export type RoomDataView = z.infer<typeof RoomData>;

export const getRoom = call({
  name: 'rooms.getRoom',
  method: 'GET',
  path: '/chat/react/:username',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({
    username: z.string().max(64),
    'gender-hide': z.string().max(16).optional(),
  }),
  output: RoomData,
  refusals: [roomUnknown, roomGone, roomForbidden, roomBanned, roomKicked],
  limit: { points: 240, seconds: 60, per: 'caller' },
  summary: 'Room data',
  description: 'Everything the room page needs at first. Usernames are lower-cased and trimmed. Refusals '
    + 'carry `suggestions`: usernames of live rooms.',
  requirements: ['B-320', 'B-321'],
});

export const personAbsent = refusal({
  slice,
  code: 'person_absent',
  kind: 'absent',
  description: 'Nobody of this name is in the room now, that this viewer may see. Carries `is_staff: true` '
    + 'where the name is that of staff.',
});
export const getChatUser = call({
  name: 'rooms.getChatUser',
  method: 'GET',
  path: '/chat/user/:username/:person',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ username: z.string().max(64), person: z.string().max(64) }),
  output: z.object({ user: ChatUser }),
  refusals: [roomUnknown, roomGone, roomForbidden, roomBanned, roomKicked, personAbsent],
  limit: { points: 120, seconds: 60, per: 'caller' },
  summary: 'Somebody in a room',
  description: 'What the user list says of one member, for who may see the list.',
});

/** Both directions: a viewer sends `{message}`, everybody in the room receives the full message. */
export const sayInChat = event({
  name: 'v3.chat.message',
  socket: 'room',
  from: 'client',
  access: 'anyone',
  shape: z.object({
    message: z.string().max(MAX_SENT_LENGTH),
    reply_to: z.int().positive().optional(),
    chat: z.literal('public').optional(),
  }),
  description: 'Sends a message to the joined room; members only. From somebody who is in a show it goes to '
    + 'the chat of that show, unless `chat` says that everybody may read it. A refused message returns to '
    + 'its sender only, with `error` and `errorMessage`: guests are asked to log in. One that the site '
    + 'failed to send returns with a null `errorMessage`. `/play_sound name` and `/setmode limited|public` '
    + 'are for the streamer and moderators. `reply_to` is the id of a message the room still has.',
  requirements: ['B-005'],
});
export const chatMessage = event({
  name: 'v3.chat.message',
  socket: 'room',
  from: 'server',
  shape: ChatMessage,
  description: 'One chat message, appended to the list. Its style is in names of the design: `background` '
    + 'by the tier of a tip, `color` by the sender (performer, super VIP, VIP, tokens), `weight` bold for '
    + 'the performer of the room, `fontStyle` for notices; null is the page\'s own text.',
  requirements: ['B-360'],
});
export const chatHistory = event({
  name: 'v3.chat.history',
  socket: 'room',
  from: 'server',
  shape: z.object({ messages: z.array(ChatMessage), seq: z.int() }),
  description: 'The last messages of the room (at most 200), sent after joining unless the missed entries '
    + 'can be sent one by one. `seq` is the sequence number in the log up to which they are complete.',
  requirements: ['B-361'],
});
export const userCount = event({
  name: 'v3.chat.user_count',
  socket: 'room',
  from: 'server',
  shape: z.object({ user_count: z.int() }),
  description: 'People watching in the room, guests included, the performer not; at most one every 5 s.',
});
export const userList = event({
  name: 'v3.chat.user_list',
  socket: 'room',
  from: 'server',
  shape: z.object({ count: z.int(), users: z.array(ChatUser) }),
  description: 'Members watching (at most 200 named), at most one every 5 s, to those who may see it.',
  requirements: ['B-354'],
});
export const userJoined = event({
  name: 'v3.chat.user_joined',
  socket: 'room',
  from: 'server',
  shape: z.object({ user: ChatUser }),
  description: 'A member joined. Sent to those who receive the user list; when many join, the list is sent '
    + 'again.',
  requirements: ['B-352'],
});
export const userLeft = event({
  name: 'v3.chat.user_left',
  socket: 'room',
  from: 'server',
  shape: z.object({ room: z.string(), user: z.object({ username: z.string() }) }),
  description: 'A member left. Sent to those who receive the user list. `room` is the performer\'s username.',
  requirements: ['B-353'],
});
export const soundPlayed = event({
  name: 'v3.chat.sound',
  socket: 'room',
  from: 'server',
  shape: z.object({ sound: z.enum(SOUNDS), username: z.string(), display_name: z.string() }),
  description: 'A sound for everybody in the room: `/play_sound name`.',
});
export const startUserList = event({
  name: 'v3.chat.userlist.start',
  socket: 'room',
  from: 'client',
  access: 'anyone',
  shape: z.object({}),
  description: 'Starts the user list feed for the streamer or a site moderator; ignored for anybody else.',
});
export const stopUserList = event({
  name: 'v3.chat.userlist.stop',
  socket: 'room',
  from: 'client',
  access: 'anyone',
  shape: z.object({}),
  description: 'Stops the user list feed.',
});
export const chatUpdate = event({
  name: 'v3.chat.update',
  socket: 'room',
  from: 'server',
  shape: z.object({
    id: z.int(),
    status: z.enum(CHAT_STATUSES),
    mode: z.enum(ROOM_MODES),
    stream_name: z.string().nullable(),
    origin_server: z.string().nullable(),
    thumb_small: z.string().nullable(),
  }),
  description: 'The chat status, mode or stream of the room changed. `stream_name` is null for viewers who '
    + 'may not have it; participants of a show, and viewers who entered a camera password, receive it on '
    + 'their own channel, so `id` says whose room it is.',
  requirements: ['B-364'],
});
export const chatSubject = event({
  name: 'v3.chat.subject',
  socket: 'room',
  from: 'server',
  shape: z.object({ subject: z.string(), subject_color: z.string().nullable() }),
  description: 'The topic of the room changed.',
  requirements: ['B-363'],
});
export const reconnectRequired = event({
  name: 'v3.chat.reseat',
  socket: 'room',
  from: 'server',
  closes: 'reseat',
  shape: z.object({}),
  description: 'What this viewer may receive in the room has changed; the client reconnects at once and '
    + 'misses nothing.',
});
