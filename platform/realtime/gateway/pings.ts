import { encodeFrame } from '#platform/contract/sockets/frame.ts';
import * as protocol from '#platform/contract/sockets/lobby.ts';
import { textFrame } from './socket.ts';

/** Pings and pongs are the same for every socket and in both encodings. */
export const PONG_TEXT = encodeFrame(protocol.pong.name, {});
export const PING = textFrame(encodeFrame(protocol.ping.name, {}));
export const PONG = textFrame(PONG_TEXT);
