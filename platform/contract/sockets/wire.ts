/** Where sockets are opened. A room socket's address comes from `v3.lobby.discovered`. */
export const LOBBY_PATH = '/ws/lobby';
export const ROOM_PATH = '/ws/room/';

/** Longest room name on the wire; usernames are far shorter. */
export const MAX_ROOM_NAME_LENGTH = 64;
/** How often each side pings, and how long it waits for the answer (readings.md, Sockets). */
export const PING_EVERY_MS = 10_000;
export const PONG_WAIT_MS = 2_000;

/** Why a socket was not authorized, besides the codes of a room; pages have a text for each. */
export const AUTHORIZE_FAILURES = ['token_invalid', 'too_many_sockets'] as const;
/** Longest template: as many bits as a JSON number represents exactly (RFC 8259 §6), minus one. */
export const MAX_TEMPLATE_FIELDS = 52;
/** Most templates a client stores; a contract has a handful. */
export const MAX_TEMPLATES = 256;

/** Why the server closed a socket. Codes below 4000 are registered by RFC 6455 §7.4.1. */
export const closeCodes = {
  binary: 1003,
  malformed: 1007,
  tooFast: 1008,
  error: 1011,
  restarting: 1012,
  slowReader: 1013,
  authorizeLate: 4001,
  tokenInvalid: 4002,
  /** The room, or this person's membership of it, is refused: an immediate reconnect changes nothing. */
  refused: 4003,
  loggedOut: 4004,
  pongMissing: 4005,
  tooManySockets: 4006,
  /** What this socket may receive has changed: reconnect at once, with the last `seq`. */
  reseat: 4007,
} as const;
