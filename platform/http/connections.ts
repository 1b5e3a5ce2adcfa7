import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { AddressShares, networks } from './address.ts';

/** When a connection is closed by the server, in milliseconds. */
export interface ConnectionTimes {
  /** Without a whole header: a page's own is there in one packet. */
  readonly headersMs: number;
  /** Without a whole request: forms are small, and slow senders hold sockets. */
  readonly requestMs: number;
  /** Without another request. */
  readonly keepAliveMs: number;
  /** How often they are looked at. */
  readonly checkMs: number;
}

export const CONNECTION_TIMES: ConnectionTimes = {
  headersMs: 10_000,
  requestMs: 30_000,
  // Longer than the 60 s of common proxies, so that the proxy closes first and never meets a closed socket.
  keepAliveMs: 72_000,
  checkMs: 5_000,
};

/**
 * Connections that one address holds at once, sockets of rooms included: a browser holds about ten, and an
 * office or a mobile carrier puts many people behind one IPv4 address. Far below the descriptors of a
 * process.
 */
export const MAX_CONNECTIONS_PER_ADDRESS = 512;

export interface ConnectionOptions {
  /** Peers with any number of connections, because they bring everybody's: proxies. */
  readonly trustedProxies: readonly string[];
  readonly maxPerAddress: number;
}

/** Closes what one address opens beyond its share; of IPv6 by /64 and by /56. */
export function boundConnections(server: Server, { trustedProxies, maxPerAddress }: ConnectionOptions): void {
  const isProxy = networks(trustedProxies);
  const open = new AddressShares(maxPerAddress);
  server.on('connection', (socket: Socket) => {
    // Absent when the other end has gone already.
    const address = socket.remoteAddress;
    if (address === undefined || isProxy(address)) return;
    if (!open.hasRoom(address)) {
      socket.destroy();
      return;
    }
    open.add(address);
    socket.once('close', () => open.remove(address));
  });
}
