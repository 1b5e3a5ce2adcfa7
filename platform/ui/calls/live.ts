import type { ClientEvent, PayloadOf } from '#platform/contract/event.ts';
import type {
  Connection,
  ConnectionPhase,
  LiveClient,
  RoomConnection,
} from '#platform/contract/sockets/socket-client.ts';
import { createContext, useContext, useEffect, useRef, useState } from 'react';

/** The page's live client once it exists, and a way to request it: guests on a listing open no socket. */
export interface Live {
  readonly client: LiveClient | null;
  readonly want: () => void;
}

const LiveContext = createContext<Live>({ client: null, want: () => undefined });
export const LiveProvider = LiveContext.Provider;

/** The lobby connection, null until it is open; `wanted` asks for one where nobody is logged in. */
export function useLobby(wanted = false): Connection | null {
  const { client, want } = useContext(LiveContext);
  useEffect(() => {
    if (wanted) want();
  }, [wanted, want]);
  return client?.lobby ?? null;
}

/** Joins a room while mounted, and again after every connection loss. Null until the live client exists. */
export function useRoomConnection(room: string): {
  connection: RoomConnection | null;
  phase: ConnectionPhase;
} {
  const { client, want } = useContext(LiveContext);
  const [joined, setJoined] = useState<{ connection: RoomConnection | null; phase: ConnectionPhase }>({
    connection: null,
    phase: 'none',
  });
  useEffect(want, [want]);
  useEffect(() => {
    if (!client) return undefined;
    const connection = client.join(room);
    setJoined({ connection, phase: connection.phase() });
    const unwatch = connection.watch((phase) => setJoined({ connection, phase }));
    return () => {
      unwatch();
      connection.leave();
      setJoined({ connection: null, phase: 'none' });
    };
  }, [client, room]);
  return joined;
}

/** Subscribes to an event of a connection while mounted. A new handler does not cause a new subscription. */
export function useEvent<E extends ClientEvent>(
  connection: Connection | null,
  event: E,
  handler: (payload: PayloadOf<E>) => void,
): void {
  const latest = useRef(handler);
  latest.current = handler;
  useEffect(() => connection?.on(event, (payload) => latest.current(payload)), [connection, event]);
}

/** Calls each time a connection joins, since events before that were missed. The handler may change. */
export function useJoined(connection: Connection | null, handler: () => void): void {
  const latest = useRef(handler);
  latest.current = handler;
  useEffect(() => {
    if (connection?.phase() === 'joined') latest.current();
    return connection?.watch((phase) => {
      if (phase === 'joined') latest.current();
    });
  }, [connection]);
}

/** How often a page reads by itself while its socket is away: a viewer who waits two minutes is noticed. */
const AWAY_READ_MS = 5_000;

/**
 * Options of a read that events of a connection keep current: while the connection is away, the page polls
 * the call.
 */
export function useWhileAway(connection: Connection | null): { readonly everyMs?: number } {
  const [isJoined, setJoined] = useState(false);
  useEffect(() => {
    setJoined(connection?.phase() === 'joined');
    return connection?.watch((phase) => setJoined(phase === 'joined'));
  }, [connection]);
  return isJoined ? {} : { everyMs: AWAY_READ_MS };
}
