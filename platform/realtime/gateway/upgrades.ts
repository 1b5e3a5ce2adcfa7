import { LOBBY_PATH, MAX_ROOM_NAME_LENGTH, ROOM_PATH } from '#platform/contract/sockets/wire.ts';
import { isStorable } from '#platform/text/stored-text.ts';
import type { Socket } from 'node:net';
import type { SocketKind } from './socket.ts';

export interface Target {
  readonly kind: SocketKind;
  readonly room: string | null;
}

/** What an address below `/ws/` opens; null for any other address. */
export function targetOf(url: string): Target | null {
  const path = url.split('?', 1)[0] as string;
  if (path === LOBBY_PATH) return { kind: 'lobby', room: null };
  if (!path.startsWith(ROOM_PATH)) return null;
  try {
    const room = decodeURIComponent(path.slice(ROOM_PATH.length));
    const isName = room.length > 0 && room.length <= MAX_ROOM_NAME_LENGTH && !room.includes('/')
      && isStorable(room);
    return isName ? { kind: 'room', room } : null;
  } catch {
    return null;
  }
}

export function refuseUpgrade(stream: Socket, status: string): void {
  stream.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => stream.destroy());
}
