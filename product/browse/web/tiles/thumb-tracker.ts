import { useCall } from '#platform/ui/calls/calls.ts';
import { consent } from '#product/consent/web/consent.ts';
import { useCallback } from 'react';
import { trackThumb } from '../../client.ts';
import { trackedPath } from '../../rules/reports/trackers.ts';

/** Counts the click on a tile, if its thumbnail is one that is counted. Does not delay the click. */
export function useThumbTracker(): (src: string | null) => void {
  const call = useCall();
  return useCallback((src) => {
    const thumbUrl = src === null ? null : trackedPath(src);
    if (thumbUrl === null || !consent.allows('statistics')) return;
    void call(trackThumb, { thumbUrl }).catch(() => undefined);
  }, [call]);
}
