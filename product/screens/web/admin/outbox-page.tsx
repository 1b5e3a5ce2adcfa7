import type { OutputOf } from '#platform/contract/call.ts';
import { problemOf } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { readPages, routeData } from '#platform/ui/calls/route.ts';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { listOutbox } from '#product/notices/client.ts';

type Mail = OutputOf<typeof listOutbox>['mails'][number];

const wanted = { always: true, member: true, reads: () => [readPages(listOutbox, {})] };
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** Mails a demo or development site would have sent, newest first. */
export default function OutboxPage() {
  const { t } = useTranslation('screens');
  const read = useReadPages(listOutbox, {});
  const { data, error, refetch } = read;
  const columns: readonly Column<Mail>[] = [
    {
      key: 'subject',
      text: t('outbox.subject'),
      cell: (mail) => (
        <details>
          <summary className="py-1 max-sm:min-h-11">
            {mail.subject || mail.text}
            <span className="block pl-4 text-xs break-all text-muted sm:hidden">
              {mail.to} · <RelativeTime at={mail.at} />
            </span>
          </summary>
          <pre className="max-w-prose py-2 font-sans wrap-anywhere whitespace-pre-wrap text-muted">
          {mail.text}
          </pre>
        </details>
      ),
    },
    { key: 'to', text: t('outbox.to'), wide: true, cell: (mail) => mail.to },
    {
      key: 'kind',
      text: t('outbox.kind'),
      wide: true,
      cell: (mail) => <span className="text-xs text-muted">{mail.kind}</span>,
    },
    { key: 'at', text: t('outbox.at'), wide: true, cell: (mail) => <RelativeTime at={mail.at} /> },
  ];
  const content = () => {
    if (error && !data) return <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />;
    if (!data) return <Skeleton className="h-64" />;
    const mails = data.pages.flatMap((page) => page.mails);
    if (mails.length === 0) return <EmptyState text={t('outbox.empty')} />;
    return <Table caption={t('outbox.title')} columns={columns} rows={mails} keyOf={(mail) => mail.id} />;
  };
  return (
    <Wide title={t('outbox.title')} lead={t('outbox.lead')}>
      {content()}
      <MorePages read={read} className="py-4" />
    </Wide>
  );
}
