import type { QueryClient } from '@tanstack/react-query';
import { queryKeyOf } from '../../../../platform/ui/calls/calls.ts';
import { changeCachedPages } from '../../../../platform/ui/calls/pages.ts';
import { getViewHistory, type saveViewHistory } from '../../client.ts';
import type { OutputOf } from '../../../../platform/contract/call.ts';

/** Shows whether the history is on. */
export function showHistoryOn(cache: QueryClient, { is_on }: OutputOf<typeof saveViewHistory>): void {
  changeCachedPages(cache, getViewHistory, {}, (pages) => pages.map((page) => ({ ...page, is_on })));
}

/** Empties the list, and what else was made of it. */
export function showNoHistory(cache: QueryClient): void {
  changeCachedPages(cache, getViewHistory, {}, (pages) =>
    pages.slice(0, 1).map((page) => ({ ...page, userList: [], next: null })));
  void cache.invalidateQueries({
    refetchType: 'none', predicate: ({ queryKey: [name] }) => name !== queryKeyOf(getViewHistory)[0],
  });
}
