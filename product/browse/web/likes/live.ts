import { queryKeyOf } from '#platform/ui/calls/calls.ts';
import type { QueryClient } from '@tanstack/react-query';
import { getLikes } from '../../client.ts';

/** A like changes the board, so it is read again. */
export const likeGiven = (cache: QueryClient): void => {
  void cache.invalidateQueries({ queryKey: queryKeyOf(getLikes) });
};
