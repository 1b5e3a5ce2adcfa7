import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { changeCached, useCache } from '#platform/ui/calls/calls.ts';
import { useEvent, useJoined } from '#platform/ui/calls/live.ts';
import { getCurrentUser } from '#product/accounts/client.ts';
import { useMe, useReloadMe } from '#product/accounts/web/me.ts';
import { tokenUpdate } from '../client.ts';

/** Keeps the shown balance current in every tab, and reads changes from before the socket was connected. */
export function useBalanceEvents(lobby: Connection | null): void {
  const cache = useCache();
  const me = useMe();
  const reload = useReloadMe();
  useEvent(lobby, tokenUpdate, ({ tokens }) => {
    changeCached(cache, getCurrentUser, {}, (current) => ({ ...current, tokens }));
  });
  useJoined(lobby, () => {
    // A refusal or a lost connection changes nothing here: the next join reads it again.
    if (me) reload().catch(() => undefined);
  });
}
