import { useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import type { LiveClient } from '../../../../platform/contract/socket-client.ts';
import { useCall } from '../../../../platform/ui/calls/calls.ts';
import { LiveProvider, useLobby } from '../../../../platform/ui/calls/live.ts';
import { getCurrentUser } from '../../../accounts/contract.ts';
import { useSessionEvents } from '../../../accounts/web/live.ts';
import { useMe } from '../../../accounts/web/me.ts';
import { useBalanceEvents } from '../../../ledger/web/live.ts';
import { useSiteConfig } from '../site.ts';

/**
 * One live client per page: for members from the start, for guests when a room asks. A log-in or log-out
 * begins a new
 * one, since sockets belong to a session.
 */
export function LiveClientProvider({ children }: { children: ReactNode }) {
  const call = useCall();
  const person = useMe()?.user.id ?? null;
  const version = useSiteConfig()?.version ?? '';
  const [wanted, setWanted] = useState(false);
  const [client, setClient] = useState<LiveClient | null>(null);
  const want = useCallback(() => setWanted(true), []);
  const isNeeded = wanted || person !== null;
  useEffect(() => {
    if (!isNeeded) return undefined;
    let stopped = false;
    let opened: LiveClient | null = null;
    // Fetched when needed: a guest's first listing does without.
    void import('../../../../platform/realtime/browser.ts').then(({ createLiveClient }) => {
      if (stopped) return;
      opened = createLiveClient({ version, token: async () => (await call(getCurrentUser, {})).node_token });
      opened.start();
      setClient(opened);
    });
    return () => {
      stopped = true;
      opened?.stop();
      setClient(null);
    };
  }, [call, isNeeded, person, version]);
  const live = useMemo(() => ({ client, want }), [client, want]);
  return (
    <LiveProvider value={live}>
      <AccountEvents />
      {children}
    </LiveProvider>
  );
}

function AccountEvents() {
  const lobby = useLobby();
  useSessionEvents(lobby);
  useBalanceEvents(lobby);
  return null;
}
