import { rmdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Clock } from '#platform/data/clock.ts';
import { HELLO_TIMEOUT_MS, MAX_STRANGERS, TICKET_MS } from '../limits.ts';
import { FRAME, FrameReader, FrameTooLong, writeFrame, type FrameType } from './frames.ts';

/** The relay's end of a local session, once its process is there. */
export interface LocalLine {
  /** Bytes the process has not taken yet. */
  readonly queuedBytes: number;
  readonly send: (type: FrameType, payload?: Uint8Array) => void;
  /** Called each time the process has taken everything. */
  readonly onDrained: (listener: () => void) => void;
  readonly close: () => void;
}

/** What a ticket is good for. */
export interface LocalGuest {
  /** The process came. */
  readonly attach: (line: LocalLine) => void;
  /** A frame of it; the payload is the receiver's to keep. False when no process of ours would send it. */
  readonly take: (type: number, payload: Buffer) => boolean;
  /** The connection is over; said once, and only after `attach`. */
  readonly gone: () => void;
}

export interface LocalDoorOptions {
  /** A file in a directory only this user can open, or the name of a pipe. */
  readonly socketPath: string;
  readonly clock: Clock;
  readonly nowMs: () => number;
}

interface Ticket {
  readonly guest: LocalGuest;
  readonly untilMs: number;
}

/**
 * The local socket of a relay: lets processes of this machine in that show a session id somebody waits for.
 * Whatever else connects is closed: junk at its first frame, silence after a while, crowds beyond a bound.
 */
export class LocalDoor {
  readonly #options: LocalDoorOptions;
  readonly #server: Server;
  readonly #tickets = new Map<string, Ticket>();
  readonly #sockets = new Set<Socket>();
  #strangers = 0;

  constructor(options: LocalDoorOptions) {
    this.#options = options;
    this.#server = createServer((socket) => this.#meet(socket));
  }

  /** Rejects when the socket cannot be made. A file a dead relay left there is removed. */
  open(): Promise<void> {
    const { socketPath } = this.#options;
    if (isFile(socketPath)) rmSync(socketPath, { force: true });
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(socketPath, () => {
        this.#server.off('error', reject);
        // A connection that fails to be accepted is the caller's trouble, who asks for another ticket.
        this.#server.on('error', () => undefined);
        resolve();
      });
    });
  }

  /** From now on, once, whoever says this session id is this guest. */
  expect(session: string, guest: LocalGuest): void {
    this.#tickets.set(session, { guest, untilMs: this.#options.nowMs() + TICKET_MS });
  }

  /** The session is over before anybody came for it. */
  forget(session: string): void {
    this.#tickets.delete(session);
  }

  /** Closes every connection and removes the file, and its directory with the last one. */
  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    const { socketPath } = this.#options;
    if (!isFile(socketPath)) return;
    rmSync(socketPath, { force: true });
    try {
      rmdirSync(dirname(socketPath));
    } catch {
      // Another relay's socket is still in it.
    }
  }

  #meet(socket: Socket): void {
    if (this.#strangers >= MAX_STRANGERS) {
      socket.destroy();
      return;
    }
    this.#strangers += 1;
    this.#sockets.add(socket);
    let guest: LocalGuest | null = null;
    let isStranger = true;
    const cancel = this.#options.clock.after('local hello', HELLO_TIMEOUT_MS, () => socket.destroy());
    const known = (): void => {
      if (!isStranger) return;
      isStranger = false;
      this.#strangers -= 1;
      cancel();
    };
    const frames = new FrameReader((type, payload) => {
      if (socket.destroyed) return;
      if (guest) {
        if (!guest.take(type, payload)) socket.destroy();
        return;
      }
      guest = type === FRAME.hello ? this.#claim(payload) : null;
      if (!guest) return void socket.destroy();
      known();
      guest.attach(lineOf(socket));
    });
    socket.on('data', (chunk) => {
      try {
        frames.push(chunk);
      } catch (error) {
        if (!(error instanceof FrameTooLong)) throw error;
        socket.destroy();
      }
    });
    // What went wrong with a connection says `close`.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      known();
      this.#sockets.delete(socket);
      guest?.gone();
    });
  }

  #claim(hello: Buffer): LocalGuest | null {
    const session = hello.toString('latin1');
    const ticket = this.#tickets.get(session);
    this.#tickets.delete(session);
    return ticket && this.#options.nowMs() <= ticket.untilMs ? ticket.guest : null;
  }
}

function lineOf(socket: Socket): LocalLine {
  return {
    get queuedBytes() {
      return socket.writableLength;
    },
    send: (type, payload) => {
      if (!socket.destroyed) socket.write(writeFrame(type, payload));
    },
    onDrained: (listener) => void socket.on('drain', listener),
    // At once, with all that is queued: who is cut gets nothing more.
    close: () => void socket.destroy(),
  };
}

/** Pipes of Windows have names of their own and no file. */
const isFile = (socketPath: string): boolean => !socketPath.startsWith('\\\\.\\pipe\\');
