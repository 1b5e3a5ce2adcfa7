import type { OutputOf } from '#platform/contract/call.ts';
import { keyOf } from '#platform/text/message-keys.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { EmptyState } from '#platform/ui/surfaces/states.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { listBillingChanges } from '../../client.ts';

type Change = OutputOf<typeof listBillingChanges>['changes'][number];

/** The audit log: who changed what, when and why, with the values before. */
export function ChangesSection() {
  const { t } = useTranslation('billing');
  const read = useReadPages(listBillingChanges, {});
  const columns: readonly Column<Change>[] = [
    { key: 'at', text: t('web.orders.at'), cell: ({ at }) => <Moment at={at} /> },
    { key: 'who', text: t('web.admin.person'), cell: ({ username }) => (username ? `@${username}` : '—') },
    {
      key: 'what',
      text: t('web.operator.change.what'),
      cell: ({ action, subject }) => (
        <span className="flex flex-col">
          {t(keyOf('billing', 'web.operator.action', action))}
          {subject ? <span className="text-xs text-muted">{subject}</span> : null}
        </span>
      ),
    },
    {
      key: 'fields',
      text: t('web.operator.change.fields'),
      cell: ({ fields }) => (
        <ul className="text-xs">
          {fields.map(({ name, before: was, after: is }) => (
            <li key={name} className="max-w-md break-all">
              <span className="text-muted">{`${name}: `}</span>
              {was === null ? null : (
                <>
                  <del>{was}</del>
                  {' → '}
                </>
              )}
              {is ?? '—'}
            </li>
          ))}
        </ul>
      ),
    },
    { key: 'reason', text: t('web.operator.reason'), cell: ({ reason }) => reason ?? '—' },
  ];
  return (
    <Section anchor="changes" title={t('web.operator.change.title')} lead={t('web.operator.change.lead')}>
      <Loaded read={read} height="h-32">
        {({ pages }) => (
          <>
            {pages[0]?.changes.length === 0
              ? <EmptyState text={t('web.operator.change.none')} />
              : (
                <Table
                  caption={t('web.operator.change.title')}
                  columns={columns}
                  keyOf={({ id }) => id}
                  rows={pages.flatMap(({ changes }) =>
                    changes
                  )}
                />
              )}
            <MorePages read={read} />
          </>
        )}
      </Loaded>
    </Section>
  );
}
