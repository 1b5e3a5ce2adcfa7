import type { ClientCall } from '#platform/contract/call.ts';
import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { queryKeyOf, useCache } from '#platform/ui/calls/calls.ts';
import { useEvent, useJoined } from '#platform/ui/calls/live.ts';
import { useCallback, useEffect, useRef } from 'react';
import { getHistory, getHistoryEntries, getLimits, getStatement, tokenUpdate } from '../client.ts';

/** Reads these calls again, wherever their data is shown. */
export function useStale(...calls: readonly ClientCall[]): () => Promise<void> {
  const cache = useCache();
  return useCallback(async () => {
    await Promise.all(calls.map((call) => cache.invalidateQueries({ queryKey: queryKeyOf(call) })));
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- calls are constants
  }, [cache]);
}

/** Changes within this time cause one read, so that fast tips in another tab cause no more. */
const GATHER_MS = 1_000;

/**
 * Keeps history, statement and budgets current while they are shown: every change of the balance affects
 * all. Apart from live.ts, since every page loads that file and few load these calls.
 */
export function useTokenPast(lobby: Connection | null): void {
  const changed = useStale(getHistory, getHistoryEntries, getStatement, getLimits);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  useEffect(() => () => {
    if (timer.current) clearTimeout(timer.current);
  }, []);
  useEvent(lobby, tokenUpdate, () => {
    timer.current ??= setTimeout(() => {
      timer.current = null;
      void changed();
    }, GATHER_MS);
  });
  useJoined(lobby, () => void changed());
}
