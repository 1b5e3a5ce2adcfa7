import { useEffect } from 'react';
import { useCall } from '#platform/ui/calls/calls.ts';
import type { ServerClock } from '#platform/ui/time/server-clock.ts';
import { getSiteConfig } from '#product/site/client.ts';

/** When a page is looked at again: meanwhile its clock may have been set, or have stood still. */
const RETURNS = ['visibilitychange', 'pageshow', 'focus', 'online'] as const;

/** Lets the clock of a page ask the server for its time, and look at itself when somebody comes back. */
export function useClockWatch(clock: ServerClock): void {
  const call = useCall();
  useEffect(() => {
    // Best effort: the next call that is answered says the time too.
    const end = clock.asksBy(() => void call(getSiteConfig, {}).catch(() => undefined));
    for (const name of RETURNS) addEventListener(name, clock.check, true);
    return () => {
      end();
      for (const name of RETURNS) removeEventListener(name, clock.check, true);
    };
  }, [call, clock]);
}
