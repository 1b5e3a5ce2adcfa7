import { addressGroups, type AddressGroup } from '#platform/http/address.ts';
import {
  MAX_CONNECTIONS,
  MAX_CONNECTIONS_PER_ADDRESS,
  MAX_WAITING,
  MAX_WAITING_PER_ADDRESS,
} from './limits.ts';

/** A connection. */
export interface Guest {
  /** IP address of the other end. */
  readonly address: string;
  /** Closes it, to make room for another one. */
  readonly leave: () => void;
}

/**
 * Limits who may be connected. Connections wait in order of arrival until they are admitted; when too many
 * wait, the first one is closed. So silent crowds cannot lock out an encoder, which is admitted within a
 * second.
 */
export class ConnectionLimits {
  readonly #inside = new Map<Guest, readonly AddressGroup[]>();
  readonly #waiting = new Set<Guest>();

  /** False when there is no room even so. */
  enter(guest: Guest): boolean {
    const groups = addressGroups(guest.address);
    for (const group of groups) if (!this.#hasRoom(group)) return false;
    if (this.#waiting.size >= MAX_WAITING) this.#sendAway([...this.#waiting][0]!);
    if (this.#inside.size >= MAX_CONNECTIONS) return false;
    this.#inside.set(guest, groups);
    this.#waiting.add(guest);
    return true;
  }

  /** It has been admitted and is no longer closed to make room. */
  admit(guest: Guest): void {
    this.#waiting.delete(guest);
  }

  left(guest: Guest): void {
    this.#waiting.delete(guest);
    this.#inside.delete(guest);
  }

  get inside(): number {
    return this.#inside.size;
  }

  /** Makes room in a group of addresses by closing a waiting connection, if there is one. */
  #hasRoom({ key, share }: AddressGroup): boolean {
    const near = [...this.#inside].filter(([, groups]) => groups.some((group) => group.key === key))
      .map(([guest]) => guest);
    const waiting = near.filter((guest) => this.#waiting.has(guest));
    if (waiting.length >= MAX_WAITING_PER_ADDRESS * share) {
      this.#sendAway(waiting[0]!);
      return true;
    }
    return near.length < MAX_CONNECTIONS_PER_ADDRESS * share;
  }

  #sendAway(guest: Guest): void {
    this.left(guest);
    guest.leave();
  }
}
