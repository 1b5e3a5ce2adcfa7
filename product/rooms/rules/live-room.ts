import type { PayloadOf } from '#platform/contract/event.ts';
import type * as wire from '../contract.ts';
import type { ChatMessageView, ChatUserView, ModelSettingsView } from '../contract.ts';
import type { invisibleMode, modelSettings } from '../contract/controls.ts';
import type { messagesRemoved, moderated } from '../contract/moderation.ts';
import type * as showWire from '../contract/show-chat.ts';
import type { ShowChatView } from '../contract/show-chat.ts';
import { appendMessages, isDebugLine, type ChatMode, type ChatStatus, type RoomMode } from '../rules.ts';
import type { PartReducer, PartRoom } from './room-part.ts';

/** A room as its events describe it: applied as they arrive on a page, or replayed from the room's log. */
export interface LiveRoom {
  /** Sequence number of the last log entry applied; 0 before the first entry. */
  readonly seq: number;
  readonly status: ChatStatus;
  readonly stream: string | null;
  readonly mode: RoomMode;
  /** The mode of the show or room this viewer takes part in. */
  readonly viewerMode: ChatMode;
  readonly subject: string;
  readonly subjectColor: string | null;
  /** Null before the first event that sets them. */
  readonly settings: ModelSettingsView | null;
  readonly messages: readonly ChatMessageView[];
  /** The chat of the show this viewer is in; null outside of one. */
  readonly showChat: ShowChatView | null;
  readonly showMessages: readonly ChatMessageView[];
  /** Usernames; only moderators receive the silenced ones. */
  readonly moderators: readonly string[];
  readonly silenced: readonly string[];
  /** By username: the last user list, with the changes since. */
  readonly users: Readonly<Record<string, ChatUserView>>;
  /** Members in the room by the last list, including those it does not name; null before the first list. */
  readonly memberCount: number | null;
  readonly userCount: number;
  /** States of parts by key; a part without events so far is missing. */
  readonly parts: Readonly<Record<string, object>>;
}
export const EMPTY_LIVE_ROOM: LiveRoom = {
  seq: 0,
  status: 'offline',
  stream: null,
  mode: 'public',
  viewerMode: 'public',
  subject: '',
  subjectColor: null,
  settings: null,
  messages: [],
  showChat: null,
  showMessages: [],
  moderators: [],
  silenced: [],
  users: {},
  memberCount: null,
  userCount: 0,
  parts: {},
};

/** Events of the room itself that change its state, by their wire names. */
interface RoomEvents {
  'v3.chat.history': PayloadOf<typeof wire.chatHistory>;
  'v3.chat.message': ChatMessageView;
  'v3.chat.removed': PayloadOf<typeof messagesRemoved>;
  'v3.show_chat.state': PayloadOf<typeof showWire.showChatState>;
  'v3.show_chat.message': PayloadOf<typeof showWire.showMessage>;
  'v3.show_chat.removed': PayloadOf<typeof showWire.showMessagesRemoved>;
  'v3.chat.moderate': PayloadOf<typeof moderated>;
  'v3.chat.update': PayloadOf<typeof wire.chatUpdate>;
  'v3.chat.subject': PayloadOf<typeof wire.chatSubject>;
  'v3.chat.model_settings': PayloadOf<typeof modelSettings>;
  'v3.chat.user_count': PayloadOf<typeof wire.userCount>;
  'v3.chat.user_list': PayloadOf<typeof wire.userList>;
  'v3.chat.user_joined': PayloadOf<typeof wire.userJoined>;
  'v3.chat.user_left': PayloadOf<typeof wire.userLeft>;
  'v3.user.invisible-mode': PayloadOf<typeof invisibleMode>;
}
export type RoomEventName = keyof RoomEvents;

/** One event in a room, of the room itself or of a part. */
export interface RoomEntry {
  readonly name: string;
  readonly payload: unknown;
  /** Sequence number in the log; null for an event that is not logged. */
  readonly seq: number | null;
}
/** An event of the room itself. */
export interface OwnEntry<N extends RoomEventName = RoomEventName> extends RoomEntry {
  readonly name: N;
  readonly payload: RoomEvents[N];
}

/** For which viewer and with which parts a room is reduced. */
export interface Reducing {
  readonly reducers?: readonly PartReducer[];
  /** Username of this page's viewer, lower case; null for a guest. */
  readonly me?: string | null;
}

/** The room after one more event; the same object when the event was applied before or changes nothing. */
export function reduceRoom(
  room: LiveRoom,
  entry: RoomEntry,
  { reducers = [], me = null }: Reducing = {},
): LiveRoom {
  const { name, payload, seq } = entry;
  if (seq !== null && seq <= room.seq) return room;
  const own = isRoomEvent(name) ? CHANGES[name](room, payload as never) : room;
  const next = reducers.reduce((state, reducer) => reducePart(state, reducer, entry, me), own);
  return seq === null ? next : { ...next, seq };
}

/** Whether an event is one that changes the room itself. */
export const isRoomEvent = (name: string): name is RoomEventName => Object.hasOwn(CHANGES, name);

/** The state of a part in a room. */
export const partStateOf = <State extends object>(
  { parts }: LiveRoom,
  { part, initial }: PartReducer<State>,
): State => parts[part.key] as State | undefined ?? initial;

function reducePart(
  room: LiveRoom,
  reducer: PartReducer,
  { name, payload }: RoomEntry,
  me: string | null,
): LiveRoom {
  const change = reducer.changes.get(name);
  if (!change) return room;
  const { status, stream, viewerMode } = room;
  const before: PartRoom<object> = { status, stream, viewerMode, part: partStateOf(room, reducer) };
  const { part, ...picture } = change(before as PartRoom<never>, payload as never, me);
  const isSame = picture.status === status && picture.stream === stream && picture.viewerMode === viewerMode;
  if (part === before.part) return isSame ? room : { ...room, ...picture };
  return { ...room, ...picture, parts: { ...room.parts, [reducer.part.key]: part } };
}

type Change<N extends RoomEventName> = (room: LiveRoom, payload: RoomEvents[N]) => LiveRoom;
const CHANGES: { readonly [N in RoomEventName]: Change<N> } = {
  'v3.chat.history': (room, { messages, seq }) => ({ ...room, messages: appendMessages([], messages), seq }),
  'v3.chat.message': (room, message) => (message.error || isDebugLine(message.message)
    ? room
    : { ...room, messages: appendMessages(room.messages, [message]) }),
  'v3.chat.removed': (room, { ids }) => ({ ...room, messages: without(room.messages, ids) }),
  'v3.show_chat.state': (room, { chat, messages }) => ({
    ...room,
    showChat: chat,
    showMessages: appendMessages([], messages),
  }),
  'v3.show_chat.message': (room, { chat, message }) => (message.error || room.showChat?.key !== chat
    ? room
    : { ...room, showMessages: appendMessages(room.showMessages, [message]) }),
  'v3.show_chat.removed': (room, { chat, ids }) => (room.showChat?.key === chat
    ? { ...room, showMessages: without(room.showMessages, ids) }
    : room),
  'v3.chat.moderate': (room, moderation) => afterModeration(room, moderation),
  'v3.chat.update': (room, { status, mode, stream_name: stream }) => ({ ...room, status, mode, stream }),
  'v3.chat.subject': (room, { subject, subject_color: subjectColor }) => ({ ...room, subject, subjectColor }),
  'v3.chat.model_settings': (room, { settings }) => ({ ...room, settings }),
  'v3.chat.user_count': (room, { user_count: userCount }) => ({ ...room, userCount }),
  'v3.chat.user_list': (room, { count: memberCount, users }) => ({
    ...room,
    memberCount,
    users: Object.fromEntries(users.map((user) => [user.username, user])),
  }),
  'v3.chat.user_joined': (room, { user }) => ({ ...room, users: { ...room.users, [user.username]: user } }),
  'v3.chat.user_left': (room, { user }) => withoutUser(room, user.username),
  'v3.user.invisible-mode': (room, { username, invisible_mode_level }) => {
    const user = room.users[username];
    if (!user) return room;
    return { ...room, users: { ...room.users, [username]: { ...user, invisible_mode_level } } };
  },
};

function without(messages: readonly ChatMessageView[], ids: readonly number[]): readonly ChatMessageView[] {
  const gone = new Set(ids);
  return messages.some(({ id }) => gone.has(id)) ? messages.filter(({ id }) => !gone.has(id)) : messages;
}

function withoutUser(room: LiveRoom, username: string): LiveRoom {
  const { [username]: gone, ...users } = room.users;
  return gone ? { ...room, users } : room;
}

/** Spec 2 §4.7. Without the name, only the removed messages are known. */
function afterModeration(
  room: LiveRoom,
  { type, action, username, removed }: RoomEvents['v3.chat.moderate'],
): LiveRoom {
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

/** Whether a viewer must enter the password after new settings: a new password locks everybody out. */
export function isLockedAfter(
  before: Pick<ModelSettingsView, 'hasCamPassword' | 'camPasswordNumber'>,
  after: ModelSettingsView,
): boolean {
  return after.camPasswordNumber === before.camPasswordNumber ? before.hasCamPassword : after.hasCamPassword;
}

/** The rooms a page is in, one entry per username (spec 2 §3.1, §4.1). */
export interface LiveRooms {
  readonly rooms: Readonly<Record<string, LiveRoom & { readonly load: 'loading' | 'ready' | 'error' }>>;
  /** The room whose page is open; null on other pages. */
  readonly current: string | null;
}
export const NO_ROOMS: LiveRooms = { rooms: {}, current: null };

export type RoomAction =
  | { readonly type: 'open' | 'ready' | 'fail' | 'remove'; readonly username: string }
  /** This viewer was banned or kicked. */
  | { readonly type: 'expel'; readonly username: string }
  | ({ readonly type: 'event'; readonly username: string; readonly entry: RoomEntry } & Reducing);

/** The rooms after an action. Throws for an action without a username. */
export function reduceRooms(before: LiveRooms, action: RoomAction): LiveRooms {
  const { username, type } = action;
  if (!username) throw new Error(`room action ${type} names no room`);
  const room = before.rooms[username];
  const set = (
    next: LiveRooms['rooms'][string],
  ): LiveRooms => (next === room ? before : { ...before, rooms: { ...before.rooms, [username]: next } });
  if (type === 'open') {
    return { ...set(room ?? { ...EMPTY_LIVE_ROOM, load: 'loading' }), current: username };
  }
  // Events that arrive after a room was left are dropped.
  if (!room) return before;
  if (type === 'event') {
    const after = reduceRoom(room, action.entry, action);
    return after === room ? before : set({ ...after, load: room.load });
  }
  if (type === 'ready' || type === 'fail') return set({ ...room, load: type === 'fail' ? 'error' : 'ready' });
  const { [username]: _left, ...rooms } = before.rooms;
  return { rooms, current: before.current === username ? null : before.current };
}
