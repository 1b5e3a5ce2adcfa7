import { createHash } from 'node:crypto';
import { baseOf } from '../../engine.ts';

interface Place {
  readonly relay: number;
  sessions: number;
}

/**
 * Which relay a stream lives on: where its sessions are, and while it has none where the hash of its name
 * says. A stream that was moved so stays with its publisher. Streams and what is derived from them live
 * together. Bounded by the sessions: it holds no stream that has none.
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

  /** The relay that has sessions of the stream, or of what is derived from it; null when there are none. */
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

  /** Resolves when it is clear where these streams live. */
  async settled(...streams: readonly string[]): Promise<void> {
    const held = (): Promise<void> | undefined =>
      streams.map((stream) => this.#held.get(baseOf(stream))).find((one) => one !== undefined);
    for (let one; (one = held());) await one;
  }

  /** Lets nobody know where the stream lives until the work is over. */
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
