import type { ClientEvent, PayloadOf } from '../event.ts';

/** Callbacks of a connection. `closed` is called once, even if the socket never opened. */
export interface SocketHandlers {
  readonly opened: () => void;
  readonly message: (text: string) => void;
  readonly closed: (code: number) => void;
}
/** A WebSocket, of the browser or of `ws` in Node. */
export type OpenSocket = (url: string, handlers: SocketHandlers) => {
  readonly send: (text: string) => void;
  readonly close: () => void;
};

/** Time and randomness; a `Clock` has the first two. */
export interface ClientTime {
  readonly now: () => Date;
  readonly after: (name: string, delayMs: number, task: () => void) => () => void;
  /** At least 0 and less than 1. */
  readonly random: () => number;
}

/**
 * Why the client skipped a message and continued (spec 3 §8); `noPong`: why it gave up a socket (spec 1 §8).
 */
export type LiveError = 'unknownId' | 'malformed' | 'handler' | 'noPong';

export interface LiveClientOptions {
  readonly open: OpenSocket;
  readonly time: ClientTime;
  /** `wss://host/ws/lobby` */
  readonly lobbyUrl: string;
  readonly version: string;
  /** Returns a fresh node_token (GET /user/current); each socket uses one. */
  readonly token: () => Promise<string>;
  /** False requests plain frames only; otherwise frames are compressed. */
  readonly templates?: boolean;
  /**
   * Called for unreadable messages, for handlers that threw, and for a ping without a pong. `cause` is for
   * the console; for a missing pong it is the name of the room, or `lobby`.
   */
  readonly report?: (error: LiveError, cause: unknown) => void;
  /** Called once per outage, when the lobby has been disconnected for 10 s. */
  readonly onOutage?: () => void;
  /**
   * Called when a socket was not authorized (`v3.authorize.failed`), once per code until the connection is
   * joined again; `room` is null for the lobby.
   */
  readonly onFailed?: (code: string, room: string | null) => void;
}

/** Spec 3 §4: none, discovery, connecting, sent (authorize), joined; `refused` is final until a new join. */
export type ConnectionPhase = 'none' | 'discovery' | 'connecting' | 'sent' | 'joined' | 'refused';

export interface Connection {
  readonly phase: () => ConnectionPhase;
  /** Calls `listener` on every change of phase. Returns a function that stops it. */
  readonly watch: (listener: (phase: ConnectionPhase) => void) => () => void;
  /** Handles an event; `seq` is its number in the topic's log, or null. Returns a function that stops it. */
  readonly on: <E extends ClientEvent>(
    event: E,
    handler: (payload: PayloadOf<E>, seq: number | null) => void,
  ) => () => void;
  /** Sends an event. False when the connection is not joined; then nothing was sent or queued. */
  readonly send: <E extends ClientEvent>(event: E, payload: PayloadOf<E>) => boolean;
}

export interface RoomConnection extends Connection {
  /** Why the server refused the room; null while it has not. */
  readonly refusedCode: () => string | null;
  /** Reconnects at once on a new socket, from the last `seq` received, even to a room that refused. */
  readonly rejoin: () => void;
  readonly leave: () => void;
}

/** One page's (or program's) connection to the lobby and to any number of rooms. */
export interface LiveClient {
  readonly lobby: Connection;
  /** Connects the lobby. */
  readonly start: () => void;
  /** Leaves every room and the lobby. */
  readonly stop: () => void;
  /** Joins a room as soon as the lobby is ready, and again after every disconnect. */
  readonly join: (name: string) => RoomConnection;
}
