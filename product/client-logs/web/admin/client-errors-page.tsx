import type { OutputOf } from '#platform/contract/call.ts';
import { problemOf } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { readPages, routeData } from '#platform/ui/calls/route.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Select, TextField } from '#platform/ui/controls/fields.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { textOf, useFields } from '#platform/ui/forms/form.ts';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useSearchParams } from 'react-router';
import { listClientReports } from '../../client.ts';
import { KINDS, type Kind } from '../../rules.ts';
import { ClientLines } from './client-lines.tsx';
import { RemoteLoggingForm } from './remote-logging-form.tsx';

type Report = OutputOf<typeof listClientReports>['reports'][number];

const inputOf = (query: URLSearchParams): { readonly kind?: Kind; readonly code?: string } => {
  const kind = KINDS.find((text) => text === query.get('kind'));
  const code = (query.get('code') ?? '').trim().slice(0, 32);
  return { ...(kind ? { kind } : {}), ...(code === '' ? {} : { code }) };
};
const wanted = {
  texts: ['client-logs'],
  always: true,
  member: true,
  reads: (
    { request }: { readonly request: Request },
  ) => [readPages(listClientReports, inputOf(new URL(request.url).searchParams))],
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** Reports from browsers, latest first; a code that somebody read out finds its crash. */
export default function ClientErrorsPage() {
  const { t } = useTranslation('client-logs');
  const [query] = useSearchParams();
  const input = inputOf(query);
  const read = useReadPages(listClientReports, input, { keep: true });
  const { data, error, refetch } = read;
  const content = () => {
    if (error && !data) return <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />;
    if (!data) return <Skeleton className="h-64" />;
    const reports = data.pages.flatMap((page) => page.reports);
    if (reports.length === 0) return <EmptyState text={t(input.code ? 'web.unknownCode' : 'web.empty')} />;
    return <Reports reports={reports} />;
  };
  return (
    <Wide title={t('web.title')} lead={t('web.lead')}>
      <div className="flex flex-col gap-6">
        <Search />
        <div>
          {content()}
          <MorePages read={read} className="py-4" />
        </div>
        <ClientLines />
        <RemoteLoggingForm />
      </div>
    </Wide>
  );
}

function Search() {
  const { t } = useTranslation('client-logs');
  const [query, setQuery] = useSearchParams();
  const search = useFields({
    read: (fields) => ({ code: textOf(fields, 'code').trim(), kind: textOf(fields, 'kind') }),
    onSubmit: ({ code, kind }) =>
      setQuery({ ...(kind === '' ? {} : { kind }), ...(code === '' ? {} : { code }) }),
  });
  return (
    <form {...search.props} role="search" className="flex flex-wrap items-end gap-3">
      <TextField
        {...search.field('code')}
        label={t('web.code')}
        autoComplete="off"
        spellCheck={false}
        maxLength={32}
        defaultValue={query.get('code') ?? ''}
      />
      <Select
        {...search.field('kind')}
        label={t('web.kind')}
        defaultValue={query.get('kind') ?? ''}
        options={[
          { value: '', text: t('web.allKinds') },
          ...KINDS.map((kind) => ({ value: kind, text: t(`web.kinds.${kind}`) })),
        ]}
      />
      <Button type="submit">{t('web.find')}</Button>
    </form>
  );
}

function Reports({ reports }: { reports: readonly Report[] }) {
  const { t } = useTranslation('client-logs');
  const columns: readonly Column<Report>[] = [
    { key: 'message', text: t('web.message'), cell: (report) => <Message report={report} /> },
    {
      key: 'code',
      text: t('web.code'),
      cell: ({ code }) => <span className="font-mono whitespace-nowrap">{code}</span>,
    },
    { key: 'count', text: t('web.count'), numeric: true, cell: ({ count }) => count },
    { key: 'last', text: t('web.last'), wide: true, cell: ({ last_at: at }) => <RelativeTime at={at} /> },
    {
      key: 'versions',
      text: t('web.versions'),
      wide: true,
      cell: ({ versions }) => <span className="text-xs text-muted">{versions.join(', ')}</span>,
    },
  ];
  return <Table caption={t('web.title')} columns={columns} rows={reports} keyOf={({ id }) => id} />;
}

/** Text from a browser is shown as text, never as markup. */
function Message({ report }: { report: Report }) {
  const { t } = useTranslation('client-logs');
  const { kind, message, detail, page, browsers, versions, first_at: first, last_at: last } = report;
  return (
    <details>
      <summary className="max-w-prose py-1 wrap-anywhere max-sm:min-h-11">
        {message || t('web.noMessage')}
        <span className="block pl-4 text-xs text-muted">
          {t(`web.kinds.${kind}`)}
          {page ? ` · ${page}` : ''}
        </span>
      </summary>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 py-2 text-xs text-muted">
        <dt>{t('web.first')}</dt>
        <dd>
          <RelativeTime at={first} />
        </dd>
        <dt>{t('web.last')}</dt>
        <dd>
          <RelativeTime at={last} />
        </dd>
        {report.browser_time === null
          ? null
          : (
            <>
              <dt>{t('web.browserTime')}</dt>
              <dd>
                <Moment at={report.browser_time} />
              </dd>
            </>
          )}
        <dt>{t('web.versions')}</dt>
        <dd>{versions.join(', ')}</dd>
        <dt>{t('web.browsers')}</dt>
        <dd>{browsers.join(', ')}</dd>
      </dl>
      {detail
        ? (
          <pre className="max-w-prose py-2 text-xs wrap-anywhere whitespace-pre-wrap text-muted">
            {detail}
          </pre>
        )
        : null}
    </details>
  );
}
