import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { changeCached, queryKeyOf, useCache } from '#platform/ui/calls/calls.ts';
import { useLiveStore } from '#platform/ui/calls/live-state.ts';
import { useEvent } from '#platform/ui/calls/live.ts';
import { useCallback } from 'react';
import {
  accountChanged,
  getCurrentUser,
  getEmail,
  getPhone,
  getWaysInCheck,
  listLinked,
  loggedOut,
  settingsChanged,
} from '../client.ts';
import { LOG_OUT } from './logout.ts';
import { useReloadMe } from './me.ts';
import { askPhone } from './settings/live.ts';

/**
 * Reloads the page for the caller who is logged in now. During a log-out by this page it does not, because
 * the answer says where to go.
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

/** Shows changed settings and names, wherever they were changed. */
export function useSettingsEvents(lobby: Connection | null): void {
  const cache = useCache();
  const reloadMe = useReloadMe();
  useEvent(lobby, accountChanged, () => {
    for (const read of [getEmail, getPhone, getWaysInCheck, listLinked]) {
      void cache.invalidateQueries({ queryKey: queryKeyOf(read) });
    }
    // A refusal or a lost connection changes nothing here: the next join reads it again.
    reloadMe().catch(() => undefined);
  });
  useEvent(lobby, settingsChanged, ({ settings }) => {
    changeCached(cache, getCurrentUser, {}, (current) => ({ ...current, settings }));
    askPhone(cache);
  });
}
