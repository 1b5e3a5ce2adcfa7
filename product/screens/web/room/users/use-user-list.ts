import { useEffect, useReducer } from 'react';
import type { RoomConnection } from '../../../../../platform/contract/sockets/socket-client.ts';
import { useEvent, useJoined } from '../../../../../platform/ui/calls/live.ts';
import {
  invisibleMode, moderated, startUserList, stopUserList, userJoined, userLeft, userList,
} from '../../../../rooms/client.ts';
import type { ChatUserView } from '../../../../rooms/contract.ts';
import {
  EMPTY_LIVE_ROOM, reduceRoom, type LiveRoom, type OwnEntry,
} from '../../../../rooms/rules/live-room.ts';

/** Who is in the room by its user list; null before the first list. */
export interface UserList {
  readonly users: readonly ChatUserView[];
  /** Members in the room, those who are not named included. */
  readonly count: number;
}

interface Feed {
  readonly room: LiveRoom;
  readonly count: number | null;
}

const after = ({ room, count }: Feed, entry: OwnEntry): Feed => ({
  room: reduceRoom(room, entry),
  count: entry.name === userList.name ? (entry as OwnEntry<'v3.chat.user_list'>).payload.count : count,
});

/** Follows the user list while mounted: its feed runs only while somebody looks at it. */
export function useUserList(connection: RoomConnection | null): UserList | null {
  const [{ room, count }, apply] = useReducer(after, { room: EMPTY_LIVE_ROOM, count: null });
  useJoined(connection, () => connection?.send(startUserList, {}));
  useEffect(() => () => void connection?.send(stopUserList, {}), [connection]);
  // No event of the list is in the log of the room.
  const seq = null;
  useEvent(connection, userList, (payload) => apply({ name: 'v3.chat.user_list', payload, seq }));
  useEvent(connection, userJoined, (payload) => apply({ name: 'v3.chat.user_joined', payload, seq }));
  useEvent(connection, userLeft, (payload) => apply({ name: 'v3.chat.user_left', payload, seq }));
  useEvent(connection, invisibleMode, (payload) => apply({ name: 'v3.user.invisible-mode', payload, seq }));
  useEvent(connection, moderated, (payload) => apply({ name: 'v3.chat.moderate', payload, seq }));
  if (count === null) return null;
  const users = Object.values(room.users);
  return { users, count: Math.max(count, users.length) };
}
