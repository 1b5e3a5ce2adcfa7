import type { PayloadOf } from '../../../platform/contract/event.ts';
import type * as wire from '../contract.ts';
import type * as beside from '../contract/beside-chat.ts';
import type { ChatMessageView, ChatUserView, ModelSettingsView, RoomPartsView } from '../contract.ts';
import { appendMessages, isDebugLine, type ChatMode, type ChatStatus, type RoomMode } from '../rules.ts';

/** How the last private show of this viewer here ended (spec 2 §4.2). */
export interface PrivateEnd {
  readonly reason: string;
  /** Tokens given back by the fan club. */
  readonly fanclubRefund: number;
}
/** Of a private show that ended without a word of why, and without a refund. */
const USUAL_END: PrivateEnd = { reason: 'out_of_tokens', fanclubRefund: 0 };

/** A room as its events tell it: lived through on a page, or replayed from its log. */
export interface RoomCourse {
  /** Place in the log up to which this holds; 0 before the first entry. */
  readonly seq: number;
  readonly status: ChatStatus;
  readonly stream: string | null;
  readonly mode: RoomMode;
  /** What of the room this viewer takes part in. */
  readonly viewerMode: ChatMode;
  /** Whoever is in a private show with her, for the two alone. */
  readonly privateUsername: string | null;
  readonly privateExclusive: boolean;
  /** Null before the first. */
  readonly privateEnd: PrivateEnd | null;
  readonly friendStatus: RoomPartsView['friendStatus'];
  /** Grows each time the performer's media changed. */
  readonly mediaNews: number;
  readonly subject: string;
  readonly subjectColor: string | null;
  /** Null until they were told. */
  readonly settings: ModelSettingsView | null;
  readonly messages: readonly ChatMessageView[];
  /** Usernames that were told; only those with the moderator's view hear of the silenced. */
  readonly moderators: readonly string[];
  readonly silenced: readonly string[];
  readonly users: Readonly<Record<string, ChatUserView>>;
  readonly userCount: number;
}
export const EMPTY_COURSE: RoomCourse = {
  seq: 0, status: 'offline', stream: null, mode: 'public', viewerMode: 'public', privateUsername: null,
  privateExclusive: false, privateEnd: null, friendStatus: null, mediaNews: 0, subject: '',
  subjectColor: null, settings: null, messages: [], moderators: [], silenced: [], users: {}, userCount: 0,
};

/** Events the course of a room depends on, by their wire names. */
interface News {
  'v3.chat.history': PayloadOf<typeof wire.chatHistory>;
  'v3.chat.message': ChatMessageView;
  'v3.chat.removed': PayloadOf<typeof wire.messagesRemoved>;
  'v3.chat.moderate': PayloadOf<typeof wire.moderated>;
  'v3.chat.update': PayloadOf<typeof wire.chatUpdate>;
  'v3.chat.subject': PayloadOf<typeof wire.chatSubject>;
  'v3.chat.model_settings': PayloadOf<typeof wire.modelSettings>;
  'v3.chat.user_count': PayloadOf<typeof wire.userCount>;
  'v3.chat.user_list': PayloadOf<typeof wire.userList>;
  'v3.chat.user_joined': PayloadOf<typeof wire.userJoined>;
  'v3.chat.user_left': PayloadOf<typeof wire.userLeft>;
  'v3.user.invisible-mode': PayloadOf<typeof wire.invisibleMode>;
  'v3.private.started': PayloadOf<typeof beside.privateStarted>;
  'v3.private.end': PayloadOf<typeof beside.privateEnded>;
  'v3.spy.end': PayloadOf<typeof beside.spyEnded>;
  'v3.user_friend.request': PayloadOf<typeof beside.friendRequested>;
  'v3.chat.update_media_list': PayloadOf<typeof beside.mediaChanged>;
}
export type NewsName = keyof News;
/** One event of a room; `seq` is its place in the log, null for what passes. */
export interface RoomEntry<N extends NewsName = NewsName> {
  readonly name: N;
  readonly payload: News[N];
  readonly seq: number | null;
}

/**
 * The room after one more event; the same object when that was heard before or changes nothing.
 * @param me username of who hears it, lower case; null for a guest
 */
export function roomAfter<N extends NewsName>(
  room: RoomCourse, entry: RoomEntry<N>, me: string | null = null,
): RoomCourse {
  const { name, payload, seq } = entry;
  if (seq !== null && seq <= room.seq) return room;
  const next = CHANGES[name](room, payload, me);
  return seq === null ? next : { ...next, seq };
}

/** Whether an event of a socket is one that changes a room's course. */
export const isNews = (name: string): name is NewsName => Object.hasOwn(CHANGES, name);

type Change<N extends NewsName> = (room: RoomCourse, payload: News[N], me: string | null) => RoomCourse;
const CHANGES: { readonly [N in NewsName]: Change<N> } = {
  'v3.chat.history': (room, { messages, seq }) => ({ ...room, messages: appendMessages([], messages), seq }),
  'v3.chat.message': (room, message) => (message.error || isDebugLine(message.message) ? room
    : { ...room, messages: appendMessages(room.messages, [message]) }),
  'v3.chat.removed': (room, { ids }) => ({ ...room, messages: without(room.messages, ids) }),
  'v3.chat.moderate': (room, moderated) => afterModeration(room, moderated),
  'v3.chat.update': (room, { status, mode, stream_name: stream, private_exclusive: privateExclusive }) =>
    ({ ...room, status, mode, stream, privateExclusive }),
  'v3.chat.subject': (room, { subject, subject_color: subjectColor }) => ({ ...room, subject, subjectColor }),
  'v3.chat.model_settings': (room, { settings }) => ({ ...room, settings }),
  'v3.chat.user_count': (room, { user_count: userCount }) => ({ ...room, userCount }),
  'v3.chat.user_list': (room, { users }) =>
    ({ ...room, users: Object.fromEntries(users.map((user) => [user.username, user])) }),
  'v3.chat.user_joined': (room, { user }) => ({ ...room, users: { ...room.users, [user.username]: user } }),
  'v3.chat.user_left': (room, { user }) => withoutUser(room, user.username),
  'v3.user.invisible-mode': (room, { username, invisible_mode_level }) => {
    const user = room.users[username];
    if (!user) return room;
    return { ...room, users: { ...room.users, [username]: { ...user, invisible_mode_level } } };
  },
  'v3.private.started': (room, { username, stream }) => ({
    ...room, status: 'private', viewerMode: 'private', privateUsername: username,
    stream: stream ?? room.stream,
  }),
  'v3.private.end': (room, { reason_ended: reason, fanclub_refund: refund }) => ({
    ...room, status: 'connected', viewerMode: 'public', privateUsername: null,
    privateEnd: {
      reason: reason ?? USUAL_END.reason, fanclubRefund: refund ?? USUAL_END.fanclubRefund,
    },
  }),
  'v3.spy.end': (room) => (room.viewerMode === 'public' ? room : { ...room, viewerMode: 'public' }),
  'v3.user_friend.request': (room, { user }, me) =>
    (user.username === me ? { ...room, friendStatus: 'TO_CONFIRM' } : room),
  'v3.chat.update_media_list': (room) => ({ ...room, mediaNews: room.mediaNews + 1 }),
};

/** A full room asks for what changed over this long, and not in one moment (spec 2 §4.13). */
const MEDIA_WAIT_MS = { least: 2_000, most: 12_000 };
/** How long a page waits before it asks for changed media. @param chance from 0 up to 1 */
export const mediaWaitMs = (chance: number): number =>
  MEDIA_WAIT_MS.least + chance * (MEDIA_WAIT_MS.most - MEDIA_WAIT_MS.least);

function without(messages: readonly ChatMessageView[], ids: readonly number[]): readonly ChatMessageView[] {
  const gone = new Set(ids);
  return messages.some(({ id }) => gone.has(id)) ? messages.filter(({ id }) => !gone.has(id)) : messages;
}

function withoutUser(room: RoomCourse, username: string): RoomCourse {
  const { [username]: gone, ...users } = room.users;
  return gone ? { ...room, users } : room;
}

/** Spec 2 §4.7. Whoever may not know the name learns what is gone, and nothing else. */
function afterModeration(
  room: RoomCourse, { type, action, username, removed }: News['v3.chat.moderate'],
): RoomCourse {
  const after = { ...room, messages: without(room.messages, removed) };
  if (username === null) return after;
  const listed = (names: readonly string[]): readonly string[] => {
    const others = names.filter((name) => name !== username);
    return action === 'add' ? [...others, username] : others;
  };
  if (type === 'moderator') return { ...after, moderators: listed(room.moderators) };
  if (type === 'silenced') return { ...after, silenced: listed(room.silenced) };
  return action === 'add' ? withoutUser(after, username) : after;
}

/** Whether a locked viewer is still locked: a new password locks everybody, the same one nobody again. */
export function isLockedAfter(
  before: Pick<ModelSettingsView, 'hasCamPassword' | 'camPasswordNumber'>, after: ModelSettingsView,
): boolean {
  return after.camPasswordNumber === before.camPasswordNumber ? before.hasCamPassword : after.hasCamPassword;
}

/** Rooms a page holds, one entry per username (spec 2 §3.1, §4.1). */
export interface RoomStore {
  readonly rooms: Readonly<Record<string, RoomCourse & { readonly load: 'loading' | 'ready' | 'error' }>>;
  /** The room whose page is open; null beside rooms. */
  readonly current: string | null;
}
export const NO_ROOMS: RoomStore = { rooms: {}, current: null };

export type RoomAction =
  | { readonly type: 'open' | 'ready' | 'fail' | 'remove'; readonly username: string }
  /** This viewer was banned or kicked. */
  | { readonly type: 'putOut'; readonly username: string }
  /** `me` is who hears it, lower case; null for a guest. */
  | {
    readonly type: 'news'; readonly username: string; readonly entry: RoomEntry;
    readonly me?: string | null;
  };

/** The rooms after an action. Throws for an action without a room: nobody could tell whose it is. */
export function roomsAfter(store: RoomStore, action: RoomAction): RoomStore {
  const { username, type } = action;
  if (!username) throw new Error(`room action ${type} names no room`);
  const room = store.rooms[username];
  const set = (next: RoomStore['rooms'][string]): RoomStore =>
    (next === room ? store : { ...store, rooms: { ...store.rooms, [username]: next } });
  if (type === 'open') {
    return { ...set(room ?? { ...EMPTY_COURSE, load: 'loading' }), current: username };
  }
  // What comes after somebody has left the room is of no use.
  if (!room) return store;
  if (type === 'news') {
    const after = roomAfter(room, action.entry, action.me);
    return after === room ? store : set({ ...after, load: room.load });
  }
  if (type === 'ready' || type === 'fail') return set({ ...room, load: type === 'fail' ? 'error' : 'ready' });
  const { [username]: _gone, ...rooms } = store.rooms;
  return { rooms, current: store.current === username ? null : store.current };
}
