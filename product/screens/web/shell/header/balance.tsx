import { HandCoins, Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link } from 'react-router';
import { nextDay, startOfDay } from '../../../../../platform/time/days.ts';
import { SECOND_MS } from '../../../../../platform/time/units.ts';
import { useRead } from '../../../../../platform/ui/calls/calls.ts';
import { useLate } from '../../../../../platform/ui/controls/early-press.ts';
import { Tooltip } from '../../../../../platform/ui/controls/popups/tooltip.tsx';
import { VisuallyHidden } from '../../../../../platform/ui/surfaces/card.tsx';
import { TokenAmount } from '../../../../../platform/ui/text/amounts.tsx';
import { useTranslation } from '../../../../../platform/ui/text/use-translation.ts';
import { useServerClock } from '../../../../../platform/ui/time/server-clock.ts';
import { getEarningsOfSpan } from '../../../../ledger/client.ts';
import { useOpenPrompt } from '../money-prompts.tsx';

/** The own balance; pressing it opens "Get tokens". */
export function Balance({ tokens }: { tokens: number }) {
  const { t } = useTranslation('screens');
  const openPrompt = useOpenPrompt();
  const { late, ref } = useLate('balance');
  return (
    <Tooltip text={t('tokens.get')} below>
      {(trigger) => (
        <button
          {...trigger} ref={ref} data-late={late ? 'balance' : undefined} type="button"
          onClick={() => openPrompt('purchase')}
          aria-haspopup="dialog"
          className="inline-flex min-h-11 items-center gap-2 rounded-full px-2 text-sm font-bold
            hover:bg-raised"
        >
          <TokenAmount tokens={tokens} />
          <span className="inline-flex size-6 items-center justify-center rounded-full bg-primary
            text-on-primary">
            <Plus size={16} aria-hidden />
          </span>
          <VisuallyHidden>{t('tokens.get')}</VisuallyHidden>
        </button>
      )}
    </Tooltip>
  );
}

/** What shows bring is captured in steps; tips are asked for as they come (`person-events.tsx`). */
const ASK_AGAIN_MS = 30 * SECOND_MS;

/** The day (UTC) that it is by the server's clock. */
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

/** What a performer earned today, in the place where members have their balance: they buy no tokens. */
export function EarnedToday() {
  const { t } = useTranslation('screens');
  const today = useToday();
  const { data } = useRead(getEarningsOfSpan, {
    from: today.toISOString(), to: nextDay(today).toISOString(),
  }, { everyMs: ASK_AGAIN_MS, keep: true });
  return (
    <Link to="/account/earnings" title={t('earnedToday')}
      className="inline-flex min-h-11 min-w-11 items-center justify-center gap-2 rounded-full px-2 text-sm
        font-bold hover:bg-raised">
      <HandCoins size={20} aria-hidden />
      <span className="font-medium text-muted max-lg:sr-only">{t('earnedToday')}</span>
      {data ? <TokenAmount tokens={data.tokens} /> : null}
    </Link>
  );
}
