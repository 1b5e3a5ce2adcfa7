import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { problemOf } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { ReportButton } from '#product/moderation/web/report-button.tsx';
import { MessageSquareText } from 'lucide-react';
import { lazy, Suspense, useId, useRef } from 'react';
import { listPosts } from '../../client.ts';
import type { PostView } from '../../contract/posts.ts';
import { useNewPosts, type NewPosts } from '../live.ts';
import { PostCard, type PostDoor } from './post-card.tsx';

/** Loaded for the performer only. */
const Composer = lazy(() => import('./composer.tsx'));
const OwnPost = lazy(() => import('./own-post.tsx'));

interface PostsProps {
  readonly username: string;
  readonly name: string;
  /** For the performer only: whether posts can be published now. */
  readonly owner: { readonly isOpen: boolean } | null;
  readonly door: PostDoor;
  readonly connection: Connection | null;
  /** New posts, if the surrounding page follows them already. */
  readonly news?: NewPosts | undefined;
}

/** The posts of a club, newest first, and how many are new since they were read. */
export function Posts({ username, name, owner, door, connection, news }: PostsProps) {
  const { t } = useTranslation('fanclubs');
  const read = useReadPages(listPosts, { username });
  const own = useNewPosts(news ? null : connection, username, owner !== null);
  const fresh = news ?? own;
  const list = useRef<HTMLOListElement>(null);
  const posts = read.data?.pages.flatMap(({ pinned, posts: some }) => (pinned ? [pinned, ...some] : some));
  if (!posts) {
    return read.error
      ? <ErrorState problem={problemOf(read.error)} onRetry={() => void read.refetch()} />
      : (
        <div aria-busy>
          <Skeleton className="h-48" />
        </div>
      );
  }
  const shown = new Set(posts.map(({ id }) => id));
  const count = fresh.ids.filter((id) => !shown.has(id)).length;
  const row = (post: PostView) => (
    <li key={post.id}>
      <PostCard post={post} name={name} door={door}>
        {owner
          ? (
            <Suspense fallback={<Skeleton className="h-11" />}>
              <OwnPost post={post} />
            </Suspense>
          )
          : post.is_locked
          ? null
          : (
            <div>
              <ReportButton target={{ kind: 'post', username, id: post.id, name }} />
            </div>
          )}
      </PostCard>
    </li>
  );
  return (
    <div className="flex flex-col gap-4">
      {owner
        ? (
          <Suspense fallback={<Skeleton className="h-64" />}>
            <Composer isOpen={owner.isOpen} />
          </Suspense>
        )
        : null}
      <div role="status" className="flex empty:hidden">
        {count === 0
          ? null
          : (
            <Button
              wide
              onClick={() => {
                fresh.show();
                list.current?.focus();
              }}
            >
              {t('posts.new', { count })}
            </Button>
          )}
      </div>
      {posts.length === 0
        ? <EmptyState icon={<MessageSquareText size={28} aria-hidden />} text={t('posts.empty')} />
        : (
          <ol
            ref={list}
            tabIndex={-1}
            aria-label={t('posts.title')}
            className="flex flex-col gap-4 outline-none"
          >
            {posts.map(row)}
          </ol>
        )}
      <MorePages read={read} />
    </div>
  );
}

/** Posts under a heading, as a section of a club. */
export function PostsSection(props: PostsProps) {
  const { t } = useTranslation('fanclubs');
  const id = useId();
  return (
    <section id="posts" aria-labelledby={id} className="flex max-w-2xl scroll-mt-20 flex-col gap-4">
      <h2 id={id} className="text-lg font-bold">{t('posts.title')}</h2>
      <Posts {...props} />
    </section>
  );
}
