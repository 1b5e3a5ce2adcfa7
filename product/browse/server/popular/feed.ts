import { handleCall, subscribe, type CallHandler, type Subscription } from '#platform/contract/bind.ts';
import { broadcastStarted } from '#product/broadcast/contract.ts';
import { postChanged } from '#product/fanclubs/contract/posts.ts';
import { DEVICE_COOKIE } from '#product/rooms/rules.ts';
import { feedUnknown, getFeed, type FeedItemView } from '../../contract/feed.ts';
import { isOnline, type DirectoryEntry } from '../../rules/listing/entry.ts';
import { genderOfSlug } from '../../rules/listing/listings.ts';
import { FEED_GAP_MS, FEED_PAGE } from '../../rules/popular/feed.ts';
import { addToFeed, isInFeed, listFeed, removeFromFeed, type FeedRow } from '../../store/feed.ts';
import type { Browsing } from '../dependencies.ts';

/** The feeds of the genders, for this viewer. */
export function feedHandlers({ data, directoryOf, viewerOf, fanclubs }: Browsing): CallHandler[] {
  return [
    handleCall(getFeed)(async ({ gender: slug, page = 1 }, context) => {
      const gender = genderOfSlug(slug);
      if (gender === null) return context.refuse(feedUnknown);
      const directory = await directoryOf(context.scope.operatorId);
      const { sees, hidden } = await viewerOf(context);
      const end = page * FEED_PAGE;
      return data.tx(context.scope, async (tx) => {
        const rows = await listFeed(tx, gender);
        // Posts are read now, so changed or removed ones show no earlier state.
        const open = await fanclubs.publicAmong(tx, rows.flatMap(({ postId }) => postId ?? []));
        const shown = withoutBursts(rows.flatMap((row) => {
          const entry = directory.get(row.performerId);
          const isShown = entry && sees(entry) && !hidden.has(entry.id)
            && (row.postId === null || open.has(row.postId));
          return isShown ? [{ ...row, entry }] : [];
        }));
        const onPage = shown.slice(end - FEED_PAGE, end);
        const visitor = {
          caller: context.caller,
          address: context.address,
          device: context.cookie(DEVICE_COOKIE),
        };
        const posts = await fanclubs.publicPosts(tx, onPage.flatMap(({ postId }) => postId ?? []), visitor);
        const items = onPage.flatMap((row): FeedItemView[] => {
          if (row.postId === null) return [itemOf(row, row.entry, null)];
          const post = posts.get(row.postId);
          return post ? [itemOf(row, row.entry, { id: row.postId, body: post.body })] : [];
        });
        return { items, page, next: end < shown.length ? page + 1 : null };
      });
    }),
  ];
}

/** Keeps only the newest of posts that a performer published in quick succession. */
function withoutBursts<R extends FeedRow>(rows: readonly R[]): R[] {
  const newest = new Map<number, number>();
  return rows.filter(({ postId, performerId, at }) => {
    if (postId === null) return true;
    const after = newest.get(performerId);
    if (after !== undefined && after - at.getTime() < FEED_GAP_MS) return false;
    newest.set(performerId, at.getTime());
    return true;
  });
}

const itemOf = (
  { id, kind, at }: FeedRow,
  entry: DirectoryEntry,
  post: FeedItemView['post'],
): FeedItemView => {
  const isLive = isOnline(entry);
  return {
    id,
    kind,
    at: at.toISOString(),
    post,
    performer: {
      id: entry.id,
      username: entry.username,
      displayName: entry.displayName,
      gender: entry.gender,
      thumbUrl: entry.avatarUrl,
      isLive,
      subjectText: isLive ? entry.topic : '',
      viewerCount: isLive ? entry.viewerCount : 0,
    },
  };
};

/** Go-lives enter the feed of the performer's gender; so do club posts while everybody may read them. */
export const feedSubscriptions = (
  { data, accounts }: Pick<Browsing, 'data' | 'accounts'>,
): Subscription[] => [
  subscribe(broadcastStarted, 'browse.feed')(({ operatorId, at, payload: { performerId } }) =>
    data.tx({ operatorId }, async (tx) => {
      const gender = (await accounts.findById(tx, performerId))?.gender ?? null;
      if (gender !== null) await addToFeed(tx, { kind: 'live', performerId, gender, at, postId: null });
    })
  ),
  subscribe(postChanged, 'browse.feedPosts')(({ operatorId, payload }) =>
    data.tx({ operatorId }, async (tx) => {
      const { performerId, postId, change, audience, postedAt } = payload;
      // Ordered by publication, even if the post became public later.
      const at = new Date(postedAt);
      if (change === 'removed' || audience !== 'everyone') return removeFromFeed(tx, postId);
      if (await isInFeed(tx, postId)) return;
      const gender = (await accounts.findById(tx, performerId))?.gender ?? null;
      if (gender !== null) await addToFeed(tx, { kind: 'post', performerId, gender, at, postId });
    })
  ),
];
