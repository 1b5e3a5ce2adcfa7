import type { AnyEvent, PayloadOf } from './event.ts';
import { decodeFrame, encodeFrame } from './frame.ts';
import * as protocol from './lobby.ts';

/** A lost lobby is tried again after this; every 100 ms while it says that it restarts, for 30 s. */
const LOBBY_RETRY_MS = 1_000;
const RESTARTING_RETRY_MS = 100;
const RESTARTING_FOR_MS = 30_000;
/** A lost room waits a random first time, so that a full room does not come back in one wave, then twice as
 * long. */
const ROOM_BACKOFF_FIRST_MS = { least: 50, most: 300 } as const;
const ROOM_BACKOFF_MOST_MS = 3_000;
/** An address of a room or an answer to `v3.authorize` that does not come is asked for again. */
const ANSWER_WAIT_MS = 10_000;
/** After a lobby outage this long, rooms are joined anew, a little after the lobby is back. */
const LONG_OUTAGE_MS = 300_000;
const REJOIN_AFTER_OUTAGE_MS = 1_500;

/** What a connection tells its owner. `closed` comes once, also when the socket never opened. */
export interface SocketHandlers {
  readonly opened: () => void;
  readonly message: (text: string) => void;
  readonly closed: (code: number) => void;
}
/** A WebSocket, whoever makes it: the browser, or `ws` in Node. */
export type OpenSocket = (url: string, handlers: SocketHandlers) => {
  readonly send: (text: string) => void;
  readonly close: () => void;
};

/** Time and chance; a `Clock` has the first two. */
export interface ClientTime {
  readonly now: () => Date;
  readonly after: (name: string, delayMs: number, task: () => void) => () => void;
  /** 0 up to 1. */
  readonly random: () => number;
}

export interface LiveClientOptions {
  readonly open: OpenSocket;
  readonly time: ClientTime;
  /** `wss://host/ws/lobby` */
  readonly lobbyUrl: string;
  readonly version: string;
  /** A fresh node_token (GET /user/current); each socket spends one. */
  readonly token: () => Promise<string>;
}

/** Spec 3 §4: none, discovery, connecting, sent (authorize), joined; `refused` is final until joined anew. */
export type ConnectionPhase = 'none' | 'discovery' | 'connecting' | 'sent' | 'joined' | 'refused';

export interface Connection {
  readonly phase: () => ConnectionPhase;
  /** Calls on every change of phase. Returns its end. */
  readonly watch: (listener: (phase: ConnectionPhase) => void) => () => void;
  /** Hears an event; `seq` is its place in the topic, null beside topics. Returns its end. */
  readonly on: <E extends AnyEvent>(
    event: E, handler: (payload: PayloadOf<E>, seq: number | null) => void,
  ) => () => void;
  /** False when the connection is not joined: nothing was sent, nothing waits. */
  readonly send: <E extends AnyEvent>(event: E, payload: PayloadOf<E>) => boolean;
}

export interface RoomConnection extends Connection {
  /** Why the server refused the room; null while it has not. */
  readonly refusedCode: () => string | null;
  readonly leave: () => void;
}

/** The first wait doubled per failed attempt, at most 3 s. `chance` is 0 up to 1. */
function roomBackoffMs(attempt: number, chance: number): number {
  const { least, most } = ROOM_BACKOFF_FIRST_MS;
  return Math.min(ROOM_BACKOFF_MOST_MS, (least + chance * (most - least)) * 2 ** attempt);
}

/**
 * The client side of lobby and rooms: discovers, authorizes with a fresh token per socket, answers and sends
 * pings, and comes back by itself (readings.md, Sockets). Knows no platform: sockets, time and chance are
 * given.
 */
export class LiveClient {
  readonly lobby: Connection;
  readonly #options: LiveClientOptions;
  readonly #link: Link;
  readonly #rooms = new Set<Room>();
  #cancelRetry: () => void = () => undefined;
  #cancelRejoin: () => void = () => undefined;
  #restartingUntilMs = 0;
  #lostAtMs: number | null = null;

  constructor(options: LiveClientOptions) {
    this.#options = options;
    this.#link = new Link(options);
    this.lobby = this.#link;
    this.#link.on(protocol.lobbyRestarting, () => {
      this.#restartingUntilMs = this.#nowMs() + RESTARTING_FOR_MS;
    });
    this.#link.onLost = () => this.#lost();
    this.#link.watch((phase) => {
      if (phase === 'joined') this.#joined();
    });
  }

  /** Connects the lobby. */
  start(): void {
    this.#link.open(this.#options.lobbyUrl);
  }

  /** Leaves every room and the lobby. */
  stop(): void {
    this.#cancelRetry();
    this.#cancelRejoin();
    for (const room of this.#rooms) room.leave();
    this.#link.shut('none');
  }

  /** Joins a room now or as soon as the lobby is there, and again after every loss. */
  join(name: string): RoomConnection {
    const room: Room = new Room(name, this.#options, this.#link, () => this.#rooms.delete(room));
    this.#rooms.add(room);
    room.discover();
    return room;
  }

  #nowMs(): number {
    return this.#options.time.now().getTime();
  }

  #lost(): void {
    this.#lostAtMs ??= this.#nowMs();
    const isRestarting = this.#nowMs() < this.#restartingUntilMs;
    const waitMs = isRestarting ? RESTARTING_RETRY_MS : LOBBY_RETRY_MS;
    this.#cancelRetry = this.#options.time.after('lobby.retry', waitMs, () => this.start());
  }

  #joined(): void {
    const lostForMs = this.#lostAtMs === null ? 0 : this.#nowMs() - this.#lostAtMs;
    this.#lostAtMs = null;
    this.#restartingUntilMs = 0;
    for (const room of this.#rooms) room.lobbyJoined();
    if (lostForMs <= LONG_OUTAGE_MS) return;
    this.#cancelRejoin = this.#options.time.after('lobby.rejoin', REJOIN_AFTER_OUTAGE_MS, () => {
      for (const room of this.#rooms) room.rejoin();
    });
  }
}

type Handler = (payload: never, seq: number | null) => void;

/** One authorized socket at a time, and who listens to it; handlers and watchers outlive the socket. */
class Link implements Connection {
  /** The socket is gone without being shut; `code` is the server's close code. */
  onLost: (code: number) => void = () => undefined;
  readonly #options: LiveClientOptions;
  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #watchers = new Set<(phase: ConnectionPhase) => void>();
  readonly #timers = new Map<string, () => void>();
  #phase: ConnectionPhase = 'none';
  #socket: ReturnType<OpenSocket> | null = null;
  /** Counts sockets, so that what a former one still says is not heard. */
  #turn = 0;

  constructor(options: LiveClientOptions) {
    this.#options = options;
    this.on(protocol.authorizeSuccess, () => {
      this.#cancel('answer');
      this.#pingLater();
      this.setPhase('joined');
    });
    this.on(protocol.ping, () => this.#write(protocol.pong, {}));
    this.on(protocol.pong, () => this.#cancel('pong'));
  }

  readonly phase = (): ConnectionPhase => this.#phase;

  readonly watch = (listener: (phase: ConnectionPhase) => void): (() => void) => {
    this.#watchers.add(listener);
    return () => void this.#watchers.delete(listener);
  };

  readonly on = <E extends AnyEvent>(
    event: E, handler: (payload: PayloadOf<E>, seq: number | null) => void,
  ): (() => void) => {
    const handlers = this.#handlers.get(event.name) ?? new Set();
    this.#handlers.set(event.name, handlers.add(handler));
    return () => void handlers.delete(handler);
  };

  readonly send = <E extends AnyEvent>(event: E, payload: PayloadOf<E>): boolean => {
    if (this.#phase !== 'joined') return false;
    this.#write(event, payload);
    return true;
  };

  setPhase(phase: ConnectionPhase): void {
    if (phase === this.#phase) return;
    this.#phase = phase;
    for (const watcher of this.#watchers) watcher(phase);
  }

  /** Opens a socket in place of the one before. */
  open(url: string): void {
    this.shut('connecting');
    const turn = this.#turn;
    const isMine = (): boolean => turn === this.#turn;
    this.#after('answer', ANSWER_WAIT_MS, () => this.#lose(0));
    this.#socket = this.#options.open(url, {
      opened: () => void this.#authorize(isMine),
      message: (text) => {
        if (isMine()) this.#hear(text);
      },
      closed: (code) => {
        if (isMine()) this.#lose(code);
      },
    });
  }

  /** Closes the socket, if any, on purpose. */
  shut(phase: ConnectionPhase): void {
    this.#turn += 1;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    this.setPhase(phase);
  }

  #lose(code: number): void {
    this.shut('none');
    this.onLost(code);
  }

  async #authorize(isMine: () => boolean): Promise<void> {
    try {
      const token = await this.#options.token();
      if (!isMine()) return;
      this.setPhase('sent');
      this.#write(protocol.authorize, { token, version: this.#options.version });
    } catch {
      // No token, no connection: the retry asks for another.
      if (isMine()) this.#lose(0);
    }
  }

  /** What cannot be read, or nobody listens to, is left out (spec 3 §8). */
  #hear(text: string): void {
    const frame = decodeFrame(text);
    if (!frame) return;
    for (const handler of this.#handlers.get(frame.name) ?? []) handler(frame.payload as never, frame.seq);
  }

  #pingLater(): void {
    this.#after('ping', protocol.PING_EVERY_MS, () => {
      this.#write(protocol.ping, {});
      this.#after('pong', protocol.PONG_WAIT_MS, () => this.#lose(0));
      this.#pingLater();
    });
  }

  #write<E extends AnyEvent>(event: E, payload: PayloadOf<E>): void {
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

/** A room: finds its address through the lobby, then holds a link of its own. */
class Room implements RoomConnection {
  readonly on: Connection['on'];
  readonly send: Connection['send'];
  readonly phase: Connection['phase'];
  readonly watch: Connection['watch'];
  readonly #name: string;
  readonly #link: Link;
  readonly #lobby: Link;
  readonly #time: ClientTime;
  readonly #onLeave: () => void;
  readonly #stopDiscovered: () => void;
  #cancelWait: () => void = () => undefined;
  #attempt = 0;
  #refusedCode: string | null = null;

  constructor(name: string, options: LiveClientOptions, lobby: Link, onLeave: () => void) {
    const link = new Link(options);
    this.#name = name;
    this.#link = link;
    this.#lobby = lobby;
    this.#time = options.time;
    this.#onLeave = onLeave;
    this.on = link.on;
    this.send = link.send;
    this.phase = link.phase;
    this.watch = link.watch;
    link.on(protocol.authorizeFailed, ({ code }) => {
      this.#refusedCode = code;
    });
    link.watch((phase) => {
      if (phase === 'joined') this.#attempt = 0;
    });
    link.onLost = (code) => this.#lost(code);
    this.#stopDiscovered = lobby.on(protocol.discovered, ({ room, url }) => {
      if (room !== name || link.phase() !== 'discovery') return;
      this.#cancelWait();
      link.open(url);
    });
  }

  readonly refusedCode = (): string | null => (this.#link.phase() === 'refused' ? this.#refusedCode : null);

  readonly leave = (): void => {
    this.#cancelWait();
    this.#stopDiscovered();
    this.#link.shut('none');
    this.#onLeave();
  };

  /** Asks the lobby for the address; without a lobby, waits for it. */
  discover(): void {
    this.#link.setPhase('discovery');
    if (!this.#lobby.send(protocol.discover, { room: this.#name })) return;
    this.#cancelWait = this.#time.after('room.discover', ANSWER_WAIT_MS, () => this.discover());
  }

  lobbyJoined(): void {
    if (this.#link.phase() !== 'discovery') return;
    this.#cancelWait();
    this.discover();
  }

  rejoin(): void {
    if (this.#link.phase() === 'refused') return;
    this.#cancelWait();
    this.#link.shut('discovery');
    this.discover();
  }

  #lost(code: number): void {
    if (code === protocol.closeCodes.refused) return this.#link.setPhase('refused');
    const waitMs = roomBackoffMs(this.#attempt, this.#time.random());
    this.#attempt += 1;
    this.#cancelWait = this.#time.after('room.retry', waitMs, () => this.discover());
  }
}
