import type { Applied } from '../../../platform/ui/calls/calls.ts';
import { queryKeyOf } from '../../../platform/ui/calls/calls.ts';
import { getBlockedRegions, type saveBlockedRegions } from '../../compliance/client.ts';
import { getListingProfile, viewAs, type saveListingProfile } from '../client.ts';

/** Puts a saved profile into the cache. */
export const showProfile: Applied<typeof saveListingProfile> = (cache, saved) => {
  cache.setQueryData(queryKeyOf(getListingProfile, {}), saved);
};

/** Puts a saved list into the cache; how one is seen from anywhere is read again. */
export const showBlockedRegions: Applied<typeof saveBlockedRegions> = (cache, saved) => {
  cache.setQueryData(queryKeyOf(getBlockedRegions, {}), saved);
  void cache.invalidateQueries({ queryKey: queryKeyOf(viewAs) });
};
