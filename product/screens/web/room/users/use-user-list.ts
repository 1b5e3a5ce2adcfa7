import { useEffect, useReducer } from 'react';
import type { RoomConnection } from '../../../../../platform/contract/sockets/socket-client.ts';
import { useEvent, useJoined } from '../../../../../platform/ui/calls/live.ts';
import {
  moderated, startUserList, stopUserList, userJoined, userLeft, userList,
} from '../../../../rooms/client.ts';
import type { ChatUserView } from '../../../../rooms/contract.ts';
import { EMPTY_COURSE, roomAfter, type RoomCourse, type RoomEntry } from '../../../../rooms/rules/course.ts';

/** Who is in the room, as the feed says; null before its first word. */
export interface UserList {
  readonly users: readonly ChatUserView[];
  /** Members in the room, those who are not named included. */
  readonly count: number;
}

interface Feed {
  readonly course: RoomCourse;
  readonly count: number | null;
}

const after = ({ course, count }: Feed, entry: RoomEntry): Feed => ({
  course: roomAfter(course, entry),
  count: entry.name === userList.name ? (entry as RoomEntry<'v3.chat.user_list'>).payload.count : count,
});

/** Hears the user list while mounted: the feed runs only while somebody looks at it. */
export function useUserList(connection: RoomConnection | null): UserList | null {
  const [{ course, count }, hear] = useReducer(after, { course: EMPTY_COURSE, count: null });
  useJoined(connection, () => connection?.send(startUserList, {}));
  useEffect(() => () => void connection?.send(stopUserList, {}), [connection]);
  // The list has no place in the log of the room.
  const seq = null;
  useEvent(connection, userList, (payload) => hear({ name: 'v3.chat.user_list', payload, seq }));
  useEvent(connection, userJoined, (payload) => hear({ name: 'v3.chat.user_joined', payload, seq }));
  useEvent(connection, userLeft, (payload) => hear({ name: 'v3.chat.user_left', payload, seq }));
  useEvent(connection, moderated, (payload) => hear({ name: 'v3.chat.moderate', payload, seq }));
  if (count === null) return null;
  const users = Object.values(course.users);
  return { users, count: Math.max(count, users.length) };
}
