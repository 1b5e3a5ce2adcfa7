import { problemOf, queryKeyOf, useCache } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { readPages, routeData } from '#platform/ui/calls/route.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextArea } from '#platform/ui/controls/fields.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { Tabs } from '#platform/ui/controls/tabs.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Pill } from '#platform/ui/surfaces/card.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import type { z } from 'zod';
import { decideClearance, listClearances } from '../client.ts';
import type { ClearanceLine } from '../contract.ts';

type Line = z.infer<typeof ClearanceLine>;
type Status = Line['status'];
const STATUSES = ['pending', 'cleared', 'revoked'] as const satisfies readonly Status[];
const TONES = { pending: 'warning', cleared: 'online', revoked: 'danger' } as const;

const wanted = {
  texts: ['compliance'],
  always: true,
  member: true,
  reads: () => [readPages(listClearances, { status: 'pending', page: 1 })],
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** The admin page of clearances: who is pending, who is cleared, and decisions with a reason. */
export default function ClearancesPage() {
  const { t } = useTranslation('compliance');
  const [query, setQuery] = useSearchParams();
  const status = STATUSES.find((text) => text === query.get('status')) ?? 'pending';
  const [deciding, setDeciding] = useState<Line | null>(null);
  return (
    <Wide title={t('clearances.title')} lead={t('clearances.lead')}>
      <Tabs
        label={t('clearances.title')}
        current={status}
        onChange={(key) => setQuery({ status: key }, { replace: true, preventScrollReset: true })}
        tabs={STATUSES.map((key) => ({
          key,
          text: t(`clearances.status.${key}`),
          panel: <Lines status={key} onDecide={setDeciding} />,
        }))}
      />
      {deciding ? <Decision line={deciding} onClose={() => setDeciding(null)} /> : null}
    </Wide>
  );
}

function Lines({ status, onDecide }: { status: Status; onDecide: (line: Line) => void }) {
  const { t } = useTranslation('compliance');
  const read = useReadPages(listClearances, { status, page: 1 }, {
    cursor: 'page',
    next: ({ page, pages }) => (page < pages ? page + 1 : null),
  });
  const { data, error, refetch } = read;
  if (error && !data) return <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="mt-4 h-64" />;
  const lines = data.pages.flatMap((page) => page.lines);
  if (lines.length === 0) return <EmptyState text={t(`clearances.empty.${status}`)} />;
  const columns: readonly Column<Line>[] = [
    {
      key: 'name',
      text: t('clearances.name'),
      cell: (line) => (
        <>
          <span className="font-medium">
            <Typed>{line.display_name}</Typed>
          </span>{' '}
          <span className="text-muted">@{line.username}</span>
        </>
      ),
    },
    {
      key: 'birth',
      text: t('clearances.birthDate'),
      cell: (line) => (
        <span className="tabular whitespace-nowrap">{line.birth_date ?? t('clearances.unknown')}</span>
      ),
    },
    {
      key: 'registered',
      text: t('clearances.registered'),
      cell: (line) => <RelativeTime at={line.registered_at} />,
    },
    {
      key: 'status',
      text: t('clearances.state'),
      cell: (line) => <Pill tone={TONES[line.status]}>{t(`clearances.status.${line.status}`)}</Pill>,
    },
    {
      key: 'decided',
      text: t('clearances.decided'),
      cell: (line) => (line.decided_at
        ? (
          <>
            <RelativeTime at={line.decided_at} />
            {line.decided_by ? ` · ${line.decided_by}` : ''}
          </>
        )
        : t('clearances.never')),
    },
    {
      key: 'act',
      text: t('clearances.decision'),
      cell: (line) => (
        <Button
          tone={line.status === 'cleared' ? 'danger' : 'secondary'}
          onClick={() => onDecide(line)}
        >
          {t(line.status === 'cleared' ? 'clearances.revoke' : 'clearances.clear')}
        </Button>
      ),
    },
  ];
  return (
    <div className="mt-4">
      <Table
        caption={t(`clearances.status.${status}`)}
        columns={columns}
        rows={lines}
        keyOf={(line) => line.username}
      />
      <MorePages read={read} />
    </div>
  );
}

function Decision({ line, onClose }: { line: Line; onClose: () => void }) {
  const { t } = useTranslation('compliance');
  const cache = useCache();
  const toast = useToast();
  const name = line.display_name;
  const isRevoking = line.status === 'cleared';
  const form = useForm(decideClearance, {
    shape: async () => (await import('../contract.ts')).decideClearance,
    read: (fields) => ({
      username: line.username,
      decision: isRevoking ? 'revoke' as const : 'clear' as const,
      reason: textOf(fields, 'reason').trim(),
    }),
    onDone: async () => {
      await cache.invalidateQueries({ queryKey: queryKeyOf(listClearances) });
      toast(t(isRevoking ? 'clearances.revoked' : 'clearances.cleared', { name }), 'success');
      onClose();
    },
  });
  const title = t(isRevoking ? 'clearances.revokeTitle' : 'clearances.clearTitle', { name });
  return (
    <Dialog title={title} onClose={onClose}>
      <form {...form.props} className="flex flex-col gap-4">
        <p className="text-sm text-muted">
          {t(isRevoking ? 'clearances.revokeText' : 'clearances.clearText')}
        </p>
        <TextArea
          {...form.field('reason')}
          label={t('clearances.reason')}
          hint={t('clearances.reasonHint')}
          required
          minLength={3}
          maxLength={500}
        />
        <FormError problem={form.problem} />
        <div className="flex justify-end gap-3">
          <Button onClick={onClose}>{t('clearances.cancel')}</Button>
          <Button type="submit" tone={isRevoking ? 'danger' : 'primary'} busy={form.busy}>
            {t(isRevoking ? 'clearances.revoke' : 'clearances.clear')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
