import {
  handleCall, subscribe, type CallHandler, type Subscription,
} from '../../../../platform/contract/bind.ts';
import { broadcastStarted } from '../../../broadcast/contract.ts';
import { feedUnknown, getFeed, type FeedItemView } from '../../contract/feed.ts';
import { isOnline, type DirectoryEntry } from '../../rules/listing/entry.ts';
import { FEED_PAGE } from '../../rules/popular/feed.ts';
import { genderOfSlug } from '../../rules/listing/listings.ts';
import { addToFeed, listFeed, type FeedRow } from '../../store/feed.ts';
import type { Browsing } from '../dependencies.ts';

/** The feed of each gender, for this viewer. */
export function feedHandlers({ data, directoryOf, viewerOf }: Browsing): CallHandler[] {
  return [
    handleCall(getFeed)(async ({ gender: slug, page = 1 }, context) => {
      const gender = genderOfSlug(slug);
      if (gender === null) return context.refuse(feedUnknown);
      const directory = await directoryOf(context.scope.operatorId);
      const { sees, hidden } = await viewerOf(context);
      const rows = await data.tx(context.scope, (tx) => listFeed(tx, gender));
      const shown = rows.flatMap((row): FeedItemView[] => {
        const entry = directory.get(row.performerId);
        return entry && sees(entry) && !hidden.has(entry.id) ? [itemOf(row, entry)] : [];
      });
      const end = page * FEED_PAGE;
      return { items: shown.slice(end - FEED_PAGE, end), page, next: end < shown.length ? page + 1 : null };
    }),
  ];
}

const itemOf = ({ id, kind, at }: FeedRow, entry: DirectoryEntry): FeedItemView => {
  const isLive = isOnline(entry);
  return {
    id, kind, at: at.toISOString(),
    performer: {
      id: entry.id, username: entry.username, displayName: entry.displayName, gender: entry.gender,
      thumbUrl: entry.avatarUrl, isLive, subjectText: isLive ? entry.topic : '',
      viewerCount: isLive ? entry.viewerCount : 0,
    },
  };
};

/** Who goes live is in the feed of their gender. */
export const feedSubscriptions = (
  { data, accounts }: Pick<Browsing, 'data' | 'accounts'>,
): Subscription[] => [
  subscribe(broadcastStarted, 'browse.feed')(({ operatorId, at, payload: { performerId } }) =>
    data.tx({ operatorId }, async (tx) => {
      const gender = (await accounts.findById(tx, performerId))?.gender ?? null;
      if (gender !== null) await addToFeed(tx, { kind: 'live', performerId, gender, at });
    })),
];
