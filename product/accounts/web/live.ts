import type { Connection } from '../../../platform/contract/sockets/socket-client.ts';
import { useEvent } from '../../../platform/ui/calls/live.ts';
import { loggedOut } from '../client.ts';

/** A session that ended elsewhere ends here too: the page reloads as a guest's. */
export function useSessionEvents(lobby: Connection | null): void {
  useEvent(lobby, loggedOut, () => location.reload());
}
