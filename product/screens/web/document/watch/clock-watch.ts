import { useCall } from '#platform/ui/calls/calls.ts';
import type { ServerClock } from '#platform/ui/time/server-clock.ts';
import { getSiteConfig } from '#product/site/client.ts';
import { useEffect } from 'react';

/** Events on which a page checks its clock: it may have been set, or have stopped, meanwhile. */
const RETURNS = ['visibilitychange', 'pageshow', 'focus', 'online'] as const;

/** Lets a page's clock ask the server for the time, and check itself when somebody comes back. */
export function useClockWatch(clock: ServerClock): void {
  const call = useCall();
  useEffect(() => {
    // Best effort: the next answered call brings the time too.
    const end = clock.asksBy(() => void call(getSiteConfig, {}).catch(() => undefined));
    for (const name of RETURNS) addEventListener(name, clock.check, true);
    return () => {
      end();
      for (const name of RETURNS) removeEventListener(name, clock.check, true);
    };
  }, [call, clock]);
}
