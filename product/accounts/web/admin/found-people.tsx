import { useReadPages } from '#platform/ui/calls/pages.ts';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Card, Pill } from '#platform/ui/surfaces/card.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { EmptyState } from '#platform/ui/surfaces/states.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { PersonName } from '#platform/ui/text/person-name.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Link } from 'react-router';
import { searchPeople } from '../../client.ts';
import { isStaffRole } from '../../rules/staff/roles.ts';
import { RoleNames } from './roles-section.tsx';

/** Accounts that match a query, a page at a time; each links to its own page. */
export function FoundPeople({ query }: { readonly query: string }) {
  const { t } = useTranslation('accounts');
  const found = useReadPages(searchPeople, { query });
  return (
    <Loaded read={found} height="h-48">
      {({ pages }) => {
        const people = pages.flatMap((page) => page.people);
        if (people.length === 0) return <EmptyState text={t('people.noneFound', { query })} />;
        return (
          <Card className="p-4">
            <ul aria-label={t('people.found')} className="flex flex-col divide-y divide-line">
              {people.map((person) => (
                <li key={person.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2 text-sm">
                  <Link
                    to={`/admin/people?username=${encodeURIComponent(person.username)}`}
                    className="inline-flex min-h-11 items-center font-medium text-link hover:underline"
                  >
                    @{person.username}
                  </Link>
                  <span>
                    <PersonName name={person.display_name} isStaff={person.roles.some(isStaffRole)} />
                  </span>
                  <span className="tabular text-muted">#{person.id}</span>
                  <span className="text-muted">{t(`people.types.${person.type}`)}</span>
                  {person.roles.length > 0
                    ? (
                      <span className="text-muted">
                        <RoleNames roles={person.roles} />
                      </span>
                    )
                    : null}
                  <span className="text-muted">{person.email_hint}</span>
                  <span className="text-muted">
                    <Moment at={person.created_at} show="day" />
                  </span>
                  {person.suspended_at === null
                    ? null
                    : <Pill tone="warning">{t('people.suspendedShort')}</Pill>}
                </li>
              ))}
            </ul>
            <MorePages read={found} />
          </Card>
        );
      }}
    </Loaded>
  );
}
