import type { Connection } from '../../../platform/contract/socket-client.ts';
import { changeCached, useCache } from '../../../platform/ui/calls/calls.ts';
import { useEvent } from '../../../platform/ui/calls/live.ts';
import { getCurrentUser } from '../../accounts/contract.ts';
import { tokenUpdate } from '../contract.ts';

/** Keeps the shown balance current in every tab. */
export function useBalanceEvents(lobby: Connection | null): void {
  const cache = useCache();
  useEvent(lobby, tokenUpdate, ({ tokens }) => {
    changeCached(cache, getCurrentUser, {}, (current) => ({ ...current, tokens }));
  });
}
