import { isIPv6 } from 'node:net';
import {
  MAX_CONNECTIONS, MAX_CONNECTIONS_PER_ADDRESS, MAX_WAITING, MAX_WAITING_PER_ADDRESS,
} from './limits.ts';

/** One who came in. */
export interface Guest {
  /** IP address of the other end. */
  readonly address: string;
  /** Sends it away: another one needs the place. */
  readonly leave: () => void;
}

/**
 * Who may be connected. Those who have not been admitted wait in the order they came, and the first of them
 * goes when there are too many: silent crowds cannot keep an encoder out, which is through in a second.
 */
export class Door {
  readonly #inside = new Map<Guest, string>();
  readonly #waiting = new Set<Guest>();

  /** False when there is no place even so. */
  enter(guest: Guest): boolean {
    const network = networkOf(guest.address);
    const near = [...this.#inside].filter(([, other]) => other === network).map(([other]) => other);
    const nearWaiting = near.filter((other) => this.#waiting.has(other));
    if (nearWaiting.length >= MAX_WAITING_PER_ADDRESS) this.#sendAway(nearWaiting[0]!);
    else if (near.length >= MAX_CONNECTIONS_PER_ADDRESS) return false;
    if (this.#waiting.size >= MAX_WAITING) this.#sendAway([...this.#waiting][0]!);
    if (this.#inside.size >= MAX_CONNECTIONS) return false;
    this.#inside.set(guest, network);
    this.#waiting.add(guest);
    return true;
  }

  /** It has been admitted and keeps its place. */
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

  #sendAway(guest: Guest): void {
    this.left(guest);
    guest.leave();
  }
}

/** Whoever has one IPv6 address has the 2^64 of its network; IPv4 may be written as IPv6. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('%', 1)[0]!.split('::');
  const [before, after] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')));
  const zeros = tail === undefined ? 0 : 8 - before!.length - after!.length;
  const groups = [...before!, ...Array<string>(Math.max(0, zeros)).fill('0'), ...after!];
  return groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16)).join(':');
}
