import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useCache } from '../../../../../platform/ui/calls/calls.ts';

/** Rooms beside the one on the page; each holds a socket, and more cannot be followed. */
const MAX_OPEN_ROOMS = 3;

/** A room that stays joined while one browses on. */
export interface OpenRoom {
  readonly username: string;
  readonly displayName: string;
  readonly avatarUrl: string | null;
  /** Newest message that was seen on its page. */
  readonly seenId: number;
}

const NONE: readonly OpenRoom[] = [];
const KEY = ['screens.openRooms'] as const;

/** With a room as the newest of those that are open, each once; the one opened longest ago gives way. */
export const withOpen = (open: readonly OpenRoom[], room: OpenRoom): readonly OpenRoom[] =>
  [...open.filter(({ username }) => username !== room.username), room].slice(-MAX_OPEN_ROOMS);

export const withoutOpen = (open: readonly OpenRoom[], username: string): readonly OpenRoom[] =>
  open.filter((room) => room.username !== username);

/** What was read on a room's page is not news any more. */
export const withSeen = (
  open: readonly OpenRoom[], username: string, seenId: number,
): readonly OpenRoom[] => open.map((room) =>
  (room.username === username ? { ...room, seenId: Math.max(room.seenId, seenId) } : room));

/** The open rooms of this page, and how they change. */
export function useOpenRooms() {
  const cache = useCache();
  const { data: open = NONE } = useQuery<readonly OpenRoom[]>({
    queryKey: KEY, queryFn: () => NONE, enabled: false, staleTime: Infinity, gcTime: Infinity,
  });
  const change = useCallback((next: (known: readonly OpenRoom[]) => readonly OpenRoom[]) => {
    cache.setQueryData<readonly OpenRoom[]>(KEY, (known = NONE) => next(known));
  }, [cache]);
  return { open, change };
}
