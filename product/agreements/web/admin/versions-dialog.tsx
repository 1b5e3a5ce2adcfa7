import type { OutputOf } from '#platform/contract/call.ts';
import { problemOf } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { listTemplateVersions } from '../../client.ts';
import type { DocumentKind } from '../../rules.ts';

type Version = OutputOf<typeof listTemplateVersions>['versions'][number];

/** The versions of a kind, newest first, and how many people have signed each. */
export function VersionsDialog({ kind, onClose }: {
  readonly kind: DocumentKind;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation('agreements');
  const title = t('admin.actionOf.history', { kind: t(`kinds.${kind}`) });
  const read = useReadPages(listTemplateVersions, { kind });
  const { data, error, refetch } = read;
  const versions = data?.pages.flatMap((page) => page.versions);
  return (
    <Dialog size="large" title={title} onClose={onClose}>
      {error && !versions
        ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
        : !versions
        ? (
          <div aria-busy>
            <Skeleton className="h-48" />
          </div>
        )
        : versions.length === 0
        ? <EmptyState text={t('admin.historyEmpty')} />
        : <Versions title={title} versions={versions} />}
      <MorePages read={read} />
    </Dialog>
  );
}

function Versions({ title, versions }: { readonly title: string; readonly versions: readonly Version[] }) {
  const { t } = useTranslation('agreements');
  const columns: readonly Column<Version>[] = [
    { key: 'version', text: t('admin.version'), numeric: true, cell: ({ version }) => version },
    {
      key: 'published',
      text: t('admin.current'),
      cell: ({ published_at: at }) => (at ? <Moment at={at} /> : t('admin.draft')),
    },
    { key: 'languages', text: t('admin.languages'), cell: ({ languages }) => languages.join(', ') },
    {
      key: 'documents',
      text: t('admin.documentsCount'),
      cell: ({ issued, signed }) => t('admin.signedOf', { signed, issued }),
    },
  ];
  return <Table blocks caption={title} columns={columns} rows={versions} keyOf={({ version }) => version} />;
}
