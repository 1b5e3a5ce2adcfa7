import type { PayloadOf } from '#platform/contract/event.ts';
import { liveState, type LiveStore } from '#platform/ui/calls/live-state.ts';
import { runningMs } from '#platform/ui/time/server-clock.ts';
import { invisibleMode, userJoined, userLeft, userList } from '../client.ts';
import { COUNT_THROTTLE_MS } from '../rules.ts';
import type { RoomEntry } from '../rules/live-room.ts';

/** The user list that a page has last set, and when, in ms since the page was opened. */
interface SetList {
  readonly at: number;
  readonly payload: PayloadOf<typeof userList>;
}

/** Lists of the last 5 s by username of the room, also after the page has left it. */
const SET_LISTS = liveState<Readonly<Record<string, SetList>>>('rooms.userLists', {});

/** Events that change a list. */
const CHANGES = new Set([userJoined.name, userLeft.name, invisibleMode.name]);

/**
 * Lets a page set the user list of a room only once in 5 s (spec 2 §4.12). The site limits each socket, but a
 * page that joins a room again has a new socket.
 */
export class ListGate {
  readonly #store: LiveStore;
  readonly #username: string;
  readonly #apply: (entry: RoomEntry) => void;
  /** A list that waits, and the changes after it. */
  #waiting: RoomEntry[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param apply receives the events, in order, when they may change the room */
  constructor(store: LiveStore, username: string, apply: (entry: RoomEntry) => void) {
    this.#store = store;
    this.#username = username;
    this.#apply = apply;
  }

  receive(entry: RoomEntry): void {
    if (entry.name === userList.name) this.#receiveList(entry);
    else if (this.#waiting.length > 0 && CHANGES.has(entry.name)) this.#waiting.push(entry);
    else this.#apply(entry);
  }

  /** Drops the waiting events. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
  }

  #receiveList(entry: RoomEntry): void {
    const last = this.#store.read(SET_LISTS)[this.#username];
    // Another component that shows this room has already received it.
    if (last?.payload === entry.payload) return this.#apply(entry);
    this.#waiting = [entry];
    const waitMs = last ? Math.min(COUNT_THROTTLE_MS, last.at + COUNT_THROTTLE_MS - runningMs()) : 0;
    if (waitMs <= 0) return this.#set();
    this.#timer ??= setTimeout(() => this.#set(), waitMs);
    return undefined;
  }

  #set(): void {
    const entries = this.#waiting;
    this.stop();
    const payload = entries[0]?.payload as SetList['payload'];
    const at = runningMs();
    this.#store.change(SET_LISTS, (known) => ({
      ...Object.fromEntries(Object.entries(known).filter(([, list]) => at - list.at < COUNT_THROTTLE_MS)),
      [this.#username]: { at, payload },
    }));
    for (const entry of entries) this.#apply(entry);
  }
}
