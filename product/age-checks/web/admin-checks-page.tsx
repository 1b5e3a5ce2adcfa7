import { problemOf, useCache } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { readPages, routeData } from '#platform/ui/calls/route.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Select, TextArea } from '#platform/ui/controls/fields.tsx';
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
import { decideSupportCheck, listSupportChecks } from '../client.ts';
import type { SupportCheckView } from '../contract.ts';
import { readSupportAgain } from './live.ts';

const TABS = ['open', 'decided'] as const;
type Tab = (typeof TABS)[number];
const inputOf = (tab: Tab) => (tab === 'decided' ? { decided: true } : {});

const wanted = {
  texts: ['age-checks'],
  always: true,
  member: true,
  reads: () => [readPages(listSupportChecks, inputOf('open'))],
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** The admin page of people who asked support to verify their age, and the decisions about them. */
export default function AdminChecksPage() {
  const { t } = useTranslation('age-checks');
  const [query, setQuery] = useSearchParams();
  const tab = TABS.find((key) => key === query.get('show')) ?? 'open';
  const [deciding, setDeciding] = useState<SupportCheckView | null>(null);
  return (
    <Wide title={t('web.admin.title')} lead={t('web.admin.lead')}>
      <Tabs
        label={t('web.admin.title')}
        current={tab}
        onChange={(key) => setQuery({ show: key }, { replace: true, preventScrollReset: true })}
        tabs={TABS.map((key) => ({
          key,
          text: t(`web.admin.${key}`),
          panel: <Checks tab={key} onDecide={setDeciding} />,
        }))}
      />
      {deciding ? <Decision check={deciding} onClose={() => setDeciding(null)} /> : null}
    </Wide>
  );
}

function Checks({ tab, onDecide }: { tab: Tab; onDecide: (check: SupportCheckView) => void }) {
  const { t } = useTranslation('age-checks');
  const read = useReadPages(listSupportChecks, inputOf(tab), {
    cursor: 'before',
    next: ({ next }) => next,
  });
  const { data, error, refetch } = read;
  if (error && !data) return <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="mt-4 h-64" />;
  const checks = data.pages.flatMap((page) => page.checks);
  if (checks.length === 0) {
    return <EmptyState text={t(tab === 'open' ? 'web.admin.emptyOpen' : 'web.admin.emptyDecided')} />;
  }
  const columns: readonly Column<SupportCheckView>[] = [
    { key: 'person', text: t('web.admin.person'), cell: ({ username }) => <Typed>{username}</Typed> },
    {
      key: 'asked',
      text: t('web.admin.asked'),
      cell: ({ asked_at: at }) => <RelativeTime at={at} />,
    },
    {
      key: 'age',
      text: t('web.admin.age'),
      cell: ({ minimum_age: age }) => <span className="tabular">{age}</span>,
    },
    ...(tab === 'open'
      ? [{
        key: 'message',
        text: t('web.admin.message'),
        cell: ({ message }: SupportCheckView) => (
          <span className="break-words whitespace-pre-line">
            <Typed>{message ?? ''}</Typed>
          </span>
        ),
      }]
      : []),
    {
      key: 'decision',
      text: t('web.admin.decision'),
      cell: (check) => (check.decision === null
        ? <Button onClick={() => onDecide(check)}>{t('web.admin.decide')}</Button>
        : <Made check={check} decision={check.decision} />),
    },
  ];
  return (
    <div className="mt-4">
      <Table
        caption={t(`web.admin.${tab}`)}
        columns={columns}
        rows={checks}
        keyOf={({ id }) => String(id)}
      />
      <MorePages read={read} />
    </div>
  );
}

function Made({ check, decision }: {
  readonly check: SupportCheckView;
  readonly decision: NonNullable<SupportCheckView['decision']>;
}) {
  const { t } = useTranslation('age-checks');
  const { decided_at: at, decided_by: by } = check;
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <Pill tone={decision === 'verified' ? 'online' : 'danger'}>{t(`web.admin.${decision}`)}</Pill>
      {at === null ? null : <RelativeTime at={at} />}
      {by === null ? null : <Typed>{by}</Typed>}
    </span>
  );
}

function Decision({ check, onClose }: { check: SupportCheckView; onClose: () => void }) {
  const { t } = useTranslation('age-checks');
  const cache = useCache();
  const toast = useToast();
  const { id, username: name, minimum_age: age } = check;
  const form = useForm(decideSupportCheck, {
    shape: async () => (await import('../contract.ts')).decideSupportCheck,
    read: (fields) => ({
      id,
      decision: textOf(fields, 'decision') === 'verify' ? 'verify' as const : 'refuse' as const,
      reason: textOf(fields, 'reason').trim(),
    }),
    onDone: async () => {
      await readSupportAgain(cache);
      toast(t('web.admin.done', { name }), 'success');
      onClose();
    },
  });
  return (
    <Dialog title={t('web.admin.decideTitle', { name, age })} onClose={onClose}>
      <form {...form.props} className="flex flex-col gap-4">
        <p className="text-sm text-muted">{t('web.admin.decideText')}</p>
        <Select
          {...form.field('decision')}
          label={t('web.admin.answer')}
          placeholder={t('web.card.choose')}
          defaultValue=""
          required
          options={(['verify', 'refuse'] as const).map((value) => ({ value, text: t(`web.admin.${value}`) }))}
        />
        <TextArea
          {...form.field('reason')}
          label={t('web.admin.reason')}
          hint={t('web.admin.reasonHint')}
          required
          minLength={3}
          maxLength={500}
        />
        <FormError problem={form.problem} />
        <div className="flex justify-end gap-3">
          <Button onClick={onClose}>{t('web.admin.cancel')}</Button>
          <Button type="submit" tone="primary" busy={form.busy}>{t('web.admin.decide')}</Button>
        </div>
      </form>
    </Dialog>
  );
}
