import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const ATTEMPTS = 20;
/** Below the ephemeral ports, so that no connection takes a port between the check and its use. */
const [FIRST, LAST] = [12_000, 31_999];

/** The first of this many consecutive free UDP ports: two test runs on one machine must not collide. */
export async function freeUdpPort(count = 1): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const sockets: Socket[] = [];
    const first = randomInt(FIRST, LAST - count);
    try {
      for (let i = 0; i < count; i++) await bound(first + i, sockets);
      return first;
    } catch {
      // One of these ports is taken: try elsewhere.
    } finally {
      for (const socket of sockets) socket.close();
      await Promise.all(sockets.map((socket) => once(socket, 'close')));
    }
  }
  throw new Error(`no ${count} free UDP ports in a row`);
}

async function bound(port: number, sockets: Socket[]): Promise<void> {
  const socket = createSocket('udp4');
  sockets.push(socket);
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
}
