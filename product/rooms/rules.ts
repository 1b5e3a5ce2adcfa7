import type { BucketRate } from '#platform/time/token-bucket.ts';
import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import type { RoleName } from '#product/accounts/rules.ts';
import type { Membership } from '#product/accounts/rules/current-user.ts';
import { mayUse } from '#product/accounts/rules/permissions.ts';
import type { PlaybackMode } from '#product/broadcast/rules.ts';

/** Union of the statuses in the specification and in readings.md. */
export const CHAT_STATUSES = [
  'offline',
  'online',
  'online_ai',
  'standby',
  'private',
  'limited',
  'connected',
  'reconnecting',
] as const;
export type ChatStatus = (typeof CHAT_STATUSES)[number];
export const CHAT_MODES = ['public', 'private', 'spy', 'limited'] as const;
export type ChatMode = (typeof CHAT_MODES)[number];
/** Mode of a room's chat, set with `/setmode` (spec 2 §4.2). It does not decide who sees the video. */
export const ROOM_MODES = ['public', 'limited'] as const;
export type RoomMode = (typeof ROOM_MODES)[number];
/** What a performer can do only one of at a time: each excludes the others. */
export type Activity = 'private' | 'ticket' | 'versus' | 'app';
/** Topic of a broadcast, from a short list, so that rooms can be filtered by it. */
export const BROADCAST_CATEGORIES = [
  'chatting',
  'music',
  'dancing',
  'gaming',
  'fitness',
  'cooking',
  'roleplay',
  'couple',
  'party',
] as const;
export type BroadcastCategory = (typeof BROADCAST_CATEGORIES)[number];
/** Sounds that pages play by name. */
export const SOUNDS = [
  'airhorn',
  'applause',
  'bell',
  'cheer',
  'drumroll',
  'fanfare',
  'kiss',
  'laugh',
  'pop',
  'tada',
  'whistle',
] as const;
export type Sound = (typeof SOUNDS)[number];

/** The roles that a moderator can give somebody in a room (spec 3 §4). */
export const RESTRICTIONS = ['banned', 'kicked', 'moderator', 'silenced'] as const;
export type Restriction = (typeof RESTRICTIONS)[number];

/** Longest chat message in characters: two lines on a phone, ten at most. */
export const MAX_CHAT_MESSAGE_LENGTH = 400;
/** Longest message read at all: pages never send longer ones. */
export const MAX_SENT_LENGTH = 4_000;
/** Messages of a room, on the server and in the page (spec 2 §4.12, §9). */
export const CHAT_HISTORY_LIMIT = 200;
/** Entries of a room's log, for clients that reconnect: ten minutes of a busy room. */
export const ROOM_LOG_LIMIT = 1_000;
/** Characters of a message quoted in a reply: enough to recognize it. */
export const REPLY_EXCERPT_LENGTH = 80;
/** Longest topic of a room; broadcast titles have the same limit. */
export const MAX_SUBJECT_LENGTH = 120;
export const SUBJECT_COLOR = /^#[0-9a-f]{6}$/iu;
/** Camera passwords are passed on by word of mouth: short, and protected by counting tries instead. */
export const MIN_CAM_PASSWORD_LENGTH = 4;
export const MAX_CAM_PASSWORD_LENGTH = 64;
/** Wrong camera passwords per viewer or address before they must wait. */
export const PASSWORD_TRIES = 5;
/** Tries in one room before each viewer and address in it may try only once in `PASSWORD_SLOW_MS`. */
export const PASSWORD_TRIES_OF_ROOM = 50;
export const PASSWORD_SLOW_MS = MINUTE_MS;
/** How long tries count. */
export const PASSWORD_WINDOW_MS = 10 * MINUTE_MS;
/** How long an entered camera password is valid: expired sessions leave no rows. */
export const PASSWORD_PROOF_MS = 30 * DAY_MS;
/** Rooms, viewers and addresses whose tries are counted; the oldest are dropped first. */
export const MAX_TRIED = 20_000;
/** Minutes between recurring notices: from what viewers tolerate to once a day. */
export const MIN_NOTICE_PAUSE_MINUTES = 2;
export const MAX_NOTICE_PAUSE_MINUTES = 24 * 60;
/** Joins and leaves sent one by one; for more, the whole list is sent again. */
export const MAX_LIST_CHANGES = 10;
/** Invisible mode: 0 visible, 1 hidden from viewers, 2 hidden from performers too. */
const MAX_INVISIBLE_LEVEL = 2;
/** Cookie by which room moderation identifies a device. */
export const DEVICE_COOKIE = 'room_device';
/** User list and counts go out at most this often (spec 2 §4.12). */
export const COUNT_THROTTLE_MS = 5_000;
/** Members in one user list: what a person can scan. `count` is the total. */
export const MAX_USER_LIST = 200;
/** Live rooms suggested when the requested one is refused: one row of tiles. */
export const MAX_SUGGESTIONS = 8;
/** Live rooms considered for suggestions; some may be hidden from the viewer. */
export const SUGGESTION_CANDIDATES = 64;
/** An account is new for a day: most spam comes from new ones. */
export const NEW_MEMBER_MS = DAY_MS;
export type PaceTier = 'newMember' | 'member' | 'tipper' | 'staff';
/** Messages per person: a burst, then a rate per second. Guests cannot write. */
export const PACES: Readonly<Record<PaceTier, BucketRate & { readonly perSecond: number }>> = {
  newMember: { burst: 5, perSecond: 0.25 },
  member: { burst: 5, perSecond: 0.5 },
  tipper: { burst: 8, perSecond: 1 },
  // Performers and moderators reply to many people at once.
  staff: { burst: 10, perSecond: 2 },
};
/**
 * People whose pace is counted; the person silent for longest is dropped first, as their pace has recovered.
 */
export const MAX_PACED_PEOPLE = 20_000;
/** How long shown facts are stored: delivery stops retrying long before. */
export const SHOWN_FACT_MS = DAY_MS;

/** Appends new messages to a history within its limit, without duplicate ids. Used by page and server. */
export function appendMessages<M extends { readonly id: number }>(
  history: readonly M[],
  added: readonly M[],
): M[] {
  const known = new Set(history.map((message) => message.id));
  const fresh = added.filter((message) => !known.has(message.id) && known.add(message.id));
  return [...history, ...fresh].slice(-CHAT_HISTORY_LIMIT);
}

/** Why a message was not shown; texts under `rooms:errors.*`. */
export type ChatRefusal =
  | 'card_number'
  | 'log_in'
  | 'empty'
  | 'too_long'
  | 'too_fast'
  | 'unknown_command'
  | 'not_for_you'
  | 'unknown_sound'
  | 'unknown_mode'
  | 'held'
  | 'show_over'
  | 'show_read_only'
  | 'show_command';

/** Shown as the sender of an anonymous tip. Nobody can register the name. */
export const ANONYMOUS = { username: 'anonymous', displayName: 'Anonymous' } as const;
export const isAnonymous = ({ username }: { readonly username: string }): boolean =>
  username === ANONYMOUS.username;

/** Role of accounts that test the site; their messages are not shown (spec 2 §5). */
export const TEST_ROLE = 'test_user';
/** Prefixes of debug lines, which are not shown (spec 2 §5). */
const DEBUG_PREFIXES = ['[debug]', '#debug', '__debug'] as const;
/** Whether a line is ignored, by the server before the log and by the page. */
export const isDebugLine = (message: string): boolean =>
  DEBUG_PREFIXES.some((prefix) => message.trimStart().toLowerCase().startsWith(prefix));

/**
 * Why a message is refused whoever sends it; null when it is not.
 * @param cleaned by {@link cleanText}
 */
export function refusalOfMessage(cleaned: string): ChatRefusal | null {
  if (cleaned === '') return 'empty';
  return [...cleaned].length > MAX_CHAT_MESSAGE_LENGTH ? 'too_long' : null;
}

/** The command in a line that starts with a slash, in lower case, and its rest; null for other lines. */
export function commandOf(cleaned: string): { readonly name: string; readonly rest: string } | null {
  if (!cleaned.startsWith('/')) return null;
  const [name = '', ...words] = cleaned.slice(1).split(' ');
  return { name: name.toLowerCase(), rest: words.join(' ') };
}

/** The effect of a command of the room itself, or its refusal; null for commands of other slices. */
export function roomCommand(
  { name, rest }: { readonly name: string; readonly rest: string },
  canModerate: boolean,
): { readonly refusal: ChatRefusal } | { readonly sound: Sound } | { readonly mode: RoomMode } | null {
  if (name !== 'play_sound' && name !== 'setmode') return null;
  if (!canModerate) return { refusal: 'not_for_you' };
  const asked = rest.toLowerCase();
  if (name === 'play_sound') {
    const sound = SOUNDS.find((text) => text === asked);
    return sound ? { sound } : { refusal: 'unknown_sound' };
  }
  const mode = ROOM_MODES.find((text) => text === asked);
  return mode ? { mode } : { refusal: 'unknown_mode' };
}

/** The start of a message, as a reply quotes it. */
export function excerptOf(message: string): string {
  const signs = [...message];
  if (signs.length <= REPLY_EXCERPT_LENGTH) return message;
  return `${signs.slice(0, REPLY_EXCERPT_LENGTH - 1).join('')}…`;
}

export function paceTierOf(
  { rights, accountAgeMs, recentTips }: {
    readonly rights: Pick<RoomRights, 'isStreamer' | 'canModerate'>;
    readonly accountAgeMs: number;
    readonly recentTips: number;
  },
): PaceTier {
  if (rights.isStreamer || rights.canModerate) return 'staff';
  if (recentTips > 0) return 'tipper';
  return accountAgeMs < NEW_MEMBER_MS ? 'newMember' : 'member';
}

/** The public state of a room. */
export interface RoomState {
  readonly status: ChatStatus;
  /** Stream to play; null when there is none. */
  readonly stream: string | null;
}
export const EMPTY_ROOM: RoomState = { status: 'offline', stream: null };
/** A room as stored: with the mode of its chat, and the last sequence number of its log. */
export interface StoredRoom extends RoomState {
  readonly mode: RoomMode;
  readonly seq: number;
}
export const NEW_ROOM: StoredRoom = { ...EMPTY_ROOM, mode: 'public', seq: 0 };

/** The state of a broadcast; `ready` is waiting for its first media. */
export interface BroadcastState {
  readonly state: 'offline' | 'ready' | 'online' | 'reconnecting';
  readonly stream: string | null;
  /** The mode of its stream. */
  readonly mode: PlaybackMode;
  /** The performer is on standby. */
  readonly standby: boolean;
}

/**
 * The room after its broadcast changed. It depends on the broadcast's state and not on the fact, so repeated,
 * late or reordered facts lead to the same room. The state is public, so it never names a stream that is not
 * public. A room whose show is over stays connected until the stream has moved back. Returns the same object
 * when nothing changed.
 */
export function followBroadcast<R extends RoomState>(room: R, broadcast: BroadcastState): R {
  const next = roomOf(broadcast);
  if (room.status === 'connected' && isShow(next.status)) return room;
  return next.status === room.status && next.stream === room.stream ? room : { ...room, ...next };
}

const isShow = (status: ChatStatus): boolean => status === 'private' || status === 'limited';

const STATUS_OF: Readonly<Partial<Record<Activity, ChatStatus>>> = { private: 'private', ticket: 'limited' };

/** The room after a show of this kind has ended, while the stream is still that of the show (spec 2 §4.2). */
export const afterShow = <R extends RoomState>(
  room: R,
  activity: Activity,
): R => (room.status === STATUS_OF[activity] ? { ...room, status: 'connected', stream: null } : room);

function roomOf({ state, stream, mode, standby }: BroadcastState): RoomState {
  const isOn = (state === 'online' || state === 'reconnecting') && stream !== null;
  if (!isOn) return standby ? { status: 'standby', stream: null } : EMPTY_ROOM;
  return mode === 'public' ? { status: state, stream } : { status: mode, stream: null };
}

/** Has the rights of a room admin in every room (spec 2 §6). */
const MODEL_ADMIN: RoleName = 'model_admin';

/** What somebody may do in a room (spec 2 §6). */
export interface RoomRights {
  /** The logged-in owner of the room. */
  readonly isStreamer: boolean;
  /** Site moderator (row `moderator` of the permission table) or moderator of this room: has the badge. */
  readonly isModerator: boolean;
  /** Sees the video behind camera passwords and every user list. */
  readonly isSiteModerator: boolean;
  /** The specification's auth-admin: the streamer, site moderators and MODEL_ADMIN. */
  readonly isRoomAdmin: boolean;
  /** Room admins and the room's own moderators: they see the moderation panel. */
  readonly canModerate: boolean;
  /** A logged-in performer in somebody else's room. */
  readonly isAnotherModel: boolean;
}

/** @param isRoomModerator named by the performer, and not expired */
export function roomRightsOf(
  { personId, roles }: { readonly personId: number | null; readonly roles: readonly string[] },
  ownerId: number,
  isRoomModerator: boolean,
): RoomRights {
  const isSomebody = personId !== null;
  const isStreamer = isSomebody && personId === ownerId;
  const isSiteModerator = isSomebody && mayUse('moderator', roles);
  const isRoomAdmin = isStreamer || isSiteModerator || (isSomebody && roles.includes(MODEL_ADMIN));
  const isOwnModerator = isSomebody && isRoomModerator && !isStreamer;
  return {
    isStreamer,
    isSiteModerator,
    isRoomAdmin,
    isModerator: isSiteModerator || isOwnModerator,
    canModerate: isRoomAdmin || isOwnModerator,
    isAnotherModel: isSomebody && !isStreamer && mayUse('performer', roles),
  };
}

/** Streamer and site moderators see the user list, others when the performer opens it. */
export const seesUserList = (
  { isStreamer, isSiteModerator }: RoomRights,
  isUserListVisible: boolean,
): boolean => isStreamer || isSiteModerator || isUserListVisible;

/** Whether a person who hides appears in a viewer's list. Everybody sees themselves. */
export function isShownTo({ isStreamer, isSiteModerator }: RoomRights, invisibleLevel: number): boolean {
  if (isSiteModerator || invisibleLevel === 0) return true;
  return isStreamer && invisibleLevel < 2;
}

/** VIP tier of a member, which colours the name. */
export interface Tier {
  readonly isVip: boolean;
  readonly isSuperVip: boolean;
}
/** A super VIP is a VIP too. */
export const tierOf = (membership: Membership | null): Tier => ({
  isVip: membership === 'vip' || membership === 'super_vip',
  isSuperVip: membership === 'super_vip',
});

/** The highest level of invisible mode somebody may use. */
export function deepestLevel(
  who: { readonly isSiteModerator: boolean; readonly isVip: boolean },
): number {
  if (who.isSiteModerator) return MAX_INVISIBLE_LEVEL;
  return who.isVip ? 1 : 0;
}

/** Delay of the guest overlay by the query parameter `vidstop`; 0 once this viewer has seen it here. */
const OVERLAY_DELAY_MS = 120_000;
const SHORT_OVERLAY_DELAY_MS = MINUTE_MS;
export function overlayDelayMs(vidstop: string | null, wasSeenHere: boolean): number {
  if (wasSeenHere || vidstop === 'now') return 0;
  return vidstop === '1' ? SHORT_OVERLAY_DELAY_MS : OVERLAY_DELAY_MS;
}

/** Topic of a room's sockets; it survives a change of username. */
export const roomTopic = (performerId: number): string => `room:${performerId}`;

/** Topic of the performer, room admins and moderators: names, and the moderation queue. */
export const moderatorsTopic = (performerId: number): string => `moderators:${performerId}`;

/** The performer whose room a topic is. Throws for any other topic. */
export function performerOfTopic(topic: string | null): number {
  const id = /^room:(\d+)$/u.exec(topic ?? '')?.[1];
  if (id === undefined) throw new Error('the socket has joined no room');
  return Number(id);
}

/** Genders of the comma-separated list `gender-hide`. */
export const hiddenGenders = (list: string | undefined): ReadonlySet<string> =>
  new Set((list ?? '').split(',').map((code) => code.trim()).filter((code) => code !== ''));

/** States of the video panel (spec 2 §4.3), in the order of their checks. */
export const STREAM_STATUSES = [
  'user_error',
  'user_loading',
  'password_required',
  'offline',
  'guest_overlay',
  'cc_required',
  'connected',
  'limited',
  'private',
  'standby',
  'online',
] as const;
export type StreamStatus = (typeof STREAM_STATUSES)[number];

/** Everything the stream status depends on, for one viewer of one room. */
export interface StreamConditions {
  /** The room's data could not be loaded. */
  readonly hasError: boolean;
  /** The room's data has been loaded. */
  readonly isReady: boolean;
  readonly hasCamPassword: boolean;
  /** Streamer, MODEL_ADMIN or site moderator: they need no camera password (readings.md). */
  readonly isRoomAdmin: boolean;
  readonly chatStatus: ChatStatus;
  /** The mode of the show or room this viewer takes part in. */
  readonly mode: ChatMode;
  readonly isShowGuestOverlay: boolean;
  readonly isCardRequired: boolean;
  readonly hasCard: boolean;
}

/** The viewer's mode; a performer takes part in every show of their own room. */
export function modeIn(
  { isStreamer, chatStatus, mode }: {
    readonly isStreamer: boolean;
    readonly chatStatus: ChatStatus;
    readonly mode: ChatMode;
  },
): ChatMode {
  if (!isStreamer || mode !== 'public') return mode;
  return chatStatus === 'private' || chatStatus === 'limited' ? chatStatus : mode;
}

/**
 * Whether a viewer must enter the camera password of a room now. A ticket admits to its show: a password set
 * afterwards does not shut out viewers who paid.
 */
export const needsPassword = (
  hasCamPassword: boolean,
  { chatStatus, mode }: Pick<StreamConditions, 'chatStatus' | 'mode'>,
): boolean => hasCamPassword && !(chatStatus === 'limited' && mode === 'limited');

type Check = (conditions: StreamConditions) => boolean;
const CHECKS: Readonly<Record<StreamStatus, Check>> = {
  user_error: ({ hasError }) => hasError,
  user_loading: ({ isReady }) => !isReady,
  password_required: ({ hasCamPassword, isRoomAdmin }) => hasCamPassword && !isRoomAdmin,
  offline: ({ chatStatus }) => chatStatus === 'offline',
  guest_overlay: ({ isShowGuestOverlay }) => isShowGuestOverlay,
  cc_required: ({ isCardRequired, hasCard }) => isCardRequired && !hasCard,
  // A publisher that lost its connection may return in a moment, so it is shown like one that is connecting.
  connected: ({ chatStatus }) => chatStatus === 'connected' || chatStatus === 'reconnecting',
  limited: ({ chatStatus, mode }) => chatStatus === 'limited' && mode !== 'limited',
  private: ({ chatStatus, mode }) => chatStatus === 'private' && mode !== 'private' && mode !== 'spy',
  standby: ({ chatStatus }) => chatStatus === 'standby',
  online: () => true,
};

/** What the video panel shows this viewer: the first check that holds. */
export function streamStatus(conditions: StreamConditions): StreamStatus {
  const first = STREAM_STATUSES.find((status) => CHECKS[status](conditions));
  if (first === undefined) throw new Error('the last check always holds');
  return first;
}

/**
 * Whether this viewer may have the stream: it plays for them, or did until its publisher lost the connection
 * a moment ago.
 */
export function maySeeStream(conditions: StreamConditions): boolean {
  const status = streamStatus(conditions);
  return status === 'online' || (status === 'connected' && conditions.chatStatus === 'reconnecting');
}

/**
 * Whether a viewer whose player is seconds behind may watch the rest of the stream after the broadcast has
 * ended: only if it was free, as nobody may watch the rest of a paid show.
 */
export const mayFinishStream = (conditions: StreamConditions): boolean =>
  conditions.mode === 'public'
  && (maySeeStream(conditions) || streamStatus(conditions) === 'offline');
