import { useAction, useCache } from '#platform/ui/calls/calls.ts';
import { useCallback } from 'react';
import { updateSettings } from '../../client.ts';
import type { SettingsInput } from '../../contract/settings.ts';
import { showSettings } from './live.ts';

/** Saves of one scope run one after the other. */
const SAVING = { id: updateSettings.name };

/**
 * Saves settings one request after the other, because answers that arrive out of order would show, or even
 * store, an older choice.
 * @returns whether a change was saved
 */
export function useSaveSettings(): (change: SettingsInput) => Promise<boolean> {
  const cache = useCache();
  const { run } = useAction(updateSettings, showSettings);
  return useCallback(async (change) => {
    const mutationFn = (sent: SettingsInput) => run(sent);
    const saving = cache.getMutationCache()
      .build(cache, { scope: SAVING, mutationFn, networkMode: 'always', gcTime: 0 });
    return (await saving.execute(change)) !== null;
  }, [cache, run]);
}
