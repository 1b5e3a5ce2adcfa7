import type { QueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { changeCached, queryKeyOf, useCache } from '#platform/ui/calls/calls.ts';
import { useEvent, useJoined } from '#platform/ui/calls/live.ts';
import type { FanclubLevel } from '#product/accounts/rules/current-user.ts';
import { getRoom } from '#product/rooms/client.ts';
import { withFields } from '#product/rooms/rules/room-part.ts';
import {
  fanPost, getFans, getOwnClub, listMemberships, listPosts, membershipChanged,
} from '../client.ts';
import type { ClubView } from '../contract.ts';

/** What pages know of clubs and memberships is read again; the room knows the level at once. */
function showMembership(cache: QueryClient, username: string, level: FanclubLevel | null): void {
  changeCached(cache, getRoom, { username }, (room) =>
    withFields(room, { auth: { fanclub: { membershipLevel: level } } }));
  for (const call of [getFans, listMemberships, listPosts]) {
    void cache.invalidateQueries({ queryKey: queryKeyOf(call) });
  }
}

/** Follows one's own memberships, whichever tab or job changed them. */
export function useMembershipEvents(connection: Connection | null): void {
  const cache = useCache();
  useEvent(connection, membershipChanged, ({ username, level }) => showMembership(cache, username, level));
}

/** Reads again after a plan was changed: prices and dates follow from it. */
export const showPlan = (cache: QueryClient): void => {
  for (const call of [getFans, listMemberships, listPosts]) {
    void cache.invalidateQueries({ queryKey: queryKeyOf(call) });
  }
};

/** Reads posts again after one of them was published, changed or removed. */
export const showPosts = (cache: QueryClient): void =>
  void cache.invalidateQueries({ queryKey: queryKeyOf(listPosts) });

export interface NewPosts {
  /** Posts that were published since the page is open, or since they were shown. */
  readonly ids: readonly number[];
  readonly show: () => void;
}

/**
 * Follows what becomes of the posts of a club. A changed or removed one shows at once, for it may be locked
 * now; a new one moves nothing under the eyes of who reads, unless it is one's own.
 */
export function useNewPosts(connection: Connection | null, username: string, isOwner = false): NewPosts {
  const cache = useCache();
  const [ids, setIds] = useState<readonly number[]>([]);
  /** Posts that were shown, or are gone: word of them may come twice, by room and person, and late. */
  const done = useRef(new Set<number>());
  // What was missed while nothing was connected shows now: a post may be locked since.
  useJoined(connection, () => showPosts(cache));
  useEvent(connection, fanPost, ({ username: of, id, change }) => {
    if (of !== username) return;
    if (change === 'removed') done.current.add(id);
    if (change !== 'published' || isOwner) {
      setIds((known) => known.filter((one) => one !== id));
      showPosts(cache);
      return;
    }
    if (done.current.has(id)) return;
    setIds((known) => (known.includes(id) ? known : [...known, id]));
    // Whoever opens the list next reads it.
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
