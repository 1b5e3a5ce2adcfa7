import { lazy, Suspense } from 'react';
import { readPages, routeData } from '../../../../../platform/ui/calls/route.ts';
import { Wide } from '../../../../../platform/ui/surfaces/page.tsx';
import { Skeleton } from '../../../../../platform/ui/surfaces/states.tsx';
import { useTranslation } from '../../../../../platform/ui/text/use-translation.ts';
import { listManagedProducts } from '../../../client.ts';

/** Apart, so that the list of pages which everybody loads names no file of it. */
const OperatorDesk = lazy(async () => ({ default: (await import('./operator-desk.tsx')).OperatorDesk }));

const wanted = {
  texts: ['billing'], always: true, member: true,
  reads: () => [readPages(listManagedProducts, { retired: false })],
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** What the operator sells and allows: products, switches and limits, codes, and who changed what. */
export default function OperatorPage() {
  const { t } = useTranslation('billing');
  return (
    <Wide title={t('web.operator.title')} lead={t('web.operator.lead')}>
      <Suspense fallback={<Skeleton className="h-96" />}><OperatorDesk /></Suspense>
    </Wide>
  );
}
