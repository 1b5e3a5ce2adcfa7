import { createHash } from 'node:crypto';
import { baseOf } from '../../engine.ts';

interface Place {
  readonly relay: number;
  sessions: number;
}

/**
 * Which relay a stream lives on: the one that has its sessions, or, without sessions, the one its name hashes
 * to. So a moved stream stays with its publisher. A stream and those derived from it live together. Only
 * streams with sessions take memory.
 */
export class Placement {
  readonly #relays: number;
  readonly #places = new Map<string, Place>();
  readonly #held = new Map<string, Promise<void>>();

  constructor(relays: number) {
    this.#relays = relays;
  }

  relayOf(stream: string): number {
    const byHash = (base: string): number =>
      createHash('sha256').update(base).digest().readUInt32BE(0) % this.#relays;
    return this.presentAt(stream) ?? byHash(baseOf(stream));
  }

  /** The relay that has sessions of the stream or of one derived from it; null without any. */
  presentAt(stream: string): number | null {
    return this.#places.get(baseOf(stream))?.relay ?? null;
  }

  /** A session of this stream begins at a relay. */
  enter(stream: string, relay: number): void {
    const base = baseOf(stream);
    const present = this.#places.get(base);
    if (present?.relay === relay) present.sessions += 1;
    else this.#places.set(base, { relay, sessions: 1 });
  }

  /** A session of this stream at this relay is over. */
  leave(stream: string, relay: number): void {
    const base = baseOf(stream);
    const present = this.#places.get(base);
    if (present?.relay !== relay) return;
    present.sessions -= 1;
    if (present.sessions === 0) this.#places.delete(base);
  }

  /** Resolves when the relay of each of these streams is known. */
  async settled(...streams: readonly string[]): Promise<void> {
    const held = (): Promise<void> | undefined =>
      streams.map((stream) => this.#held.get(baseOf(stream))).find((item) => item !== undefined);
    for (let one; (one = held());) await one;
  }

  /** Makes `settled` wait for this stream until the work is over. */
  async hold(stream: string, work: () => Promise<void>): Promise<void> {
    const base = baseOf(stream);
    const done = work();
    this.#held.set(base, done.catch(() => undefined));
    try {
      await done;
    } finally {
      this.#held.delete(base);
    }
  }
}
