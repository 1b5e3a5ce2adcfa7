import { lazy, Suspense } from 'react';
import { needs, read } from '../../../platform/ui/calls/route.ts';
import { Wide } from '../../../platform/ui/surfaces/page.tsx';
import { Skeleton } from '../../../platform/ui/surfaces/states.tsx';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import { findOperations } from '../../ledger/contract.ts';

/** Apart, so that the list of pages which everybody loads names no file of it. */
const LedgerDesk = lazy(async () => ({ default: (await import('./ledger-desk.tsx')).LedgerDesk }));

const wanted = {
  texts: ['ledger', 'tips'], always: true, member: true,
  // Who may not read these may do nothing here, and gets the page that says so.
  reads: () => [read(findOperations, {})],
};
export const loader = needs(wanted);
export const clientLoader = needs(wanted);
export const handle = { always: true };

/** The ledger for staff. */
export default function LedgerPage() {
  const { t } = useTranslation('ledger');
  return (
    <Wide title={t('web.desk.title')} lead={t('web.desk.lead')}>
      <Suspense fallback={<Skeleton className="h-96" />}><LedgerDesk /></Suspense>
    </Wide>
  );
}
