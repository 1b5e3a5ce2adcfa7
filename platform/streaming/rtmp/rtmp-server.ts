import type { Clock } from '#platform/data/clock.ts';
import { createServer, type Server, type Socket } from 'node:net';
import type { RtmpMessage } from '../wire/rtmp/rtmp-chunks.ts';
import { ConnectionLimits, type Guest } from './connection-limits.ts';
import { Connection } from './connection.ts';
import type { RtmpAsked } from './ingest.ts';
import {
  HANDSHAKE_TIMEOUT_MS,
  IDLE_TIMEOUT_MS,
  LINGER_MS,
  MAX_BITS_PER_SECOND,
  MAX_UNSENT_BYTES,
  MESSAGE_COST_BYTES,
  PUBLISH_TIMEOUT_MS,
  RATE_WINDOW_MS,
} from './limits.ts';

/** Receives the media of one admitted client. */
export interface Sink {
  readonly take: (message: RtmpMessage) => void;
  /** The client is gone; `isMeant` when it said that it stops. */
  readonly close: (isMeant: boolean) => void;
}

/** Refuses or ends a publisher, with a reason for the client. */
export type Refuse = (reason: string) => void;

export interface RtmpServerOptions {
  readonly port: number;
  readonly bindAddress: string | undefined;
  readonly app: string;
  readonly clock: Clock;
  /**
   * A client asks to publish; nothing of it is read meanwhile. Resolves with the sink of its media, or with
   * null after `refuse` was called; `refuse` may also be called later. Must not reject.
   */
  readonly publish: (asked: RtmpAsked, refuse: Refuse) => Promise<Sink | null>;
  /** An error of our own; it ends the connection in which it occurred. */
  readonly onError: (error: unknown) => void;
}

/** The TCP side of RTMP ingest: who may connect, for how long, and how fast. */
export class RtmpServer {
  readonly #options: RtmpServerOptions;
  readonly #limits = new ConnectionLimits();
  readonly #clients = new Set<Client>();
  readonly #server: Server;

  constructor(options: RtmpServerOptions) {
    this.#options = options;
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  }

  /** Resolves with the port; rejects when it is taken. */
  listen(): Promise<number> {
    const { port, bindAddress } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ port, host: bindAddress }, () => {
        this.#server.off('error', reject);
        this.#server.on('error', this.#options.onError);
        const address = this.#server.address();
        resolve(typeof address === 'object' && address ? address.port : port);
      });
    });
  }

  /** Number of current connections. */
  get connections(): number {
    return this.#limits.inside;
  }

  close(): void {
    this.#server.close();
    for (const client of this.#clients) client.leave();
  }

  #accept(socket: Socket): void {
    const client = new Client(socket, this.#options, this.#limits);
    if (!this.#limits.enter(client)) return void socket.destroy();
    this.#clients.add(client);
    socket.once('close', () => {
      this.#limits.left(client);
      this.#clients.delete(client);
    });
    client.begin();
  }
}

/** One socket and its {@link Connection}. */
class Client implements Guest {
  readonly address: string;
  readonly #socket: Socket;
  readonly #options: RtmpServerOptions;
  readonly #limits: ConnectionLimits;
  readonly #connection: Connection;
  #cancelDeadline: () => void = () => undefined;
  #cancelPause: () => void = () => undefined;
  #sink: Sink | null = null;
  #over = false;
  /** Complete media messages since the last idle check. */
  #messages = 0;
  /** Bytes above the rate limit, as a leaky bucket that drains at that rate. */
  #bucketBytes = 0;
  #bucketAtMs = 0;

  constructor(socket: Socket, options: RtmpServerOptions, limits: ConnectionLimits) {
    this.#socket = socket;
    this.#options = options;
    this.#limits = limits;
    this.address = socket.remoteAddress ?? '';
    this.#connection = new Connection(options.app, {
      write: (bytes) => this.#write(bytes),
      publish: (key, app) => void this.#publish(key, app),
      media: (message) => this.#media(message),
      end: (isMeant) => this.#end(isMeant),
    });
  }

  begin(): void {
    const { clock } = this.#options;
    this.#bucketAtMs = performance.now();
    this.#cancelDeadline = clock.after('rtmp handshake', HANDSHAKE_TIMEOUT_MS, () => {
      if (!this.#connection.shookHands) return this.leave();
      const left = PUBLISH_TIMEOUT_MS - HANDSHAKE_TIMEOUT_MS;
      this.#cancelDeadline = clock.after('rtmp publish', left, this.leave);
    });
    this.#socket.on('data', (bytes) => this.#read(bytes));
    // Socket errors end in `close`.
    this.#socket.on('error', () => undefined);
    this.#socket.once('close', () => this.#connection.close());
  }

  readonly leave = (): void => {
    this.#socket.destroy();
    this.#connection.close();
  };

  #read(bytes: Buffer): void {
    const before = this.#connection.messages;
    this.#guard(() => this.#connection.push(bytes));
    this.#slowDown(bytes.length + (this.#connection.messages - before) * MESSAGE_COST_BYTES);
  }

  /** An error in one connection ends that connection alone. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.leave();
      this.#options.onError(error);
    }
  }

  /** Pauses a publisher above its rate limit until it is below it again. */
  #slowDown(cost: number): void {
    const nowMs = performance.now();
    const bytesPerMs = MAX_BITS_PER_SECOND / 8_000;
    this.#bucketBytes = Math.max(0, this.#bucketBytes - (nowMs - this.#bucketAtMs) * bytesPerMs) + cost;
    this.#bucketAtMs = nowMs;
    const aboveMs = this.#bucketBytes / bytesPerMs - RATE_WINDOW_MS;
    if (aboveMs <= 0 || this.#over || !this.#sink) return;
    this.#socket.pause();
    this.#cancelPause = this.#options.clock.after('rtmp rate', aboveMs, () => void this.#socket.resume());
  }

  async #publish(key: string, app: string): Promise<void> {
    this.#cancelDeadline();
    this.#socket.pause();
    const refuse = (reason: string): void => this.#connection.refuse(reason);
    const sink = await this.#options.publish({ key, app, address: this.address }, refuse);
    if (this.#over || !sink) return sink?.close(false);
    this.#sink = sink;
    this.#limits.admit(this);
    this.#watchIdle();
    this.#guard(() => this.#connection.admit());
    this.#socket.resume();
  }

  #watchIdle(): void {
    const { clock } = this.#options;
    this.#cancelDeadline = clock.every('rtmp idle', IDLE_TIMEOUT_MS / 2, () => {
      if (this.#messages === 0) return this.leave();
      this.#messages = 0;
    });
  }

  #media(message: RtmpMessage): void {
    this.#messages += 1;
    this.#sink?.take(message);
  }

  #write(bytes: Buffer): void {
    if (this.#socket.destroyed) return;
    if (this.#socket.writableLength > MAX_UNSENT_BYTES) return this.leave();
    this.#socket.write(bytes);
  }

  #end(isMeant: boolean): void {
    this.#over = true;
    this.#cancelDeadline();
    this.#cancelPause();
    this.#sink?.close(isMeant);
    this.#sink = null;
    if (this.#socket.destroyed) return;
    // Later bytes are read and discarded, so that a connection reset does not lose the last reply.
    this.#socket.resume();
    this.#socket.end();
    const cancel = this.#options.clock.after('rtmp linger', LINGER_MS, () => this.#socket.destroy());
    this.#socket.once('close', cancel);
  }
}
