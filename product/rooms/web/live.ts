import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ConnectionPhase, RoomConnection } from '../../../platform/contract/sockets/socket-client.ts';
import { changeCached, queryKeyOf, useCache } from '../../../platform/ui/calls/calls.ts';
import {
  liveState, useLiveState, useLiveStore, type LiveStore,
} from '../../../platform/ui/calls/live-state.ts';
import { useEvent, useRoomConnection } from '../../../platform/ui/calls/live.ts';
import { useMe } from '../../accounts/web/me.ts';
import {
  chatBanned, chatHistory, chatKicked, chatMessage, chatSubject, chatUpdate, friendRequested, getRoom,
  invisibleMode, mediaChanged, messagesRemoved, modelSettings, moderated, privateEnded, privateStarted,
  sayInChat, spyEnded, userCount, userJoined, userLeft, userList,
} from '../client.ts';
import type { ModelSettingsView, RoomDataView } from '../contract.ts';
import {
  EMPTY_COURSE, isLockedAfter, roomAfter, type RoomAction, type RoomCourse, type RoomEntry,
} from '../rules/course.ts';
import { modeIn, streamStatus, type StreamConditions, type StreamStatus } from '../rules.ts';
import { AskLater } from './ask-later.ts';
import { FrameBatch } from './chat/frame-batch.ts';
import {
  heldAfter, mergedLines, NO_HELD_ROOMS, type ChatLineView, type HeldRooms, type ModerationLine,
} from './chat/list/lines.ts';

/**
 * The room data after an event of the room, by the one reducer. What is said of another room changes nothing:
 * those in a show hear of it on every socket they have.
 * @param me username of who hears it, lower case; null for a guest
 */
export function withNews(room: RoomDataView, entry: RoomEntry, me: string | null = null): RoomDataView {
  const { name, payload } = entry;
  if (name === 'v3.chat.update' && 'id' in payload && payload.id !== room.user.id) return room;
  const before = courseOf(room);
  const after = roomAfter(before, { ...entry, seq: null }, me);
  return after === before ? room : withCourse(room, after);
}

/** How the room of the data stands, for its events to go on from. */
const courseOf = ({ chat, stream, auth, privateUsername, privateExclusive }: RoomDataView): RoomCourse => ({
  ...EMPTY_COURSE, status: chat.status, stream: stream.stream_name, mode: chat.roomMode,
  viewerMode: chat.mode, privateUsername, privateExclusive, friendStatus: auth.friendStatus,
  subject: chat.subjectText, subjectColor: chat.subjectColor, userCount: chat.userCount,
});

/** The data with what the room has come to, and with what that makes of its picture. */
function withCourse(room: RoomDataView, course: RoomCourse): RoomDataView {
  const { status, viewerMode, mode: roomMode, userCount, settings } = course;
  const next = {
    ...room, privateUsername: course.privateUsername, privateExclusive: course.privateExclusive,
    chatUserCount: userCount, stream: { ...room.stream, stream_name: course.stream },
    auth: { ...room.auth, friendStatus: course.friendStatus },
    chat: {
      ...room.chat, status, roomMode, mode: viewerMode, userCount, subjectText: course.subject,
      subjectColor: course.subjectColor,
    },
    userSetting: settings === null ? room.userSetting : withSettings(room.userSetting, settings),
  };
  const conditions = conditionsOf(next);
  const { mode } = conditions;
  return {
    ...next, chat: { ...next.chat, mode }, mode: mode === 'public' ? roomMode : mode,
    streamStatus: streamStatus(conditions),
  };
}

/** A new camera password takes the picture from whoever entered the old one. */
const withSettings = (
  before: RoomDataView['userSetting'], settings: ModelSettingsView,
): RoomDataView['userSetting'] =>
  ({ ...before, ...settings, hasCamPassword: isLockedAfter(before, settings) });

/** How a room stands while there is something on air. */
const ON_AIR: ReadonlySet<RoomDataView['chat']['status']> = new Set([
  'online', 'online_ai', 'private', 'limited', 'reconnecting',
]);

/** The data after news of `now`: who went off air was last online then, which no event says. */
export const withEnd = (before: RoomDataView, after: RoomDataView, now: Date): RoomDataView => (
  after.chat.status === 'offline' && ON_AIR.has(before.chat.status)
    ? { ...after, chat: { ...after.chat, lastOnlineAt: now.toISOString() } } : after
);

/** What the picture of a loaded room depends on, for this viewer. */
export function conditionsOf(
  { chat, auth, userSetting, isShowGuestOverlay, ccVerification }: RoomDataView,
): StreamConditions {
  const { isStreamer, isRoomAdmin } = auth;
  // A show that is over leaves nobody in it.
  const isShow = chat.status === 'private' || chat.status === 'limited';
  const told = isStreamer && !isShow ? 'public' : chat.mode;
  const mode = modeIn({ isStreamer, chatStatus: chat.status, mode: told });
  return {
    hasError: false, isReady: true, hasCamPassword: userSetting.hasCamPassword, isRoomAdmin,
    chatStatus: chat.status, mode, isShowGuestOverlay, isCardRequired: ccVerification.isRequired,
    hasCard: ccVerification.hasCard,
  };
}

/** What the video panel shows while a room loads, failed to, or is there. */
export function statusOf(room: RoomDataView | undefined, hasError: boolean): StreamStatus {
  if (room) return streamStatus(conditionsOf(room));
  return streamStatus({ ...NOTHING_KNOWN, hasError });
}

const NOTHING_KNOWN: StreamConditions = {
  hasError: false, isReady: false, hasCamPassword: false, isRoomAdmin: false, chatStatus: 'offline',
  mode: 'public', isShowGuestOverlay: false, isCardRequired: false, hasCard: false,
};

/** What a page holds of a room beside the room data; what was said in it is in {@link useChat}. */
export interface RoomLink {
  readonly username: string;
  /** The room's socket, for parts of the page that hear events of their own; null until there is one. */
  readonly connection: RoomConnection | null;
  readonly joined: boolean;
  /** Grows each time the room says that there is a stream: it may be another than the one before. */
  readonly streamNews: number;
  /** Says something, perhaps in answer to a message; false when the room is not joined: nothing was sent. */
  readonly say: (message: string, replyTo: number | null) => boolean;
}

const ROOMS = liveState<HeldRooms>('rooms.live', NO_HELD_ROOMS);
const NO_LINES: readonly ModerationLine[] = [];

/** Events a room's course is made of. */
const NEWS = [
  chatHistory, chatMessage, messagesRemoved, moderated, chatUpdate, chatSubject, modelSettings, userCount,
  userList, userJoined, userLeft, invisibleMode, privateStarted, privateEnded, spyEnded, friendRequested,
  mediaChanged,
] as const;

/** Those of them that change what the room data say too. */
const DATA_NEWS = [
  chatUpdate, chatSubject, modelSettings, userCount, privateStarted, privateEnded, spyEnded, friendRequested,
] as const;

/** Takes what happened in rooms, in order. Each room has an entry of its own, from joining to leaving. */
export function takeInRooms(store: LiveStore, happened: readonly RoomAction[]): void {
  store.change(ROOMS, (held) => happened.reduce(heldAfter, held));
}

/** The rooms a page is in. */
export const heldRooms = (store: LiveStore): HeldRooms => store.read(ROOMS);

/** A part of the course of a room, which is the same object for the same course. */
const useCourse = <T>(username: string, pick: (course: RoomCourse) => T): T =>
  useLiveState(ROOMS, ({ store }) => pick(store.rooms[username] ?? EMPTY_COURSE));

const messagesOf = ({ messages }: RoomCourse): RoomCourse['messages'] => messages;

/** The chat of a joined room, oldest first; for the chat alone to read, because it changes often. */
export function useChat(username: string): readonly ChatLineView[] {
  const messages = useCourse(username, messagesOf);
  const lines = useLiveState(ROOMS, (held) => held.lines[username] ?? NO_LINES);
  return useMemo(() => mergedLines(messages, lines), [messages, lines]);
}

/** Joins a room while mounted: its events change the cached room data and its chat. */
export function useRoom(username: string): RoomLink {
  const cache = useCache();
  const { connection, phase } = useRoomConnection(username);
  const [streamNews, setStreamNews] = useState(0);
  const me = useMe()?.user.username ?? null;
  useNews(connection, username, phase, me);
  useDataNews(connection, username, me);
  useMediaNews(username);
  useEvent(connection, chatUpdate, (update) => {
    if (update.stream_name !== null) setStreamNews((news) => news + 1);
  });
  useEvent(connection, modelSettings, ({ settings }) => {
    // Without a password there is a picture to ask for.
    if (settings.hasCamPassword) return;
    void cache.invalidateQueries({ queryKey: queryKeyOf(getRoom, { username }) });
  });
  const say = useCallback((message: string, replyTo: number | null) =>
    connection?.send(sayInChat, { message, ...(replyTo === null ? {} : { reply_to: replyTo }) }) ?? false,
  [connection]);
  const joined = phase === 'joined';
  return useMemo(
    () => ({ username, connection, joined, streamNews, say }),
    [username, connection, joined, streamNews, say],
  );
}

/** Keeps the cached room data as the room's events tell it, at once. */
function useDataNews(connection: RoomConnection | null, username: string, me: string | null): void {
  const cache = useCache();
  useEffect(() => {
    const ends = DATA_NEWS.map((event) => connection?.on(event, (payload) => {
      const entry = { name: event.name, payload, seq: null } as RoomEntry;
      changeCached(cache, getRoom, { username }, (room) =>
        withEnd(room, withNews(room, entry, me), new Date()));
    }));
    return () => ends.forEach((end) => end?.());
  }, [cache, connection, me, username]);
}

const mediaNewsOf = ({ mediaNews }: RoomCourse): number => mediaNews;

/** Asks for the room data anew some seconds after the performer's media changed. */
function useMediaNews(username: string): void {
  const cache = useCache();
  const news = useCourse(username, mediaNewsOf);
  const known = useRef(news);
  const later = useMemo(() => new AskLater(() => {
    void cache.invalidateQueries({ queryKey: queryKeyOf(getRoom, { username }) });
  }), [cache, username]);
  useEffect(() => {
    if (news > known.current) later.ask();
    known.current = news;
  }, [later, news]);
  useEffect(() => () => later.drop(), [later]);
}

/** Puts what happens in a room into the store, once a frame, and takes the room out when the page leaves. */
function useNews(
  connection: RoomConnection | null, username: string, phase: ConnectionPhase, me: string | null,
): void {
  const store = useLiveStore();
  const batch = useRef<FrameBatch<RoomAction> | null>(null);
  useEffect(() => {
    // Nobody is logged in any more: there is no room to join.
    if (username === '') return undefined;
    const taking = new FrameBatch<RoomAction>((happened) => takeInRooms(store, happened));
    batch.current = taking;
    takeInRooms(store, [{ type: 'open', username }]);
    return () => {
      taking.drop();
      takeInRooms(store, [{ type: 'remove', username }]);
    };
  }, [store, username]);
  useEffect(() => {
    const ends = NEWS.map((event) => connection?.on(event, (payload, seq) => {
      const entry = { name: event.name, payload, seq } as RoomEntry;
      batch.current?.add({ type: 'news', username, entry, me });
    }));
    return () => ends.forEach((end) => end?.());
  }, [connection, me, username]);
  useEffect(() => {
    if (phase === 'joined') batch.current?.add({ type: 'ready', username });
    if (phase === 'refused') batch.current?.add({ type: 'fail', username });
  }, [phase, username]);
  const putOut = (): void => batch.current?.add({ type: 'putOut', username });
  useEvent(connection, chatBanned, putOut);
  useEvent(connection, chatKicked, putOut);
}
