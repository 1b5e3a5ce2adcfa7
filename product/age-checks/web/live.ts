import { queryKeyOf } from '#platform/ui/calls/calls.ts';
import type { QueryClient } from '@tanstack/react-query';
import { getAgeVerification, listSupportChecks } from '../client.ts';

/** Reads the state of this browser's checks again: something of them has changed. */
export const readStatusAgain = (cache: QueryClient): Promise<void> =>
  cache.invalidateQueries({ queryKey: queryKeyOf(getAgeVerification) });

/** Reads the requests to support again, after a decision. */
export const readSupportAgain = (cache: QueryClient): Promise<void> =>
  cache.invalidateQueries({ queryKey: queryKeyOf(listSupportChecks) });
