import type { Transaction } from 'kysely';
import type { AnyEvent, Channel, PayloadOf } from '../contract/event.ts';
import type { AnyFact, FactPayload } from '../contract/fact.ts';
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
export interface DueItem {
  readonly kind: string;
  readonly key: string;
  readonly at: Date;
  readonly payload?: unknown;
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
   * Announces a fact to hearers after commit. `key` orders facts (room, account); ids are unique per
   * announcement.
   */
  readonly announce: <F extends AnyFact>(fact: F, key: string, payload: FactPayload<F>) => Promise<void>;
  /** Sends a socket event to a channel after commit. */
  readonly tell: <E extends AnyEvent>(channel: Channel, event: E, payload: PayloadOf<E>) => Promise<void>;
  readonly audit: (line: AuditLine) => Promise<void>;
  readonly schedule: (item: DueItem) => Promise<void>;
  readonly unschedule: (kind: string, key: string) => Promise<void>;
}

export interface Data {
  readonly clock: Clock;
  /** Which driver runs, for the start banner: `pglite` or `postgres`. */
  readonly driver: 'pglite' | 'postgres';
  /**
   * The only way to query. BEGIN, SET LOCAL ROLE candela_app, app.operator; COMMIT, or ROLLBACK when `fn`
   * throws. A nested call inside `fn` throws.
   */
  readonly tx: <T>(scope: OperatorScope, fn: (tx: Tx) => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

/** A published socket event on its way to the gateways. */
export interface BusMessage {
  readonly operatorId: number;
  readonly channel: Channel;
  readonly name: string;
  readonly payload: unknown;
}

/** Fan-out between processes: in memory, later Redis. */
export interface Bus {
  readonly publish: (message: BusMessage) => void;
  readonly subscribe: (listener: (message: BusMessage) => void) => () => void;
}
