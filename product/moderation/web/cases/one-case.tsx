import { queryKeyOf, useAction, useCache, useRead } from '#platform/ui/calls/calls.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Card, Pill } from '#platform/ui/surfaces/card.tsx';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { isAdmin } from '#product/accounts/rules/permissions.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { useState } from 'react';
import { Link } from 'react-router';
import { addToCase, getCase, listCases, listQueues } from '../../client.ts';
import type { CaseView } from '../../contract/cases.ts';
import { CaseDialog, type CaseStep } from './case-dialog.tsx';

/** A case: what it is about, its clocks, its history, and what may be done now. */
export function OneCase({ id }: { id: number }) {
  const { t } = useTranslation('moderation');
  const found = useRead(getCase, { id });
  return (
    <div className="flex flex-col gap-4">
      <div>
        <ButtonLink to="/admin/cases">{t('cases.back')}</ButtonLink>
      </div>
      <Loaded read={found} height="h-96">
        {(item) => (
          <>
            <About item={item} />
            {item.request ? <RequestOf request={item.request} /> : null}
            <Steps item={item} />
            <History item={item} />
          </>
        )}
      </Loaded>
    </div>
  );
}

/** Pairs of a name and a moment; those without a moment are left out. */
function Clocks({ item }: { item: CaseView }) {
  const { t } = useTranslation('moderation');
  const clocks = [
    ['opened', item.opened_at],
    ['escalates', item.escalates_at],
    ['hides', item.hides_at],
    ['restores', item.restores_at],
    ['due', item.due_at],
  ] as const;
  return clocks.map(([name, at]) =>
    at === null ? null : (
      <div key={name} className="contents">
        <dt>{t(`cases.clocks.${name}`)}</dt>
        <dd>
          <Moment at={at} show="zone" />
        </dd>
      </div>
    )
  );
}

function About({ item }: { item: CaseView }) {
  const { t } = useTranslation('moderation');
  return (
    <Section anchor="about" title={t(`caseReasons.${item.reason}`)} lead={t(`caseKinds.${item.kind}`)}>
      <p className="mb-3 flex flex-wrap gap-2">
        <Pill>{t(`cases.status.${item.status}`)}</Pill>
        {item.is_escalated ? <Pill tone="warning">{t('cases.escalated')}</Pill> : null}
        {item.is_hidden ? <Pill tone="danger">{t('cases.hidden')}</Pill> : null}
      </p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm [&_dt]:text-muted">
        <dt>{t('queue.about')}</dt>
        <dd>
          {item.username === null
            ? t('cases.nobodyKnown')
            : <Link to={`/${item.username}`} className="text-link underline">@{item.username}</Link>}
        </dd>
        <dt>{t('cases.strikes')}</dt>
        <dd className="tabular">{item.strikes}</dd>
        {item.claimed_by === null ? null : (
          <>
            <dt>{t('cases.claimed')}</dt>
            <dd>@{item.claimed_by}</dd>
          </>
        )}
        <Clocks item={item} />
      </dl>
      {item.snapshot === ''
        ? null
        : (
          <blockquote className="mt-4 max-w-prose border-l-2 pl-3 wrap-anywhere whitespace-pre-wrap">
            <Typed>{item.snapshot}</Typed>
          </blockquote>
        )}
      {item.details === '' ? null : (
        <p className="mt-3 max-w-prose text-sm wrap-anywhere whitespace-pre-wrap">
          <span className="text-muted">{t('queue.details')}</span> <Typed>{item.details}</Typed>
        </p>
      )}
    </Section>
  );
}

function RequestOf({ request }: { request: NonNullable<CaseView['request']> }) {
  const { t } = useTranslation('moderation');
  return (
    <Section anchor="request" title={t('cases.request', { reference: request.reference })}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-sm [&_dd]:min-w-0 [&_dd]:wrap-anywhere
          [&_dd]:whitespace-pre-wrap [&_dt]:text-muted">
        <dt>{t('public.name')}</dt>
        <dd>
          <Typed>{request.name}</Typed>
        </dd>
        <dt>{t('public.relation')}</dt>
        <dd>
          {t(
            request.kind === 'copyright'
              ? `public.owners.${request.relation}`
              : `public.relations.${request.relation}`,
          )}
        </dd>
        <dt>{t('public.email')}</dt>
        <dd>
          <Typed>{request.email}</Typed>
        </dd>
        <dt>{t('public.addresses')}</dt>
        <dd>
          <ul>
            {request.addresses.map((address) => (
              <li key={address}>
                <Typed>{address}</Typed>
              </li>
            ))}
          </ul>
        </dd>
        {request.work === null ? null : (
          <>
            <dt>{t('public.work')}</dt>
            <dd>
              <Typed>{request.work}</Typed>
            </dd>
          </>
        )}
        <dt>{t(`public.forms.${request.kind}.statement`)}</dt>
        <dd>
          <Typed>{request.statement}</Typed>
        </dd>
        <dt>{t('public.signature')}</dt>
        <dd>
          <Typed>{request.signature}</Typed>
        </dd>
      </dl>
    </Section>
  );
}

/** What may be done with a case now. */
function Steps({ item }: { item: CaseView }) {
  const { t } = useTranslation('moderation');
  const me = useMe();
  const cache = useCache();
  const [step, setStep] = useState<CaseStep | null>(null);
  const { run, busy, problem } = useAction(addToCase);
  const refresh = () => {
    for (const call of [getCase, listCases, listQueues]) {
      void cache.invalidateQueries({ queryKey: queryKeyOf(call) });
    }
  };
  const add = async (kind: 'claim' | 'release' | 'escalate') => {
    await run({ id: item.id, kind });
    refresh();
  };
  const admin = isAdmin(me?.user.user_roles ?? []);
  const waits = item.status === 'open' || item.status === 'appealed';
  const isOthers = item.claimed_by !== null && item.claimed_by !== me?.user.username && !admin;
  return (
    <Card className="flex flex-col gap-3 p-4">
      <div className="flex flex-wrap gap-3">
        {item.status === 'open' && !isOthers
          ? <Button tone="primary" onClick={() => setStep('decide')}>{t('cases.do.decide')}</Button>
          : null}
        {waits && item.claimed_by === null
          ? <Button busy={busy} onClick={() => void add('claim')}>{t('cases.do.claim')}</Button>
          : null}
        {item.claimed_by !== null && !isOthers
          ? <Button busy={busy} onClick={() => void add('release')}>{t('cases.do.release')}</Button>
          : null}
        {waits && !item.is_escalated
          ? <Button busy={busy} onClick={() => void add('escalate')}>{t('cases.do.escalate')}</Button>
          : null}
        <Button onClick={() => setStep('note')}>{t('cases.do.note')}</Button>
        {admin && item.status === 'appealed'
          ? <Button onClick={() => setStep('uphold')}>{t('cases.do.uphold')}</Button>
          : null}
        {admin && (item.status === 'decided' || item.status === 'appealed')
          ? <Button tone="danger" onClick={() => setStep('reverse')}>{t('cases.do.reverse')}</Button>
          : null}
      </div>
      <FormError problem={problem} />
      {step === null ? null : (
        <CaseDialog
          item={item}
          step={step}
          onClose={() => setStep(null)}
          onDone={() => {
            setStep(null);
            refresh();
          }}
        />
      )}
    </Card>
  );
}

function History({ item }: { item: CaseView }) {
  const { t } = useTranslation('moderation');
  return (
    <Section anchor="history" title={t('cases.history')}>
      <ol className="flex flex-col gap-4">
        {item.events.map((event) => (
          <li key={event.id} className="border-l-2 border-line pl-3 text-sm">
            <p className="flex flex-wrap gap-x-3 gap-y-1">
              <span className="font-bold">{t(`cases.events.${event.kind}`)}</span>
              <span className="text-muted">
                {event.by === null ? null : `@${event.by} · `}
                <Moment at={event.at} show="zone" />
              </span>
            </p>
            {event.policy === null || event.actions === null
              ? null
              : (
                <p className="mt-1">
                  {t(`policies.${event.policy}`)}: <ActionList actions={event.actions} />
                </p>
              )}
            {event.ground === null ? null : <p className="mt-1">{t(`appeal.grounds.${event.ground}`)}</p>}
            {event.text === '' ? null : (
              <p className="mt-1 max-w-prose wrap-anywhere whitespace-pre-wrap">
                <Typed>{event.text}</Typed>
              </p>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}

function ActionList({ actions }: { actions: NonNullable<CaseView['events'][number]['actions']> }) {
  const { t } = useTranslation('moderation');
  const { removes, warns, suspends } = actions;
  const done = [
    ...(removes ? ['removed' as const] : []),
    ...(warns ? ['warned' as const] : []),
    ...(suspends ? ['suspended' as const] : []),
  ];
  return done.length === 0
    ? t('follow.actions.none')
    : done.map((one) => t(`follow.actions.${one}`)).join(' ');
}
