import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { changeCached, useCache } from '#platform/ui/calls/calls.ts';
import { useEvent } from '#platform/ui/calls/live.ts';
import { notificationCount } from '#product/notices/client.ts';
import { refreshNotices } from '#product/notices/web/live.ts';
import { getCurrentUser } from '../../client.ts';

/** Updates the number of unread notifications in every tab, and the lists that are open. */
export function useNotificationCount(lobby: Connection | null): void {
  const cache = useCache();
  useEvent(lobby, notificationCount, ({ count }) => {
    changeCached(
      cache,
      getCurrentUser,
      {},
      (current) => ({ ...current, user: { ...current.user, notificationUnreadCount: count } }),
    );
    refreshNotices(cache);
  });
}
