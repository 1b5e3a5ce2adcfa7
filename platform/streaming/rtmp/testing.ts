import { systemClock, type VirtualClock } from '#platform/data/clock.ts';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { RtmpClient, type RtmpClientView } from '../conformance/rtmp/rtmp-client.ts';
import { Watched } from '../conformance/signals/watched.ts';
import type { RtmpMessage } from '../wire/rtmp/rtmp-chunks.ts';
import { amfObject, writeCommand } from '../wire/rtmp/rtmp-commands.ts';
import { beginHandshake, ECHO_BYTES } from '../wire/rtmp/rtmp-handshake.ts';
import type { RtmpAsked } from './ingest.ts';
import { RtmpServer, type Refuse, type Sink } from './rtmp-server.ts';

interface Seen {
  readonly asked: readonly RtmpAsked[];
  readonly media: readonly RtmpMessage[];
  readonly messages: number;
  readonly bytes: number;
  /** Sinks that were closed, and those closed on purpose by their client. */
  readonly closed: number;
  readonly meant: number;
  readonly errors: readonly unknown[];
}

export const GOOD_KEY = 'a-good-key';
export const UNTOUCHED: Seen = {
  asked: [],
  media: [],
  messages: 0,
  bytes: 0,
  closed: 0,
  meant: 0,
  errors: [],
};

/** A server that accepts one key, and a record of its calls. */
export class Ingest {
  readonly seen = new Watched<Seen>();
  readonly clock: VirtualClock | typeof systemClock;
  readonly server: RtmpServer;
  readonly refusals: Refuse[] = [];
  /** Resolves the admissions that are held back. */
  answerHeld: () => void = () => undefined;
  port = 0;

  constructor(clock: VirtualClock | typeof systemClock = systemClock, isHeld = false) {
    this.clock = clock;
    this.seen.set(UNTOUCHED);
    const held = isHeld
      ? new Promise<void>((resolve) => {
        this.answerHeld = resolve;
      })
      : Promise.resolve();
    this.server = new RtmpServer({
      port: 0,
      bindAddress: '127.0.0.1',
      app: 'live',
      clock,
      onError: (error) => this.#note((seen) => ({ errors: [...seen.errors, error] })),
      publish: async (asked, refuse) => {
        this.#note((seen) => ({ asked: [...seen.asked, asked] }));
        await held;
        if (asked.key !== GOOD_KEY) {
          refuse('This key is not known.');
          return null;
        }
        this.refusals.push(refuse);
        return this.#sink();
      },
    });
    onTestFinished(() => this.server.close());
  }

  async start(): Promise<this> {
    this.port = await this.server.listen();
    return this;
  }

  client(): RtmpClient {
    const client = new RtmpClient(this.port);
    onTestFinished(() => client.close());
    return client;
  }

  async publisher(): Promise<RtmpClient> {
    const client = this.client();
    await client.publish(GOOD_KEY);
    return client;
  }

  /** Bytes on a socket, and whether the server ended it. */
  raw(bytes: Buffer): { readonly socket: Socket; readonly ended: Promise<void> } {
    const socket = connect(this.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume();
    onTestFinished(() => void socket.destroy());
    if (bytes.length > 0) socket.write(bytes);
    const ended = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
    return { socket, ended };
  }

  #sink(): Sink {
    return {
      take: (message) =>
        this.#note((seen) => ({
          media: [...seen.media.slice(-3), message],
          messages: seen.messages + 1,
          bytes: seen.bytes + message.payload.length,
        })),
      close: (isMeant) =>
        this.#note((seen) => ({
          closed: seen.closed + 1,
          meant: seen.meant + (isMeant ? 1 : 0),
        })),
    };
  }

  #note(change: (seen: Seen) => Partial<Seen>): void {
    const seen = this.seen.value!;
    this.seen.set({ ...seen, ...change(seen) });
  }
}

export const ingest = (): Promise<Ingest> => new Ingest().start();
/** Handshake and `connect` of a client that does not wait for answers. */
export const greeting = (): Buffer =>
  Buffer.concat([
    beginHandshake('plain'),
    Buffer.alloc(ECHO_BYTES),
    writeCommand(0, 'connect', 1, amfObject({ app: 'live' })),
  ]);
export const codes = ({ statuses }: Pick<RtmpClientView, 'statuses'>): string[] =>
  statuses.map(({ code }) => code);
