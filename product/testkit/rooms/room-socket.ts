import type { AnyEvent, PayloadOf } from '#platform/contract/event.ts';
import { decodeFrame, encodeFrame, type Frame } from '#platform/contract/sockets/frame.ts';
import { authorize, authorizeSuccess, ping, pong } from '#platform/contract/sockets/lobby.ts';
import { systemClock } from '#platform/data/clock.ts';
import { chatMessage, sayInChat } from '#product/rooms/contract.ts';
import WebSocket from 'ws';

/** A message takes milliseconds: one that takes this long never comes. */
const WAIT_LIMIT_MS = 20_000;

interface Waiting {
  readonly matches: (frame: Frame) => boolean;
  readonly resolve: (frame: Frame) => void;
}

/** A real socket over loopback that stores what it receives. */
export class TestSocket {
  /** All frames received, in order. */
  readonly events: Frame[] = [];
  /** Close code once closed. */
  closeCode: number | null = null;
  readonly #ws: WebSocket;
  readonly #waiting = new Set<Waiting>();
  readonly #closed: Promise<number>;

  private constructor(ws: WebSocket) {
    this.#ws = ws;
    ws.on('message', (data: Buffer) => this.#receive(data.toString('utf8')));
    this.#closed = new Promise((resolve) => {
      ws.once('close', (code) => {
        this.closeCode = code;
        resolve(code);
      });
    });
  }

  /** Opens a socket without authorizing it. Rejects when the upgrade is refused. */
  static async open(url: string, headers: Readonly<Record<string, string>>): Promise<TestSocket> {
    const ws = new WebSocket(url, { headers });
    const socket = new TestSocket(ws);
    await new Promise<void>((resolve, reject) => {
      ws.once('open', resolve);
      ws.once('error', reject);
    });
    return socket;
  }

  /** Authorizes with a node token, and waits for the server's success event. */
  async authorizes(token: string, version: string): Promise<void> {
    this.send(authorize, { token, version });
    await this.waitFor(authorizeSuccess);
  }

  send<E extends AnyEvent>(event: E, payload: PayloadOf<E>): void {
    this.#ws.send(encodeFrame(event.name, payload));
  }

  /** Any text, for attacks. */
  sendRaw(text: string): void {
    this.#ws.send(text);
  }

  /** Payloads of an event received so far. */
  received<E extends AnyEvent>(event: E): PayloadOf<E>[] {
    return this.events
      .filter(({ name }) => name === event.name)
      .map(({ payload }) => payload as PayloadOf<E>);
  }

  /** The first payload of an event that matches, already received or later. Rejects after 20 s. */
  async waitFor<E extends AnyEvent>(
    event: E,
    fits: (payload: PayloadOf<E>) => boolean = () => true,
  ): Promise<PayloadOf<E>> {
    const matches = ({ name, payload }: Frame): boolean =>
      name === event.name && fits(payload as PayloadOf<E>);
    const known = this.events.find(matches);
    if (known) return known.payload as PayloadOf<E>;
    const coming = new Promise<Frame>((resolve) => {
      this.#waiting.add({ matches, resolve });
    });
    return (await this.#within(event.name, coming)).payload as PayloadOf<E>;
  }

  /**
   * Says a line, and waits until this socket and the others have received it: an event that was sent before
   * and hasn't arrived by then never will.
   */
  async settles(line: string, ...others: TestSocket[]): Promise<void> {
    this.send(sayInChat, { message: line });
    for (const socket of [this, ...others]) {
      await socket.waitFor(chatMessage, ({ message }) => message === line);
    }
  }

  /** The close code, once the server has closed the socket. */
  closing(): Promise<number> {
    return this.#within('close', this.#closed);
  }

  /** Leaves, and waits until the socket is closed. */
  async leaves(): Promise<void> {
    this.#ws.close();
    await this.#closed;
  }

  async #within<T>(what: string, coming: Promise<T>): Promise<T> {
    let stop = (): void => {};
    const late = new Promise<never>((_resolve, reject) => {
      stop = systemClock.after('wait', WAIT_LIMIT_MS, () => {
        const received = this.events.map(({ name }) => name).join(', ') || 'nothing';
        reject(new Error(`${what} did not come; received ${received}`));
      });
    });
    return Promise.race([coming, late]).finally(stop);
  }

  #receive(text: string): void {
    const frame = decodeFrame(text);
    if (!frame) throw new Error(`the server sent no frame: ${text}`);
    this.events.push(frame);
    // As every client does: otherwise the server closes sockets after some seconds.
    if (frame.name === ping.name) this.send(pong, {});
    for (const waiting of this.#waiting) {
      if (!waiting.matches(frame)) continue;
      this.#waiting.delete(waiting);
      waiting.resolve(frame);
    }
  }
}

/** Waits until everything sent before has arrived: anything still missing then will never arrive. */
export function settling(): (speaker: TestSocket, ...listeners: TestSocket[]) => Promise<void> {
  let marks = 0;
  return async (speaker, ...listeners) => {
    marks += 1;
    await speaker.settles(`mark ${marks}`, ...listeners);
  };
}
