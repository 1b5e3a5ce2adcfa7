/**
 * The server of one trial, in its own process: `ours`, `socket.io` or `ws`. Publishes each message when it is
 * due, and reports the resources it used.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server as SocketIo } from 'socket.io';
import { WebSocketServer } from 'ws';
import { GatewayStage, ROOM } from './gateway-stage.ts';
import {
  EVENT,
  monotonicMs,
  payloadOf,
  schedule,
  type FromServer,
  type Kind,
  type Offer,
  type ToServer,
} from './load.ts';

/** Sends a message to everybody. */
interface Broadcaster {
  readonly publish: (payload: unknown, seq: number) => void;
  readonly joined: () => number;
}

function socketIo(server: Server): Broadcaster {
  const io = new SocketIo(server, { transports: ['websocket'], serveClient: false });
  io.on('connection', (socket) => void socket.join(ROOM));
  return {
    publish: (payload, seq) => void io.to(ROOM).emit(EVENT, payload, seq),
    joined: () => io.sockets.adapter.rooms.get(ROOM)?.size ?? 0,
  };
}

function plain(server: Server): Broadcaster {
  const wss = new WebSocketServer({ server, perMessageDeflate: false });
  return {
    publish: (payload, seq) => {
      const text = JSON.stringify([EVENT, payload, seq]);
      for (const socket of wss.clients) socket.send(text);
    },
    joined: () => wss.clients.size,
  };
}

/** Messages logged before a restart; null in a new room. */
const logged = process.argv[4] === undefined ? null : Number(process.argv[4]);
const resumed = logged === null ? {} : { logged, sendsHistory: true };

const BROADCASTERS: Readonly<Record<Kind, (server: Server) => Broadcaster>> = {
  ours: (server) => new GatewayStage(server, resumed),
  'socket.io': socketIo,
  ws: plain,
};

const report = (message: FromServer): void => void process.send?.(message);

function measure(broadcaster: Broadcaster): void {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  report({
    kind: 'measured',
    joined: broadcaster.joined(),
    cpuSeconds: (user + system) / 1e6,
    heapBytes: heapUsed + external,
    rssBytes: rss,
  });
}

/** Publishes each message when it is due; overdue ones at once. */
function publish(broadcaster: Broadcaster, { perSecond, seconds, startAtMs }: Offer): void {
  const due = schedule(perSecond, seconds);
  let at = logged ?? 0;
  const go = (): void => {
    while (at < due.length && startAtMs + (due[at] as number) <= monotonicMs()) {
      broadcaster.publish(payloadOf(at), at + 1);
      at += 1;
    }
    const next = due[at];
    if (next !== undefined) setTimeout(go, Math.max(0, startAtMs + next - monotonicMs()));
  };
  go();
}

const server = createServer();
const broadcaster = BROADCASTERS[process.argv[2] as Kind](server);
process.on('message', (message: ToServer) => {
  if (message.kind === 'measure') measure(broadcaster);
  else publish(broadcaster, message.offer);
});
process.on('disconnect', () => process.exit());
server.listen(
  { port: Number(process.argv[3] ?? 0), host: '127.0.0.1', backlog: 8_192 },
  () => report({ kind: 'listening', port: (server.address() as AddressInfo).port }),
);
