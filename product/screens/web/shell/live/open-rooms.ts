import { useCallback } from 'react';
import { liveState, useLiveState, useLiveStore } from '#platform/ui/calls/live-state.ts';

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

const OPEN_ROOMS = liveState<readonly OpenRoom[]>('screens.openRooms', []);

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

const all = (open: readonly OpenRoom[]): readonly OpenRoom[] => open;

/** The open rooms of this page, and how they change. */
export function useOpenRooms() {
  const store = useLiveStore();
  const open = useLiveState(OPEN_ROOMS, all);
  const change = useCallback((next: (known: readonly OpenRoom[]) => readonly OpenRoom[]) => {
    store.change(OPEN_ROOMS, next);
  }, [store]);
  return { open, change };
}
