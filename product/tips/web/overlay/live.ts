import type { OutputOf } from '#platform/contract/call.ts';
import type { PayloadOf } from '#platform/contract/event.ts';
import type { LiveClient } from '#platform/contract/sockets/socket-client.ts';
import { changeCached, problemOf, queryKeyOf, useCache, useRead } from '#platform/ui/calls/calls.ts';
import { loggedOut } from '#product/accounts/client.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { getOverlay, overlayAlert, overlayGoal, overlayShown } from '../../client.ts';

export type Alert = PayloadOf<typeof overlayAlert>;

/** Most waiting alerts; further ones are dropped, because nobody watches a minute of old alerts. */
const MAX_WAITING = 12;
/** An alert is shown this long: enough to read it twice. */
const ALERT_MS = 5_000;

export interface Overlay {
  readonly data: OutputOf<typeof getOverlay> | undefined;
  /** The alert being shown. */
  readonly alert: Alert | null;
  /** The address does not work, or no longer does. */
  readonly isGone: boolean;
  /** The initial read; also repeated with each new connection. */
  readonly read: UseQueryResult<OutputOf<typeof getOverlay>, Error>;
}

/** What an overlay shows, using only its token: no session, no cookie. */
export function useOverlay(token: string): Overlay {
  const cache = useCache();
  const read = useRead(getOverlay, { token });
  const { data, error } = read;
  const [alerts, setAlerts] = useState<readonly Alert[]>([]);
  const [isRevoked, setRevoked] = useState(false);
  useEffect(() => {
    let client: LiveClient | null = null;
    let isOver = false;
    const end = (): void => {
      setRevoked(true);
      client?.stop();
    };
    void import('#platform/realtime/browser.ts').then(({ createLiveClient }) => {
      if (isOver) return;
      const live = createLiveClient({
        version: '',
        token: async () => token,
        onFailed: (code) => (code === 'token_invalid' ? end() : undefined),
      });
      client = live;
      live.lobby.on(overlayAlert, (alert) => {
        setAlerts((waiting) => [...waiting, alert].slice(0, MAX_WAITING));
        live.lobby.send(overlayShown, { effect_id: alert.effect_id });
      });
      live.lobby.on(overlayGoal, ({ goal }) => {
        changeCached(cache, getOverlay, { token }, (known) => ({ ...known, goal }));
      });
      live.lobby.on(loggedOut, end);
      live.lobby.watch((phase) => {
        // The goal may have changed while there was no connection.
        if (phase === 'joined') void cache.invalidateQueries({ queryKey: queryKeyOf(getOverlay, { token }) });
      });
      live.start();
    });
    return () => {
      isOver = true;
      client?.stop();
    };
  }, [cache, token]);
  const [alert = null] = alerts;
  useEffect(() => {
    if (alert === null) return undefined;
    const timer = setTimeout(() => setAlerts((waiting) => waiting.slice(1)), ALERT_MS);
    return () => clearTimeout(timer);
  }, [alert]);
  // Only a response proves it; without one the network may be down.
  const isRefused = error !== null && data === undefined && problemOf(error).status > 0;
  return { data, alert, isGone: isRevoked || isRefused, read };
}
