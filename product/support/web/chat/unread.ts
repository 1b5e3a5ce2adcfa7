import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { useCache, useRead } from '#platform/ui/calls/calls.ts';
import { useEvent, useJoined } from '#platform/ui/calls/live.ts';
import { chatUnread, getChatState } from '../../client.ts';
import { showUnread } from './live.ts';

/** Reads once whether chat with support is open, and follows the number of unread answers. */
export function useSupportChat(lobby: Connection | null): void {
  const cache = useCache();
  const { refetch } = useRead(getChatState, {});
  useEvent(lobby, chatUnread, (count) => showUnread(cache, count));
  useJoined(lobby, () => void refetch());
}

/** Number of support's unread answers; null where chat is closed to the person, or not yet read. */
export function useSupportUnread(): number | null {
  const { data } = useRead(getChatState, {}, { enabled: false });
  return data?.show ? data.unread : null;
}
