import type { OutputOf } from '#platform/contract/call.ts';
import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { read, readPages, type Read } from '#platform/ui/calls/route.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useFields } from '#platform/ui/forms/form.ts';
import { Card } from '#platform/ui/surfaces/card.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { PersonName } from '#platform/ui/text/person-name.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState, type ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { getPerson, personUnknown, searchPeople } from '../../client.ts';
import { MAX_PEOPLE_QUERY, PEOPLE_QUERY } from '../../rules/staff/people-search.ts';
import { isStaffRole } from '../../rules/staff/roles.ts';
import { FoundPeople } from './found-people.tsx';
import { RoleNames, RolesSection } from './roles-section.tsx';
import { SecondStepSection } from './second-step-section.tsx';
import { SessionsOf } from './sessions-of.tsx';
import { SuspensionDialog, type SuspensionOrder } from './suspension-dialog.tsx';

type Person = OutputOf<typeof getPerson>;

const nameIn = (query: URLSearchParams): string =>
  (query.get('username') ?? '').trim().toLowerCase().slice(0, 64);
const queryIn = (query: URLSearchParams): string => (query.get('q') ?? '').trim().slice(0, MAX_PEOPLE_QUERY);

/** What the page reads for its URL. */
export function peopleReads(search: URLSearchParams): readonly Read[] {
  const [username, query] = [nameIn(search), queryIn(search)];
  if (username !== '') return [read(getPerson, { username })];
  return PEOPLE_QUERY.test(query) ? [readPages(searchPeople, { query })] : [];
}

/**
 * Finds accounts by a part of a name, an address or an id, and shows one of them. The query is in the URL.
 * @param children what later slices show about an account, by its username
 */
export function PeopleFinder({ children }: { readonly children: (username: string) => ReactNode }) {
  const { t } = useTranslation('accounts');
  const [search] = useSearchParams();
  const [username, query] = [nameIn(search), queryIn(search)];
  return (
    <Wide title={t('people.title')} lead={t('people.lead')}>
      <div className="flex max-w-4xl flex-col gap-6">
        <Search key={username + query} text={username || query} />
        {username === '' ? null : <One username={username}>{children}</One>}
        {username === '' && PEOPLE_QUERY.test(query) ? <FoundPeople query={query} /> : null}
      </div>
    </Wide>
  );
}

function One({ username, children }: {
  readonly username: string;
  readonly children: (username: string) => ReactNode;
}) {
  const { t } = useTranslation('accounts');
  const { data, error, refetch } = useRead(getPerson, { username });
  if (data) {
    return (
      <>
        <Account key={data.username} person={data} />
        <SessionsOf username={data.username} />
        {children(data.username)}
      </>
    );
  }
  if (!error) {
    return (
      <div aria-busy>
        <Skeleton className="h-48" />
      </div>
    );
  }
  const problem = problemOf(error);
  return problem.errorType === personUnknown.code
    ? <EmptyState text={t('people.unknown', { username })} />
    : <ErrorState problem={problem} onRetry={() => void refetch()} />;
}

function Search({ text }: { readonly text: string }) {
  const { t } = useTranslation('accounts');
  const [, setSearch] = useSearchParams();
  const fields = useFields({
    read: (given) => textOf(given, 'q').trim(),
    onSubmit: (q) => setSearch({ q }),
  });
  return (
    <form
      {...fields.props}
      role="search"
      className="grid grid-cols-1 items-start gap-3 sm:grid-cols-[1fr_auto]"
    >
      <TextField
        {...fields.field('q')}
        type="search"
        label={t('people.query')}
        hint={t('people.queryHint')}
        defaultValue={text}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={MAX_PEOPLE_QUERY}
        required
      />
      <div className="sm:pt-6">
        <Button type="submit">{t('people.find')}</Button>
      </div>
    </form>
  );
}

function Account({ person }: { readonly person: Person }) {
  const { t } = useTranslation('accounts');
  const [asked, setAsked] = useState<SuspensionOrder | null>(null);
  const { suspended_at: suspendedAt, last_login_at: lastLogin } = person;
  const rows = [
    [t('people.type'), t(`people.types.${person.type}`)],
    ...(person.roles.length > 0
      ? [[t('people.roles'), <RoleNames key="roles" roles={person.roles} />] as const]
      : []),
    [t('people.email'), t(person.email_confirmed ? 'people.confirmed' : 'people.unconfirmed')],
    [t('people.since'), <Moment key="since" at={person.created_at} show="day" />],
    [t('people.lastLogin'), lastLogin === null ? t('people.never') : <Moment key="last" at={lastLogin} />],
    [t('people.state'), <State key="state" person={person} />],
  ] as const;
  return (
    <Card className="flex flex-col gap-4 p-4">
      <h2 className="text-lg font-bold">
        <PersonName name={person.display_name} isStaff={person.roles.some(isStaffRole)} />{' '}
        <span className="text-sm font-normal text-muted">@{person.username}</span>
      </h2>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 text-sm">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <RolesSection person={person} />
      <SecondStepSection person={person} />
      <div className="flex flex-wrap gap-3">
        {suspendedAt === null
          ? <Button tone="danger" onClick={() => setAsked('suspend')}>{t('people.suspend')}</Button>
          : (
            <>
              <Button tone="secondary" onClick={() => setAsked('change')}>{t('people.change')}</Button>
              <Button tone="secondary" onClick={() => setAsked('reinstate')}>{t('people.reinstate')}</Button>
            </>
          )}
      </div>
      {asked ? <SuspensionDialog person={person} order={asked} onClose={() => setAsked(null)} /> : null}
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
  const { suspension_cause: cause, suspension_message: message } = person;
  return (
    <>
      {states.map(([key, at]) => (
        <p key={key}>
          {t(key)} <Moment at={at} show="day" />
        </p>
      ))}
      {cause === null ? null : <p>{t(`suspendedPage.causes.${cause}`)}</p>}
      {message === null ? null : (
        <p className="whitespace-pre-line">
          <Typed>{message}</Typed>
        </p>
      )}
    </>
  );
}
