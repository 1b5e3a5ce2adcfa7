import type { Connection } from '../../../platform/contract/socket-client.ts';
import { changeCached, queryKeyOf, useCache } from '../../../platform/ui/calls/calls.ts';
import { useEvent } from '../../../platform/ui/calls/live.ts';
import { broadcastHealth, getOwnBroadcast } from '../contract.ts';

/** Keeps the figures of the own broadcast current, once a second while live. */
export function useHealthEvents(lobby: Connection | null): void {
  const cache = useCache();
  useEvent(lobby, broadcastHealth, (health) => {
    let wasOnline = true;
    changeCached(cache, getOwnBroadcast, {}, (own) => {
      wasOnline = own.state === 'online';
      return { ...own, health, state: 'online' as const };
    });
    // Figures only come while online: when it began is asked for once.
    if (!wasOnline) void cache.invalidateQueries({ queryKey: queryKeyOf(getOwnBroadcast) });
  });
}
