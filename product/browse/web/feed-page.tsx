import { problemOf } from '#platform/ui/calls/calls.ts';
import { describedBy } from '#platform/ui/calls/head.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { readPages, routeData } from '#platform/ui/calls/route.ts';
import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { NearEnd } from '#platform/ui/controls/lists/near-end.tsx';
import { Avatar, Pill } from '#platform/ui/surfaces/card.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Radio } from 'lucide-react';
import { Link, NavLink, useLocation } from 'react-router';
import { getFeed } from '../client.ts';
import type { FeedItemView } from '../contract/feed.ts';
import { FOUR_SECTIONS, sectionNamed } from './four-sections.ts';

/** The section in `/girls/feed`; each of the four sections has its own route. */
const genderAt = (pathname: string): (typeof FOUR_SECTIONS)[number] =>
  sectionNamed(pathname.split('/')[1]) ?? 'girls';

const load = routeData({
  texts: ['browse'],
  reads: ({ request }) => [readPages(getFeed, { gender: genderAt(new URL(request.url).pathname) })],
});
export { load as clientLoader, load as loader };
export const handle = describedBy((language) => language.translator('browse')('feed.lead'));

/** Recent events of one gender; scrolling adds pages. */
export default function FeedPage() {
  const { t } = useTranslation('browse');
  const gender = genderAt(useLocation().pathname);
  const feed = useReadPages(getFeed, { gender }, { cursor: 'page' });
  const { data, error, refetch } = feed;
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Wide title={t(`feed.title.${gender}`)} lead={t('feed.lead')}>
      <nav aria-label={t('feed.feeds')} className="flex flex-wrap gap-2">
        {FOUR_SECTIONS.map((section) => (
          <NavLink
            key={section}
            to={`/${section}/feed`}
            className="inline-flex min-h-11 items-center rounded-full border border-line px-4 text-sm
              font-medium hover:bg-raised aria-[current=page]:border-pink aria-[current=page]:bg-raised"
          >
            {t(`section.${section}`)}
          </NavLink>
        ))}
      </nav>
      {!data
        ? error
          ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
          : (
            <div role="status" aria-label={t('feed.loading')}>
              <Skeleton className="mt-6 h-64" />
            </div>
          )
        : items.length === 0
        ? (
          <EmptyState
            icon={<Radio size={28} aria-hidden />}
            text={t('feed.empty')}
            action={<ButtonLink to={`/${gender}`}>{t('feed.emptyAction')}</ButtonLink>}
          />
        )
        : (
          <>
            <ol aria-label={t('feed.list')} className="mt-6 flex max-w-2xl flex-col gap-2">
              {items.map((item) => (
                <li key={item.id}>
                  <Item item={item} />
                </li>
              ))}
            </ol>
            <NearEnd read={feed} />
            <MorePages read={feed} />
            {feed.hasNextPage ? null : <p className="pt-4 text-sm text-muted">{t('feed.end')}</p>}
          </>
        )}
    </Wide>
  );
}

/** One item: all of it is a link to the performer, or to the club's posts. */
function Item({ item: { at, post, performer } }: { item: FeedItemView }) {
  const { t } = useTranslation('browse');
  const { username, displayName, thumbUrl, isLive, subjectText, viewerCount } = performer;
  return (
    <Link
      to={post ? `/${username}/fanclub#posts` : `/${username}`}
      className="flex min-h-16 items-center gap-3 rounded-card border border-line bg-surface px-4 py-3
        hover:bg-raised"
    >
      <Avatar name={displayName} url={thumbUrl} size={50} />
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="font-medium wrap-anywhere">
          {t(post ? 'feed.post' : 'feed.live', { name: displayName })}
        </span>
        {post
          ? (
            <span className="line-clamp-3 text-sm wrap-anywhere whitespace-pre-line">
              <Typed>{post.body}</Typed>
            </span>
          )
          : subjectText === ''
          ? null
          : (
            <span className="truncate text-sm text-muted">
              <Typed>{subjectText}</Typed>
            </span>
          )}
        <span className="flex flex-wrap gap-x-3 text-xs text-muted">
          <RelativeTime at={at} />
          {isLive ? <span className="tabular">{t('feed.viewers', { count: viewerCount })}</span> : null}
        </span>
      </span>
      {isLive ? <Pill tone="live">{t('feed.liveNow')}</Pill> : null}
    </Link>
  );
}
