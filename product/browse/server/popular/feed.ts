import {
  handleCall, subscribe, type CallHandler, type Subscription,
} from '../../../../platform/contract/bind.ts';
import { broadcastStarted } from '../../../broadcast/contract.ts';
import { postChanged } from '../../../fanclubs/contract/posts.ts';
import { feedUnknown, getFeed, type FeedItemView } from '../../contract/feed.ts';
import { isOnline, type DirectoryEntry } from '../../rules/listing/entry.ts';
import { FEED_PAGE } from '../../rules/popular/feed.ts';
import { genderOfSlug } from '../../rules/listing/listings.ts';
import { addToFeed, isInFeed, listFeed, removeFromFeed, type FeedRow } from '../../store/feed.ts';
import type { Browsing } from '../dependencies.ts';

/** The feed of each gender, for this viewer. */
export function feedHandlers({ data, directoryOf, viewerOf, fanclubs }: Browsing): CallHandler[] {
  return [
    handleCall(getFeed)(async ({ gender: slug, page = 1 }, context) => {
      const gender = genderOfSlug(slug);
      if (gender === null) return context.refuse(feedUnknown);
      const directory = await directoryOf(context.scope.operatorId);
      const { sees, hidden } = await viewerOf(context);
      const { rows, posts } = await data.tx(context.scope, async (tx) => {
        const found = await listFeed(tx, gender);
        const ids = found.flatMap(({ postId }) => postId ?? []);
        // Read now: what was changed or removed since shows nothing of before.
        return { rows: found, posts: await fanclubs.publicPosts(tx, ids) };
      });
      const shown = rows.flatMap((row): FeedItemView[] => {
        const entry = directory.get(row.performerId);
        if (!entry || !sees(entry) || hidden.has(entry.id)) return [];
        if (row.postId === null) return [itemOf(row, entry, null)];
        const post = posts.get(row.postId);
        return post ? [itemOf(row, entry, { id: row.postId, body: post.body })] : [];
      });
      const end = page * FEED_PAGE;
      return { items: shown.slice(end - FEED_PAGE, end), page, next: end < shown.length ? page + 1 : null };
    }),
  ];
}

const itemOf = (
  { id, kind, at }: FeedRow, entry: DirectoryEntry, post: FeedItemView['post'],
): FeedItemView => {
  const isLive = isOnline(entry);
  return {
    id, kind, at: at.toISOString(), post,
    performer: {
      id: entry.id, username: entry.username, displayName: entry.displayName, gender: entry.gender,
      thumbUrl: entry.avatarUrl, isLive, subjectText: isLive ? entry.topic : '',
      viewerCount: isLive ? entry.viewerCount : 0,
    },
  };
};

/** Who goes live is in the feed of their gender; a post of a fan club for as long as everybody reads it. */
export const feedSubscriptions = (
  { data, accounts }: Pick<Browsing, 'data' | 'accounts'>,
): Subscription[] => [
  subscribe(broadcastStarted, 'browse.feed')(({ operatorId, at, payload: { performerId } }) =>
    data.tx({ operatorId }, async (tx) => {
      const gender = (await accounts.findById(tx, performerId))?.gender ?? null;
      if (gender !== null) await addToFeed(tx, { kind: 'live', performerId, gender, at, postId: null });
    })),
  subscribe(postChanged, 'browse.feedPosts')(({ operatorId, at, payload }) =>
    data.tx({ operatorId }, async (tx) => {
      const { performerId, postId, change, audience } = payload;
      if (change === 'removed' || audience !== 'everyone') return removeFromFeed(tx, postId);
      if (await isInFeed(tx, postId)) return;
      const gender = (await accounts.findById(tx, performerId))?.gender ?? null;
      if (gender !== null) await addToFeed(tx, { kind: 'post', performerId, gender, at, postId });
    })),
];
