/**
 * The server of one trial, in a process of its own: `ours`, `socket.io` or `ws`. Publishes what it is offered
 * when it is due, and says what it has used.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server as SocketIo } from 'socket.io';
import { WebSocketServer } from 'ws';
import { GatewayStage, ROOM } from './gateway-stage.ts';
import {
  EVENT, monotonicMs, payloadOf, schedule, type FromServer, type Kind, type Offer, type ToServer,
} from './load.ts';

/** Makes everybody hear one message. */
interface Crier {
  readonly publish: (payload: unknown, seq: number) => void;
  readonly joined: () => number;
}

function socketIo(server: Server): Crier {
  const io = new SocketIo(server, { transports: ['websocket'], serveClient: false });
  io.on('connection', (socket) => void socket.join(ROOM));
  return {
    publish: (payload, seq) => void io.to(ROOM).emit(EVENT, payload, seq),
    joined: () => io.sockets.adapter.rooms.get(ROOM)?.size ?? 0,
  };
}

function plain(server: Server): Crier {
  const wss = new WebSocketServer({ server, perMessageDeflate: false });
  return {
    publish: (payload, seq) => {
      const text = JSON.stringify([EVENT, payload, seq]);
      for (const socket of wss.clients) socket.send(text);
    },
    joined: () => wss.clients.size,
  };
}

/** A room that goes on: how many messages it has had, and when those to come are due. */
const logged = process.argv[4] === undefined ? null : Number(process.argv[4]);
const resumed = logged === null ? {} : { logged, tellsHistory: true };

const CRIERS: Readonly<Record<Kind, (server: Server) => Crier>> = {
  ours: (server) => new GatewayStage(server, resumed), 'socket.io': socketIo, ws: plain,
};

const tell = (message: FromServer): void => void process.send?.(message);

function measure(crier: Crier): void {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  tell({
    kind: 'measured', joined: crier.joined(), cpuSeconds: (user + system) / 1e6,
    heapBytes: heapUsed + external, rssBytes: rss,
  });
}

/** Each message when it is due; what became due while the process was busy goes at once. */
function publish(crier: Crier, { perSecond, seconds, startAtMs }: Offer): void {
  const due = schedule(perSecond, seconds);
  let at = logged ?? 0;
  const go = (): void => {
    while (at < due.length && startAtMs + (due[at] as number) <= monotonicMs()) {
      crier.publish(payloadOf(at), at + 1);
      at += 1;
    }
    const next = due[at];
    if (next !== undefined) setTimeout(go, Math.max(0, startAtMs + next - monotonicMs()));
  };
  go();
}

const server = createServer();
const crier = CRIERS[process.argv[2] as Kind](server);
process.on('message', (message: ToServer) => {
  if (message.kind === 'measure') measure(crier);
  else publish(crier, message.offer);
});
process.on('disconnect', () => process.exit());
server.listen({ port: Number(process.argv[3] ?? 0), host: '127.0.0.1', backlog: 8_192 }, () =>
  tell({ kind: 'listening', port: (server.address() as AddressInfo).port }));
