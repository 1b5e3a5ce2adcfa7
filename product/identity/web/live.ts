import type { OutputOf } from '#platform/contract/call.ts';
import type { Applied } from '#platform/ui/calls/calls.ts';
import { queryKeyOf } from '#platform/ui/calls/calls.ts';
import { getCurrentUser } from '#product/accounts/client.ts';
import type { QueryClient } from '@tanstack/react-query';
import {
  getApplication,
  getIdentityRules,
  listApplications,
  type decideApplication,
  type handInApplication,
  type saveIdentityRules,
} from '../client.ts';

/** Puts the application into the cache, as a call about a step of it answered. */
export const showApplication = (cache: QueryClient, application: OutputOf<typeof getApplication>): void => {
  cache.setQueryData(queryKeyOf(getApplication, {}), application);
};

/** The same after it was handed in, which changes the status of the current user too. */
export const showHandedIn: Applied<typeof handInApplication> = (cache, application) => {
  showApplication(cache, application);
  void cache.invalidateQueries({ queryKey: queryKeyOf(getCurrentUser) });
};

/** Reads the queue again after a decision. */
export const showDecided: Applied<typeof decideApplication> = (cache) => {
  void cache.invalidateQueries({ queryKey: queryKeyOf(listApplications) });
};

export const showRules: Applied<typeof saveIdentityRules> = (cache, rules) => {
  cache.setQueryData(queryKeyOf(getIdentityRules, {}), rules);
};
