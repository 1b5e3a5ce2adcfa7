import { useReadPages } from '#platform/ui/calls/pages.ts';
import { readPages, routeData } from '#platform/ui/calls/route.ts';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { EmptyState } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { Fragment } from 'react';
import {
  getOwnTicketShows,
  getReceipts,
  getSharecamReceipts,
  getSpyReceipts,
  getTickets,
} from '../../client.ts';
import { CameraReceipts } from './camera-receipts.tsx';
import { OfferSections } from './offer-sections.tsx';
import { Receipts } from './receipts.tsx';
import { SpyOfferSection, SpyReceipts } from './spying.tsx';
import { PastTicketShows, Tickets } from './tickets.tsx';

const load = routeData({
  texts: ['shows'],
  member: true,
  reads: () => [
    readPages(getReceipts, {}),
    readPages(getSpyReceipts, {}),
    readPages(getSharecamReceipts, {}),
    readPages(getTickets, {}),
  ],
});
export { load as clientLoader, load as loader };

type Entries = readonly unknown[];
/** Whether a list was loaded and is empty. */
function isEmpty<Page>(
  { data }: { readonly data: { readonly pages: readonly Page[] } | undefined },
  entriesOf: (page: Page) => Entries,
): boolean {
  return data !== undefined && data.pages.every((page) => entriesOf(page).length === 0);
}

/** Receipts by kind, non-empty kinds first; a single line if there are none at all. */
function AllReceipts({ isPerformer }: { readonly isPerformer: boolean }) {
  const { t } = useTranslation('shows');
  const own = useReadPages(getOwnTicketShows, {}, { enabled: isPerformer });
  const sections = [
    {
      key: 'private',
      section: <Receipts />,
      empty: isEmpty(useReadPages(getReceipts, {}), ({ receipts }) => receipts),
    },
    {
      key: 'spying',
      section: <SpyReceipts />,
      empty: isEmpty(useReadPages(getSpyReceipts, {}), ({ receipts }) => receipts),
    },
    {
      key: 'cameras',
      section: <CameraReceipts />,
      empty: isEmpty(useReadPages(getSharecamReceipts, {}), ({ receipts }) => receipts),
    },
    ...(isPerformer
      ? [{ key: 'past', section: <PastTicketShows />, empty: isEmpty(own, ({ past }) => past) }]
      : []),
    {
      key: 'tickets',
      section: <Tickets />,
      empty: isEmpty(useReadPages(getTickets, {}), ({ tickets }) => tickets),
    },
  ];
  if (sections.every(({ empty }) => empty)) return <EmptyState text={t('account.nothing')} />;
  return [...sections.filter(({ empty }) => !empty), ...sections.filter(({ empty }) => empty)]
    .map(({ key, section }) => <Fragment key={key}>{section}</Fragment>);
}

/** A person's shows: the offer of a performer, and receipts of the shows they were in. */
export default function ShowsPage() {
  const { t } = useTranslation('shows');
  const isPerformer = useMe()?.user.type === 'model';
  return (
    <Wide title={t('account.title')} lead={t(isPerformer ? 'account.leadPerformer' : 'account.lead')}>
      <div className="flex flex-col gap-6">
        {isPerformer
          ? (
            <>
              <OfferSections />
              <SpyOfferSection />
            </>
          )
          : null}
        <AllReceipts isPerformer={isPerformer} />
      </div>
    </Wide>
  );
}
