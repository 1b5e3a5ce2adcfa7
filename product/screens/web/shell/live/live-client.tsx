import type { LiveClient } from '#platform/contract/sockets/socket-client.ts';
import type { KeyOf } from '#platform/text/message-keys.ts';
import { useCall } from '#platform/ui/calls/calls.ts';
import { LiveProvider } from '#platform/ui/calls/live.ts';
import { LEAVE } from '#platform/ui/faults/quick-exit.ts';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useSessionEnd } from '#product/accounts/web/live.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useSiteConfig } from '../../document/site.ts';

/**
 * One live client per page: for members from the start, for guests when a room needs it. A log-in or log-out
 * starts a new one, since sockets belong to a session.
 */
export function LiveClientProvider({ children }: { children: ReactNode }) {
  const call = useCall();
  const person = useMe()?.user.id ?? null;
  const version = useSiteConfig()?.version ?? '';
  const [wanted, setWanted] = useState(false);
  const [client, setClient] = useState<LiveClient | null>(null);
  const toast = useToast();
  const { t } = useTranslation('screens');
  const onFailed = useRef((_key: KeyOf<'screens'>): void => undefined);
  onFailed.current = (key) => toast(t(key), 'error');
  const onSessionEnded = useSessionEnd();
  const want = useCallback(() => setWanted(true), []);
  const isNeeded = wanted || person !== null;
  useEffect(() => {
    if (!isNeeded) return undefined;
    let stopped = false;
    let opened: LiveClient | null = null;
    // Fetched when needed: a guest's first listing does not need it.
    void import('./live-page.ts').then(({ openLive }) => {
      if (stopped) return;
      opened = openLive({
        call,
        version,
        person,
        onSessionEnded,
        onFailed: (key) => onFailed.current(key),
      });
      setClient(opened);
    });
    const stop = () => {
      stopped = true;
      opened?.stop();
      setClient(null);
    };
    window.addEventListener(LEAVE, stop);
    return () => {
      window.removeEventListener(LEAVE, stop);
      stop();
    };
  }, [call, isNeeded, onSessionEnded, person, version]);
  const live = useMemo(() => ({ client, want }), [client, want]);
  return <LiveProvider value={live}>{children}</LiveProvider>;
}
