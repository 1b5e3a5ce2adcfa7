import type { ClientEvent, PayloadOf } from '#platform/contract/event.ts';
import * as protocol from '#platform/contract/sockets/client.ts';
import { encodeFrame, type Frame } from '#platform/contract/sockets/frame.ts';
import type {
  Connection,
  ConnectionPhase,
  LiveClientOptions,
  OpenSocket,
} from '#platform/contract/sockets/socket-client.ts';
import { TemplateBook } from '#platform/contract/sockets/templates.ts';
import { PING_EVERY_MS, PONG_WAIT_MS } from '#platform/contract/sockets/wire.ts';
import { CLIENT_TIMERS } from './timers.ts';

type Handler = (payload: never, seq: number | null) => void;

/** One authorized socket at a time, with its handlers and watchers, which outlive the socket. */
export class Link implements Connection {
  /**
   * Called when the socket was lost without {@link shut}; `code` is the server's close code. The owner of the
   * link sets the next phase.
   */
  onLost: (code: number) => void = () => undefined;
  /** Decides whether a frame reaches its handlers; false leaves it out. */
  accept: (frame: Frame) => boolean = () => true;
  /** Additional fields that a room sends with `v3.authorize`. */
  asks: () => Partial<PayloadOf<typeof protocol.authorize>> = () => ({});
  readonly #options: LiveClientOptions;
  readonly #room: string | null;
  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #watchers = new Set<(phase: ConnectionPhase) => void>();
  readonly #timers = new Map<string, () => void>();
  #book = new TemplateBook();
  #phase: ConnectionPhase = 'none';
  #socket: ReturnType<OpenSocket> | null = null;
  #failedCode: string | null = null;
  /** Counts sockets, so that late messages of a former one are ignored. */
  #turn = 0;

  /** @param room the room's name, null for the lobby */
  constructor(options: LiveClientOptions, room: string | null) {
    this.#options = options;
    this.#room = room;
    this.on(protocol.authorizeSuccess, () => {
      this.#failedCode = null;
      this.#cancel('answer');
      this.#pingLater();
      this.setPhase('joined');
    });
    this.on(protocol.authorizeFailed, ({ code }) => {
      if (code === this.#failedCode) return;
      this.#failedCode = code;
      options.onFailed?.(code, room);
    });
    this.on(protocol.ping, () => this.#write(protocol.pong, {}));
    this.on(protocol.pong, () => this.#cancel('pong'));
    this.on(protocol.templates, ({ templates }) => this.#book.learnTemplates(templates));
    this.on(protocol.events, ({ events }) => this.#book.learnEvents(events));
  }

  /** Why the last socket was not authorized; null once one was. */
  get failedCode(): string | null {
    return this.#failedCode;
  }

  readonly phase = (): ConnectionPhase => this.#phase;

  readonly watch = (listener: (phase: ConnectionPhase) => void): () => void => {
    this.#watchers.add(listener);
    return () => void this.#watchers.delete(listener);
  };

  readonly on = <E extends ClientEvent>(
    event: E,
    handler: (payload: PayloadOf<E>, seq: number | null) => void,
  ): () => void => {
    const handlers = this.#handlers.get(event.name) ?? new Set();
    this.#handlers.set(event.name, handlers.add(handler));
    return () => void handlers.delete(handler);
  };

  readonly send = <E extends ClientEvent>(event: E, payload: PayloadOf<E>): boolean => {
    if (this.#phase !== 'joined') return false;
    this.#write(event, payload);
    return true;
  };

  setPhase(phase: ConnectionPhase): void {
    if (phase === this.#phase) return;
    this.#phase = phase;
    for (const watcher of this.#watchers) watcher(phase);
  }

  /** Opens a socket that replaces the one before. */
  open(url: string): void {
    this.shut('connecting');
    this.#book = new TemplateBook();
    const turn = this.#turn;
    const isMine = (): boolean => turn === this.#turn;
    this.#after('answer', CLIENT_TIMERS.answerWaitMs, () => this.#lose(0));
    this.#socket = this.#options.open(url, {
      opened: () => void this.#authorize(isMine),
      message: (text) => {
        if (isMine()) this.#receive(text);
      },
      closed: (code) => {
        if (isMine()) this.#lose(code);
      },
    });
  }

  /** Closes the socket and ignores its late messages. */
  shut(phase: ConnectionPhase): void {
    this.#drop();
    this.setPhase(phase);
  }

  #drop(): void {
    this.#turn += 1;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #lose(code: number): void {
    this.#drop();
    this.onLost(code);
  }

  async #authorize(isMine: () => boolean): Promise<void> {
    try {
      const token = await this.#options.token();
      if (!isMine()) return;
      this.setPhase('sent');
      this.#write(protocol.authorize, { token, version: this.#options.version, ...this.asks() });
    } catch {
      // Without a token there is no connection: the retry requests another token.
      if (isMine()) this.#lose(0);
    }
  }

  /** Unreadable messages and handlers that throw are reported and skipped; the other handlers still run. */
  #receive(text: string): void {
    const reading = this.#book.read(text);
    if ('error' in reading) return this.#report(reading.error, this.#room);
    const { frame } = reading;
    if (!this.accept(frame)) return undefined;
    for (const handler of this.#handlers.get(frame.name) ?? []) {
      try {
        handler(frame.payload as never, frame.seq);
      } catch (error) {
        this.#report('handler', error);
      }
    }
    return undefined;
  }

  #report(...problem: Parameters<NonNullable<LiveClientOptions['report']>>): void {
    this.#options.report?.(...problem);
  }

  #pingLater(): void {
    this.#after('ping', PING_EVERY_MS, () => {
      this.#after('pong', PONG_WAIT_MS, () => {
        this.#report('noPong', this.#room ?? 'lobby');
        this.#lose(0);
      });
      this.#write(protocol.ping, {});
      this.#pingLater();
    });
  }

  #write<E extends ClientEvent>(event: E, payload: PayloadOf<E>): void {
    this.#socket?.send(encodeFrame(event.name, payload));
  }

  #after(name: string, delayMs: number, task: () => void): void {
    this.#cancel(name);
    this.#timers.set(name, this.#options.time.after(`socket.${name}`, delayMs, task));
  }

  #cancel(name: string): void {
    this.#timers.get(name)?.();
    this.#timers.delete(name);
  }
}
