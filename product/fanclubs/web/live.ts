import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { changeCached, queryKeyOf, useCache } from '#platform/ui/calls/calls.ts';
import { useEvent, useJoined } from '#platform/ui/calls/live.ts';
import type { FanclubLevel } from '#product/accounts/rules/current-user.ts';
import { getRoom } from '#product/rooms/client.ts';
import { withFields } from '#product/rooms/rules/room-part.ts';
import type { QueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { fanPost, getFans, getOwnClub, listMemberships, listPosts, membershipChanged } from '../client.ts';
import type { ClubView } from '../contract.ts';

/** Reads clubs and memberships again; the room shows the new level at once. */
function showMembership(cache: QueryClient, username: string, level: FanclubLevel | null): void {
  changeCached(
    cache,
    getRoom,
    { username },
    (room) => withFields(room, { auth: { fanclub: { membershipLevel: level } } }),
  );
  for (const call of [getFans, listMemberships, listPosts]) {
    void cache.invalidateQueries({ queryKey: queryKeyOf(call) });
  }
}

/** Follows the viewer's own memberships, whichever tab or job changed them. */
export function useMembershipEvents(connection: Connection | null): void {
  const cache = useCache();
  useEvent(connection, membershipChanged, ({ username, level }) => showMembership(cache, username, level));
}

/** Reads again after a change of plan, which changes prices and dates. */
export const showPlan = (cache: QueryClient): void => {
  for (const call of [getFans, listMemberships, listPosts]) {
    void cache.invalidateQueries({ queryKey: queryKeyOf(call) });
  }
};

/** Reads posts again after one was published, changed or removed. */
export const showPosts = (cache: QueryClient): void =>
  void cache.invalidateQueries({ queryKey: queryKeyOf(listPosts) });

export interface NewPosts {
  /** Posts published since the page was opened, or since they were last shown. */
  readonly ids: readonly number[];
  readonly show: () => void;
}

/**
 * Follows changes to a club's posts. A changed or removed post is updated at once, because it may be locked
 * now; a new one does not move the list while somebody reads it, except on the performer's own page.
 */
export function useNewPosts(connection: Connection | null, username: string, isOwner = false): NewPosts {
  const cache = useCache();
  const [ids, setIds] = useState<readonly number[]>([]);
  /** Posts that were shown or removed: their events may come twice, by room and person, and late. */
  const done = useRef(new Set<number>());
  // Changes missed without a connection are shown now: a post may have been locked since.
  useJoined(connection, () => showPosts(cache));
  useEvent(connection, fanPost, ({ username: of, id, change }) => {
    if (of !== username) return;
    if (change === 'removed') done.current.add(id);
    if (change !== 'published' || isOwner) {
      setIds((known) => known.filter((number) => number !== id));
      showPosts(cache);
      return;
    }
    if (done.current.has(id)) return;
    setIds((known) => (known.includes(id) ? known : [...known, id]));
    // The list is read the next time it is opened.
    void cache.invalidateQueries({ queryKey: queryKeyOf(listPosts), refetchType: 'none' });
  });
  const show = useCallback(() => {
    for (const id of ids) done.current.add(id);
    setIds([]);
    showPosts(cache);
  }, [cache, ids]);
  return { ids, show };
}

/** The club as its performer saved it. */
export const showClub = (cache: QueryClient, { club }: { readonly club: ClubView }): void =>
  changeCached(cache, getOwnClub, {}, (own) => ({ ...own, club }));
