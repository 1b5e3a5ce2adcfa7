import { AmfMalformed, type AmfObject, type AmfValue } from '../wire/rtmp/amf.ts';
import { ChunkReader, MESSAGE, RtmpViolation, type RtmpMessage } from '../wire/rtmp/rtmp-chunks.ts';
import {
  amfObject,
  answerUserControl,
  OUR_CHUNK_BYTES,
  readCommand,
  statusOf,
  WINDOW_BYTES,
  writeAcknowledgement,
  writeChunkSize,
  writeCommand,
  writePeerBandwidth,
  writeStatus,
  writeStreamBegin,
  writeWindowSize,
  type RtmpCommand,
} from '../wire/rtmp/rtmp-commands.ts';
import { answerHandshake, ECHO_BYTES, HELLO_BYTES, isRtmpVersion } from '../wire/rtmp/rtmp-handshake.ts';
import {
  MAX_BYTES_BEFORE_PUBLISH,
  MAX_COMMAND_BYTES,
  MAX_KEY_LENGTH,
  MAX_MESSAGE_BYTES,
  MAX_MESSAGES_BEFORE_PUBLISH,
} from './limits.ts';

export interface ConnectionEvents {
  readonly write: (bytes: Buffer) => void;
  /** The client asks to publish: nothing more is read until `admit` or `refuse`. */
  readonly publish: (key: string, app: string) => void;
  /** A message of video or audio of an admitted publisher, which may keep its payload. */
  readonly media: (message: RtmpMessage) => void;
  /** The connection is over; called once. Replies may follow. `isMeant` when a publisher said it stops. */
  readonly end: (isMeant: boolean) => void;
}

/** The id of the only message stream, given to every client. */
const STREAM = 1;
const VERSION = { fmsVer: 'FMS/3,5,3,824', capabilities: 31 } as const;
/** No control characters: they would end up in logs and forms. */
const PRINTABLE = /^[\x21-\x7e]+$/;

type Phase =
  /** Waiting for C0 and C1, then C2. */
  | 'hello'
  | 'echo'
  | 'commands'
  /** The stream key is being checked. */
  | 'asking'
  | 'publishing'
  | 'over';

/**
 * One RTMP client, without its socket: bytes in, replies and media out. A connection publishes once and has
 * no other use. It ends when the client does what no encoder does; an error thrown from here is our own.
 */
export class Connection {
  readonly #app: string;
  readonly #events: ConnectionEvents;
  readonly #chunks = new ChunkReader(MAX_COMMAND_BYTES);
  #phase: Phase = 'hello';
  #handshake = Buffer.alloc(0);
  #clientApp = '';
  #messages = 0;
  #received = 0;
  #acknowledged = 0;
  #windowBytes = WINDOW_BYTES;

  /** @param app the only application */
  constructor(app: string, events: ConnectionEvents) {
    this.#app = app;
    this.#events = events;
  }

  /** The handshake is done. */
  get shookHands(): boolean {
    return this.#phase !== 'hello' && this.#phase !== 'echo';
  }

  /** Messages of all kinds so far. */
  get messages(): number {
    return this.#messages;
  }

  push(bytes: Buffer): void {
    if (this.#phase === 'over') return;
    this.#received += bytes.length;
    try {
      const isStranger = this.#phase !== 'publishing' && this.#phase !== 'asking';
      if (isStranger && this.#received > MAX_BYTES_BEFORE_PUBLISH) throw new RtmpViolation('too much said');
      const rest = this.shookHands ? bytes : this.#shakeHands(bytes);
      if (rest) this.#chunks.push(rest);
      this.#read();
      this.#acknowledge();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The stream key is good: media may come. */
  admit(): void {
    if (this.#phase !== 'asking') return;
    this.#phase = 'publishing';
    this.#chunks.maxMessageBytes = MAX_MESSAGE_BYTES;
    this.#events.write(writeStreamBegin(STREAM));
    this.#status('status', 'NetStream.Publish.Start', 'Publishing.');
    try {
      this.#read();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The client may not publish, or no longer: it gets the reason, and the connection ends. */
  refuse(reason: string): void {
    if (this.#phase === 'over') return;
    this.#status('error', 'NetStream.Publish.BadName', reason);
    this.#end();
  }

  /** Its socket is gone. */
  close(): void {
    this.#end();
  }

  /** What follows the handshake in `bytes`, or null while the handshake goes on. */
  #shakeHands(bytes: Buffer): Buffer | null {
    this.#handshake = Buffer.concat([this.#handshake, bytes]);
    if (this.#phase === 'hello') {
      if (!isRtmpVersion(this.#handshake[0] ?? 0)) throw new RtmpViolation('no RTMP');
      if (this.#handshake.length < HELLO_BYTES) return null;
      this.#events.write(answerHandshake(this.#handshake));
      this.#handshake = this.#handshake.subarray(HELLO_BYTES);
      this.#phase = 'echo';
    }
    if (this.#handshake.length < ECHO_BYTES) return null;
    this.#phase = 'commands';
    const rest = this.#handshake.subarray(ECHO_BYTES);
    this.#handshake = Buffer.alloc(0);
    return rest;
  }

  #read(): void {
    while (this.#phase === 'commands' || this.#phase === 'publishing') {
      const message = this.#chunks.next();
      if (!message) return;
      this.#take(message);
    }
  }

  #take(message: RtmpMessage): void {
    const { type, payload } = message;
    this.#messages += 1;
    if (this.#phase === 'commands' && this.#messages > MAX_MESSAGES_BEFORE_PUBLISH) {
      throw new RtmpViolation('too many messages');
    }
    if (type === MESSAGE.command || type === MESSAGE.command3) return this.#command(readCommand(message));
    if (type === MESSAGE.audio || type === MESSAGE.video) {
      if (this.#phase !== 'publishing') throw new RtmpViolation('media before it is asked for');
      return this.#events.media(message);
    }
    if (type === MESSAGE.windowSize && payload.length >= 4) this.#windowBytes = payload.readUInt32BE(0);
    if (type !== MESSAGE.userControl) return;
    const answer = answerUserControl(payload);
    if (answer) this.#events.write(answer);
  }

  #command(command: RtmpCommand): void {
    const { name, transaction, values } = command;
    switch (name) {
      case 'connect':
        return this.#connect(transaction, values[0]);
      case 'createStream':
        return this.#reply('_result', transaction, null, STREAM);
      // Adobe's encoder and its successors wait for this one.
      case '_checkbw':
        return this.#reply('_result', transaction, null);
      case 'publish':
        return this.#publish(values[1], values[2]);
      case 'play':
      case 'play2':
        return this.#refusePlay();
      case 'FCUnpublish':
      case 'deleteStream':
      case 'closeStream':
        return this.#phase === 'publishing' ? this.#unpublish() : undefined;
      // releaseStream and FCPublish precede a publish; other commands are for servers that play.
      default:
        return;
    }
  }

  #connect(transaction: number, about: AmfValue): void {
    if (this.#clientApp !== '') throw new RtmpViolation('connected twice');
    const asked = about instanceof Map ? (about as AmfObject).get('app') : undefined;
    const app = typeof asked === 'string' ? asked.split('?', 1)[0]!.replace(/\/+$/, '') : '';
    if (app !== this.#app) {
      const reason = `There is only ${this.#app} here.`;
      this.#reply('_error', transaction, null, statusOf('error', 'NetConnection.Connect.InvalidApp', reason));
      return this.#end();
    }
    this.#clientApp = app;
    this.#events.write(Buffer.concat([
      writeWindowSize(WINDOW_BYTES),
      writePeerBandwidth(WINDOW_BYTES),
      writeChunkSize(OUR_CHUNK_BYTES),
    ]));
    const success = statusOf('status', 'NetConnection.Connect.Success', 'Connected.');
    this.#reply('_result', transaction, amfObject(VERSION), new Map([...success, ['objectEncoding', 0]]));
  }

  #publish(name: AmfValue, kind: AmfValue): void {
    if (this.#clientApp === '') throw new RtmpViolation('publishes before it connects');
    if (this.#phase === 'publishing') return this.refuse('This connection publishes already.');
    const key = typeof name === 'string' ? name.split('?', 1)[0]! : '';
    if (key.length > MAX_KEY_LENGTH || !PRINTABLE.test(key)) return this.refuse('This is no stream key.');
    if (kind !== undefined && kind !== null && kind !== 'live') return this.refuse('Only live is published.');
    this.#phase = 'asking';
    this.#events.publish(key, this.#clientApp);
  }

  #refusePlay(): void {
    this.#status('error', 'NetStream.Play.Failed', 'Nothing is played over RTMP.');
    this.#end();
  }

  #unpublish(): void {
    this.#status('status', 'NetStream.Unpublish.Success', 'Ended.');
    this.#end(true);
  }

  #reply(name: '_result' | '_error', transaction: number, ...values: readonly AmfValue[]): void {
    if (transaction !== 0) this.#events.write(writeCommand(0, name, transaction, ...values));
  }

  #status(level: 'status' | 'error', code: string, description: string): void {
    this.#events.write(writeStatus(STREAM, statusOf(level, code, description)));
  }

  /** Once per window of bytes, and at most once per read, whatever window the client asked for. */
  #acknowledge(): void {
    if (this.#phase === 'over' || !this.shookHands) return;
    if (this.#received - this.#acknowledged < this.#windowBytes) return;
    this.#acknowledged = this.#received;
    this.#events.write(writeAcknowledgement(this.#received));
  }

  #fail(error: unknown): void {
    this.#end();
    if (!(error instanceof RtmpViolation) && !(error instanceof AmfMalformed)) throw error;
  }

  #end(isMeant = false): void {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.#handshake = Buffer.alloc(0);
    this.#events.end(isMeant);
  }
}
