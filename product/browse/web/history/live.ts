import type { OutputOf } from '#platform/contract/call.ts';
import { changeCached, queryKeyOf } from '#platform/ui/calls/calls.ts';
import { changeCachedPages } from '#platform/ui/calls/pages.ts';
import type { QueryClient } from '@tanstack/react-query';
import {
  browseLive,
  browseMore,
  getForYouLearned,
  getHome,
  getViewHistory,
  type saveForYou,
  type saveViewHistory,
} from '../../client.ts';

/** Updates the page after the history was turned on or off. */
export function showHistoryOn(cache: QueryClient, { is_on }: OutputOf<typeof saveViewHistory>): void {
  changeCachedPages(cache, getViewHistory, {}, (pages) => pages.map((page) => ({ ...page, is_on })));
  // Without a choice of their own, people are learned from while their history is on.
  void cache.invalidateQueries({ queryKey: queryKeyOf(getForYouLearned) });
}

/** Updates what "for you" has learned, and everything derived from it. */
export function showForYou(cache: QueryClient, learned: OutputOf<typeof saveForYou>): void {
  changeCached(cache, getForYouLearned, {}, () => learned);
  for (const call of [browseLive, browseMore, getHome]) {
    void cache.invalidateQueries({ queryKey: queryKeyOf(call) });
  }
}

/** Empties the list, and reloads what was derived from it. */
export function showNoHistory(cache: QueryClient): void {
  changeCachedPages(
    cache,
    getViewHistory,
    {},
    (pages) => pages.slice(0, 1).map((page) => ({ ...page, userList: [], next: null })),
  );
  void cache.invalidateQueries({
    refetchType: 'none',
    predicate: ({ queryKey: [name] }) => name !== queryKeyOf(getViewHistory)[0],
  });
}
