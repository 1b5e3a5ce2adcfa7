import { queryKeyOf, useCache } from '#platform/ui/calls/calls.ts';
import { useEvent, useLobby } from '#platform/ui/calls/live.ts';
import { useSessionEvents, useSettingsEvents } from '#product/accounts/web/live.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { useNotificationCount } from '#product/accounts/web/notifications/live.ts';
import { useFollowedSettings } from '#product/accounts/web/preferences.ts';
import { getHome, homeCustom } from '#product/browse/client.ts';
import { getEarningsOfSpan } from '#product/ledger/client.ts';
import { useBalanceEvents } from '#product/ledger/web/live.ts';
import { usePushReport } from '#product/notices/web/push/use-push.ts';
import { useSupportChat } from '#product/support/web/chat/unread.ts';
import { tipReceived } from '#product/tips/client.ts';
import { useAppBadge } from '../live/app-badge.ts';

/** What the socket sends about the logged-in person; guests never load it. */
export function PersonEvents() {
  const lobby = useLobby();
  const cache = useCache();
  const me = useMe()?.user;
  useSessionEvents(lobby);
  useSettingsEvents(lobby);
  useFollowedSettings(() => {
    for (const read of [getHome, homeCustom]) void cache.invalidateQueries({ queryKey: queryKeyOf(read) });
  });
  useBalanceEvents(lobby);
  useEvent(lobby, tipReceived, ({ receiver_name: receiver }) => {
    if (receiver !== me?.username) return;
    void cache.invalidateQueries({ queryKey: queryKeyOf(getEarningsOfSpan) });
  });
  useNotificationCount(lobby);
  useSupportChat(lobby);
  usePushReport(me?.id ?? null);
  useAppBadge(me?.notificationUnreadCount ?? 0);
  return null;
}
