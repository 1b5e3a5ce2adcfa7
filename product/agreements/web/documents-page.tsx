import type { OutputOf } from '#platform/contract/call.ts';
import { problemOf } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { readPages, routeData } from '#platform/ui/calls/route.ts';
import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { listLegalDocuments } from '../client.ts';
import { DocumentLines } from './document-lines.tsx';

const wanted = {
  texts: ['agreements'],
  always: true,
  member: true,
  reads: () => [readPages(listLegalDocuments, {})],
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** Everything that a person was asked to sign, newest first. */
export default function DocumentsPage() {
  const { t } = useTranslation('agreements');
  const read = useReadPages(listLegalDocuments, {});
  const { data, error, refetch } = read;
  return (
    <Wide title={t('own.title')} lead={t('own.lead')}>
      <div className="max-w-3xl">
        {error && !data
          ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
          : <Lines documents={data?.pages.flatMap(({ documents }) => documents)} />}
        <MorePages read={read} />
        <div className="mt-6">
          <ButtonLink to="/account/settings" tone="quiet">{t('own.back')}</ButtonLink>
        </div>
      </div>
    </Wide>
  );
}

function Lines({ documents }: {
  readonly documents: OutputOf<typeof listLegalDocuments>['documents'] | undefined;
}) {
  const { t } = useTranslation('agreements');
  if (!documents) {
    return (
      <div aria-busy>
        <Skeleton className="h-48" />
      </div>
    );
  }
  if (documents.length === 0) return <EmptyState text={t('own.empty')} />;
  return <DocumentLines label={t('own.title')} documents={documents} />;
}
