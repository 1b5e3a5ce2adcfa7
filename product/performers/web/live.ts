import type { Applied } from '../../../platform/ui/calls/calls.ts';
import { queryKeyOf } from '../../../platform/ui/calls/calls.ts';
import { getListingProfile, type saveListingProfile } from '../client.ts';

/** Puts a saved profile into the cache. */
export const showProfile: Applied<typeof saveListingProfile> = (cache, saved) => {
  cache.setQueryData(queryKeyOf(getListingProfile, {}), saved);
};
