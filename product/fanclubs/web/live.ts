import type { QueryClient } from '@tanstack/react-query';
import type { Connection } from '../../../platform/contract/sockets/socket-client.ts';
import { changeCached, queryKeyOf, useCache } from '../../../platform/ui/calls/calls.ts';
import { useEvent } from '../../../platform/ui/calls/live.ts';
import type { FanclubLevel } from '../../accounts/rules/current-user.ts';
import { getRoom } from '../../rooms/client.ts';
import { withFields } from '../../rooms/rules/room-part.ts';
import { getFans, getOwnClub, listMemberships, membershipChanged } from '../client.ts';
import type { ClubView } from '../contract.ts';

/** What pages know of clubs and memberships is read again; the room knows the level at once. */
function showMembership(cache: QueryClient, username: string, level: FanclubLevel | null): void {
  changeCached(cache, getRoom, { username }, (room) =>
    withFields(room, { auth: { fanclub: { membershipLevel: level } } }));
  for (const call of [getFans, listMemberships]) {
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
  for (const call of [getFans, listMemberships]) {
    void cache.invalidateQueries({ queryKey: queryKeyOf(call) });
  }
};

/** The club as its performer saved it. */
export const showClub = (cache: QueryClient, { club }: { readonly club: ClubView }): void =>
  changeCached(cache, getOwnClub, {}, (own) => ({ ...own, club }));
