import * as protocol from '#platform/contract/sockets/client.ts';
import { snapshotSeq, type Frame } from '#platform/contract/sockets/frame.ts';
import type {
  ClientTime,
  Connection,
  LiveClientOptions,
  RoomConnection,
} from '#platform/contract/sockets/socket-client.ts';
import { closeCodes } from '#platform/contract/sockets/wire.ts';
import { Link } from './link.ts';
import { CLIENT_TIMERS } from './timers.ts';

/** The part of the lobby that a room needs. */
export interface Lobby extends Pick<Connection, 'on' | 'send'> {
  /** Whether the lobby would answer `v3.lobby.discover` now. */
  readonly isReady: () => boolean;
}

/**
 * A random first wait that doubles per failed attempt, at most 3 s. `chance` is at least 0 and less than 1.
 */
function roomBackoffMs(attempt: number, chance: number): number {
  const { roomBackoffLeastMs: least, roomBackoffFirstMostMs: most, roomBackoffMostMs } = CLIENT_TIMERS;
  return Math.min(roomBackoffMostMs, (least + chance * (most - least)) * 2 ** attempt);
}

/**
 * A room: finds its address through the lobby, has a link of its own, and stores the last sequence number.
 */
export class Room implements RoomConnection {
  readonly on: Connection['on'];
  readonly send: Connection['send'];
  readonly phase: Connection['phase'];
  readonly watch: Connection['watch'];
  readonly #name: string;
  readonly #link: Link;
  readonly #lobby: Lobby;
  readonly #time: ClientTime;
  readonly #onLeave: () => void;
  readonly #stopDiscovered: () => void;
  #cancelWait: () => void = () => undefined;
  #attempt = 0;
  #cameBackAtMs = -Infinity;
  #hasLeft = false;
  /** What a room in discovery waits for: a ready lobby, the lobby's answer, or the back-off. */
  #waitsFor: 'lobby' | 'answer' | 'backoff' = 'lobby';
  /** Sequence number of the last entry received of the topic's log; null before the first. */
  #lastSeq: number | null = null;
  /** The last sequence number before the latest gap. */
  #gapAfter: number | null = null;

  constructor(name: string, options: LiveClientOptions, lobby: Lobby, onLeave: () => void) {
    const link = new Link(options, name);
    this.#name = name;
    this.#link = link;
    this.#lobby = lobby;
    this.#time = options.time;
    this.#onLeave = onLeave;
    this.on = link.on;
    this.send = link.send;
    this.phase = link.phase;
    this.watch = link.watch;
    link.watch((phase) => {
      if (phase === 'joined') this.#attempt = 0;
    });
    link.accept = (frame) => this.#accept(frame);
    link.asks = () => ({
      ...(options.templates === false ? {} : { templates: true }),
      ...(this.#lastSeq ? { seq: this.#lastSeq } : {}),
    });
    link.onLost = (code) => this.#lost(code);
    this.#stopDiscovered = lobby.on(protocol.discovered, ({ room, url }) => {
      if (room !== name || link.phase() !== 'discovery' || this.#waitsFor !== 'answer') return;
      this.#cancelWait();
      link.open(url);
    });
  }

  readonly refusedCode = ():
    | string
    | null => (this.#link.phase() === 'refused' ? this.#link.failedCode : null);

  readonly leave = (): void => {
    this.#hasLeft = true;
    this.#cancelWait();
    this.#stopDiscovered();
    this.#link.shut('none');
    this.#onLeave();
  };

  readonly rejoin = (): void => {
    if (this.#hasLeft) return;
    this.#link.shut('discovery');
    this.discover();
  };

  /** Asks the lobby for the address, and again until the room's socket opens. */
  discover(): void {
    if (this.#hasLeft) return;
    this.#cancelWait();
    this.#link.setPhase('discovery');
    const isAsked = this.#lobby.isReady() && this.#lobby.send(protocol.discover, { room: this.#name });
    this.#waitsFor = isAsked ? 'answer' : 'lobby';
    const waitMs = isAsked ? CLIENT_TIMERS.joinRetryMs : CLIENT_TIMERS.notReadyRetryMs;
    this.#cancelWait = this.#time.after('room.discover', waitMs, () => this.discover());
  }

  /** The lobby has become ready, so the room need not wait for its next check. */
  lobbyReady(): void {
    if (this.#link.phase() === 'discovery' && this.#waitsFor === 'lobby') this.discover();
  }

  /**
   * Accepts the entries of the topic's log in order, each of them once. A snapshot sets the sequence number.
   * After a gap the room rejoins from its sequence number; if that does not help, without one.
   */
  #accept(frame: Frame): boolean {
    const snapshot = snapshotSeq(frame);
    if (snapshot !== null) {
      this.#lastSeq = snapshot;
      return true;
    }
    const { seq } = frame;
    if (seq === null) return true;
    if (this.#lastSeq !== null && seq <= this.#lastSeq) return false;
    if (this.#lastSeq !== null && seq > this.#lastSeq + 1) {
      const isAgain = this.#gapAfter === this.#lastSeq;
      this.#gapAfter = this.#lastSeq;
      if (isAgain) this.#lastSeq = null;
      this.#comeBack();
      return false;
    }
    this.#lastSeq = seq;
    return true;
  }

  #lost(code: number): void {
    if (code === closeCodes.refused) return this.#link.setPhase('refused');
    if (code === closeCodes.reseat) return this.#comeBack();
    return this.#backOff();
  }

  #comeBack(): void {
    const nowMs = this.#time.now().getTime();
    const isLoop = nowMs - this.#cameBackAtMs < CLIENT_TIMERS.atOnceEveryMs;
    this.#cameBackAtMs = nowMs;
    if (isLoop) return this.#backOff();
    return this.rejoin();
  }

  #backOff(): void {
    this.#cancelWait();
    this.#waitsFor = 'backoff';
    this.#link.shut('discovery');
    const waitMs = roomBackoffMs(this.#attempt, this.#time.random());
    this.#attempt += 1;
    this.#cancelWait = this.#time.after('room.retry', waitMs, () => this.discover());
  }
}
