import type { Clock } from '../clock.ts';

/** A unit of work that waits for a session. `name` identifies it in errors. */
interface Waiting {
  readonly name: string;
  readonly grant: (release: () => void) => void;
}

/**
 * Waiting units of work beyond this mean the database is far behind: failing fast saves memory and time.
 */
const MAX_WAITING_UNITS = 2_000;
/**
 * A unit of work takes milliseconds. One that waits this long is behind one that hangs, perhaps its own
 * caller.
 */
const LEASE_WAIT_LIMIT_MS = 20_000;

/** Hands out a fixed number of database sessions, first come first served, with a limited queue. */
export class SessionQueue {
  readonly #waiting: Waiting[] = [];
  readonly #holders = new Set<{ readonly name: string }>();
  readonly #sessions: number;
  readonly #clock: Clock;

  constructor(sessions: number, clock: Clock) {
    this.#sessions = sessions;
    this.#clock = clock;
  }

  /** Whether no session is in use, so that nothing waits either. */
  get isQuiet(): boolean {
    return this.#holders.size === 0;
  }

  /**
   * Waits for a session and resolves with its release. Throws when too many wait already, or it takes too
   * long.
   */
  async take(name: string): Promise<() => void> {
    if (this.#holders.size < this.#sessions) return this.#hold(name);
    if (this.#waiting.length >= MAX_WAITING_UNITS) {
      throw new Error(`${MAX_WAITING_UNITS} units of work wait for the database, held by: ${this.#heldBy()}`);
    }
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        name,
        grant: (release) => {
          giveUp();
          resolve(release);
        },
      };
      const giveUp = this.#clock.after('database lease', LEASE_WAIT_LIMIT_MS, () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        const waited = `${name} waited ${LEASE_WAIT_LIMIT_MS} ms for the database`;
        reject(new Error(`${waited}, held by: ${this.#heldBy()}`));
      });
      this.#waiting.push(waiting);
    });
  }

  #heldBy(): string {
    return [...this.#holders].map((holder) => holder.name).join(', ');
  }

  #hold(name: string): () => void {
    const holder = { name };
    this.#holders.add(holder);
    return () => {
      if (!this.#holders.delete(holder)) return;
      // The session is passed on at once, so that a new caller queues behind those who already wait.
      const next = this.#waiting.shift();
      next?.grant(this.#hold(next.name));
    };
  }
}
