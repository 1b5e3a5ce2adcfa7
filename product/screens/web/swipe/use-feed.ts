import type { InputOf } from '#platform/contract/call.ts';
import { liveState, useLiveStore } from '#platform/ui/calls/live-state.ts';
import { useReadPages, type PagesRead, type Paging } from '#platform/ui/calls/pages.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { browseMore } from '#product/browse/client.ts';
import type { BrowseDataView } from '#product/browse/contract.ts';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { grown, NO_CARDS, shownAt, without, type Cards } from './cards.ts';

export type FeedInput = InputOf<typeof browseMore>;

/** Performers of one load: few, since most people swipe past few. */
export const FEED_LOAD = 20;
/** The next load starts when this many are left. */
const AHEAD = 5;

/** How the feed is paged. */
export const FEED: Paging<typeof browseMore> = {
  cursor: 'from',
  next: ({ totalCount }, loads) => {
    const from = loads.reduce((sum, { perPageCount }) => sum + perPageCount, 0);
    return from < totalCount ? from : null;
  },
};

/** Id of the last performer shown: coming back from their room leads to them. */
const LAST_SHOWN = liveState<number | null>('screens.swipe', null);

export interface Feed {
  readonly cards: Cards;
  readonly read: PagesRead<BrowseDataView>;
  /** Shows the card at a position. */
  readonly show: (at: number) => void;
  /** Removes somebody for good. */
  readonly leaveOut: (id: number) => void;
  /** Starts at the first card, with the performers who are live now. */
  readonly restart: () => void;
}

/** Performers to swipe through, and the viewer's position; loads more before the end. */
export function useFeed(input: FeedInput): Feed {
  const own = useMe()?.user.username;
  const live = useLiveStore();
  const read = useReadPages(browseMore, input, FEED);
  const { data, fetchNextPage, hasNextPage, isFetching, isError, refetch } = read;
  const fresh = useMemo(() =>
    (data?.pages ?? []).flatMap(({ userList }) => userList)
      .filter(({ username }) => username !== own), [data, own]);
  const [cards, setCards] = useState(() => {
    const first = grown(NO_CARDS, fresh);
    const last = live.read(LAST_SHOWN);
    return shownAt(first, first.list.findIndex(({ id }) => id === last));
  });
  const [taken, setTaken] = useState(fresh);
  // Before any effect checks how many are left.
  if (taken !== fresh) {
    setTaken(fresh);
    setCards((known) => grown(known, fresh));
  }
  const shown = cards.list[cards.at]?.id ?? null;
  useEffect(() => live.change(LAST_SHOWN, () => shown), [live, shown]);
  const wantsMore = cards.list.length - cards.at <= AHEAD && hasNextPage && !isFetching && !isError;
  useEffect(() => {
    if (wantsMore) void fetchNextPage();
  }, [fetchNextPage, wantsMore]);
  return {
    cards,
    read,
    show: useCallback((at) => setCards((known) => shownAt(known, at)), []),
    leaveOut: useCallback((id) => setCards((known) => without(known, id)), []),
    restart: useCallback(() => {
      setCards(({ hidden }) => grown({ ...NO_CARDS, hidden }, fresh));
      void refetch();
    }, [fresh, refetch]),
  };
}
