import { connect, type Socket } from 'node:net';
import { AmfMalformed, type AmfObject, type AmfValue } from '../../wire/rtmp/amf.ts';
import { ChunkReader, MESSAGE, writeMessage, type RtmpMessage } from '../../wire/rtmp/rtmp-chunks.ts';
import {
  amfObject,
  readCommand,
  writeChunkSize,
  writeCommand,
  type RtmpCommand,
} from '../../wire/rtmp/rtmp-commands.ts';
import { beginHandshake, ECHO_BYTES, HELLO_BYTES, isSignedByServer } from '../../wire/rtmp/rtmp-handshake.ts';
import { Watched } from '../signals/watched.ts';

export interface RtmpClientView {
  readonly shookHands: boolean;
  /** The server's S1 had a digest. */
  readonly isSigned: boolean;
  /** Codes of all statuses and errors, in order, with their descriptions. */
  readonly statuses: readonly { readonly code: string; readonly description: string }[];
  /** Names of all commands, with their transactions. */
  readonly replies: readonly { readonly name: string; readonly transaction: number }[];
  /** Types of all other messages. */
  readonly messages: readonly number[];
  readonly closed: boolean;
}

const MAX_REPLY_BYTES = 64 * 1024;
const MAX_WAITING_TAGS = 1_000;
const CHUNK_BYTES = 4_096;
const MEDIA_CHUNK_STREAM = { [MESSAGE.video]: 6, [MESSAGE.audio]: 4 } as const;
const STREAM = 1;

/** An encoder on the wire, for tests and load: sends what a test asks for and records what it receives. */
export class RtmpClient {
  readonly seen = new Watched<RtmpClientView>();
  readonly #socket: Socket;
  readonly #chunks = new ChunkReader(MAX_REPLY_BYTES);
  #handshake = Buffer.alloc(0);
  #view: RtmpClientView = {
    shookHands: false,
    isSigned: false,
    statuses: [],
    replies: [],
    messages: [],
    closed: false,
  };

  constructor(port: number, localAddress = '127.0.0.1') {
    this.seen.set(this.#view);
    this.#socket = connect({ port, host: '127.0.0.1', localAddress });
    this.#socket.setNoDelay(true);
    // Each picture that waits for room listens.
    this.#socket.setMaxListeners(MAX_WAITING_TAGS);
    this.#socket.on('data', (bytes) => this.#onMessage(bytes));
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => this.#notify({ closed: true }));
  }

  /** Sends these bytes unchanged. */
  sendRaw(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  async shakeHands(form: 'plain' | 'digest' = 'plain'): Promise<void> {
    this.sendRaw(beginHandshake(form));
    await this.seen.until('handshake', (view) => view.shookHands || view.closed);
  }

  command(stream: number, name: string, transaction: number, ...values: readonly AmfValue[]): void {
    this.sendRaw(writeCommand(stream, name, transaction, ...values));
  }

  /** Sends the commands of OBS and ffmpeg up to `publish`. */
  async publish(key: string, app = 'live'): Promise<RtmpClientView> {
    if (!this.#view.shookHands) await this.shakeHands();
    this.sendRaw(writeChunkSize(CHUNK_BYTES));
    this.command(0, 'connect', 1, amfObject({ app, type: 'nonprivate', tcUrl: `rtmp://127.0.0.1/${app}` }));
    await this.replied(1);
    this.command(0, 'releaseStream', 2, null, key);
    this.command(0, 'FCPublish', 3, null, key);
    this.command(0, 'createStream', 4, null);
    await this.replied(4);
    this.command(STREAM, 'publish', 5, null, key, 'live');
    return this.seen.until('a status', (view) => view.closed || view.statuses.length > 1);
  }

  /** Waits for the answer to a transaction, or for the end. */
  replied(transaction: number): Promise<RtmpClientView> {
    return this.seen.until(
      `reply ${transaction}`,
      (view) => view.closed || view.replies.some((reply) => reply.transaction === transaction),
    );
  }

  /** Sends one tag of video or audio. Resolves when the socket has room for more. */
  send(type: typeof MESSAGE.video | typeof MESSAGE.audio, timestamp: number, payload: Buffer): Promise<void> {
    const message = { chunkStream: MEDIA_CHUNK_STREAM[type], type, stream: STREAM, timestamp, payload };
    if (this.#socket.write(writeMessage(message, CHUNK_BYTES))) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.#socket.off('drain', done);
        this.#socket.off('close', done);
        resolve();
      };
      this.#socket.on('drain', done);
      this.#socket.on('close', done);
    });
  }

  closed(): Promise<RtmpClientView> {
    return this.seen.until('closed', (view) => view.closed);
  }

  close(): void {
    this.#socket.destroy();
  }

  #notify(change: Partial<RtmpClientView>): void {
    this.#view = { ...this.#view, ...change };
    this.seen.set(this.#view);
  }

  #onMessage(bytes: Buffer): void {
    if (this.#view.shookHands) return this.#read(bytes);
    this.#handshake = Buffer.concat([this.#handshake, bytes]);
    if (this.#handshake.length < HELLO_BYTES + ECHO_BYTES) return;
    const s1 = this.#handshake.subarray(1, HELLO_BYTES);
    this.sendRaw(s1);
    this.#notify({ shookHands: true, isSigned: isSignedByServer(s1) });
    this.#read(this.#handshake.subarray(HELLO_BYTES + ECHO_BYTES));
  }

  #read(bytes: Buffer): void {
    this.#chunks.push(bytes);
    for (let message = this.#chunks.next(); message; message = this.#chunks.next()) this.#take(message);
  }

  #take(message: RtmpMessage): void {
    if (message.type !== MESSAGE.command) {
      return this.#notify({ messages: [...this.#view.messages, message.type] });
    }
    const command = readCommand(message);
    const { name, transaction } = command;
    this.#notify({
      replies: [...this.#view.replies, { name, transaction }],
      statuses: [...this.#view.statuses, ...statusIn(command)],
    });
  }
}

function statusIn({ values }: RtmpCommand): RtmpClientView['statuses'] {
  const info = values[1];
  if (!(info instanceof Map)) return [];
  const [code, description] = ['code', 'description'].map((name) => (info as AmfObject).get(name));
  if (typeof code !== 'string' || typeof description !== 'string') throw new AmfMalformed('no status');
  return [{ code, description }];
}
