import { lazy, Suspense } from 'react';
import { routeData, read } from '../../../../../platform/ui/calls/route.ts';
import { Wide } from '../../../../../platform/ui/surfaces/page.tsx';
import { Skeleton } from '../../../../../platform/ui/surfaces/states.tsx';
import { useTranslation } from '../../../../../platform/ui/text/use-translation.ts';
import { getBillingAlarms } from '../../../client.ts';

/** Apart, so that the list of pages which everybody loads names no file of it. */
const PaymentsDesk = lazy(async () => ({ default: (await import('./payments-desk.tsx')).PaymentsDesk }));

const wanted = {
  texts: ['billing'], always: true, member: true, reads: () => [read(getBillingAlarms, {})],
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** Payments for staff. */
export default function PaymentsPage() {
  const { t } = useTranslation('billing');
  return (
    <Wide title={t('web.desk.title')} lead={t('web.desk.lead')}>
      <Suspense fallback={<Skeleton className="h-96" />}><PaymentsDesk /></Suspense>
    </Wide>
  );
}
