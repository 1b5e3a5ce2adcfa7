import type { InputOf } from '#platform/contract/call.ts';
import { problemOf, queryKeyOf, useCache, useCall } from '#platform/ui/calls/calls.ts';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useCallback } from 'react';
import { getHome, homeCustom, saveHome } from '../../client.ts';

/**
 * Saves a member's layout or sections, and confirms it. A failure is shown and thrown again, so that the
 * caller stops and the page's error handler gets it.
 */
export function useSaveHome(): (choice: InputOf<typeof saveHome>) => Promise<void> {
  const call = useCall();
  const cache = useCache();
  const toast = useToast();
  const { t } = useTranslation('browse');
  return useCallback(async (choice) => {
    try {
      await call(saveHome, choice);
    } catch (error) {
      toast(problemOf(error).message || t('home.notSaved'), 'error');
      throw error;
    }
    toast(t('home.saved'), 'success');
    await Promise.all([getHome, homeCustom]
      .map((read) => cache.invalidateQueries({ queryKey: queryKeyOf(read) })));
  }, [cache, call, t, toast]);
}
