import type { CallContext, Caller } from '#platform/contract/context.ts';
import { closeCodes } from '#platform/contract/sockets/wire.ts';
import type { Clock } from '#platform/data/clock.ts';
import { takeToken, type Bucket } from '#platform/time/token-bucket.ts';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { CLOSE_WAIT_MS, type FrameRate, type GatewayLimits } from '../limits.ts';
import type { Encoding, Encodings } from './encodings.ts';

/** One server-to-client text message (RFC 6455 §5.2: FIN, opcode 1, not masked), ready to write to many
 * sockets. */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const headerLength = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(headerLength + length);
  frame[0] = 0x81;
  if (headerLength === 2) frame[1] = length;
  else if (headerLength === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, headerLength);
  return frame;
}

const NO_COOKIE = (): null => null;
const NOTHING = (): void => undefined;

export type SocketKind = 'lobby' | 'room';

/** Options for opening a socket. */
export interface SocketOpening {
  readonly id: string;
  readonly kind: SocketKind;
  /** The room name in the socket's address; the topic is what admission turns it into. */
  readonly room: string | null;
  readonly context: CallContext;
  readonly ws: WebSocket;
  /** The connection below `ws`: pre-built frames are written to it directly, past the queue of `ws`. */
  readonly stream: Socket;
  readonly clock: Clock;
  readonly limits: GatewayLimits;
  readonly encodings: Encodings;
}

/** One live connection: its caller, its rate limit, and its unread bytes. */
export class LiveSocket {
  readonly id: string;
  readonly kind: SocketKind;
  readonly room: string | null;
  /** The upgrade request as a call would see it; after joining, only the parts that are still needed. */
  context: CallContext;
  /** `joined` once authorized and, on a room socket, admitted. */
  phase: 'fresh' | 'authorizing' | 'joined' | 'closed' = 'fresh';
  /** Null until a token was redeemed. */
  caller: Caller | null = null;
  topic: string | null = null;
  encoding: Encoding = 'plain';
  readonly #ws: WebSocket;
  readonly #stream: Socket;
  readonly #clock: Clock;
  readonly #limits: GatewayLimits;
  readonly #encodings: Encodings;
  readonly #timers = new Map<string, () => void>();
  #rate: FrameRate;
  /** Counted only here, because it protects this process and is checked for every frame. */
  #bucket: Bucket | null = null;
  #held: { readonly frames: Buffer[]; bytes: number } | null = null;
  #queued = 0;
  #tail: Promise<void> = Promise.resolve();

  constructor({ id, kind, room, context, ws, stream, clock, limits, encodings }: SocketOpening) {
    this.id = id;
    this.kind = kind;
    this.room = room;
    this.context = context;
    this.#ws = ws;
    this.#stream = stream;
    this.#clock = clock;
    this.#limits = limits;
    this.#encodings = encodings;
    this.#rate = limits.rates.guest;
  }

  get isOpen(): boolean {
    return this.phase !== 'closed' && this.#ws.readyState === this.#ws.OPEN;
  }

  /** Writes one built frame, or several in sequence. False when the reader lags too far and must be cut. */
  write(frames: Buffer): boolean {
    if (!this.isOpen) return true;
    if (this.#stream.writableLength > this.#limits.unreadBytes) return false;
    this.#stream.write(frames);
    return true;
  }

  get isHeld(): boolean {
    return this.#held !== null;
  }

  /**
   * Queues frames of channels until {@link release}, while earlier messages are still being looked up.
   * Messages sent in the meantime go out in one write, because sockets that reconnect as a crowd miss
   * hundreds of lines each.
   */
  hold(): void {
    this.#held = { frames: [], bytes: 0 };
    this.#stream.cork();
  }

  /** Writes the queued frames. False when they exceed what a reader may lag behind. */
  release(): boolean {
    const frames = this.#held?.frames ?? [];
    const isWritten = frames.length === 0 || this.write(Buffer.concat(frames));
    this.#letGo();
    return isWritten;
  }

  #letGo(): void {
    if (!this.#held) return;
    this.#held = null;
    this.#stream.uncork();
  }

  /** Like {@link write}, for frames of a channel. */
  deliver(frames: Buffer): boolean {
    const held = this.#held;
    if (!held) return this.write(frames);
    held.frames.push(frames);
    held.bytes += frames.length;
    return held.bytes <= this.#limits.unreadBytes;
  }

  /** Sends to this socket alone; `seq` when it is an entry of its topic's log. */
  send(name: string, payload: unknown, seq: number | null = null): boolean {
    return this.write(textFrame(this.#encodings.text(this.encoding, name, payload, seq)));
  }

  /** Compresses frames from now on; sends the templates first. */
  compress(): void {
    const introduction = this.#encodings.introduction();
    if (introduction.length === 0) return;
    this.write(Buffer.concat(introduction.map(textFrame)));
    this.encoding = 'compressed';
  }

  /** Drops the upgrade request, whose headers would stay in memory for as long as the socket does. */
  settle(): void {
    const { scope, origin, address, locale, region, caller, consent } = this.context;
    this.context = {
      scope,
      origin,
      address,
      locale,
      region,
      caller,
      consent,
      userAgent: '',
      bearer: null,
      idempotencyKey: null,
      ifMatch: null,
      range: null,
      file: null,
      raw: { query: '', headers: {} },
      csrf: null,
      cookie: NO_COOKIE,
      setCookie: NOTHING,
    };
  }

  /** Sets its rate from now on; messages already spent stay spent. */
  setRate(rate: FrameRate): void {
    const { left, atMs } = this.#bucket ?? { left: this.#rate.burst, atMs: this.#clock.now().getTime() };
    this.#bucket = { left: Math.max(0, left + rate.burst - this.#rate.burst), atMs };
    this.#rate = rate;
  }

  /** Takes one message from the token bucket; false when it is empty. */
  mayReceive(): boolean {
    const { bucket, waitMs } = takeToken(this.#bucket, this.#rate, this.#clock.now().getTime());
    this.#bucket = bucket;
    return waitMs === 0;
  }

  /**
   * Runs this socket's tasks one after the other. False when too many wait; `task` handles its own errors.
   */
  enqueue(task: () => Promise<void>): boolean {
    if (this.#queued >= this.#limits.queuedMessages) return false;
    this.#chain(task);
    return true;
  }

  /** Like {@link enqueue}, for a task that must run however many wait (leaving). */
  enqueueLast(task: () => Promise<void>): void {
    this.#chain(task);
  }

  #chain(task: () => Promise<void>): void {
    this.#queued += 1;
    this.#tail = this.#tail.then(task).finally(() => {
      this.#queued -= 1;
    });
  }

  /**
   * Starts a named timer of this socket, which replaces one of the same name. All timers end with the socket.
   */
  after(name: string, delayMs: number, task: () => void): void {
    this.cancel(name);
    this.#timers.set(name, this.#clock.after(`gateway.${name}`, delayMs, task));
  }

  cancel(name: string): void {
    this.#timers.get(name)?.();
    this.#timers.delete(name);
  }

  /** Closes with a code. Messages that still arrive are ignored, and after a second the connection is cut. */
  close(code: number): void {
    if (this.phase === 'closed') return;
    this.phase = 'closed';
    this.stopTimers();
    this.#letGo();
    this.#ws.close(code);
    // While the close is in flight, a flood stays in the kernel's buffers instead of being parsed.
    if (code === closeCodes.tooFast) this.#ws.pause();
    this.after('closeWait', CLOSE_WAIT_MS, () => this.cut());
  }

  /** Cuts the connection without a close frame: the peer does not read, or does not answer. */
  cut(): void {
    this.phase = 'closed';
    this.stopTimers();
    this.#ws.terminate();
  }

  /** Closes once everything written so far has been sent; for the end of the process. */
  closeAndFlush(code: number): void {
    this.phase = 'closed';
    this.stopTimers();
    this.#letGo();
    this.#ws.close(code);
    this.#stream.destroySoon();
  }

  /** Called also when the peer is gone. */
  stopTimers(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }
}
