import { problemOf, useAction } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { readPages, routeData } from '#platform/ui/calls/route.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Avatar, Card } from '#platform/ui/surfaces/card.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { EyeOff } from 'lucide-react';
import { Link } from 'react-router';
import { listHidden, unhidePerformer } from '../client.ts';
import type { RelatedPerformerView } from '../contract.ts';
import { showShownAgain } from './live.ts';
import { useProblemToast } from './problem-toast.ts';

const wanted = routeData({
  texts: ['messaging'],
  member: true,
  reads: () => [readPages(listHidden, {})],
});
export { wanted as clientLoader, wanted as loader };

/** Performers whom the person hides from listings, with a button to show each again. */
export default function HiddenPage() {
  const { t } = useTranslation('messaging');
  const read = useReadPages(listHidden, {});
  const { data, error, refetch } = read;
  const performers = data?.pages.flatMap((page) => page.performers) ?? [];
  return (
    <Wide title={t('hidden.title')} lead={t('hidden.lead')}>
      {data
        ? (
          <>
            {performers.length === 0 && !read.hasNextPage
              ? (
                <EmptyState
                  text={t('hidden.empty')}
                  icon={<EyeOff size={40} aria-hidden />}
                  action={<ButtonLink to="/">{t('hidden.browse')}</ButtonLink>}
                />
              )
              : (
                <Card>
                  <ul className="divide-y divide-line" aria-label={t('hidden.title')}>
                    {performers.map((item) => <Row key={item.username} performer={item} />)}
                  </ul>
                  <MorePages read={read} className="p-4" />
                </Card>
              )}
          </>
        )
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

function Row({ performer }: { performer: RelatedPerformerView }) {
  const { t } = useTranslation('messaging');
  const toast = useToast();
  const action = useAction(unhidePerformer, showShownAgain);
  useProblemToast(action.problem);
  const { username, displayName: name, avatarUrl, since } = performer;
  const show = async () => {
    if (await action.run({ username })) toast(t('hidden.shown', { name }), 'success');
  };
  return (
    <li className="flex flex-wrap items-center gap-3 p-3">
      <Avatar name={name} url={avatarUrl} size={50} />
      <div className="min-w-0 grow basis-40">
        <Link to={`/${username}`} className="block truncate font-bold">
          <Typed>{name}</Typed>
        </Link>
        <p className="text-sm text-muted">
          @{username} · {t('hidden.since')} <RelativeTime at={since} />
        </p>
      </div>
      <Button busy={action.busy} onClick={() => void show()}>{t('hidden.show', { name })}</Button>
    </li>
  );
}
