import { readPages, routeData } from '#platform/ui/calls/route.ts';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { lazy, Suspense } from 'react';
import { listManagedProducts } from '../../../client.ts';

/** Loaded separately, because everybody loads the route table. */
const OfferSections = lazy(async () => ({ default: (await import('./offer-sections.tsx')).OfferSections }));

const wanted = {
  texts: ['billing'],
  always: true,
  member: true,
  reads: () => [readPages(listManagedProducts, { retired: false })],
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** The admin page of products, switches and limits, codes, and changes. */
export default function OperatorPage() {
  const { t } = useTranslation('billing');
  return (
    <Wide title={t('web.operator.title')} lead={t('web.operator.lead')}>
      <Suspense fallback={<Skeleton className="h-96" />}>
        <OfferSections />
      </Suspense>
    </Wide>
  );
}
