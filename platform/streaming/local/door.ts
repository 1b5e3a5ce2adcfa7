import type { Clock } from '#platform/data/clock.ts';
import { rmdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { HELLO_TIMEOUT_MS, MAX_STRANGERS, TICKET_MS } from '../limits.ts';
import { FRAME, FrameReader, FrameTooLong, writeFrame, type FrameType } from './frames.ts';

/** The relay's end of a local session, once its process has connected. */
export interface LocalLine {
  /** Bytes the process has not read yet. */
  readonly queuedBytes: number;
  readonly send: (type: FrameType, payload?: Uint8Array) => void;
  /** Called each time the process has read everything. */
  readonly onDrained: (listener: () => void) => void;
  readonly close: () => void;
}

/** The session a ticket is for. */
export interface LocalGuest {
  /** The process connected. */
  readonly attach: (line: LocalLine) => void;
  /** Takes a frame and keeps its payload. False when no process of ours would send it. */
  readonly take: (type: number, payload: Buffer) => boolean;
  /** The connection is over. Called once, and only after `attach`. */
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
 * The local socket of a relay: admits processes of this machine that present the session id of a ticket. Any
 * other connection is closed: for junk at its first frame, for silence after a while, in crowds above a
 * limit.
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

  /** Rejects when the socket cannot be opened. Removes a file that a dead relay left there. */
  open(): Promise<void> {
    const { socketPath } = this.#options;
    if (isFile(socketPath)) rmSync(socketPath, { force: true });
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(socketPath, () => {
        this.#server.off('error', reject);
        // When a connection cannot be accepted, its process asks for another ticket.
        this.#server.on('error', () => undefined);
        resolve();
      });
    });
  }

  /** From now on, the first connection with this session id is this guest. */
  expect(session: string, guest: LocalGuest): void {
    this.#tickets.set(session, { guest, untilMs: this.#options.nowMs() + TICKET_MS });
  }

  /** Drops the ticket of a session that ended before its process connected. */
  forget(session: string): void {
    this.#tickets.delete(session);
  }

  /** Closes every connection and removes the file, and the directory with its last file. */
  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    const { socketPath } = this.#options;
    if (!isFile(socketPath)) return;
    rmSync(socketPath, { force: true });
    try {
      rmdirSync(dirname(socketPath));
    } catch {
      // The directory still has another relay's socket.
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
    // Errors of a connection end in `close`.
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
    // At once, dropping everything queued: a session that is cut gets nothing more.
    close: () => void socket.destroy(),
  };
}

/** Pipes of Windows have names of their own and no file. */
const isFile = (socketPath: string): boolean => !socketPath.startsWith('\\\\.\\pipe\\');
