import { useCallback } from 'react';
import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { useLiveStore } from '#platform/ui/calls/live-state.ts';
import { changeCached, queryKeyOf, useCache } from '#platform/ui/calls/calls.ts';
import { useEvent } from '#platform/ui/calls/live.ts';
import {
  accountChanged, getCurrentUser, getEmail, getPhone, getWaysInCheck, listLinked, loggedOut, settingsChanged,
} from '../client.ts';
import { LOG_OUT } from './logout.ts';
import { useReloadMe } from './me.ts';
import { askPhone } from './settings/live.ts';

/**
 * Reloads the page for whoever is in now. Where a log-out of this page leads, its answer says: a reload would
 * be in its way.
 */
export function useSessionEnd(): () => void {
  const store = useLiveStore();
  return useCallback(() => {
    if (store.read(LOG_OUT) === 'none') location.reload();
    else store.change(LOG_OUT, () => 'ended');
  }, [store]);
}

/** Reloads the page as a guest when the session ends elsewhere. */
export function useSessionEvents(lobby: Connection | null): void {
  useEvent(lobby, loggedOut, useSessionEnd());
}

/** Shows settings and names that changed, wherever that happened. */
export function useSettingsEvents(lobby: Connection | null): void {
  const cache = useCache();
  const reloadMe = useReloadMe();
  useEvent(lobby, accountChanged, () => {
    for (const read of [getEmail, getPhone, getWaysInCheck, listLinked]) {
      void cache.invalidateQueries({ queryKey: queryKeyOf(read) });
    }
    // A refusal or a lost line changes nothing here: joining again asks again.
    reloadMe().catch(() => undefined);
  });
  useEvent(lobby, settingsChanged, ({ settings }) => {
    changeCached(cache, getCurrentUser, {}, (current) => ({ ...current, settings }));
    askPhone(cache);
  });
}
