import type { PayloadOf } from '#platform/contract/event.ts';
import { liveState, type LiveStore } from '#platform/ui/calls/live-state.ts';
import { invisibleMode, userJoined, userLeft, userList } from '../client.ts';
import type { RoomEntry } from '../rules/live-room.ts';
import { COUNT_THROTTLE_MS } from '../rules.ts';
import { runningMs } from '#platform/ui/time/server-clock.ts';

/** The list of users that a page has set last, and when, in ms since the page was opened. */
interface SetList {
  readonly at: number;
  readonly payload: PayloadOf<typeof userList>;
}

/** By username of the room, also after it was left; those of the last 5 s. */
const SET_LISTS = liveState<Readonly<Record<string, SetList>>>('rooms.userLists', {});

/** What is said of a list after it. */
const CHANGES = new Set([userJoined.name, userLeft.name, invisibleMode.name]);

/**
 * Lets a page set the list of users of a room once in 5 s (spec 2 §4.12). The site sends it to each socket
 * that often, and a page that joins a room again has another socket.
 */
export class ListGate {
  readonly #store: LiveStore;
  readonly #username: string;
  readonly #apply: (entry: RoomEntry) => void;
  /** A list that waits, and what followed it. */
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

  /** Drops what waits. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
  }

  #receiveList(entry: RoomEntry): void {
    const last = this.#store.read(SET_LISTS)[this.#username];
    // Another component that shows this room has received it first.
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
