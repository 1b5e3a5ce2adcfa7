import type { QueryClient } from '@tanstack/react-query';
import type { OutputOf } from '#platform/contract/call.ts';
import { queryKeyOf } from '#platform/ui/calls/calls.ts';
import { listSearches, multiFilter } from '../../client.ts';

/** Shows the member's searches as a call answered them. */
export const searchesAnswered = (cache: QueryClient, answer: OutputOf<typeof listSearches>): void => {
  cache.setQueryData(queryKeyOf(listSearches, {}), answer);
};

/** Forgets the lists of advanced searches that no page shows: their minute is over. */
export const forgetSearches = (cache: QueryClient): void =>
  cache.removeQueries({ queryKey: queryKeyOf(multiFilter), type: 'inactive' });
