import { useAction, useCache } from '#platform/ui/calls/calls.ts';
import { useCallback } from 'react';
import { updateSettings } from '../../client.ts';
import type { SettingsInput } from '../../contract/settings.ts';
import { showSettings } from './live.ts';

/** Saves of one page: the one under way, and the changes that wait for it. */
interface Saving {
  underWay: Promise<unknown>;
  next: { change: SettingsInput; readonly saved: Promise<boolean> } | null;
}
const savings = new WeakMap<object, Saving>();

/**
 * Saves settings one request after the other, because answers that arrive out of order would show, or even
 * store, an older choice. Changes that wait are sent together.
 * @returns whether a change was saved
 */
export function useSaveSettings(): (change: SettingsInput) => Promise<boolean> {
  const cache = useCache();
  const { run } = useAction(updateSettings, showSettings);
  return useCallback((change) => {
    const saving = savings.get(cache) ?? { underWay: Promise.resolve(), next: null };
    savings.set(cache, saving);
    if (saving.next) {
      saving.next.change = { ...saving.next.change, ...change };
      return saving.next.saved;
    }
    const saved = saving.underWay.then(async () => {
      const sent = saving.next?.change ?? change;
      saving.next = null;
      return (await run(sent)) !== null;
    });
    saving.next = { change, saved };
    saving.underWay = saved;
    return saved;
  }, [cache, run]);
}
