import { routeData } from '#platform/ui/calls/route.ts';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { SpendingLimits } from '../limits/limits-section.tsx';
import { TokenHistory } from './history-section.tsx';

const wanted = { texts: ['ledger'], always: true, member: true };
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** Where the member's own tokens went, and their spending limits. */
export default function HistoryPage() {
  const { t } = useTranslation('ledger');
  const me = useMe();
  if (!me) return null;
  return (
    <Wide title={t('web.title')} lead={t('web.lead')}>
      <div className="flex flex-col gap-6">
        <p className="flex items-baseline gap-3 text-muted">
          {t('web.balance')} <TokenAmount tokens={me.tokens} className="text-xl font-bold text-text" />
        </p>
        <TokenHistory />
        <SpendingLimits />
      </div>
    </Wide>
  );
}
