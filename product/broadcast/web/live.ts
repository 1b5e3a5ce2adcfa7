import type { InputOf, OutputOf } from '#platform/contract/call.ts';
import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import {
  changeCached,
  queryKeyOf,
  useAction,
  useCache,
  useRead,
  type Applied,
} from '#platform/ui/calls/calls.ts';
import { useEvent } from '#platform/ui/calls/live.ts';
import { useCallback } from 'react';
import {
  broadcastHealth,
  broadcastStateChanged,
  getOwnBroadcast,
  getStreamerSettings,
  setStreamerSettings,
} from '../client.ts';
import type { HealthView } from '../contract.ts';

/**
 * Keeps the performer's broadcast current: its state, and its health once a second while media arrives.
 * @param onHealth called with every measurement too, e.g. to draw the last minute
 */
export function useOwnBroadcastEvents(
  lobby: Connection | null,
  onHealth: (health: HealthView) => void = () => undefined,
): void {
  const cache = useCache();
  const reload = (): void => void cache.invalidateQueries({ queryKey: queryKeyOf(getOwnBroadcast) });
  useEvent(lobby, broadcastHealth, (health) => {
    changeCached(cache, getOwnBroadcast, {}, (own) => ({ ...own, health }));
    onHealth(health);
  });
  useEvent(lobby, broadcastStateChanged, ({ state, standby }) => {
    changeCached(cache, getOwnBroadcast, {}, (own) => ({
      ...own,
      state,
      standby,
      health: state === 'offline' ? null : own.health,
    }));
    // The event has no start time.
    reload();
  });
}

export type Settings = OutputOf<typeof getStreamerSettings>;

const showSettings: Applied<typeof setStreamerSettings> = (cache, saved) =>
  changeCached(cache, getStreamerSettings, {}, () => saved);

/** The streamer settings, and a function that saves changes to them. */
export function useStreamerSettings() {
  const { data: settings = null } = useRead(getStreamerSettings, {});
  const { run, busy, problem } = useAction(setStreamerSettings, showSettings);
  const save = useCallback(async (change: InputOf<typeof setStreamerSettings>): Promise<boolean> => {
    const saved = await run(change);
    return saved !== null;
  }, [run]);
  return { settings, save, busy, problem };
}
