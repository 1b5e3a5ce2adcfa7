import { useState } from 'react';
import { useSearchParams } from 'react-router';
import type { OutputOf } from '../../../../platform/contract/call.ts';
import { problemOf, useRead } from '../../../../platform/ui/calls/calls.ts';
import { read, routeData } from '../../../../platform/ui/calls/route.ts';
import { Button } from '../../../../platform/ui/controls/button.tsx';
import { TextField } from '../../../../platform/ui/controls/fields.tsx';
import { textOf, useFields, useForm } from '../../../../platform/ui/forms/form.ts';
import { Card } from '../../../../platform/ui/surfaces/card.tsx';
import { Dialog } from '../../../../platform/ui/surfaces/dialog.tsx';
import { Wide } from '../../../../platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState, FormError, Skeleton } from '../../../../platform/ui/surfaces/states.tsx';
import { useToast } from '../../../../platform/ui/surfaces/toasts.tsx';
import { Moment } from '../../../../platform/ui/text/moment.tsx';
import { Typed } from '../../../../platform/ui/text/typed.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { getPerson, personUnknown, suspendPerson } from '../../client.ts';
import { MAX_SUSPENSION_REASON } from '../../rules.ts';
import { showPerson } from './live.ts';

type Person = OutputOf<typeof getPerson>;

const nameIn = (query: URLSearchParams): string =>
  (query.get('username') ?? '').trim().toLowerCase().slice(0, 64);
const wanted = {
  texts: ['accounts'], always: true, member: true,
  reads: ({ request }: { readonly request: Request }) => {
    const username = nameIn(new URL(request.url).searchParams);
    return username === '' ? [] : [read(getPerson, { username })];
  },
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** An account by its username: what it is, and whether it is suspended. */
export default function PeoplePage() {
  const { t } = useTranslation('accounts');
  const [query] = useSearchParams();
  const username = nameIn(query);
  const { data, error, refetch } = useRead(getPerson, { username }, { enabled: username !== '' });
  const content = () => {
    if (username === '') return null;
    if (data) return <Account key={data.username} person={data} />;
    if (!error) return <Skeleton className="h-48" />;
    const problem = problemOf(error);
    return problem.errorType === personUnknown.code ? <EmptyState text={t('people.unknown', { username })} />
      : <ErrorState problem={problem} onRetry={() => void refetch()} />;
  };
  return (
    <Wide title={t('people.title')} lead={t('people.lead')}>
      <div className="flex max-w-2xl flex-col gap-6">
        <Search username={username} />
        {content()}
      </div>
    </Wide>
  );
}

function Search({ username }: { readonly username: string }) {
  const { t } = useTranslation('accounts');
  const [, setQuery] = useSearchParams();
  const fields = useFields({
    read: (given) => textOf(given, 'username').trim(), onSubmit: (name) => setQuery({ username: name }),
  });
  return (
    <form {...fields.props} role="search" className="flex flex-wrap items-end gap-3">
      <div className="min-w-56 flex-1">
        <TextField {...fields.field('username')} label={t('people.username')} defaultValue={username}
          autoComplete="off" autoCapitalize="none" spellCheck={false} maxLength={64} required />
      </div>
      <Button type="submit">{t('people.find')}</Button>
    </form>
  );
}

function Account({ person }: { readonly person: Person }) {
  const { t } = useTranslation('accounts');
  const [asks, setAsks] = useState(false);
  const { suspended_at: suspendedAt, last_login_at: lastLogin } = person;
  const rows = [
    [t('people.type'), t(`people.types.${person.type}`)],
    ...(person.roles.length > 0 ? [[t('people.roles'), person.roles.join(', ')] as const] : []),
    [t('people.email'), t(person.email_confirmed ? 'people.confirmed' : 'people.unconfirmed')],
    [t('people.since'), <Moment key="since" at={person.created_at} show="day" />],
    [t('people.lastLogin'), lastLogin === null ? t('people.never') : <Moment key="last" at={lastLogin} />],
    [t('people.state'), <State key="state" person={person} />],
  ] as const;
  return (
    <Card className="flex flex-col gap-4 p-4">
      <h2 className="text-lg font-bold">
        <Typed>{person.display_name}</Typed>{' '}
        <span className="text-sm font-normal text-muted">@{person.username}</span>
      </h2>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 text-sm">
        {rows.map(([name, value]) => (
          <div key={name} className="contents"><dt className="text-muted">{name}</dt><dd>{value}</dd></div>
        ))}
      </dl>
      <div>
        <Button tone={suspendedAt === null ? 'danger' : 'secondary'} onClick={() => setAsks(true)}>
          {t(suspendedAt === null ? 'people.suspend' : 'people.reinstate')}
        </Button>
      </div>
      {asks ? <SuspensionDialog person={person} onClose={() => setAsks(false)} /> : null}
    </Card>
  );
}

function State({ person }: { readonly person: Person }) {
  const { t } = useTranslation('accounts');
  const { suspended_at: suspended, deletion_at: leaves, erased_at: erased } = person;
  const states = [
    suspended === null ? null : ['people.suspendedSince', suspended] as const,
    erased === null ? null : ['people.erased', erased] as const,
    erased !== null || leaves === null ? null : ['people.deletion', leaves] as const,
  ].filter((state) => state !== null);
  if (states.length === 0) return t('people.active');
  return states.map(([key, at]) => <p key={key}>{t(key)} <Moment at={at} show="day" /></p>);
}

function SuspensionDialog({ person, onClose }: { readonly person: Person; readonly onClose: () => void }) {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const { username } = person;
  const suspended = person.suspended_at === null;
  const form = useForm(suspendPerson, {
    shape: async () => (await import('../../contract/life/people.ts')).suspendPerson,
    read: (fields) => ({ username, suspended, reason: textOf(fields, 'reason').trim() }),
    applied: showPerson,
    onDone: () => {
      toast(t(suspended ? 'people.isSuspended' : 'people.isReinstated', { username }), 'success');
      onClose();
    },
  });
  return (
    <Dialog title={t(suspended ? 'people.suspendTitle' : 'people.reinstateTitle', { username })}
      onClose={onClose}>
      <form {...form.props} method="post" className="flex flex-col gap-4">
        <p>{t(suspended ? 'people.suspendLead' : 'people.reinstateLead')}</p>
        <TextField {...form.field('reason')} label={t('people.reason')} hint={t('people.reasonHint')}
          autoComplete="off" maxLength={MAX_SUSPENSION_REASON} required />
        <FormError problem={form.problem} />
        <Button type="submit" tone={suspended ? 'danger' : 'primary'} busy={form.busy}>
          {t(suspended ? 'people.suspend' : 'people.reinstate')}
        </Button>
      </form>
    </Dialog>
  );
}
