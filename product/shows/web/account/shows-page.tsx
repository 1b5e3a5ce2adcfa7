import { readPages, routeData } from '../../../../platform/ui/calls/route.ts';
import { Wide } from '../../../../platform/ui/surfaces/page.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { useMe } from '../../../accounts/web/me.ts';
import { getReceipts, getSharecamReceipts, getSpyReceipts, getTickets } from '../../client.ts';
import { CameraReceipts } from './camera-receipts.tsx';
import { OfferSections } from './offer-sections.tsx';
import { Receipts } from './receipts.tsx';
import { SpyOfferSection, SpyReceipts } from './spying.tsx';
import { PastTicketShows, Tickets } from './tickets.tsx';

const load = routeData({
  texts: ['shows'], member: true,
  reads: () => [
    readPages(getReceipts, {}), readPages(getSpyReceipts, {}), readPages(getSharecamReceipts, {}),
    readPages(getTickets, {}),
  ],
});
export { load as loader, load as clientLoader };

/** Private shows of a person: what a performer offers, and a receipt of each show they were in. */
export default function ShowsPage() {
  const { t } = useTranslation('shows');
  const isPerformer = useMe()?.user.type === 'model';
  return (
    <Wide title={t('account.title')} lead={t(isPerformer ? 'account.leadPerformer' : 'account.lead')}>
      <div className="flex flex-col gap-6">
        {isPerformer ? <><OfferSections /><SpyOfferSection /></> : null}
        <Receipts />
        <SpyReceipts />
        <CameraReceipts />
        {isPerformer ? <PastTicketShows /> : null}
        <Tickets />
      </div>
    </Wide>
  );
}
