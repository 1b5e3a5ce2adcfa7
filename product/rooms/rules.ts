import type { BucketRate } from '../../platform/time/token-bucket.ts';
import { DAY_MS, MINUTE_MS } from '../../platform/time/units.ts';
import type { RoleName } from '../accounts/rules.ts';
import { mayUse } from '../accounts/rules/permissions.ts';
import type { Membership } from '../billing/rules.ts';
import type { PlaybackMode } from '../broadcast/rules.ts';

/** Union of the spec and readings.md. */
export const CHAT_STATUSES = [
  'offline', 'online', 'online_ai', 'standby', 'private', 'limited', 'connected', 'reconnecting',
] as const;
export type ChatStatus = (typeof CHAT_STATUSES)[number];
export const CHAT_MODES = ['public', 'private', 'spy', 'limited'] as const;
export type ChatMode = (typeof CHAT_MODES)[number];
/** What `/setmode` makes of a room's chat (spec 2 §4.2). Who sees a picture never follows from it. */
export const ROOM_MODES = ['public', 'limited'] as const;
export type RoomMode = (typeof ROOM_MODES)[number];
/** What a room is about, in the performer's words' place: one of a short list, so that it can be searched. */
export const BROADCAST_CATEGORIES = [
  'chatting', 'music', 'dancing', 'gaming', 'fitness', 'cooking', 'roleplay', 'couple', 'party',
] as const;
export type BroadcastCategory = (typeof BROADCAST_CATEGORIES)[number];
/** Sounds that come with the site; pages play them by name. */
export const SOUNDS = [
  'airhorn', 'applause', 'bell', 'cheer', 'drumroll', 'fanfare', 'kiss', 'laugh', 'pop', 'tada', 'whistle',
] as const;
export type Sound = (typeof SOUNDS)[number];

/** What a moderator makes of somebody in a room (spec 3 §4). */
export const RESTRICTIONS = ['banned', 'kicked', 'moderator', 'silenced'] as const;
export type Restriction = (typeof RESTRICTIONS)[number];

/** Longest chat message in characters: two lines on a phone, ten at most. */
export const MAX_CHAT_MESSAGE_LENGTH = 400;
/** Longest message read at all: what is longer than this never came from a page. */
export const MAX_SENT_LENGTH = 4_000;
/** The room keeps this many messages, on the server and in the page (spec 2 §4.12, §9). */
export const CHAT_HISTORY_LIMIT = 200;
/** Entries of a room's log that somebody who returns can catch up on: ten minutes of a busy room. */
export const ROOM_LOG_LIMIT = 1_000;
/** Signs of a message that are repeated in an answer to it: enough to know it by. */
export const REPLY_EXCERPT_LENGTH = 80;
/** Topic of a room: broadcast titles have the same bound. */
export const MAX_SUBJECT_LENGTH = 120;
export const SUBJECT_COLOR = /^#[0-9a-f]{6}$/iu;
/** Camera passwords are told from mouth to mouth: short, and guarded by counting tries instead. */
export const MIN_CAM_PASSWORD_LENGTH = 4;
export const MAX_CAM_PASSWORD_LENGTH = 64;
/** Wrong camera passwords of one viewer or address, and of all viewers of one room, before they wait. */
export const PASSWORD_TRIES = 5;
export const PASSWORD_TRIES_OF_ROOM = 50;
/** How long tries count. */
export const PASSWORD_WINDOW_MS = 10 * MINUTE_MS;
/** Who entered a camera password enters it again after so long: sessions that are over leave nothing. */
export const PASSWORD_PROOF_MS = 30 * DAY_MS;
/** Rooms, viewers and addresses whose guesses are remembered; the oldest are forgotten first. */
export const MAX_TRIED = 20_000;
/** A notice that comes more often is noise; one that comes less often than daily is none. */
export const MIN_NOTICE_PAUSE_MINUTES = 2;
export const MAX_NOTICE_PAUSE_MINUTES = 24 * 60;
/** So many who came or left are told one by one; for more the list is sent anew. */
export const MAX_LIST_CHANGES = 10;
/** Invisible mode: 0 visible, 1 hidden from viewers, 2 hidden from performers too. */
const MAX_INVISIBLE_LEVEL = 2;
/** Cookie by which a device is known again to whoever keeps order; set by room moderation. */
export const DEVICE_COOKIE = 'room_device';
/** User list and counts go out at most this often (spec 2 §4.12). */
export const COUNT_THROTTLE_MS = 5_000;
/** Members named in one user list: what a person can scan. `count` says how many there are. */
export const MAX_USER_LIST = 200;
/** Live rooms offered when the one asked for is not there: one row of tiles. */
export const MAX_SUGGESTIONS = 8;
/** Live rooms looked at for suggestions; some of them this viewer may not perceive. */
export const SUGGESTION_CANDIDATES = 64;
/** An account is new for a day: spam comes from fresh ones. */
export const NEW_MEMBER_MS = DAY_MS;
export type PaceTier = 'newMember' | 'member' | 'tipper' | 'staff';
/** Messages of one person at once, and then per second: typing, not flooding. Guests do not speak. */
export const PACES: Readonly<Record<PaceTier, BucketRate & { readonly perSecond: number }>> = {
  newMember: { burst: 5, perSecond: 0.25 },
  member: { burst: 5, perSecond: 0.5 },
  tipper: { burst: 8, perSecond: 1 },
  // Performers and moderators answer many people at once.
  staff: { burst: 10, perSecond: 2 },
};
/** People whose pace is remembered; who has been silent longest is forgotten first, and loses nothing. */
export const MAX_PACED_PEOPLE = 20_000;
/** How long a shown fact is remembered: delivery gives up repeating long before. */
export const SHOWN_FACT_MS = DAY_MS;

/** Appends to a history that never exceeds the limit and never holds an id twice. Shared by page and server.
 * */
export function appendMessages<M extends { readonly id: number }>(
  history: readonly M[], added: readonly M[],
): M[] {
  const known = new Set(history.map((message) => message.id));
  const fresh = added.filter((message) => !known.has(message.id) && known.add(message.id));
  return [...history, ...fresh].slice(-CHAT_HISTORY_LIMIT);
}

/** Why a message was not shown; texts under `rooms:errors.*`. */
export type ChatFault =
  | 'log_in' | 'empty' | 'too_long' | 'too_fast' | 'unknown_command' | 'not_for_you' | 'unknown_sound'
  | 'unknown_mode' | 'held';

/** Whoever tips without a name. Nobody can register it. */
export const ANONYMOUS = { username: 'anonymous', displayName: 'Anonymous' } as const;

/** Role of accounts that only try whether the site works; what they say is nobody's to read (spec 2 §5). */
export const TEST_ROLE = 'test_user';
/** Lines that speak to programs and not to people (spec 2 §5): nobody is shown them. */
const DEBUG_PREFIXES = ['[debug]', '#debug', '__debug'] as const;
/** Whether a line is ignored, on the server before the log and on the page. */
export const isDebugLine = (message: string): boolean =>
  DEBUG_PREFIXES.some((prefix) => message.trimStart().toLowerCase().startsWith(prefix));

/** What of a message can be judged without knowing who says it; null when it may be shown.
 * @param cleaned from {@link cleanText} */
export function faultOfMessage(cleaned: string): ChatFault | null {
  if (cleaned === '') return 'empty';
  return [...cleaned].length > MAX_CHAT_MESSAGE_LENGTH ? 'too_long' : null;
}

/** A line that starts with a slash: its first word, lower case, and what follows. Null for any other line. */
export function commandOf(cleaned: string): { readonly name: string; readonly rest: string } | null {
  if (!cleaned.startsWith('/')) return null;
  const [name = '', ...words] = cleaned.slice(1).split(' ');
  return { name: name.toLowerCase(), rest: words.join(' ') };
}

/** What a command of the room itself asks for, or why it is refused; null for commands of other slices. */
export function roomCommand(
  { name, rest }: { readonly name: string; readonly rest: string }, canModerate: boolean,
): { readonly fault: ChatFault } | { readonly sound: Sound } | { readonly mode: RoomMode } | null {
  if (name !== 'play_sound' && name !== 'setmode') return null;
  if (!canModerate) return { fault: 'not_for_you' };
  const asked = rest.toLowerCase();
  if (name === 'play_sound') {
    const sound = SOUNDS.find((one) => one === asked);
    return sound ? { sound } : { fault: 'unknown_sound' };
  }
  const mode = ROOM_MODES.find((one) => one === asked);
  return mode ? { mode } : { fault: 'unknown_mode' };
}

/** The start of a message, as an answer repeats it. */
export function excerptOf(message: string): string {
  const signs = [...message];
  if (signs.length <= REPLY_EXCERPT_LENGTH) return message;
  return `${signs.slice(0, REPLY_EXCERPT_LENGTH - 1).join('')}…`;
}

export function paceTierOf(
  { place, accountAgeMs, recentTips }: {
    readonly place: Pick<Place, 'isStreamer' | 'canModerate'>; readonly accountAgeMs: number;
    readonly recentTips: number;
  },
): PaceTier {
  if (place.isStreamer || place.canModerate) return 'staff';
  if (recentTips > 0) return 'tipper';
  return accountAgeMs < NEW_MEMBER_MS ? 'newMember' : 'member';
}

/** What everybody sees of a room's course. */
export interface RoomState {
  readonly status: ChatStatus;
  /** Stream to play; null when there is none. */
  readonly stream: string | null;
}
export const EMPTY_ROOM: RoomState = { status: 'offline', stream: null };
/** A room as it is kept: with the mode of its chat, and the place its log has come to. */
export interface KeptRoom extends RoomState {
  readonly mode: RoomMode;
  readonly seq: number;
}
export const NEW_ROOM: KeptRoom = { ...EMPTY_ROOM, mode: 'public', seq: 0 };

/** A broadcast as it stands: `ready` is one whose first media is still awaited. */
export interface BroadcastStanding {
  readonly state: 'offline' | 'ready' | 'online' | 'reconnecting';
  readonly stream: string | null;
  /** Whom its stream is for. */
  readonly mode: PlaybackMode;
  /** Offline, but near. */
  readonly standby: boolean;
}

/**
 * The room after its broadcast changed. It takes how the broadcast stands and not what happened to it, so
 * news that come twice, late or in another order lead to the same room. The name of a stream that is not for
 * everybody is no part of it, for everybody hears of the room. Answers the same object when nothing changed.
 */
export function followBroadcast<R extends RoomState>(room: R, standing: BroadcastStanding): R {
  const next = roomOf(standing);
  return next.status === room.status && next.stream === room.stream ? room : { ...room, ...next };
}

function roomOf({ state, stream, mode, standby }: BroadcastStanding): RoomState {
  const isOn = (state === 'online' || state === 'reconnecting') && stream !== null;
  if (!isOn) return standby ? { status: 'standby', stream: null } : EMPTY_ROOM;
  return mode === 'public' ? { status: state, stream } : { status: 'private', stream: null };
}

/** Stands above rooms without moderating them (spec 2 §6). */
const MODEL_ADMIN: RoleName = 'model_admin';

/** What somebody is in a room (spec 2 §6). */
export interface Place {
  /** The logged-in person who equals the owner of the room. */
  readonly isStreamer: boolean;
  /** Of the site (the row `moderator` of the permission table) or of this room: what the badge says. */
  readonly isModerator: boolean;
  /** Of the site: sees rooms behind camera passwords and every user list. */
  readonly isSiteModerator: boolean;
  /** What the specification calls auth-admin: the streamer, site moderators and MODEL_ADMIN. */
  readonly isRoomAdmin: boolean;
  /** Room admins and the room's own moderators: the moderator's view. */
  readonly canModerate: boolean;
  /** A logged-in performer in somebody else's room. */
  readonly isAnotherModel: boolean;
}

/** @param isRoomModerator named by the performer, and not expired */
export function placeOf(
  { personId, roles }: { readonly personId: number | null; readonly roles: readonly string[] },
  ownerId: number, isRoomModerator: boolean,
): Place {
  const isSomebody = personId !== null;
  const isStreamer = isSomebody && personId === ownerId;
  const isSiteModerator = isSomebody && mayUse('moderator', roles);
  const isRoomAdmin = isStreamer || isSiteModerator || (isSomebody && roles.includes(MODEL_ADMIN));
  const isOwnModerator = isSomebody && isRoomModerator && !isStreamer;
  return {
    isStreamer, isSiteModerator, isRoomAdmin, isModerator: isSiteModerator || isOwnModerator,
    canModerate: isRoomAdmin || isOwnModerator,
    isAnotherModel: isSomebody && !isStreamer && mayUse('performer', roles),
  };
}

/** Who may see the user list: streamer and site moderators, everybody when the performer opens it. */
export const seesUserList = (
  { isStreamer, isSiteModerator }: Place, isUserListVisible: boolean,
): boolean => isStreamer || isSiteModerator || isUserListVisible;

/** Whether somebody who hides stands in the list that this place sees; oneself one always sees. */
export function isShownTo({ isStreamer, isSiteModerator }: Place, invisibleLevel: number): boolean {
  if (isSiteModerator || invisibleLevel === 0) return true;
  return isStreamer && invisibleLevel < 2;
}

/** VIP tier of a member, as names are coloured by it. */
export interface Tier {
  readonly isVip: boolean;
  readonly isSuperVip: boolean;
}
/** A super VIP is a VIP too. */
export const tierOf = (membership: Membership | null): Tier =>
  ({ isVip: membership === 'vip' || membership === 'super_vip', isSuperVip: membership === 'super_vip' });

/** The deepest level of invisible mode somebody may take. */
export function deepestLevel(
  who: { readonly isSiteModerator: boolean; readonly isVip: boolean },
): number {
  if (who.isSiteModerator) return MAX_INVISIBLE_LEVEL;
  return who.isVip ? 1 : 0;
}

/** Delay of the guest overlay by the query parameter `vidstop`; it comes at once where it was seen before. */
const OVERLAY_DELAY_MS = 120_000;
const SHORT_OVERLAY_DELAY_MS = MINUTE_MS;
export function overlayDelayMs(vidstop: string | null, wasSeenHere: boolean): number {
  if (wasSeenHere || vidstop === 'now') return 0;
  return vidstop === '1' ? SHORT_OVERLAY_DELAY_MS : OVERLAY_DELAY_MS;
}

/** What the sockets of a room join; it outlives a change of username. */
export const roomTopic = (performerId: number): string => `room:${performerId}`;

/** Beside it, what only the performer, room admins and moderators hear: names, and what waits for them. */
export const moderatorsTopic = (performerId: number): string => `desk:${performerId}`;

/** The performer whose room a topic is. Throws for any other topic. */
export function performerOfTopic(topic: string | null): number {
  const id = /^room:(\d+)$/u.exec(topic ?? '')?.[1];
  if (id === undefined) throw new Error('the socket has joined no room');
  return Number(id);
}

/** Genders of the comma list `gender-hide`; what is no gender is left out. */
export const hiddenGenders = (list: string | undefined): ReadonlySet<string> =>
  new Set((list ?? '').split(',').map((code) => code.trim()).filter((code) => code !== ''));

/** What the video panel shows (spec 2 §4.3), in the order in which it is decided. */
export const STREAM_STATUSES = [
  'user_error', 'user_loading', 'password_required', 'offline', 'guest_overlay', 'cc_required', 'connected',
  'limited', 'private', 'standby', 'online',
] as const;
export type StreamStatus = (typeof STREAM_STATUSES)[number];

/** Everything the stream status depends on, for one viewer of one room. */
export interface StreamConditions {
  /** The room's data could not be loaded. */
  readonly hasError: boolean;
  /** The room's data is there. */
  readonly isReady: boolean;
  readonly hasCamPassword: boolean;
  /** Streamer, MODEL_ADMIN or site moderator: no password keeps them out (readings.md). */
  readonly isRoomAdmin: boolean;
  readonly chatStatus: ChatStatus;
  /** What of the room this viewer takes part in. */
  readonly mode: ChatMode;
  readonly isShowGuestOverlay: boolean;
  readonly isCardRequired: boolean;
  readonly hasCard: boolean;
}

/** What of the stream conditions later slices know; see the extension point `rooms.viewConditions`. */
export type ViewConditions =
  Pick<StreamConditions, 'hasCamPassword' | 'isShowGuestOverlay' | 'isCardRequired' | 'hasCard' | 'mode'>;

/** Nobody asks anything of this viewer. */
const OPEN_VIEW: ViewConditions = {
  hasCamPassword: false, isShowGuestOverlay: false, isCardRequired: false, hasCard: false, mode: 'public',
};

/** Puts together what several slices know. Throws when two speak of the same condition. */
export function mergeConditions(told: readonly Partial<ViewConditions>[]): ViewConditions {
  const names = told.flatMap((one) => Object.keys(one));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`two slices say ${twice} of a viewer`);
  return Object.assign({ ...OPEN_VIEW }, ...told) as ViewConditions;
}

/** The performer is in every show of her own room. */
export function modeIn(
  { isStreamer, chatStatus, mode }: {
    readonly isStreamer: boolean; readonly chatStatus: ChatStatus; readonly mode: ChatMode;
  },
): ChatMode {
  if (!isStreamer || mode !== 'public') return mode;
  return chatStatus === 'private' || chatStatus === 'limited' ? chatStatus : mode;
}

type Check = (conditions: StreamConditions) => boolean;
const CHECKS: Readonly<Record<StreamStatus, Check>> = {
  user_error: ({ hasError }) => hasError,
  user_loading: ({ isReady }) => !isReady,
  password_required: ({ hasCamPassword, isRoomAdmin }) => hasCamPassword && !isRoomAdmin,
  offline: ({ chatStatus }) => chatStatus === 'offline',
  guest_overlay: ({ isShowGuestOverlay }) => isShowGuestOverlay,
  cc_required: ({ isCardRequired, hasCard }) => isCardRequired && !hasCard,
  // A publisher who was lost may be back in a moment: the panel says so as it does after a private.
  connected: ({ chatStatus }) => chatStatus === 'connected' || chatStatus === 'reconnecting',
  limited: ({ chatStatus, mode }) => chatStatus === 'limited' && mode !== 'limited',
  private: ({ chatStatus, mode }) => chatStatus === 'private' && mode !== 'private' && mode !== 'spy',
  standby: ({ chatStatus }) => chatStatus === 'standby',
  online: () => true,
};

/** What the video panel shows this viewer: the first check that holds, in the fixed order. */
export function streamStatus(conditions: StreamConditions): StreamStatus {
  const first = STREAM_STATUSES.find((status) => CHECKS[status](conditions));
  if (first === undefined) throw new Error('the last check always holds');
  return first;
}

/**
 * Whether this viewer may have the stream: there is a picture for them, or there was one and its publisher is
 * away for a moment.
 */
export function maySeeStream(conditions: StreamConditions): boolean {
  const status = streamStatus(conditions);
  return status === 'online' || (status === 'connected' && conditions.chatStatus === 'reconnecting');
}
