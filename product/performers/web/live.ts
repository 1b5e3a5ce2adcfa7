import type { OutputOf } from '#platform/contract/call.ts';
import type { Applied } from '#platform/ui/calls/calls.ts';
import { queryKeyOf } from '#platform/ui/calls/calls.ts';
import { getBlockedRegions, type saveBlockedRegions } from '#product/compliance/client.ts';
import type { QueryClient } from '@tanstack/react-query';
import {
  getListingProfile,
  listPictures,
  viewAs,
  type saveListingProfile,
  type savePictures,
} from '../client.ts';

/** Puts a saved profile into the cache. */
export const showProfile: Applied<typeof saveListingProfile> = (cache, saved) => {
  cache.setQueryData(queryKeyOf(getListingProfile, {}), saved);
};

/** Puts a saved list into the cache; the view from anywhere is read again. */
export const showBlockedRegions: Applied<typeof saveBlockedRegions> = (cache, saved) => {
  cache.setQueryData(queryKeyOf(getBlockedRegions, {}), saved);
  void cache.invalidateQueries({ queryKey: queryKeyOf(viewAs) });
};

/** Puts the pictures of the performer's own page into the cache. */
export const showPictures = (cache: QueryClient, saved: OutputOf<typeof savePictures>): void => {
  cache.setQueryData(queryKeyOf(listPictures, {}), saved);
};
