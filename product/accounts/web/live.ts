import type { Connection } from '../../../platform/contract/sockets/socket-client.ts';
import { useEvent } from '../../../platform/ui/calls/live.ts';
import { loggedOut } from '../client.ts';

/** Reloads the page as a guest when the session ends elsewhere. */
export function useSessionEvents(lobby: Connection | null): void {
  useEvent(lobby, loggedOut, () => location.reload());
}
