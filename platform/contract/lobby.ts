import { z } from 'zod';
import { event } from './event.ts';

/** Where sockets are opened. A room socket's address comes from `v3.lobby.discovered`. */
export const LOBBY_PATH = '/ws/lobby';
export const ROOM_PATH = '/ws/room/';

/** Longest room name on the wire; usernames are far shorter. */
export const MAX_ROOM_NAME_LENGTH = 64;
/** Each side pings this often and waits this long for the answer (readings.md, Sockets). */
export const PING_EVERY_MS = 10_000;
export const PONG_WAIT_MS = 2_000;

/** Why the server closed a socket. Below 4000: registered codes of RFC 6455 §7.4.1. */
export const closeCodes = {
  binary: 1003,
  malformed: 1007,
  tooFast: 1008,
  fault: 1011,
  restarting: 1012,
  slowReader: 1013,
  authorizeLate: 4001,
  tokenInvalid: 4002,
  /** The room, or this person's place in it, is refused: coming back at once changes nothing. */
  refused: 4003,
  loggedOut: 4004,
  pongMissing: 4005,
  tooManySockets: 4006,
} as const;

const Empty = z.object({});

export const authorize = event({
  name: 'v3.authorize', socket: 'both', from: 'client',
  shape: z.object({ token: z.string().min(1).max(1024), version: z.string().max(64) }),
  description: 'First message of every socket: a fresh node_token and the version of the client.',
  requirements: ['A-390', 'C-313'],
});
export const authorizeSuccess = event({
  name: 'v3.authorize.success', socket: 'both', from: 'server',
  shape: z.object({ success: z.literal(true), user: z.unknown() }),
  description: 'The token was good; `user` is who the socket speaks for. A room socket has joined its room.',
  requirements: ['C-317', 'C-339'],
});
export const authorizeFailed = event({
  name: 'v3.authorize.failed', socket: 'both', from: 'server', shape: z.object({ code: z.string() }),
  description: 'The token or the room was refused; the socket closes. Only `token_invalid` is worth a retry.',
});
export const ping = event({
  name: 'v3.ping', socket: 'both', from: 'both', shape: Empty,
  description: 'Asks whether the other side is alive: every 10 s, 2 s to answer.',
});
export const pong = event({
  name: 'v3.pong', socket: 'both', from: 'both', shape: Empty, description: 'Answers `v3.ping`.',
});
export const discover = event({
  name: 'v3.lobby.discover', socket: 'lobby', from: 'client',
  shape: z.object({ room: z.string().min(1).max(MAX_ROOM_NAME_LENGTH) }),
  description: 'Asks for the socket address of a room.',
});
export const discovered = event({
  name: 'v3.lobby.discovered', socket: 'lobby', from: 'server',
  shape: z.object({ room: z.string(), url: z.string() }),
  description: 'The address of a room, for every name alike: whether it exists, its socket tells.',
});
export const lobbyRestarting = event({
  name: 'v3.lobby.restarting', socket: 'lobby', from: 'server', shape: Empty,
  description: 'The gateway is about to restart: for 30 s the client retries every 100 ms.',
});
export const clientVersion = event({
  name: 'v3.client.version', socket: 'both', from: 'server', shape: z.object({ version: z.string() }),
  description: 'The version the server serves, when it differs from the one sent in `v3.authorize`.',
});
export const refresh = event({
  name: 'v3.refresh', socket: 'both', from: 'server', shape: Empty,
  description: 'The client reloads its page.',
});
