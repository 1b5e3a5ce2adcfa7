import type { Connection } from '../../../platform/contract/socket-client.ts';
import { changeCached, useCache } from '../../../platform/ui/calls/calls.ts';
import { useEvent } from '../../../platform/ui/calls/live.ts';
import { broadcastHealth, getOwnBroadcast } from '../contract.ts';

/** Keeps the figures of the own broadcast current, once a second while live. */
export function useHealthEvents(lobby: Connection | null): void {
  const cache = useCache();
  useEvent(lobby, broadcastHealth, (health) => {
    changeCached(cache, getOwnBroadcast, {}, (own) => ({ ...own, health }));
  });
}
