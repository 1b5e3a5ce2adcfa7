import type { InputOf, OutputOf } from '#platform/contract/call.ts';
import { problemOf } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Select, TextField } from '#platform/ui/controls/fields.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { textOf, useFields } from '#platform/ui/forms/form.ts';
import { Pill } from '#platform/ui/surfaces/card.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { listDocuments } from '../../client.ts';
import { KINDS, STATUSES } from '../../rules.ts';
import { STATUS_TONES } from '../document-lines.tsx';
import { DocumentDialog } from './document-dialog.tsx';

type Filter = Pick<InputOf<typeof listDocuments>, 'status' | 'kind' | 'username'>;
type Line = OutputOf<typeof listDocuments>['documents'][number];

/** Every issued document, newest first. */
export function Documents() {
  const { t } = useTranslation('agreements');
  const [filter, setFilter] = useState<Filter>({});
  const [open, setOpen] = useState<number | null>(null);
  const read = useReadPages(listDocuments, filter);
  const { data, error, refetch } = read;
  const documents = data?.pages.flatMap((page) => page.documents);
  return (
    <div className="flex flex-col gap-4">
      <FilterForm onFilter={setFilter} />
      {error && !documents
        ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
        : !documents
        ? (
          <div aria-busy>
            <Skeleton className="h-64" />
          </div>
        )
        : documents.length === 0
        ? <EmptyState text={t('admin.empty')} />
        : <Lines documents={documents} onOpen={({ id }) => setOpen(Number(id))} />}
      <MorePages read={read} />
      {open === null ? null : <DocumentDialog id={open} onClose={() => setOpen(null)} />}
    </div>
  );
}

function FilterForm({ onFilter }: { readonly onFilter: (filter: Filter) => void }) {
  const { t } = useTranslation('agreements');
  const form = useFields<Filter>({
    read: (fields) => {
      const status = STATUSES.find((one) => one === textOf(fields, 'status'));
      const kind = KINDS.find((one) => one === textOf(fields, 'kind'));
      const username = textOf(fields, 'username').trim();
      return {
        ...(status ? { status } : {}),
        ...(kind ? { kind } : {}),
        ...(username === '' ? {} : { username }),
      };
    },
    onSubmit: onFilter,
  });
  return (
    <form {...form.props} role="search" className="grid items-end gap-4 sm:grid-cols-2 lg:grid-cols-4">
      <TextField
        {...form.field('username')}
        label={t('admin.person')}
        maxLength={40}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <Select
        {...form.field('kind')}
        label={t('admin.kind')}
        placeholder={t('admin.all')}
        options={KINDS.map((kind) => ({ value: kind, text: t(`kinds.${kind}`) }))}
      />
      <Select
        {...form.field('status')}
        label={t('admin.status')}
        placeholder={t('admin.all')}
        options={STATUSES.map((status) => ({ value: status, text: t(`status.${status}`) }))}
      />
      <div>
        <Button type="submit">{t('admin.filter')}</Button>
      </div>
    </form>
  );
}

function Lines({ documents, onOpen }: {
  readonly documents: readonly Line[];
  readonly onOpen: (line: Line) => void;
}) {
  const { t } = useTranslation('agreements');
  const columns: readonly Column<Line>[] = [
    { key: 'person', text: t('admin.person'), cell: ({ username }) => `@${username}` },
    {
      key: 'title',
      text: t('admin.templateTitle'),
      cell: ({ title, version }) => (
        <>
          <Typed>{title}</Typed> <span className="text-muted">{t('admin.versionNumber', { version })}</span>
        </>
      ),
    },
    {
      key: 'status',
      text: t('admin.status'),
      cell: ({ status }) => <Pill tone={STATUS_TONES[status]}>{t(`status.${status}`)}</Pill>,
    },
    {
      key: 'issued',
      text: t('admin.issuedAt'),
      wide: true,
      cell: ({ issued_at: at }) => <Moment at={at} />,
    },
    {
      key: 'signed',
      text: t('admin.signedAt'),
      cell: ({ signed_at: at }) => (at ? <Moment at={at} /> : '–'),
    },
    {
      key: 'open',
      text: t('admin.actions'),
      cell: (line) => (
        <Button aria-label={t('admin.openOf', { id: line.id })} onClick={() => onOpen(line)}>
          {t('admin.open')}
        </Button>
      ),
    },
  ];
  return (
    <Table
      blocks
      caption={t('admin.documents')}
      columns={columns}
      rows={documents}
      keyOf={({ id }) => id}
    />
  );
}
