import { formatMoney } from '#platform/text/money.ts';
import { useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { BadgeCheck, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { getLedgerHealth } from '../../client.ts';
import type { Health } from '../views.ts';

/** Whether the ledger is sound. It reads every seal, so it runs only on request. */
export function HealthPanel() {
  const { t } = useTranslation('ledger');
  const [asked, setAsked] = useState(false);
  const health = useRead(getLedgerHealth, {}, { enabled: asked });
  return (
    <Section
      anchor="health"
      title={t('web.health.title')}
      lead={t('web.health.lead')}
      action={
        <Button busy={health.isFetching} onClick={() => (asked ? void health.refetch() : setAsked(true))}>
          {t(health.data ? 'web.health.again' : 'web.health.check')}
        </Button>
      }
    >
      {asked
        ? <Loaded read={health} height="h-48">{(answer) => <Report health={answer} />}</Loaded>
        : <p className="text-sm text-muted">{t('web.health.unasked')}</p>}
    </Section>
  );
}

function Report({ health }: { health: Health }) {
  const { t } = useTranslation('ledger');
  const { alarms, faults, broken_seals: broken, sealed_until: sealed } = health;
  // Other alarms may clear by themselves; tokens without cover do not.
  const isSound = faults.length + broken.length === 0
    && alarms.every(({ alarm }) => alarm !== 'not_covered');
  const columns: readonly Column<Health['alarms'][number]>[] = [
    { key: 'alarm', text: t('web.health.alarm'), cell: ({ alarm }) => alarm.replaceAll('_', ' ') },
    { key: 'subject', text: t('web.health.subject'), cell: ({ subject }) => subject },
    { key: 'detail', text: t('web.health.detail'), cell: ({ detail }) => detail },
    { key: 'since', text: t('web.health.since'), cell: ({ since }) => <Moment at={since} show="utc" /> },
  ];
  return (
    <div className="flex flex-col gap-4">
      <p
        role="status"
        className={`flex items-center gap-2 font-bold
        ${isSound ? 'text-success-text' : 'text-danger-text'}`}
      >
        {isSound ? <BadgeCheck size={20} aria-hidden /> : <TriangleAlert size={20} aria-hidden />}
        {t(isSound ? 'web.health.sound' : 'web.health.broken')}
      </p>
      {isSound ? null : (
        <ul className="list-disc pl-6 text-sm text-danger-text">
          {faults.map(({ fault, subject }) => <li key={`${fault} ${subject}`}>{fault}: {subject}</li>)}
          {broken.map((day) => <li key={day}>{t('web.health.seal', { day })}</li>)}
        </ul>
      )}
      <p className="text-sm text-muted">
        {sealed === null ? t('web.health.unsealed') : t('web.health.sealed', { day: sealed.slice(0, 10) })}
      </p>
      <Sums health={health} />
      {alarms.length === 0
        ? <p className="text-sm">{t('web.health.quiet')}</p>
        : (
          <Table
            caption={t('web.health.alarms')}
            columns={columns}
            rows={alarms}
            keyOf={({ alarm, subject }) => `${alarm} ${subject}`}
          />
        )}
    </div>
  );
}

const SUMS = [
  'owed_cents',
  'outstanding_cents',
  'cash_cents',
  'marketing_cents',
  'receivable_cents',
  'loss_cents',
  'marketing_cap_cents',
] as const satisfies readonly (keyof Health)[];

/** What could be paid out, and what covers it. */
function Sums({ health }: { health: Health }) {
  const { t, i18n } = useTranslation('ledger');
  return (
    <dl className="grid max-w-lg grid-cols-[1fr_auto] gap-x-6 gap-y-1 text-sm">
      {SUMS.map((sum) => (
        <div key={sum} className="contents">
          <dt className="text-muted">{t(`web.health.${sum}`)}</dt>
          <dd className="tabular text-right">
            {formatMoney({ minor: health[sum], currency: 'USD' }, i18n.language)}
          </dd>
        </div>
      ))}
    </dl>
  );
}
