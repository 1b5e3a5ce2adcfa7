import type { ClientEvent } from '#platform/contract/event.ts';
import type { ConnectionPhase, RoomConnection } from '#platform/contract/sockets/socket-client.ts';
import { changeCached, queryKeyOf, useCache } from '#platform/ui/calls/calls.ts';
import { liveState, useLiveState, useLiveStore, type LiveStore } from '#platform/ui/calls/live-state.ts';
import { useEvent, useJoined, useRoomConnection } from '#platform/ui/calls/live.ts';
import { useServerClock } from '#platform/ui/time/server-clock.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import {
  chatBanned,
  chatHistory,
  chatKicked,
  chatMessage,
  chatSubject,
  chatUpdate,
  getRoom,
  invisibleMode,
  messagesRemoved,
  modelSettings,
  moderated,
  sayInChat,
  sayInShow,
  showChatState,
  showMessage,
  showMessagesRemoved,
  startUserList,
  stopUserList,
  userCount,
  userJoined,
  userLeft,
  userList,
} from '../client.ts';
import type { ChatMessageView, ChatUserView } from '../contract.ts';
import type { ShowChatView } from '../contract/show-chat.ts';
import {
  EMPTY_LIVE_ROOM,
  partStateOf,
  type LiveRoom,
  type Reducing,
  type RoomAction,
} from '../rules/live-room.ts';
import { withEnd, withEvent } from '../rules/room-data.ts';
import type { PartReducer } from '../rules/room-part.ts';
import type { WantedChat } from '../rules/show-chat.ts';
import { FrameBatch } from './chat/frame-batch.ts';
import {
  mergedLines,
  NO_PAGE_ROOMS,
  reducePageRooms,
  type ChatLineView,
  type ModerationLine,
  type PageRooms,
} from './chat/list/lines.ts';
import { ListGate } from './list-gate.ts';

/** A page's connection to a room. Its messages are in {@link useChat}. */
export interface RoomLink {
  readonly username: string;
  /** The room's socket, for components with events of their own; null until it is opened. */
  readonly connection: RoomConnection | null;
  readonly joined: boolean;
  /** Counts updates with a stream, which may differ from the one before. */
  readonly streamChanges: number;
  /** Sends a message; false when the room is not joined and nothing was sent. */
  readonly say: (message: string, replyTo: number | null, wanted: WantedChat) => boolean;
}

const ROOMS = liveState<PageRooms>('rooms.live', NO_PAGE_ROOMS);
const NO_LINES: readonly ModerationLine[] = [];

/** Events that change a live room. */
const ROOM_EVENTS: readonly ClientEvent[] = [
  chatHistory,
  chatMessage,
  messagesRemoved,
  moderated,
  chatUpdate,
  chatSubject,
  modelSettings,
  userCount,
  userList,
  userJoined,
  userLeft,
  invisibleMode,
  showChatState,
  showMessage,
  showMessagesRemoved,
];
/** Those of them that change the room data too. */
const DATA_EVENTS: readonly ClientEvent[] = [chatUpdate, chatSubject, modelSettings, userCount];

/** These events and those of the parts, without duplicates. */
const eventsWith = (
  events: readonly ClientEvent[],
  reducers: readonly PartReducer[],
): readonly ClientEvent[] => {
  const all = [...events, ...reducers.flatMap((reducer) => reducer.events)];
  return [...new Map(all.map((event) => [event.name, event])).values()];
};

/** Applies actions to the rooms of a page, in order. */
export function changeRooms(store: LiveStore, actions: readonly RoomAction[]): void {
  store.change(ROOMS, (rooms) => actions.reduce(reducePageRooms, rooms));
}

/** The rooms a page is in. */
export const pageRooms = (store: LiveStore): PageRooms => store.read(ROOMS);

/** Selects from a live room; `pick` must return the same object for the same room. */
const useLiveRoom = <T>(username: string, pick: (room: LiveRoom) => T): T =>
  useLiveState(ROOMS, ({ live }) => pick(live.rooms[username] ?? EMPTY_LIVE_ROOM));

/** The state of a part in a joined room; events are applied once per frame. */
export const usePartState = <State extends object>(username: string, reducer: PartReducer<State>): State =>
  useLiveRoom(username, (room) => partStateOf(room, reducer));

/** The chat of a joined room, oldest first. It changes often, so only the chat reads it. */
export function useChat(username: string): readonly ChatLineView[] {
  const messages = useLiveRoom(username, (room) => room.messages);
  const lines = useLiveState(ROOMS, (rooms) => rooms.lines[username] ?? NO_LINES);
  return useMemo(() => mergedLines(messages, lines), [messages, lines]);
}

/** The chat of the show this viewer is in; null outside of one. */
export const useShowChat = (username: string): ShowChatView | null =>
  useLiveRoom(username, ({ showChat }) => showChat);

/** Messages of the show this viewer is in, oldest first. */
export const useShowMessages = (username: string): readonly ChatMessageView[] =>
  useLiveRoom(username, ({ showMessages }) => showMessages);

/** Who is in a room by its user list. */
export interface UserList {
  readonly users: readonly ChatUserView[];
  /** Members in the room, including those the list does not name. */
  readonly count: number;
}

/** Follows the user list of a joined room while mounted; null before the first list. */
export function useUserList({ connection, username }: RoomLink): UserList | null {
  const byName = useLiveRoom(username, ({ users }) => users);
  const count = useLiveRoom(username, ({ memberCount }) => memberCount);
  useJoined(connection, () => connection?.send(startUserList, {}));
  useEffect(() => () => void connection?.send(stopUserList, {}), [connection]);
  return useMemo(() => {
    if (count === null) return null;
    const users = Object.values(byName);
    return { users, count: Math.max(count, users.length) };
  }, [byName, count]);
}

/**
 * Joins a room while mounted: its events change the cached room data and the live room.
 * @param reducers of the parts of the room; the same array on each render
 */
export function useRoom(username: string, reducers: readonly PartReducer[]): RoomLink {
  const cache = useCache();
  const { connection, phase } = useRoomConnection(username);
  const [streamChanges, setStreamChanges] = useState(0);
  const me = useMe()?.user.username ?? null;
  const reducing = useMemo(() => ({ me, reducers }), [me, reducers]);
  useLiveEvents(connection, username, phase, reducing);
  useDataEvents(connection, username, reducing);
  useEvent(connection, chatUpdate, (update) => {
    if (update.stream_name !== null) setStreamChanges((count) => count + 1);
  });
  useEvent(connection, modelSettings, ({ settings }) => {
    // Without a password the video may be visible now.
    if (settings.hasCamPassword) return;
    void cache.invalidateQueries({ queryKey: queryKeyOf(getRoom, { username }) });
  });
  const say = useCallback((message: string, replyTo: number | null, wanted: WantedChat) => {
    const said = { message, ...(replyTo === null ? {} : { reply_to: replyTo }) };
    if (wanted.kind === 'show') return connection?.send(sayInShow, { ...said, chat: wanted.key }) ?? false;
    const where = wanted.kind === 'public' ? { chat: 'public' as const } : {};
    return connection?.send(sayInChat, { ...said, ...where }) ?? false;
  }, [connection]);
  const joined = phase === 'joined';
  return useMemo(
    () => ({ username, connection, joined, streamChanges, say }),
    [username, connection, joined, streamChanges, say],
  );
}

/** Refetches the room data. */
export function useRoomDataAgain(username: string): () => void {
  const cache = useCache();
  return useCallback(() => {
    void cache.invalidateQueries({ queryKey: queryKeyOf(getRoom, { username }) });
  }, [cache, username]);
}

/** Changes the cached room data with the room's events, at once. */
function useDataEvents(connection: RoomConnection | null, username: string, reducing: Reducing): void {
  const cache = useCache();
  const clock = useServerClock();
  useEffect(() => {
    const ends = eventsWith(DATA_EVENTS, reducing.reducers ?? []).map((event) =>
      connection?.on(event, (payload) => {
        const entry = { name: event.name, payload };
        changeCached(
          cache,
          getRoom,
          { username },
          (room) => withEnd(room, withEvent(room, entry, reducing), new Date(clock.now())),
        );
      })
    );
    return () => ends.forEach((end) => end?.());
  }, [cache, clock, connection, reducing, username]);
}

/** Changes the live room with its events, once per frame, and removes it on leaving. */
function useLiveEvents(
  connection: RoomConnection | null,
  username: string,
  phase: ConnectionPhase,
  reducing: Reducing,
): void {
  const store = useLiveStore();
  const batch = useRef<FrameBatch<RoomAction> | null>(null);
  const reads = useRef(reducing);
  reads.current = reducing;
  const gate = useRef<ListGate | null>(null);
  useEffect(() => {
    // The performer has logged out: there is no room to join.
    if (username === '') return undefined;
    const waiting = new FrameBatch<RoomAction>((actions) => changeRooms(store, actions));
    batch.current = waiting;
    const lists = new ListGate(
      store,
      username,
      (entry) => waiting.add({ type: 'event', username, entry, ...reads.current }),
    );
    gate.current = lists;
    changeRooms(store, [{ type: 'open', username }]);
    return () => {
      lists.stop();
      waiting.drop();
      changeRooms(store, [{ type: 'remove', username }]);
    };
  }, [store, username]);
  useEffect(() => {
    const ends = eventsWith(ROOM_EVENTS, reducing.reducers ?? []).map((event) =>
      connection?.on(event, (payload, seq) => {
        gate.current?.receive({ name: event.name, payload, seq });
      })
    );
    return () => ends.forEach((end) => end?.());
  }, [connection, reducing, username]);
  useEffect(() => {
    if (phase === 'joined') batch.current?.add({ type: 'ready', username });
    if (phase === 'refused') batch.current?.add({ type: 'fail', username });
  }, [phase, username]);
  const expel = (): void => batch.current?.add({ type: 'expel', username });
  useEvent(connection, chatBanned, expel);
  useEvent(connection, chatKicked, expel);
}
