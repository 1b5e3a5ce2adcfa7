import { connect, type Socket } from 'node:net';
import { Watched } from '../signals/watched.ts';

export interface RawView {
  readonly connected: boolean;
  readonly bytes: number;
  readonly closed: boolean;
}

/** A connection to a local socket that sends and reads whatever a test wants. */
export class RawLine {
  readonly seen = new Watched<RawView>();
  readonly #socket: Socket;
  #view: RawView = { connected: false, bytes: 0, closed: false };

  constructor(socketPath: string) {
    this.#socket = connect(socketPath);
    this.#socket.on('connect', () => this.#set({ connected: true }));
    this.#socket.on('data', (chunk) => this.#set({ bytes: this.#view.bytes + chunk.length }));
    // The relay may close a line in the middle of a frame: `close` reports that.
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => this.#set({ closed: true }));
    this.#set({});
  }

  say(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** Stops reading. */
  stopReading(): void {
    this.#socket.pause();
  }

  close(): void {
    this.#socket.destroy();
  }

  #set(change: Partial<RawView>): void {
    this.#view = { ...this.#view, ...change };
    this.seen.set(this.#view);
  }
}
