import { liveState, useLiveState, useLiveStore } from '#platform/ui/calls/live-state.ts';
import { useCallback } from 'react';

/** Rooms besides the one on the page; each holds a socket, and nobody can follow more. */
const MAX_OPEN_ROOMS = 3;

/** A room that stays joined while its viewer browses on. */
export interface OpenRoom {
  readonly username: string;
  readonly displayName: string;
  readonly avatarUrl: string | null;
  /** Newest message seen on the room's page. */
  readonly seenId: number;
}

const OPEN_ROOMS = liveState<readonly OpenRoom[]>('screens.openRooms', []);

/** Adds a room as the newest open one, each once; the one opened longest ago is closed. */
export const withOpen = (open: readonly OpenRoom[], room: OpenRoom): readonly OpenRoom[] =>
  [...open.filter(({ username }) => username !== room.username), room].slice(-MAX_OPEN_ROOMS);

export const withoutOpen = (open: readonly OpenRoom[], username: string): readonly OpenRoom[] =>
  open.filter((room) => room.username !== username);

/** Messages read on a room's page no longer count as new. */
export const withSeen = (
  open: readonly OpenRoom[],
  username: string,
  seenId: number,
): readonly OpenRoom[] =>
  open.map((
    room,
  ) => (room.username === username ? { ...room, seenId: Math.max(room.seenId, seenId) } : room));

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
