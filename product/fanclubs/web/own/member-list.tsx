import type { OutputOf } from '#platform/contract/call.ts';
import { problemOf } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { Pill } from '#platform/ui/surfaces/card.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { PersonName } from '#platform/ui/text/person-name.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { PersonButton } from '#product/rooms/web/person-card.tsx';
import { HeartHandshake } from 'lucide-react';
import { listMembers } from '../../client.ts';

type Member = OutputOf<typeof listMembers>['members'][number];

/** The members of the performer's own club, newest first. */
export function MemberList() {
  const { t } = useTranslation('fanclubs');
  const read = useReadPages(listMembers, {});
  const members = read.data?.pages.flatMap(({ members: some }) => some);
  if (!members) {
    return read.error
      ? <ErrorState problem={problemOf(read.error)} onRetry={() => void read.refetch()} />
      : <Skeleton className="h-48" />;
  }
  if (members.length === 0) {
    return <EmptyState icon={<HeartHandshake size={28} aria-hidden />} text={t('list.empty')} />;
  }
  const columns: readonly Column<Member>[] = [
    {
      key: 'name',
      text: t('list.name'),
      cell: ({ username, display_name: name, is_staff: isStaff }) => (
        <>
          <PersonButton
            username={username}
            known={{ display_name: name, ...(isStaff === undefined ? {} : { is_staff: isStaff }) }}
          >
            <PersonName name={name} isStaff={isStaff} />
          </PersonButton>
          <span className="block text-xs text-muted">@{username}</span>
        </>
      ),
    },
    { key: 'level', text: t('list.level'), cell: ({ level }) => t(`level.${level}`) },
    {
      key: 'price',
      text: t('list.price'),
      numeric: true,
      cell: ({ price }) => <TokenAmount tokens={price} />,
    },
    {
      key: 'until',
      text: t('list.until'),
      cell: ({ paid_until: until, state, renews }) => (
        <span className="flex flex-wrap items-center gap-2">
          <Moment at={until} show="day" />
          {state === 'grace'
            ? <Pill tone="warning">{t('list.grace')}</Pill>
            : renews
            ? null
            : <Pill>{t('list.ends')}</Pill>}
        </span>
      ),
    },
  ];
  return (
    <div className="flex flex-col">
      <Table caption={t('settings.members')} columns={columns} rows={members} keyOf={({ id }) => id} />
      <MorePages read={read} />
    </div>
  );
}
