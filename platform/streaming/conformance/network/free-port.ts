import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const ATTEMPTS = 20;
const LAST_PORT = 65_535;

/** The first of so many UDP ports in a row that nobody uses: two test runs on one machine must not meet. */
export async function freeUdpPort(count = 1): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const sockets: Socket[] = [];
    try {
      const first = await bound(0, sockets);
      for (let i = 1; i < count && first + i <= LAST_PORT; i++) await bound(first + i, sockets);
      if (sockets.length === count) return first;
    } catch {
      // One of the next ports is taken: somewhere else there is room.
    } finally {
      for (const socket of sockets) socket.close();
      await Promise.all(sockets.map((socket) => once(socket, 'close')));
    }
  }
  throw new Error(`no ${count} free UDP ports in a row`);
}

async function bound(port: number, sockets: Socket[]): Promise<number> {
  const socket = createSocket('udp4');
  sockets.push(socket);
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  return socket.address().port;
}
