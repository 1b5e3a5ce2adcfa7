import * as protocol from '#platform/contract/sockets/client.ts';
import type {
  Connection,
  LiveClient,
  LiveClientOptions,
  RoomConnection,
} from '#platform/contract/sockets/socket-client.ts';
import { Link } from './link.ts';
import { Room, type Lobby } from './room.ts';
import { CLIENT_TIMERS } from './timers.ts';

/**
 * The client side of lobby and rooms, not yet started. It discovers, authorizes with a fresh token per
 * socket, answers and sends pings, reads both encodings, stores the sequence number of each room and
 * reconnects (readings.md, Sockets). It is platform-independent: sockets, time and randomness are passed in.
 */
export const liveClient = (options: LiveClientOptions): LiveClient => new LobbyClient(options);

class LobbyClient implements LiveClient {
  readonly lobby: Connection;
  readonly #options: LiveClientOptions;
  readonly #link: Link;
  readonly #rooms = new Set<Room>();
  #cancelRetry: () => void = () => undefined;
  #cancelRejoin: () => void = () => undefined;
  #cancelRestarting: () => void = () => undefined;
  #cancelOutage: () => void = () => undefined;
  #isRestarting = false;
  #isStopped = false;
  /** When the lobby went away; null while it is connected, and before the start. */
  #awaySinceMs: number | null = null;
  /** After a long outage, rooms wait until this time. */
  #quietUntilMs = 0;

  constructor(options: LiveClientOptions) {
    this.#options = options;
    this.#link = new Link(options, null);
    this.lobby = this.#link;
    this.#link.on(protocol.lobbyRestarting, () => this.#restarting());
    this.#link.on(protocol.lobbyStop, () => {
      this.#isStopped = true;
    });
    this.#link.on(protocol.lobbyStart, () => {
      // Rooms check every 100 ms, so that not all clients of a server ask at the same moment.
      this.#isStopped = false;
      this.#restarted();
    });
    this.#link.onLost = () => this.#lost();
    this.#link.watch((phase) => {
      if (phase === 'joined') this.#joined();
    });
  }

  readonly start = (): void => {
    this.#away();
    this.#link.open(this.#options.lobbyUrl);
  };

  readonly stop = (): void => {
    this.#cancelRetry();
    this.#cancelRejoin();
    this.#cancelOutage();
    this.#restarted();
    for (const room of this.#rooms) room.leave();
    this.#link.shut('none');
  };

  readonly join = (name: string): RoomConnection => {
    const lobby: Lobby = {
      on: this.#link.on,
      send: this.#link.send,
      isReady: () =>
        this.#link.phase() === 'joined' && !this.#isStopped && this.#nowMs() >= this.#quietUntilMs,
    };
    const room: Room = new Room(name, this.#options, lobby, () => this.#rooms.delete(room));
    this.#rooms.add(room);
    // One microtask later, so that the caller can subscribe before anything happens.
    void Promise.resolve().then(() => {
      if (room.phase() === 'none') room.discover();
    });
    return room;
  };

  #nowMs(): number {
    return this.#options.time.now().getTime();
  }

  /** Starts timing an outage with the first moment without a lobby, whatever is tried meanwhile. */
  #away(): void {
    if (this.#awaySinceMs !== null) return;
    this.#awaySinceMs = this.#nowMs();
    const { time, onOutage } = this.#options;
    this.#cancelOutage = time.after('lobby.outage', CLIENT_TIMERS.outageMs, () => onOutage?.());
  }

  #restarting(): void {
    this.#cancelRestarting();
    this.#isRestarting = true;
    const { time } = this.#options;
    this.#cancelRestarting = time.after('lobby.restarting', CLIENT_TIMERS.restartingForMs, () => {
      this.#isRestarting = false;
    });
  }

  #restarted(): void {
    this.#cancelRestarting();
    this.#isRestarting = false;
  }

  #lost(): void {
    this.#away();
    this.#cancelRejoin();
    this.#link.setPhase('none');
    const waitMs = this.#isRestarting ? CLIENT_TIMERS.restartingRetryMs : CLIENT_TIMERS.lobbyRetryMs;
    this.#cancelRetry = this.#options.time.after('lobby.retry', waitMs, this.start);
  }

  #joined(): void {
    const awayForMs = this.#nowMs() - (this.#awaySinceMs ?? this.#nowMs());
    this.#awaySinceMs = null;
    this.#cancelOutage();
    this.#isStopped = false;
    if (awayForMs <= CLIENT_TIMERS.longOutageMs) return this.#passReadiness();
    this.#quietUntilMs = this.#nowMs() + CLIENT_TIMERS.rejoinAfterOutageMs;
    this.#cancelRejoin = this.#options.time.after('lobby.rejoin', CLIENT_TIMERS.rejoinAfterOutageMs, () => {
      for (const room of this.#rooms) if (room.phase() !== 'refused') room.rejoin();
    });
    return undefined;
  }

  #passReadiness(): void {
    for (const room of this.#rooms) room.lobbyReady();
  }
}
