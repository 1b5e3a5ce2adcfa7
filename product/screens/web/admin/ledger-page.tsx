import { routeData } from '#platform/ui/calls/route.ts';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { HealthPanel } from '#product/ledger/web/admin/health-panel.tsx';
import { OperationFinder } from '#product/ledger/web/admin/operation-finder.tsx';
import { TipRules } from '#product/tips/web/tip-rules.tsx';

const wanted = { texts: ['ledger', 'tips'], always: true, member: true };
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** The ledger for staff: any operation with all that belongs to it, and whether the journal is sound. */
export default function LedgerPage() {
  const { t } = useTranslation('ledger');
  return (
    <Wide title={t('web.admin.title')} lead={t('web.admin.lead')}>
      <div className="flex flex-col gap-8">
        <HealthPanel />
        <OperationFinder paymentsPath="/admin/payments" />
        <TipRules />
      </div>
    </Wide>
  );
}
