import { problemOf, useAction } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { readPages, routeData } from '#platform/ui/calls/route.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Avatar, Card } from '#platform/ui/surfaces/card.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { PersonName } from '#platform/ui/text/person-name.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { MessageSquareOff } from 'lucide-react';
import { listIgnored, unignorePerson } from '../../client.ts';
import type { IgnoredPersonView } from '../../contract/ignores.ts';
import { useProblemToast } from '../problem-toast.ts';
import { showIgnore, useIgnoreEvents } from './live.ts';

const wanted = routeData({
  texts: ['messaging'],
  always: true,
  member: true,
  reads: () => [readPages(listIgnored, {})],
});
export { wanted as clientLoader, wanted as loader };
export const handle = { always: true };

/** People whom the person ignores in chats, with a button to stop ignoring each. */
export default function IgnoredPage() {
  const { t } = useTranslation('messaging');
  const read = useReadPages(listIgnored, {});
  useIgnoreEvents();
  const { data, error, refetch } = read;
  const people = data?.pages.flatMap((page) => page.people) ?? [];
  return (
    <Wide title={t('ignored.title')} lead={t('ignored.lead')}>
      {data
        ? (people.length === 0 && !read.hasNextPage
          ? <EmptyState text={t('ignored.empty')} icon={<MessageSquareOff size={40} aria-hidden />} />
          : (
            <Card>
              <ul className="divide-y divide-line" aria-label={t('ignored.title')}>
                {people.map((item) => <Row key={item.username} person={item} />)}
              </ul>
              <MorePages read={read} className="p-4" />
            </Card>
          ))
        : error
        ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
        : (
          <div aria-busy>
            <Skeleton className="h-16" />
          </div>
        )}
    </Wide>
  );
}

function Row({ person }: { person: IgnoredPersonView }) {
  const { t } = useTranslation('messaging');
  const toast = useToast();
  const action = useAction(unignorePerson, showIgnore);
  useProblemToast(action.problem);
  const { username, displayName: name, avatarUrl, since } = person;
  const end = async () => {
    if (await action.run({ username })) toast(t('ignore.undone', { name }), 'success');
  };
  return (
    <li className="flex flex-wrap items-center gap-3 p-3">
      <Avatar name={name} url={avatarUrl} size={50} />
      <div className="min-w-0 grow basis-40">
        <p className="truncate font-bold">
          <PersonName name={name} isStaff={person.isStaff} />
        </p>
        <p className="truncate text-sm text-muted">
          @{username} · {t('ignored.since')} <RelativeTime at={since} />
        </p>
      </div>
      <Button busy={action.busy} onClick={() => void end()}>{t('ignored.end', { name })}</Button>
    </li>
  );
}
