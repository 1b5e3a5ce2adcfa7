import type { OutputOf } from '#platform/contract/call.ts';
import { useRead } from '#platform/ui/calls/calls.ts';
import { read, routeData } from '#platform/ui/calls/route.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { Tabs } from '#platform/ui/controls/tabs.tsx';
import { Card, Pill } from '#platform/ui/surfaces/card.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { EmptyState } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState, type ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { listPolicies } from '../../client.ts';
import type { PolicyView } from '../../contract/policies.ts';
import { DecisionDialog, type Decision } from './decision-dialog.tsx';
import { HistoryDialog } from './history.tsx';
import { AskedList, Changes, Day, Origin, RuleTag } from './policy-parts.tsx';
import { Preview } from './preview.tsx';
import { ProposalDialog } from './proposal-dialog.tsx';
import { useAskedLines, usePlaceName } from './words.ts';

const wanted = {
  texts: ['compliance'],
  always: true,
  member: true,
  reads: () => [read(listPolicies, {})],
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

type Policies = OutputOf<typeof listPolicies>;
type Opened =
  | { readonly kind: 'propose'; readonly start: PolicyView | null }
  | { readonly kind: 'history'; readonly region: string }
  | { readonly kind: 'decide'; readonly policy: PolicyView; readonly decision: Decision };
const TABS = ['in_force', 'next', 'waiting', 'preview'] as const;

/** The admin page of what places ask for: now, next, proposals, and what a visitor meets. */
export default function RegionsPage() {
  const { t } = useTranslation('compliance');
  const [query, setQuery] = useSearchParams();
  const policies = useRead(listPolicies, {});
  const [opened, setOpened] = useState<Opened | null>(null);
  const tab = TABS.find((key) => key === query.get('tab')) ?? 'in_force';
  const waiting = policies.data?.waiting.length ?? 0;
  const panel = (show: (all: Policies) => ReactNode) => (
    <Loaded read={policies} height="mt-4 h-64">{show}</Loaded>
  );
  const panels = {
    in_force: panel((all) => <InForce rows={all.in_force} onOpen={setOpened} />),
    next: panel((all) => <Next rows={all.next} onOpen={setOpened} />),
    waiting: panel((all) => <Waiting rows={all.waiting} onOpen={setOpened} />),
    preview: <Preview />,
  };
  const close = () => setOpened(null);
  return (
    <Wide title={t('regions.title')} lead={t('regions.lead')}>
      <div className="mb-4">
        <Button tone="primary" onClick={() => setOpened({ kind: 'propose', start: null })}>
          {t('regions.propose')}
        </Button>
      </div>
      <Tabs
        label={t('regions.title')}
        current={tab}
        onChange={(key) => setQuery({ tab: key }, { replace: true, preventScrollReset: true })}
        tabs={TABS.map((key) => ({
          key,
          text: key === 'waiting' ? t('regions.tabs.waiting', { count: waiting }) : t(`regions.tabs.${key}`),
          panel: panels[key],
        }))}
      />
      {opened?.kind === 'propose' && policies.data
        ? <ProposalDialog start={opened.start} inForce={policies.data.in_force} onClose={close} />
        : null}
      {opened?.kind === 'history' ? <HistoryDialog region={opened.region} onClose={close} /> : null}
      {opened?.kind === 'decide'
        ? <DecisionDialog policy={opened.policy} decision={opened.decision} onClose={close} />
        : null}
    </Wide>
  );
}

interface ListProps<Row> {
  readonly rows: readonly Row[];
  readonly onOpen: (opened: Opened) => void;
}

function InForce({ rows, onOpen }: ListProps<PolicyView>) {
  const { t } = useTranslation('compliance');
  const nameOf = usePlaceName();
  const linesOf = useAskedLines();
  const [search, setSearch] = useState('');
  const words = search.trim().toLowerCase();
  const found = rows.filter(({ region, source }) =>
    [nameOf(region), region, source].some((text) => text.toLowerCase().includes(words))
  );
  const columns: readonly Column<PolicyView>[] = [
    {
      key: 'place',
      text: t('regions.parts.place'),
      cell: ({ region }) => (
        <>
          <span className="font-medium">{nameOf(region)}</span>{' '}
          {region === '*' || region === 'demo' ? null : <span className="text-muted">{region}</span>}
        </>
      ),
    },
    { key: 'rule', text: t('regions.parts.rule'), cell: ({ rule }) => <RuleTag rule={rule} /> },
    {
      key: 'asks',
      text: t('regions.parts.asks'),
      cell: (row) =>
        linesOf(row).filter(({ key }) => ['age', 'methods', 'lasts'].includes(key))
          .map(({ key, text }) => (key === 'age' ? `${text}+` : text)).join(' · ') || '–',
    },
    { key: 'from', text: t('regions.since'), cell: ({ from }) => <Day day={from} /> },
    { key: 'source', text: t('regions.parts.source'), cell: (row) => <Origin policy={row} /> },
    {
      key: 'act',
      text: t('regions.parts.action'),
      cell: (row) => (
        <div className="flex flex-wrap justify-end gap-2 sm:justify-start">
          {row.region === 'demo'
            ? null
            : (
              <Button onClick={() => onOpen({ kind: 'propose', start: row })}>
                {t('regions.change')} <span className="sr-only">{nameOf(row.region)}</span>
              </Button>
            )}
          <Button onClick={() => onOpen({ kind: 'history', region: row.region })}>
            {t('regions.history')} <span className="sr-only">{nameOf(row.region)}</span>
          </Button>
        </div>
      ),
    },
  ];
  return (
    <div className="mt-4 flex flex-col gap-4">
      <TextField
        name="search"
        type="search"
        label={t('regions.search')}
        value={search}
        onChange={({ target }) => setSearch(target.value)}
      />
      {found.length === 0
        ? <EmptyState text={t('regions.noMatch')} />
        : (
          <Table
            caption={t('regions.tabs.in_force')}
            columns={columns}
            rows={found}
            keyOf={({ region }) => region}
            blocks
          />
        )}
    </div>
  );
}

function Next({ rows, onOpen }: ListProps<PolicyView>) {
  const { t } = useTranslation('compliance');
  const nameOf = usePlaceName();
  if (rows.length === 0) return <EmptyState text={t('regions.nextEmpty')} />;
  return (
    <ul aria-label={t('regions.tabs.next')} className="mt-4 flex flex-col gap-3">
      {rows.map((policy) => (
        <li key={policy.id ?? `${policy.region} ${policy.from}`}>
          <Card className="flex flex-col gap-3 p-4">
            <p className="flex flex-wrap items-center gap-3">
              <span className="font-bold">{nameOf(policy.region)}</span>
              <span className="text-sm text-muted">
                {t('regions.from')} <Day day={policy.from} />, {policy.time_zone}
              </span>
            </p>
            <AskedList asked={policy} />
            <Origin policy={policy} />
            {policy.id === null ? null : (
              <div>
                <Button
                  tone="danger"
                  onClick={() => onOpen({ kind: 'decide', policy, decision: 'withdraw' })}
                >
                  {t('regions.decide.withdraw.press')}
                </Button>
              </div>
            )}
          </Card>
        </li>
      ))}
    </ul>
  );
}

function Waiting({ rows, onOpen }: ListProps<Policies['waiting'][number]>) {
  const { t } = useTranslation('compliance');
  const nameOf = usePlaceName();
  if (rows.length === 0) return <EmptyState text={t('regions.waitingEmpty')} />;
  return (
    <ul aria-label={t('regions.title')} className="mt-4 flex flex-col gap-3">
      {rows.map(({ policy, instead_of: before, is_laxer: isLaxer, is_own: isOwn }) => (
        <li key={policy.id}>
          <Card className="flex flex-col gap-3 p-4">
            <p className="flex flex-wrap items-center gap-3">
              <span className="font-bold">{nameOf(policy.region)}</span>
              <span className="text-sm text-muted">
                {t('regions.from')} <Day day={policy.from} />
              </span>
              {isLaxer ? <Pill tone="warning">{t('regions.laxer')}</Pill> : null}
              {policy.proposed_at === null ? null : <RelativeTime at={policy.proposed_at} />}
            </p>
            <Changes before={before} after={policy} />
            <Origin policy={policy} />
            {isOwn
              ? (
                <div className="flex flex-wrap items-center gap-3">
                  <p className="text-sm text-muted">{t('regions.own')}</p>
                  <Button onClick={() => onOpen({ kind: 'decide', policy, decision: 'withdraw' })}>
                    {t('regions.decide.withdraw.press')}
                  </Button>
                </div>
              )
              : (
                <div className="flex flex-wrap gap-3">
                  <Button
                    tone="primary"
                    onClick={() => onOpen({ kind: 'decide', policy, decision: 'approve' })}
                  >
                    {t('regions.decide.approve.press')}
                  </Button>
                  <Button onClick={() => onOpen({ kind: 'decide', policy, decision: 'reject' })}>
                    {t('regions.decide.reject.press')}
                  </Button>
                </div>
              )}
          </Card>
        </li>
      ))}
    </ul>
  );
}
