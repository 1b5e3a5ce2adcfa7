import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { boundConnections, CONNECTION_TIMES, MAX_CONNECTIONS_PER_ADDRESS } from './connections.ts';
import type { HostOptions } from './host.ts';
import { HOST, Shelves } from './testing.ts';

const open: Shelves[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((shelves) => shelves.host.close()));
});

async function portOf(options: Partial<HostOptions>): Promise<number> {
  const shelves = new Shelves(options);
  open.push(shelves);
  await shelves.host.app.listen({ host: '127.0.0.1', port: 0 });
  return (shelves.host.server.address() as AddressInfo).port;
}

/** A connection that sends this and no more; resolves with what it received once the server has closed it. */
function answered(port: number, sent: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => void (sent !== '' && socket.write(sent)));
    socket.on('data', (part) => {
      text += String(part);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
}

/** Times that a test can wait for. */
const SHORT = { headersMs: 40, requestMs: 80, keepAliveMs: 60, checkMs: 10 };

describe('a connection', () => {
  it.each([
    ['that sends nothing', '', '408'],
    ['that sends half a header', `GET / HTTP/1.1\r\nhost: ${HOST}\r\n`, '408'],
    [
      'that sends no body',
      `POST /api/v1/shelf/a/books HTTP/1.1\r\nhost: ${HOST}\r\n`
      + 'content-type: application/json\r\ncontent-length: 9\r\n\r\n{',
      '',
    ],
    ['that sends no second request', `GET /healthz HTTP/1.1\r\nhost: ${HOST}\r\n\r\n`, '200'],
  ])('%s is closed', async (_what, sent, status) => {
    const text = await answered(await portOf({ connectionTimes: SHORT }), sent);
    expect(text).toContain(status);
  });

  it('has ten seconds for its header and thirty for the request', async () => {
    const shelves = new Shelves();
    open.push(shelves);
    const { headersTimeout, requestTimeout, keepAliveTimeout } = shelves.host.server;
    expect([headersTimeout, requestTimeout, keepAliveTimeout]).toEqual([10_000, 30_000, 72_000]);
    expect(CONNECTION_TIMES.checkMs).toBe(5_000);
  });
});

describe('connections of one address', () => {
  /** Opens `count` connections and returns how many of them are answered. */
  async function survivors(port: number, count: number): Promise<number> {
    const sockets: Socket[] = [];
    for (let nth = 0; nth < count; nth += 1) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      sockets.push(socket);
    }
    const alive = await Promise.all(sockets.map((socket) =>
      new Promise<boolean>((resolve) => {
        socket.on('connect', () => socket.write(`GET /healthz HTTP/1.1\r\nhost: ${HOST}\r\n\r\n`));
        socket.once('data', () => resolve(true));
        socket.once('close', () => resolve(false));
      })
    ));
    for (const socket of sockets) socket.destroy();
    return alive.filter(Boolean).length;
  }

  it('are closed beyond its share, which is free again when they go', async () => {
    const port = await portOf({ maxConnectionsPerAddress: 20 });
    expect(await survivors(port, 60)).toBe(20);
    await expect.poll(() => survivors(port, 20)).toBe(20);
  });

  it('may be as many as they like when it is a proxy that is trusted', async () => {
    const port = await portOf({ maxConnectionsPerAddress: 20, trustedProxies: ['127.0.0.0/8'] });
    expect(await survivors(port, 60)).toBe(60);
  });

  it('count together for a whole /64', () => {
    const listeners: ((socket: unknown) => void)[] = [];
    const server = { on: (_name: string, listener: (socket: unknown) => void) => listeners.push(listener) };
    boundConnections(server as never, { trustedProxies: [], maxPerAddress: 3 });
    const closed: string[] = [];
    const arrive = (remoteAddress: string): void =>
      listeners[0]?.({
        remoteAddress,
        once: () => undefined,
        destroy: () => closed.push(remoteAddress),
      });
    for (let nth = 1; nth <= 5; nth += 1) arrive(`2001:db8:0:1::${nth}`);
    arrive('2001:db8:0:2::1');
    expect(closed).toEqual(['2001:db8:0:1::4', '2001:db8:0:1::5']);
    expect(MAX_CONNECTIONS_PER_ADDRESS).toBe(512);
  });
});
