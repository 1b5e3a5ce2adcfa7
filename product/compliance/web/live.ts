import type { OutputOf } from '#platform/contract/call.ts';
import { queryKeyOf, useCache, useRead } from '#platform/ui/calls/calls.ts';
import { useEvent, useLobby } from '#platform/ui/calls/live.ts';
import { useIsPast } from '#platform/ui/time/countdown.ts';
import type { QueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { entryChanged, getEntry, getHidden } from '../client.ts';

/** Shows whether a performer is hidden; what pages cache about their broadcast is out of date too. */
export function showHidden(cache: QueryClient, answer: OutputOf<typeof getHidden>): void {
  cache.setQueryData(queryKeyOf(getHidden, {}), answer);
  void cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== getHidden.name });
}

/** A moment that no page lives to see. */
const NEVER_MS = Date.UTC(9999, 0);

/**
 * Asks for the entry gate again when a policy begins or ends: at its moment, for pages without a socket
 * too, and when the site says that one applies at once.
 */
export function useEntryChanges(): void {
  const cache = useCache();
  const { data } = useRead(getEntry, {});
  const changesAt = data?.changes_at ?? null;
  const ask = useCallback(() => void cache.invalidateQueries({ queryKey: queryKeyOf(getEntry) }), [cache]);
  useEvent(useLobby(), entryChanged, ask);
  const isPast = useIsPast(changesAt === null ? NEVER_MS : Date.parse(changesAt));
  useEffect(() => {
    if (isPast) ask();
  }, [ask, changesAt, isPast]);
}
