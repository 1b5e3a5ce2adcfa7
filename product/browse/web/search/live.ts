import type { OutputOf } from '#platform/contract/call.ts';
import { queryKeyOf } from '#platform/ui/calls/calls.ts';
import type { QueryClient } from '@tanstack/react-query';
import { listSearches, multiFilter } from '../../client.ts';

/** Updates the member's searches with the answer of a call. */
export const searchesAnswered = (cache: QueryClient, answer: OutputOf<typeof listSearches>): void => {
  cache.setQueryData(queryKeyOf(listSearches, {}), answer);
};

/** Drops cached lists of advanced searches that no page shows: the minute to return to them is over. */
export const forgetSearches = (cache: QueryClient): void =>
  cache.removeQueries({ queryKey: queryKeyOf(multiFilter), type: 'inactive' });
