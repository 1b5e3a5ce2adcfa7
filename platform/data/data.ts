import type { AnyEvent, Channel, PayloadOf } from '#platform/contract/event.ts';
import type { AnyFact, FactPayload } from '#platform/contract/fact.ts';
import type { Transaction } from 'kysely';
import type { Clock } from './clock.ts';

/** The operator a unit of work belongs to; row-level security sees only its rows. */
export interface OperatorScope {
  readonly operatorId: number;
}

/** One line of the audit log: who did what to whom, and why. */
export interface AuditLine {
  /** `slice.verb`, e.g. `compliance.grantClearance`. */
  readonly action: string;
  readonly actorId: number | null;
  /** What it was done to, e.g. `person:12`. */
  readonly subject: string;
  readonly reason?: string;
  /** Small JSON, without secrets or personal text. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** A domain deadline; the same `kind` and `key` replaces the earlier one. */
export interface Deadline {
  readonly kind: string;
  readonly key: string;
  readonly at: Date;
  readonly payload?: unknown;
  /**
   * An existing deadline is left as it is, with two exceptions that are replaced: one that was given up after
   * failures, and one that is being handled (it would be deleted when its handler ends).
   */
  readonly keepExisting?: boolean;
}

/** One unit of work: everything in it commits or nothing does. Only SQL is awaited inside. */
export interface Tx {
  readonly operatorId: number;
  /** The clock's time when the unit began: use it for every timestamp it writes. */
  readonly now: Date;
  /**
   * Typed SQL for a slice's own tables: `tx.sql<TipsTables>()`. Table names carry their schema, `tips.tips`.
   */
  readonly sql: <Tables>() => Transaction<Tables>;
  /**
   * Publishes a fact to its subscribers after the commit. Facts of one `key` (room, account) keep their
   * order. Each publication has an id of its own.
   */
  readonly publish: <F extends AnyFact>(fact: F, key: string, payload: FactPayload<F>) => Promise<void>;
  /**
   * Sends a socket event to a channel after the commit. `seq` is its sequence number in the channel's own
   * log, from 1 and without gaps: a client that reconnects asks for the entries after the last one it
   * received. Events without a number are not repeated.
   */
  readonly send: <E extends AnyEvent>(
    channel: Channel,
    event: E,
    payload: PayloadOf<E>,
    seq?: number,
  ) => Promise<void>;
  /**
   * Takes an advisory lock of this operator, which is held until the unit ends. Two calls with the same
   * values take the same lock.
   * @param name what is locked, with its slice first: `tips.goals`
   * @param of id of the person or thing that is locked; absent for a single lock of the operator
   */
  readonly lock: (name: string, ...of: readonly (number | string)[]) => Promise<void>;
  readonly audit: (line: AuditLine) => Promise<void>;
  readonly schedule: (item: Deadline) => Promise<void>;
  readonly unschedule: (kind: string, key: string) => Promise<void>;
}

export interface Data {
  readonly clock: Clock;
  /** The driver in use, for the start banner: `pglite` or `postgres`. */
  readonly driver: 'pglite' | 'postgres';
  /**
   * The only way to query. BEGIN, SET LOCAL ROLE candela_app, app.operator; COMMIT, or ROLLBACK when `fn`
   * throws. A nested call inside `fn` throws.
   */
  readonly tx: <T>(scope: OperatorScope, fn: (tx: Tx) => Promise<T>) => Promise<T>;
  /**
   * A unit of work that only reads: BEGIN READ ONLY makes the database refuse every write. Equal statements
   * are sent once and share their rows, so callers must not change them; `fn` may run several statements at
   * once, which then take one round trip.
   */
  readonly read: <T>(scope: OperatorScope, fn: (tx: Tx) => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

/** A published socket event on its way to the gateways. */
export interface BusMessage {
  readonly operatorId: number;
  readonly channel: Channel;
  readonly name: string;
  readonly payload: unknown;
  /** Sequence number in the log of the channel. Absent for a channel without one. */
  readonly seq?: number | undefined;
}

/** Fan-out between processes: in memory for one, over Redis for several. */
export interface Bus {
  /** Whether other processes take part. */
  readonly isShared: boolean;
  /** Publishes to the subscribers of every process, in order of the calls. Lost while the bus is away. */
  readonly publish: (message: BusMessage) => void;
  /**
   * As {@link publish}, for messages that must not be lost. Resolves when all of them are on their way, and
   * rejects when any is not: then publish all of them again, in the same order.
   */
  readonly publishAll: (messages: readonly BusMessage[]) => Promise<void>;
  /**
   * Publishes to the subscribers of this process alone: every process sends the message to its own sockets.
   */
  readonly publishHere: (message: BusMessage) => void;
  readonly subscribe: (listener: (message: BusMessage) => void) => () => void;
  /** Whether messages published now reach the other processes. */
  readonly isUp: () => boolean;
  /** Asks the delivering processes to look into the outbox. The request may be lost. */
  readonly poke: () => void;
  readonly poked: (listener: () => void) => () => void;
  /** Calls back when messages arrive again after an outage in which some may have been missed. */
  readonly restored: (listener: () => void) => () => void;
}
