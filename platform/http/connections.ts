import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { AddressShares, networks } from './address.ts';

/** After how many milliseconds the server closes a connection. */
export interface ConnectionTimes {
  /** Time to receive a complete header: that of our own page arrives in one packet. */
  readonly headersMs: number;
  /** Time to receive a complete request: forms are small, and slow senders occupy sockets. */
  readonly requestMs: number;
  /** Idle time until the next request. */
  readonly keepAliveMs: number;
  /** How often connections are checked. */
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
  /** Peers with any number of connections, because they carry those of others: proxies. */
  readonly trustedProxies: readonly string[];
  readonly maxPerAddress: number;
}

/** Closes connections that one address opens beyond its share; for IPv6, of its /64 and its /56. */
export function boundConnections(server: Server, { trustedProxies, maxPerAddress }: ConnectionOptions): void {
  const isProxy = networks(trustedProxies);
  const open = new AddressShares(maxPerAddress);
  server.on('connection', (socket: Socket) => {
    // Absent when the other end is already gone.
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
