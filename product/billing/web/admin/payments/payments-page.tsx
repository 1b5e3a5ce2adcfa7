import { read, routeData } from '#platform/ui/calls/route.ts';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { lazy, Suspense } from 'react';
import { getBillingAlarms } from '../../../client.ts';

/** Loaded separately, because everybody loads the route table. */
const PaymentsPanel = lazy(async () => ({ default: (await import('./payments-panel.tsx')).PaymentsPanel }));

const wanted = {
  texts: ['billing'],
  always: true,
  member: true,
  reads: () => [read(getBillingAlarms, {})],
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** The admin page of payments. */
export default function PaymentsPage() {
  const { t } = useTranslation('billing');
  return (
    <Wide title={t('web.admin.title')} lead={t('web.admin.lead')}>
      <Suspense fallback={<Skeleton className="h-96" />}>
        <PaymentsPanel />
      </Suspense>
    </Wide>
  );
}
