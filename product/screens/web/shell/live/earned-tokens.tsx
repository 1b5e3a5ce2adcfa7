import { nextDay, startOfDay } from '#platform/time/days.ts';
import { SECOND_MS } from '#platform/time/units.ts';
import { useRead } from '#platform/ui/calls/calls.ts';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useServerClock } from '#platform/ui/time/server-clock.ts';
import { getEarningsOfSpan } from '#product/ledger/client.ts';
import { useEffect, useState } from 'react';

/** Shows pay in steps, so earnings are polled; tips trigger a read as they come (`person-events.tsx`). */
const ASK_AGAIN_MS = 30 * SECOND_MS;

/** The current day (UTC) by the server's clock. */
function useToday(): Date {
  const clock = useServerClock();
  const [today, setToday] = useState(() => startOfDay(new Date(clock.now())));
  useEffect(() => {
    const leftMs = nextDay(today).getTime() - clock.now();
    const timer = setTimeout(() => setToday(startOfDay(new Date(clock.now()))), leftMs + SECOND_MS);
    return () => clearTimeout(timer);
  }, [clock, today]);
  return today;
}

/** What a performer earned today, from the postings of the ledger; empty until it is known. */
export default function EarnedTokens() {
  const today = useToday();
  const { data } = useRead(getEarningsOfSpan, {
    from: today.toISOString(),
    to: nextDay(today).toISOString(),
  }, { everyMs: ASK_AGAIN_MS, keep: true });
  return data ? <TokenAmount tokens={data.tokens} /> : null;
}
