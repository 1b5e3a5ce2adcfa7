import type { OutputOf } from '#platform/contract/call.ts';
import { queryKeyOf } from '#platform/ui/calls/calls.ts';
import type { QueryClient } from '@tanstack/react-query';
import { getHidden } from '../client.ts';

/** Shows whether a performer is hidden; what pages cache about their broadcast is out of date too. */
export function showHidden(cache: QueryClient, answer: OutputOf<typeof getHidden>): void {
  cache.setQueryData(queryKeyOf(getHidden, {}), answer);
  void cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== getHidden.name });
}
