import type { QueryClient } from '@tanstack/react-query';
import { changeCached, queryKeyOf } from '#platform/ui/calls/calls.ts';
import { changeCachedPages } from '#platform/ui/calls/pages.ts';
import type { OutputOf } from '#platform/contract/call.ts';
import {
  browseLive, browseMore, getForYouLearned, getHome, getViewHistory, type saveForYou, type saveViewHistory,
} from '../../client.ts';

/** Shows whether the history is on. */
export function showHistoryOn(cache: QueryClient, { is_on }: OutputOf<typeof saveViewHistory>): void {
  changeCachedPages(cache, getViewHistory, {}, (pages) => pages.map((page) => ({ ...page, is_on })));
  // Who chose nothing else is learned from as long as their history is on.
  void cache.invalidateQueries({ queryKey: queryKeyOf(getForYouLearned) });
}

/** Shows what "for you" has learned now, and what follows from it. */
export function showForYou(cache: QueryClient, learned: OutputOf<typeof saveForYou>): void {
  changeCached(cache, getForYouLearned, {}, () => learned);
  for (const call of [browseLive, browseMore, getHome])
    void cache.invalidateQueries({ queryKey: queryKeyOf(call) });
}

/** Empties the list, and what else was made of it. */
export function showNoHistory(cache: QueryClient): void {
  changeCachedPages(cache, getViewHistory, {}, (pages) =>
    pages.slice(0, 1).map((page) => ({ ...page, userList: [], next: null })));
  void cache.invalidateQueries({
    refetchType: 'none', predicate: ({ queryKey: [name] }) => name !== queryKeyOf(getViewHistory)[0],
  });
}
