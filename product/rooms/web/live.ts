import { useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import type { PayloadOf } from '../../../platform/contract/event.ts';
import { changeCached, useCache } from '../../../platform/ui/calls/calls.ts';
import { useEvent, useRoomConnection } from '../../../platform/ui/calls/live.ts';
import {
  chatHistory, chatMessage, chatSubject, chatUpdate, getRoom, sayInChat, userCount,
  type ChatMessageView, type RoomDataView,
} from '../contract.ts';
import { appendMessages } from '../rules.ts';

/** The room after its status or stream changed. */
export const withStatus = (
  room: RoomDataView,
  { status, stream_name }: PayloadOf<typeof chatUpdate>,
): RoomDataView => ({ ...room, chat: { ...room.chat, status }, stream: { ...room.stream, stream_name } });

/** The room after its topic changed. */
export const withSubject = (
  room: RoomDataView, { subject, subject_color }: PayloadOf<typeof chatSubject>,
): RoomDataView => ({ ...room, chat: { ...room.chat, subjectText: subject, subjectColor: subject_color } });

export const withCount = (room: RoomDataView, count: number): RoomDataView => ({
  ...room, chat: { ...room.chat, userCount: count },
});

/** What a page holds of a room's chat beside the room data. */
export interface RoomLink {
  readonly messages: readonly ChatMessageView[];
  /** People watching; null before the first count. */
  readonly userCount: number | null;
  readonly joined: boolean;
  /** Why the last message was not shown, or null. */
  readonly refused: string | null;
  /** Says something; false when the room is not joined. */
  readonly say: (message: string) => boolean;
}

const NONE: readonly ChatMessageView[] = [];
const chatKey = (username: string): readonly unknown[] => [chatHistory.name, username];

/** Joins a room while mounted: its events change the cached room data and its chat. */
export function useRoom(username: string): RoomLink {
  const cache = useCache();
  const { connection, phase } = useRoomConnection(username);
  const [refused, setRefused] = useState<string | null>(null);
  const [count, setCount] = useState<number | null>(null);
  const { data: messages = NONE } = useQuery<readonly ChatMessageView[]>({
    queryKey: chatKey(username), queryFn: () => NONE, enabled: false,
  });
  const add = useCallback((added: readonly ChatMessageView[]) => {
    cache.setQueryData<readonly ChatMessageView[]>(chatKey(username), (known = NONE) =>
      appendMessages(known, added),
    );
  }, [cache, username]);

  useEvent(connection, chatHistory, (history) => add(history.messages));
  useEvent(connection, chatMessage, (message) => {
    if (message.error) setRefused(message.errorMessage);
    else add([message]);
  });
  useEvent(connection, chatUpdate, (update) => {
    changeCached(cache, getRoom, { username }, (room) => withStatus(room, update));
  });
  useEvent(connection, chatSubject, (subject) => {
    changeCached(cache, getRoom, { username }, (room) => withSubject(room, subject));
  });
  useEvent(connection, userCount, ({ user_count }) => {
    setCount(user_count);
    changeCached(cache, getRoom, { username }, (room) => withCount(room, user_count));
  });
  const say = useCallback((message: string) => {
    setRefused(null);
    return connection?.send(sayInChat, { message }) ?? false;
  }, [connection]);
  return { messages, userCount: count, joined: phase === 'joined', refused, say };
}
